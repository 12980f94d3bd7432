package report

import (
	"io"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/apicost"
)

// An APITable describes a table of API costs, and how much of a run or an app it covers.
type APITable struct {
	SchemaVersion int    `json:"schemaVersion"`
	Tool          Tool   `json:"tool"`
	Path          string `json:"path"`
	// Rows counts the rows, and Names the distinct classes and names. Unknown counts rows without a
	// cost, and Doubled rows that repeat another row. Unreadable lists the rows whose cost cannot
	// be read.
	Rows       int      `json:"rows"`
	Names      int      `json:"names"`
	Unknown    int      `json:"unknownRows"`
	Doubled    int      `json:"doubledRows"`
	Unreadable []string `json:"unreadableRows"`
	Packages   []string `json:"packages"`
	// Overloads are the names with several rows. Names whose costs differ by the largest factor are
	// first.
	Overloads []APIOverload `json:"overloads"`
	// Charge and Bill are about a run, and Sites is about an app. They are nil if none was given.
	Charge  *APICharge `json:"run,omitempty"`
	Bill    *APIBill   `json:"apiCosts,omitempty"`
	Sites   *APISites  `json:"app,omitempty"`
	Methods Methods    `json:"methods"`
}

// An APIOverload is a name with several rows. Least and Most are the lowest and highest cost, in
// joules as exact decimal numbers.
type APIOverload struct {
	Name  string `json:"name"`
	Rows  int    `json:"rows"`
	Least string `json:"leastJoules"`
	Most  string `json:"mostJoules"`
}

// APISites lists the framework calls in an app's code. It has no energy, because the code does not
// show how often a call runs.
type APISites struct {
	Path string `json:"path"`
	// Splits are the further files of the app.
	Splits []string `json:"splits,omitempty"`
	// Sites counts the calls into the table's packages, and Costed those with a cost. Elsewhere
	// counts calls of other framework methods. Unclear counts calls that may reach several classes;
	// no other figure includes them.
	Sites     int64   `json:"sites"`
	Costed    int64   `json:"costed"`
	Share     float64 `json:"share"`
	Elsewhere int64   `json:"elsewhere"`
	Unclear   int     `json:"unclear"`
	// APIs are the called methods with a cost, Missing those without. Both are sorted by number of
	// calls in the code.
	APIs    []APISite    `json:"apis"`
	Missing []APINoSites `json:"missing"`
}

// An APISite is a called method with a cost. Joules is the cost of one call, an exact decimal
// number.
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

// NewAPITable describes the table at path. The parameter in is a run whose energy comes from the
// table, or nil, and app has the calls in an app's code, or nil.
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

// newAPISites describes the calls in an app's code. It adds their methods to methods.
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
