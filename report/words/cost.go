package words

import (
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Cost says in a line what a method or a class drains, and what of it could be saved,
// or is only here where the runs have little in common. Without
// repeated runs on both sides it says so.
func Cost(set *finding.Set, c *finding.Cost, saving units.Energy, s Scale) string {
	parts := []string{s.Energy(c.Energy), Share(c.Energy, set.Result.Subject.Energy)}
	if saving > 0 {
		could := "could save "
		if set.Result.Summary.LittleInCommon() {
			could = "only here "
		}
		could += s.Energy(saving)
		if set.Result.Repeats == nil {
			could += ", " + sides(&set.Result.Subject, &set.Result.Reference)
		}
		parts = append(parts, could)
	}
	if c.Code != nil {
		row := &set.Result.AppCode.Rows[c.Code.Row]
		itself := "itself " + s.Energy(row.Energy)
		if row.Peer != nil {
			itself += " against " + s.Energy(row.Peer.Energy)
		}
		parts = append(parts, itself)
	}
	if n := Times(set.Result.Subject.Trace.Calls, c.Calls); n != "" {
		parts = append(parts, n)
	}
	return strings.Join(parts, " · ")
}

// Finding says in a sentence what a task drains, what explains that, and how far to
// trust the figures.
func Finding(set *finding.Set, task int, s Scale) string {
	r := set.Result
	t := &r.Tasks[task]
	said := Task(r, task, s)
	if why := Why(r, task, set.Why(task), nil); why != "" {
		said += "; " + why
	}
	return said + shown(r, t.Saving, r.Repeats.Task(t), s) + modelled(r)
}

// shown says what the runs show of a saving, as the end of a sentence.
func shown(r *analysis.Result, saving units.Energy, e *repeats.Estimate, s Scale) string {
	switch {
	case r.Repeats == nil:
		return "; " + sides(&r.Subject, &r.Reference) + ", no evidence of spread"
	case e == nil:
		return "; over the runs not tested, as too small a part of either"
	}
	least, most := analysis.Energies(e.Interval)
	return "; over the runs " + Estimate(saving, least, most, e.Verdict.String(), s)
}

// CodeFinding says the same of a method of the app.
func CodeFinding(set *finding.Set, f *finding.CodeFinding, s Scale) string {
	r := set.Result
	row := &r.AppCode.Rows[f.Row]
	return AppCode(r, f.Row, s) + shown(r, row.Saving, r.Repeats.Code(row), s) + modelled(r)
}

// modelled says of a result's energy that it is modelled, as the end of a sentence.
func modelled(r *analysis.Result) string {
	switch r.Subject.Trace.Energy {
	case trace.NoEnergy, trace.Given, trace.Measured:
		return ""
	default:
		return "; energy " + Provenance(r.Subject.Trace)
	}
}
