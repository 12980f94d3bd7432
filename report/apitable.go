package report

import (
	"io"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/apicost"
)

// An APITable describes a table of API costs. It also states which calls of a run, or which call
// sites of an app, have a cost in the table.
type APITable struct {
	SchemaVersion int    `json:"schemaVersion"`
	Tool          Tool   `json:"tool"`
	Path          string `json:"path"`
	// Rows counts the rows. Names counts the classes and names. Unknown counts the rows without a
	// cost. Doubled counts the rows that repeat another row. Unreadable lists the rows without a
	// cost that cannot be read.
	Rows       int      `json:"rows"`
	Names      int      `json:"names"`
	Unknown    int      `json:"unknownRows"`
	Doubled    int      `json:"doubledRows"`
	Unreadable []string `json:"unreadableRows"`
	Packages   []string `json:"packages"`
	// Overloads are the names with several rows, sorted by the ratio of their costs, the largest
	// first.
	Overloads []APIOverload `json:"overloads"`
	// Charge and Bill describe the run. They are nil without one. Sites describes the app, nil without one.
	Charge  *APICharge `json:"run,omitempty"`
	Bill    *APIBill   `json:"apiCosts,omitempty"`
	Sites   *APISites  `json:"app,omitempty"`
	Methods Methods    `json:"methods"`
}

// An APIOverload is a name with several rows. Least and Most are the known costs, as exact decimal numbers of
// joules.
type APIOverload struct {
	Name  string `json:"name"`
	Rows  int    `json:"rows"`
	Least string `json:"leastJoules"`
	Most  string `json:"mostJoules"`
}

// APISites are the call sites of framework methods in the code of an app. A call site may run often or never, so
// they are not energy.
type APISites struct {
	Path string `json:"path"`
	// Splits are the further files of the app.
	Splits []string `json:"splits,omitempty"`
	// Sites counts the call sites of methods in the packages of the table. Costed counts the call sites with a cost.
	// Elsewhere counts the call sites of other framework methods. Unclear counts call sites that may reach several
	// classes. They are in no other figure.
	Sites     int64   `json:"sites"`
	Costed    int64   `json:"costed"`
	Share     float64 `json:"share"`
	Elsewhere int64   `json:"elsewhere"`
	Unclear   int     `json:"unclear"`
	// APIs are the called methods with a cost. Missing are the called methods without a cost. Both
	// are sorted by call sites.
	APIs    []APISite    `json:"apis"`
	Missing []APINoSites `json:"missing"`
}

// An APISite is a called method with a cost. Joules is the cost of a call, as an exact decimal number.
type APISite struct {
	Method string `json:"method"`
	Sites  int64  `json:"sites"`
	Joules string `json:"eachJoules"`
}

// An APINoSites is a called method without a cost. Reason has the same values as in an APIMissing.
type APINoSites struct {
	Method string `json:"method"`
	Reason string `json:"reason"`
	Sites  int64  `json:"sites"`
}

// NewAPITable describes the table at path. in is a run to which the table gave costs, or nil. app
// has the call sites of an app, or nil.
func NewAPITable(path, version string, table *apicost.Table, in *analysis.Input, app *analysis.APISites) *APITable {
	made := &APITable{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version},
		Path: path, Rows: len(table.Rows), Names: table.Names(), Unknown: table.Unknown(), Doubled: table.Doubled,
		Packages: append([]string{}, table.Roots()...), Unreadable: []string{}, Overloads: []APIOverload{}, Methods: Methods{},
	}
	for _, o := range table.Overloads() {
		made.Overloads = append(made.Overloads, APIOverload{o.Name, o.Rows, o.Least.Joules(), o.Most.Joules()})
	}
	for _, err := range table.Unreadable {
		made.Unreadable = append(made.Unreadable, err.Error())
	}
	if in != nil {
		made.Charge, made.Bill = newAPICharge(in.APICosts), newAPIBill(in, made.Methods)
	}
	if app != nil {
		made.Sites = newAPISites(app, made.Methods)
	}
	return made
}

// newAPISites describes an app's call sites, and adds their methods to methods.
func newAPISites(app *analysis.APISites, methods Methods) *APISites {
	s := &APISites{Path: app.Path, Splits: app.Splits, Sites: app.Sites, Costed: app.Costed, Elsewhere: app.Elsewhere, Unclear: app.Unclear, APIs: []APISite{}, Missing: []APINoSites{}}
	if app.Sites > 0 {
		s.Share = float64(app.Costed) / float64(app.Sites)
	}
	for _, a := range app.Listed {
		methods.add(a.Method)
		s.APIs = append(s.APIs, APISite{a.Method.Label(), a.Sites, a.Each.Joules()})
	}
	for _, m := range app.Missing {
		methods.add(m.Method)
		s.Missing = append(s.Missing, APINoSites{m.Method.Label(), m.Why.String(), m.Calls})
	}
	return s
}

// WriteJSON writes the document as indented JSON, ended by a newline.
func (t *APITable) WriteJSON(w io.Writer) error { return writeJSON(w, t) }
