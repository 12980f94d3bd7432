package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Top lists methods by energy, summed over all their callers, for one run or two.
// [finding.MethodTable] describes the laws of the figures.
type Top struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Subject       Input `json:"subject"`
	// Reference is nil if there is only one run.
	Reference *Input `json:"reference"`
	// Spread describes the number of runs behind the differences. It is empty for a single run.
	Spread string `json:"spread"`
	// Counts is "calls" or "samples", as in a Report.
	Counts string `json:"counts"`
	// Sort is the order of Rows: "self", "all" or "saving".
	Sort string `json:"sort"`
	// Group is what a row is: a "method", a "class", a "package" or a "library".
	Group string `json:"group"`
	// Total counts the rows that pass the filters, and Rows has the first of them. Filtered counts
	// the others.
	Total    int      `json:"total"`
	Filtered int      `json:"filtered"`
	Rows     []TopRow `json:"rows"`
	// Sandwich is set if the user asked for a single method.
	Sandwich *Sandwich `json:"sandwich"`

	Comparability []Note `json:"comparability"`
	Warnings      []Note `json:"warnings"`
	// Methods are the methods of Rows and Sandwich.
	Methods Methods `json:"methods"`
}

// A Sandwich has the callers and callees of one method, the largest first.
type Sandwich struct {
	Callers []TopLink `json:"callers"`
	Callees []TopLink `json:"callees"`
}

// A TopRow is a method, a class, a package or a library.
type TopRow struct {
	// Method is the method's label, or the name of a row of another kind.
	Method string `json:"method"`
	// Owner is "app" or "framework". It is empty for the root, for methods that belong to their
	// callers, and for rows with code of both.
	Owner string `json:"owner"`
	// Own is set for the app's own code. Library is the group of libraries, or empty.
	Own     bool   `json:"own"`
	Library string `json:"library"`
	Subject TopUse `json:"subject"`
	// Reference is nil if there is only one run.
	Reference *TopUse `json:"reference"`
	// ExclusiveSaving and InclusiveSaving are the subject's energies minus the reference's. They
	// are nil for a single run.
	ExclusiveSaving *units.Energy `json:"exclusiveSavingNJ"`
	InclusiveSaving *units.Energy `json:"inclusiveSavingNJ"`
}

// A TopUse is the energy of a method in one run.
type TopUse struct {
	// Exclusive is the energy without callees, Inclusive with callees. A recursive call is part of
	// the outer call.
	Exclusive units.Energy `json:"exclusiveNJ"`
	Inclusive units.Energy `json:"inclusiveNJ"`
	// The shares are fractions of the run's energy.
	ExclusiveShare float64 `json:"exclusiveShare"`
	InclusiveShare float64 `json:"inclusiveShare"`
	Counts
	// Recursive is how many of Calls are recursive. It is nil unless the run counts calls.
	Recursive *int64 `json:"recursiveCalls"`
	// Components is Inclusive by component, the largest first. It is absent if the run has no
	// energy by component.
	Components []Component `json:"components,omitempty"`
}

// A TopLink is a caller or callee of a method, with the energy of the calls between them.
type TopLink struct {
	Method string `json:"method"`
	// Owner, Own and Library have the same meaning as in a TopRow.
	Owner   string  `json:"owner"`
	Own     bool    `json:"own"`
	Library string  `json:"library"`
	Subject LinkUse `json:"subject"`
	// Reference and Saving are nil if there is only one run.
	Reference *LinkUse      `json:"reference"`
	Saving    *units.Energy `json:"savingNJ"`
}

// A LinkUse is the energy of calls in one run.
type LinkUse struct {
	Energy units.Energy `json:"energyNJ"`
	// Share is the energy divided by the energy of the sandwich's method.
	Share float64 `json:"share"`
	Counts
}

// The orders of a Top.
const (
	BySelf   = "self"
	ByAll    = "all"
	BySaving = "saving"
)

// TopOptions select the contents of a Top.
type TopOptions struct {
	// Sort is BySelf, ByAll or BySaving.
	Sort string
	// Rows is the number of methods to list. 0 means all methods.
	Rows int
	// Grain is what the table's rows are, such as methods or classes.
	Grain finding.Grain
	// Keep selects the rows to list. nil selects all rows.
	Keep func(*finding.MethodUse) bool
	// Method is the index of the only method to list, with its callers and callees. If it is
	// negative, all methods are listed.
	Method int
}

// NewTop lists the rows of a table, which finding.ByGrain made from inputs.
func NewTop(table *finding.MethodTable, inputs []*analysis.Input, version string, o TopOptions) *Top {
	t := &Top{
		SchemaVersion: SchemaVersion, Tool: Tool{Name: "diffprof", Version: version},
		Sort: o.Sort, Group: string(o.Grain), Total: len(table.Methods), Rows: []TopRow{}, Methods: Methods{},
		Comparability: []Note{}, Warnings: []Note{},
	}
	m := &topMaker{Top: t, table: table, inputs: inputs}
	var calls []trace.Calls
	for i, in := range inputs {
		made := newInput(*in)
		calls = append(calls, in.Trace.Calls)
		if i == 0 {
			t.Subject = made
		} else {
			t.Reference = &made
		}
	}
	if len(inputs) > 1 {
		t.Spread = words.Untested(inputs[0], inputs[1])
	}
	t.Counts = words.Counts(calls...)
	if o.Method >= 0 {
		t.Rows = append(t.Rows, m.row(o.Method))
		t.Sandwich = m.sandwich(o.Method)
		return t
	}
	order := m.order(o)
	t.Total, t.Filtered = len(order), t.Total-len(order)
	if o.Rows > 0 {
		order = order[:min(o.Rows, len(order))]
	}
	for _, i := range order {
		t.Rows = append(t.Rows, m.row(i))
	}
	return t
}

// NoteInputs adds notes about differences between two inputs, and warnings.
func (t *Top) NoteInputs(unlike, warnings []trace.Warning) {
	t.Comparability, t.Warnings = comparability(unlike), notes(warnings)
}

// WriteJSON writes the list as indented JSON, ended by a newline.
func (t *Top) WriteJSON(w io.Writer) error { return writeJSON(w, t) }

// Unlisted describes the rows that are not listed: their number and energy. It returns "" if there
// are none.
func (t *Top) Unlisted(scale words.Scale) string {
	hidden := t.Total - len(t.Rows)
	if hidden+t.Filtered == 0 {
		return ""
	}
	rest := t.Subject.Energy
	for _, row := range t.Rows {
		rest -= row.Subject.Exclusive
	}
	return words.TopUnlisted(t.Group, hidden, t.Filtered, scale.Energy(rest))
}

// topMaker makes a Top of a table.
type topMaker struct {
	*Top
	table  *finding.MethodTable
	inputs []*analysis.Input
}

// order returns the rows to list, sorted. Ties are broken by label.
func (m *topMaker) order(o TopOptions) []int {
	key := func(i int) (first, second units.Energy) {
		here, there := m.table.Methods[i].Runs[0], m.table.Methods[i].Runs[1]
		switch o.Sort {
		case ByAll:
			return max(here.All, there.All), max(here.Self, there.Self)
		case BySaving:
			return here.Self - there.Self, here.All - there.All
		default:
			return max(here.Self, there.Self), max(here.All, there.All)
		}
	}
	var order []int
	for i := range m.table.Methods {
		if o.Keep == nil || o.Keep(&m.table.Methods[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		first, second := key(a)
		otherFirst, otherSecond := key(b)
		return cmp.Or(cmp.Compare(otherFirst, first), cmp.Compare(otherSecond, second))
	})
	return order
}

// row makes the row of a method.
func (m *topMaker) row(i int) TopRow {
	method := &m.table.Methods[i]
	m.Methods.add(method.Method)
	row := TopRow{
		Method: method.Method.Label(), Owner: ownerName[method.Owner], Own: method.Own, Library: method.Library,
		Subject: m.use(0, method.Runs[0]),
	}
	if len(m.inputs) > 1 {
		there := m.use(1, method.Runs[1])
		row.Reference = &there
		row.ExclusiveSaving = difference(row.Subject.Exclusive, there.Exclusive)
		row.InclusiveSaving = difference(row.Subject.Inclusive, there.Inclusive)
	}
	return row
}

// difference returns the subject's energy minus the reference's energy.
func difference(subject, reference units.Energy) *units.Energy {
	e := subject - reference
	return &e
}

func (m *topMaker) use(run int, u finding.Use) TopUse {
	in := m.inputs[run]
	return TopUse{
		Exclusive: u.Self, ExclusiveShare: units.Share(u.Self, in.Energy),
		Inclusive: u.All, InclusiveShare: units.Share(u.All, in.Energy),
		Counts: counts(in.Trace.Calls, u.Calls), Recursive: recursiveCalls(in.Trace.Calls, u.Recursive),
		Components: componentsOf(m.table.ByComponent(u.All, u.AllBy)),
	}
}

// sandwich lists the links to and from a method.
func (m *topMaker) sandwich(center int) *Sandwich {
	s := &Sandwich{Callers: []TopLink{}, Callees: []TopLink{}}
	for _, link := range m.table.Linked(center, true) {
		s.Callers = append(s.Callers, m.link(&link, link.Caller, center))
	}
	for _, link := range m.table.Linked(center, false) {
		s.Callees = append(s.Callees, m.link(&link, link.Callee, center))
	}
	return s
}

// link converts a call between two methods. center is the index of the sandwich's method, and at
// that of the other, which the TopLink describes.
func (m *topMaker) link(l *finding.Link, at, center int) TopLink {
	method := &m.table.Methods[at]
	m.Methods.add(method.Method)
	use := func(run int) LinkUse {
		u := l.Runs[run]
		return LinkUse{
			Energy: u.All, Share: units.Share(u.All, m.table.Methods[center].Runs[run].All),
			Counts: counts(m.inputs[run].Trace.Calls, u.Calls),
		}
	}
	out := TopLink{
		Method: method.Method.Label(), Owner: ownerName[method.Owner], Own: method.Own, Library: method.Library, Subject: use(0),
	}
	if len(m.inputs) > 1 {
		there := use(1)
		out.Reference, out.Saving = &there, difference(out.Subject.Energy, there.Energy)
	}
	return out
}
