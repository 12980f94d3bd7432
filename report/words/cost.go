package words

import (
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Cost returns the text of a lens: the energy of a method or class, and what it could save.
func Cost(set *finding.Set, c *finding.Cost, saving units.Energy, in finding.Interval, s Scale) string {
	parts := []string{s.Energy(c.Energy), Share(c.Energy, set.Result.Subject.Energy)}
	if saving > 0 {
		parts = append(parts, "could save "+Interval(saving, in, s))
	}
	if c.Code != nil {
		row := &set.Result.AppCode.Rows[c.Code.Row]
		itself := "itself " + s.Energy(row.Energy)
		if row.Peer != nil {
			itself += " compared with " + s.Energy(row.Peer.Energy)
		}
		parts = append(parts, itself)
	}
	if n := Times(set.Result.Subject.Trace.Calls, c.Calls); n != "" {
		parts = append(parts, n)
	}
	return strings.Join(parts, " · ")
}

// Finding returns a sentence about a task: its energy, the main cause of the difference, and how
// reliable this is.
func Finding(set *finding.Set, task int, s Scale) string {
	text := Task(set.Result, task, s)
	if why := Why(set.Result, task, set.Why(task), nil); why != "" {
		text += "; " + why
	}
	return text + trustSuffix(set, finding.Ranked{Index: task}, set.Result.Tasks[task].Saving, s)
}

// CodeFinding returns the sentence of a row of app code, like [Finding].
func CodeFinding(set *finding.Set, row int, s Scale) string {
	return AppCode(set.Result, row, s) + trustSuffix(set, finding.Ranked{Code: true, Index: row}, set.Result.AppCode.Rows[row].Saving, s)
}

// trustSuffix ends a sentence with the interval of a saving, or with why the row is not a finding.
// It adds where the energy comes from.
func trustSuffix(set *finding.Set, at finding.Ranked, saving units.Energy, s Scale) string {
	text := ""
	switch standing := set.Standing(at); {
	case standing.IsFinding:
		text = "; " + Interval(saving, standing.Saving, s) + " could be saved, " + sides(&set.Result.Subject, &set.Result.Reference)
	case standing.Doubt == finding.Chance && !standing.Tested:
		text = "; too small a part of both runs to be tested"
	case standing.Doubt != finding.NoDoubt:
		text = "; " + Doubt(standing.Doubt) + ", " + sides(&set.Result.Subject, &set.Result.Reference)
	}
	return text + modelled(set.Result)
}

// modelled ends a sentence with how the energy was computed. It returns "" if it was not.
func modelled(r *analysis.Result) string {
	switch r.Subject.Trace.Energy {
	case trace.NoEnergy, trace.Given, trace.Measured:
		return ""
	default:
		return "; energy " + Provenance(r.Subject.Trace)
	}
}
