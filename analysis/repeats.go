package analysis

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// Repeats is what repeated runs show of the tasks and the app code of a comparison. They were
// tested together. It is immutable and safe for concurrent use; nil shows nothing.
type Repeats struct {
	// Study has an estimate of each that was tested.
	Study *repeats.Study
	// Total is that of all that the runs drained, which was tested by itself.
	Total repeats.Estimate

	chance *Chance
}

// Task is what the runs show of a task, nil if it was not tested. A task that has a
// counterpart perhaps is judged as if it were.
func (r *Repeats) Task(t *eflask.Task) *repeats.Estimate {
	if r == nil {
		return nil
	}
	return r.chance.Task(t)
}

// Code is what the runs show of a row of app code, nil if it was not tested.
func (r *Repeats) Code(row *appcode.Row) *repeats.Estimate {
	if r == nil {
		return nil
	}
	return r.chance.Code(row)
}

// judgeRuns studies the runs of both sides.
func (r *Result) judgeRuns() {
	c := r.Chance
	c.Study = repeats.Judge(c.table.pairs())
	all := repeats.Pair{Subject: totals(r.Subject.Runs), Reference: totals(r.Reference.Runs)}
	c.spread = repeats.Relative(all)
	c.Basis, c.Total, c.Noise = FromRepeats, repeats.Judge([]repeats.Pair{all}).Tasks[0], c.spread.Deviation
	c.bound()
	found := &Repeats{Study: c.Study, Total: c.Total, chance: c}
	r.Repeats = found
}

// first puts the rows first that cost the subject more by more than chance.
func (r *Result) first() {
	slices.SortStableFunc(r.Tasks, func(a, b eflask.Task) int { return costlierFirst(r.Chance.Task(&a), r.Chance.Task(&b)) })
	slices.SortStableFunc(r.AppCode.Rows, func(a, b appcode.Row) int { return costlierFirst(r.Chance.Code(&a), r.Chance.Code(&b)) })
}

func costlierFirst(a, b *repeats.Estimate) int {
	switch here, there := Costlier(a), Costlier(b); {
	case here == there:
		return 0
	case here:
		return -1
	}
	return 1
}

// Costlier reports whether an estimate, which may be nil, is evidence that the subject spends
// more.
func Costlier(e *repeats.Estimate) bool { return e != nil && e.Verdict == repeats.Costlier }

// Evident reports whether an estimate, which may be nil, is evidence of a difference.
func Evident(e *repeats.Estimate) bool { return e != nil && e.Verdict != repeats.NoEvidence }

// inRuns is what a node drained with what it called, in each run of its side.
func inRuns(t *preprocess.Tree, node int32) []float64 {
	figures := make([]float64, t.Repeats())
	for k := range figures {
		figures[k] = float64(t.InRun(k).All(node))
	}
	return figures
}

func totals(runs []Run) []float64 {
	figures := make([]float64, len(runs))
	for k, r := range runs {
		figures[k] = float64(r.Energy)
	}
	return figures
}

func floats(of []units.Energy) []float64 {
	figures := make([]float64, len(of))
	for k, e := range of {
		figures[k] = float64(e)
	}
	return figures
}

// Energies are the ends of an interval of energies.
func Energies(i repeats.Interval) (least, most units.Energy) {
	whole := func(x float64) units.Energy {
		return units.Energy(math.Round(max(math.MinInt64/2, min(math.MaxInt64/2, x))))
	}
	return whole(i.Least), whole(i.Most)
}
