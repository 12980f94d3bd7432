package analysis

import (
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A Basis names the source of the intervals of a comparison.
type Basis string

// The bases.
const (
	// FromRepeats: both sides have several runs.
	FromRepeats Basis = "repeats"
	// FromSamples: one run a side, and the numbers of samples give the intervals.
	FromSamples Basis = "samples"
	// FromSetting: one run a side, and the user states the noise of a run.
	FromSetting Basis = "setting"
	// FromHistory: one run a side, and kept runs of the app give the noise.
	FromHistory Basis = "history"
	// Assumed: one run a side, and the noise is that of typical recordings of this kind.
	Assumed Basis = "assumed"
)

// Chance tells which differences of a comparison may be chance. It has an estimate for each
// row of the comparison, for what only the reference has, and for the total, whatever the
// number of runs. It is immutable and safe for concurrent use.
type Chance struct {
	Basis Basis
	// Total is the estimate of the difference of the two totals.
	Total repeats.Estimate

	result *Result
}

// Task returns the estimate of a task's saving. A task with a counterpart perhaps is judged
// as if it were matched. It is nil if the task is too small to be tested: then its difference
// may be chance.
func (c *Chance) Task(t *eflask.Task) *repeats.Estimate {
	if c.result.Repeats != nil {
		return c.result.Repeats.Task(t)
	}
	return point(t.Saving)
}

// Code returns the estimate of the saving of a row of app code, nil as that of Task.
func (c *Chance) Code(row *appcode.Row) *repeats.Estimate {
	if c.result.Repeats != nil {
		return c.result.Repeats.Code(row)
	}
	return point(row.Saving)
}

// TaskThere returns the estimate of a task that only the reference has, by its node in the
// reference's tree. The difference is negative. It is nil as that of Task.
func (c *Chance) TaskThere(node int32) *repeats.Estimate {
	energy := c.result.Reference.Tree.Energy.All(node)
	for _, s := range c.result.Shifts {
		if s.Reference == node {
			energy -= s.Energy
		}
	}
	return point(-energy)
}

// CodeThere returns the estimate of all app code that only the reference has.
func (c *Chance) CodeThere() *repeats.Estimate { return point(-c.result.AppCode.Only.Energy) }

// System returns the estimate of what the system used by itself: Summary.Outside.System of
// the two runs.
func (c *Chance) System() *repeats.Estimate {
	return point(c.result.Summary.Outside.System - c.result.ReferenceSummary.Outside.System)
}

// point is the estimate of a difference that is known exactly.
func point(saving units.Energy) *repeats.Estimate {
	e := &repeats.Estimate{Difference: float64(saving), Interval: repeats.Interval{Least: float64(saving), Most: float64(saving)}}
	switch {
	case saving > 0:
		e.Verdict = repeats.Costlier
	case saving < 0:
		e.Verdict = repeats.Cheaper
	}
	return e
}

// chance tells which differences of a finished comparison may be chance.
func (r *Result) chance() *Chance {
	c := &Chance{Basis: Assumed, Total: *point(r.Subject.Energy - r.Reference.Energy), result: r}
	if r.Repeats != nil {
		c.Basis, c.Total = FromRepeats, r.Repeats.Total
	}
	return c
}
