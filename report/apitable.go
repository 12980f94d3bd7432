package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/apicost"
)

// An APITable describes a table of API costs, and what it knows of the calls of a run.
type APITable struct {
	Path string
	// Rows counts the rows, Names the classes and names. Unknown counts the rows without a cost,
	// Doubled the rows that repeat another one. Unreadable lists the rows without a cost that
	// cannot be read.
	Rows, Names, Unknown, Doubled int
	Unreadable                    []string
	Packages                      []string
	// Overloads are the names with several rows, those with the largest ratio of costs first.
	Overloads []apicost.Overload
	// Charge and Bill describe the run. They are nil without one.
	Charge  *APICharge
	Bill    *APIBill
	Methods Methods
}

// NewAPITable describes the table at path. in is a run that the table charged, or nil.
func NewAPITable(path string, table *apicost.Table, in *analysis.Input) *APITable {
	made := &APITable{
		Path: path, Rows: len(table.Rows), Names: table.Names(), Unknown: table.Unknown(), Doubled: table.Doubled,
		Packages: table.Roots(), Overloads: table.Overloads(), Methods: Methods{},
	}
	for _, err := range table.Unreadable {
		made.Unreadable = append(made.Unreadable, err.Error())
	}
	if in != nil {
		made.Charge, made.Bill = newAPICharge(in.APICosts), newAPIBill(in, made.Methods)
	}
	return made
}
