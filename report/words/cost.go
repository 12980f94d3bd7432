package words

import (
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Cost says in a line what a method or a class uses, and what of it could be saved.
func Cost(set *finding.Set, c *finding.Cost, saving units.Energy, s Scale) string {
	parts := []string{s.Energy(c.Energy), Share(c.Energy, set.Result.Subject.Energy)}
	if saving > 0 {
		parts = append(parts, "could save "+s.Energy(saving))
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

// Finding says in a sentence what a task uses, what explains that, and how far to trust the
// figures.
func Finding(set *finding.Set, task int, s Scale) string {
	said := Task(set.Result, task, s)
	if why := Why(set.Result, task, set.Why(task), nil); why != "" {
		said += "; " + why
	}
	return said + trust(set, finding.Ranked{Index: task}, set.Result.Tasks[task].Saving, s)
}

// CodeFinding says the same of a row of app code.
func CodeFinding(set *finding.Set, row int, s Scale) string {
	return AppCode(set.Result, row, s) + trust(set, finding.Ranked{Code: true, Index: row}, set.Result.AppCode.Rows[row].Saving, s)
}

// trust says where a saving lies or why the row does not count, and where the energy is from, as
// the end of a sentence.
func trust(set *finding.Set, at finding.Ranked, saving units.Energy, s Scale) string {
	said := ""
	switch standing := set.Standing(at); {
	case standing.Counts:
		said = "; " + Interval(saving, standing.Saving, s) + " could be saved, " + sides(&set.Result.Subject, &set.Result.Reference)
	case standing.Doubt == finding.Chance && !standing.Tested:
		said = "; too small a part of either run to be tested"
	case standing.Doubt != finding.NoDoubt:
		said = "; " + Doubt(standing.Doubt) + ", " + sides(&set.Result.Subject, &set.Result.Reference)
	}
	return said + modelled(set.Result)
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
