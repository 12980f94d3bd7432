package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/lines/metered"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A codeOwner is a method and its owner: the app or the framework.
type codeOwner struct {
	method  name.Method
	owner   string
	own     bool
	library string
}

// owners maps the label of each method, without its line, to its owner.
func owners(inputs []*analysis.Input) map[string]codeOwner {
	owners := make(map[string]codeOwner)
	for _, in := range slices.Backward(inputs) {
		for id, m := range in.Tree.Source.Methods {
			m = m.OnLine(0)
			owners[m.Label()] = codeOwner{m, ownerOf(in, trace.MethodID(id)), in.Own.Methods[id] != "", in.Libraries[id]}
		}
	}
	return owners
}

// ownerOf returns "app", "framework" or "" for a method.
func ownerOf(in *analysis.Input, m trace.MethodID) string {
	switch in.Tree.MethodKind(m) {
	case preprocess.App:
		return ownerName[platform.App]
	case preprocess.Framework:
		return ownerName[platform.Framework]
	}
	return ""
}

// A lineMaker makes the rows of a Lines.
type lineMaker struct {
	*Lines
	inputs []*analysis.Input
	tables []*lines.Table
	owners map[string]codeOwner
	// moved maps a reference row to the line in the subject's source, or 0 if the line is gone. It
	// is nil if lines have not moved.
	moved func(r *lines.Row) int
	// movedLine is like moved, for a line of a method.
	movedLine func(m name.Method, line int) int
	// executed counts how often lines ran. It is nil if the build does not record paths.
	executed *lines.Executions
	// measured is the measured energy of each run's lines, or nil without a meter.
	measured [2]*metered.Result
}

func (m *lineMaker) method(label string) name.Method { return m.owners[label].method }

// row makes a row with its method and owner, without energy.
func (m *lineMaker) row(method name.Method, line int) LineRow {
	label := method.Label()
	owner := m.owners[label]
	return LineRow{Method: label, File: cmp.Or(method.File, owner.method.File), Line: line, Owner: owner.owner, Own: owner.own, Library: owner.library}
}

// use returns the energy of a row in one run. It leaves out AllLeast and AllMost: see bound.
func (m *lineMaker) use(run int, r *lines.Row) LineUse {
	t := m.tables[run]
	u := LineUse{
		Own: r.Own, OwnShare: units.Share(r.Own, t.Total), All: &r.All, AllShare: units.Share(r.All, t.Total), Samples: r.Samples, row: r,
	}
	if r.Line > 0 && !t.Callers {
		u.withoutCallees()
	}
	if i, ok := t.Own(r); ok {
		u.Least, u.Most = &i.Least, &i.Most
	}
	return u
}

// one lists the lines of a single run that have enough samples. The other lines of each method
// share one row.
func (m *lineMaker) one(sort string) []LineRow {
	t := m.tables[0]
	rest, others, unlocated := make(map[string]*lines.Row), make(map[string]int), make(map[string]bool)
	var labels []string
	var rows []LineRow
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Line > 0 && (t.Sampled(r, lines.Own) || t.Sampled(r, lines.All) || t.Samples == 0) {
			row := m.row(r.Method, r.Line)
			row.Subject = m.use(0, r)
			rows = append(rows, row)
			continue
		}
		if r.Own == 0 {
			continue
		}
		label := r.Method.Label()
		if r.Line > 0 {
			others[label]++
		} else {
			unlocated[label] = true
		}
		if rest[label] == nil {
			rest[label] = &lines.Row{Method: r.Method}
			labels = append(labels, label)
		}
		rest[label].Own += r.Own
		rest[label].Samples += r.Samples
	}
	for _, label := range labels {
		r := rest[label]
		row := m.row(r.Method, 0)
		row.Lines, row.unlocated = others[label], unlocated[label]
		row.Subject = m.use(0, r)
		row.Subject.withoutCallees()
		rows = append(rows, row)
	}
	key := func(r *LineRow) units.Energy {
		if sort == ByAll && r.Subject.All != nil {
			return *r.Subject.All
		}
		return r.Subject.Own
	}
	slices.SortStableFunc(rows, func(a, b LineRow) int {
		return cmp.Or(cmp.Compare(key(&b), key(&a)), cmp.Compare(b.Subject.Own, a.Subject.Own), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Line, b.Line))
	})
	return rows
}

// two compares the lines of two runs. Lines that differ by more than chance come first.
func (m *lineMaker) two(o LinesOptions) []LineRow {
	here, there := m.tables[0], m.tables[1]
	by, figure := lines.Own, func(r *lines.Row) units.Energy { return r.Own }
	if o.Sort == ByAll {
		by, figure = lines.All, func(r *lines.Row) units.Energy { return r.All }
	}
	unused := func(r *lines.Row) bool { return r == nil || figure(r) == 0 }
	if o.ByMethod {
		here, there = here.ByMethod(), there.ByMethod()
	}
	var sure, unclear []LineRow
	for _, p := range lines.Compare(here, there, by, analysis.RowNoise, true, m.moved) {
		either := cmp.Or(p.Subject, p.Reference)
		if unused(p.Subject) && unused(p.Reference) {
			continue
		}
		row := m.row(either.Method, either.Line)
		none := LineUse{All: new(units.Energy)}
		row.Subject, row.Reference = none, &none
		if p.Subject != nil {
			row.Subject = m.use(0, p.Subject)
		}
		if p.Reference != nil {
			there := m.use(1, p.Reference)
			row.Reference = &there
			if p.Reference.Line != row.Line {
				row.ReferenceLine = p.Reference.Line
			}
		}
		saving, from, to := p.Saving, units.Energy(p.Estimate.Interval.Least), units.Energy(p.Estimate.Interval.Most)
		row.Saving, row.From, row.To = &saving, &from, &to
		if row.Verdict = lineVerdicts[p.Estimate.Verdict]; row.Verdict == LineUnclear {
			unclear = append(unclear, row)
		} else {
			sure = append(sure, row)
		}
	}
	return append(sure, unclear...)
}
