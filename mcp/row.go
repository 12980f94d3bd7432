package mcp

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/settings"
	"github.com/diffprof/diffprof/units"
)

// A row is a task or a piece of app code in a comparison.
type row struct {
	task *report.Task
	code *report.AppCode
}

func (r *row) standing() *report.Standing {
	if r.task != nil {
		return &r.task.Standing
	}
	return &r.code.Standing
}

func (r *row) id() string {
	if r.task != nil {
		return r.task.ID
	}
	return r.code.ID
}

// newComparison prepares a comparison for answers.
func newComparison(id string, o settings.Settings, set *finding.Set, version string) *comparison {
	if len(o.Ignore) > 0 {
		set, _ = set.Without(func(id, method string, above iter.Seq[string]) bool { return o.Ignored(id, method, above) != nil })
	}
	if o.OwnOnly {
		set, _ = set.OwnOnly()
	}
	c := &comparison{id: id, settings: o, set: set, made: report.New(set, version, 0), methods: map[string]name.Method{}}
	for _, in := range []*analysis.Input{&set.Result.Subject, &set.Result.Reference} {
		for _, m := range in.Tree.Source.Methods {
			label := m.Label()
			if _, ok := c.methods[label]; !ok {
				c.methods[label] = m
			}
		}
	}
	for i := range c.made.Tasks {
		c.rows = append(c.rows, row{task: &c.made.Tasks[i]})
	}
	for i := range c.made.AppCode {
		c.rows = append(c.rows, row{code: &c.made.AppCode[i]})
	}
	slices.SortStableFunc(c.rows, func(a, b row) int { return cmp.Compare(a.standing().Rank, b.standing().Rank) })
	return c
}

// A Row is a row of a comparison in an answer.
type Row struct {
	ID      string `json:"id" jsonschema:"name of the row for explain; the same in every comparison of the subject"`
	Rank    int    `json:"rank"`
	Kind    string `json:"kind" jsonschema:"task: a framework method that the app calls, with all that it calls. app-code: a method of the app itself, without what it calls"`
	Method  string `json:"method"`
	Verdict string `json:"verdict"`
	Message string `json:"message" jsonschema:"the row in one sentence"`
	Counts  bool   `json:"counts" jsonschema:"whether the row is a finding; if false, its difference must not be called a saving"`
	WhyNot  string `json:"whyNot,omitempty" jsonschema:"why the row is no finding"`
	// EnergyNJ, ReferenceNJ and the savings are the figures of the JSON report.
	EnergyNJ     units.Energy  `json:"energyNJ"`
	ReferenceNJ  *units.Energy `json:"referenceNJ,omitempty"`
	DifferenceNJ units.Energy  `json:"differenceNJ"`
	SavingNJ     *Range        `json:"savingNJ,omitempty" jsonschema:"what could be saved; only for rows that count"`
	Inside       string        `json:"inside,omitempty" jsonschema:"id of the task that this one is part of"`
	Places       []Place       `json:"places" jsonschema:"the methods of the app that call the task, or the app code itself"`
	MorePlaces   int           `json:"morePlaces,omitempty"`
}

// A Range is an interval of energies.
type Range struct {
	Least units.Energy `json:"least"`
	Most  units.Energy `json:"most"`
}

// A Place is a method of the app and its place in the sources.
type Place struct {
	Method string `json:"method"`
	Path   string `json:"path,omitempty" jsonschema:"source file that declares the method"`
	File   string `json:"file,omitempty" jsonschema:"name of the source file in the recording, if the file was not found"`
	Line   int    `json:"line,omitempty"`
	Exact  bool   `json:"exact" jsonschema:"whether the line is the call of the task; if false it is where the method is declared"`
}

// row returns the answer for a row. places limits the number of its places.
func (s *Server) row(c *comparison, index *source.Index, r *row, places int) Row {
	st := r.standing()
	out := Row{Rank: st.Rank, Counts: st.IsFinding, WhyNot: st.DoubtMessage}
	var callers []report.Place
	callee := ""
	if t := r.task; t != nil {
		out.ID, out.Kind, out.Method, out.Verdict, out.Message = t.ID, "task", t.Method, string(t.Verdict), t.Message
		out.EnergyNJ, out.DifferenceNJ = t.Energy, t.Saving
		if t.Peer != nil {
			out.ReferenceNJ = &t.Peer.Energy
		}
		if t.Inside != nil {
			out.Inside = *t.Inside
		}
		callee = t.Method
		for i := range t.Callers {
			callers = append(callers, t.Callers[i].Place)
		}
	} else {
		t := r.code
		out.ID, out.Kind, out.Method, out.Verdict, out.Message = t.ID, "app-code", t.Method, string(t.Verdict), t.Message
		out.EnergyNJ, out.DifferenceNJ = t.Energy, t.Saving
		if t.Peer != nil {
			out.ReferenceNJ = &t.Peer.Energy
		}
		callers = []report.Place{t.Place}
	}
	if st.IsFinding {
		out.SavingNJ = &Range{st.SavingLeast, st.SavingMost}
	}
	out.Places = []Place{}
	for _, at := range callers[:min(places, len(callers))] {
		out.Places = append(out.Places, s.place(c, index, callee, at))
	}
	out.MorePlaces = len(callers) - len(out.Places)
	return out
}

// place finds a method of the app in the sources. It returns the method's call of a task if there is
// exactly one, and the method's declaration otherwise. callee is the label of the task, empty for
// app code.
func (s *Server) place(c *comparison, index *source.Index, callee string, at report.Place) Place {
	out := Place{Method: at.Method, File: at.File, Line: at.Line}
	m, ok := c.methods[at.Method]
	if !ok {
		return out
	}
	var found []source.Location
	if task, ok := c.methods[callee]; ok && callee != "" {
		if found = index.Calls(m, task, time.Time{}); len(found) == 1 {
			out.Exact = true
		}
	}
	if !out.Exact {
		if found, _ = index.Find(m, time.Time{}); len(found) == 0 {
			return out
		}
	}
	out.Path, out.File, out.Line = s.files.displayPath(found[0].Path), "", int(found[0].Range.Start.Line)+1
	return out
}
