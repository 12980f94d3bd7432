package analysis

import (
	"math"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// Repeats has the results of repeated runs. It is immutable and safe for concurrent use. A nil
// Repeats has no results.
type Repeats struct {
	// Study has an estimate for each row that was tested. Tasks and app code were tested together.
	Study *repeats.Study
	// Total is the estimate for the total energy, which was tested separately.
	Total repeats.Estimate

	chance *Chance
}

// Task returns the estimate for a task, nil if it was not tested. A task with a possible
// counterpart is judged as if it were matched.
func (r *Repeats) Task(t *eflask.Task) *repeats.Estimate {
	if r == nil {
		return nil
	}
	return r.chance.Task(t)
}

// Code returns the estimate for a row of app code, nil if it was not tested.
func (r *Repeats) Code(row *appcode.Row) *repeats.Estimate {
	if r == nil {
		return nil
	}
	return r.chance.Code(row)
}

// judgeRuns tests the differences between the runs of both sides.
func (r *Result) judgeRuns() {
	c := r.Chance
	all := repeats.Pair{Subject: totals(r.Subject.Runs), Reference: totals(r.Reference.Runs)}
	c.Order, c.Gap = order(r.Subject.Runs, r.Reference.Runs)
	c.Order = c.Order.TestTrend(all)
	under := repeats.Conditions{Order: c.Order, Builds: c.Builds.Rows, Assumed: c.Builds.Source == BuildsAssumed || c.Builds.Source == BuildsHistory}
	c.Study = repeats.JudgeUnder(under, c.table.pairs())
	under.Builds = c.Builds.Total
	if min(len(r.Subject.Runs), len(r.Reference.Runs)) == repeats.LeastRuns && c.subject.kind == sampled && c.reference.kind == sampled {
		under.Expected = TotalNoise
	}
	if len(c.table.rows) > 0 {
		c.Builds.Rows = min(c.Builds.Rows, c.Study.Noise.Builds())
	}
	c.spread = repeats.RelativeSpread(all)
	c.spread.Builds = c.Builds.Total
	c.Basis, c.Total, c.Noise = FromRepeats, repeats.JudgeUnder(under, []repeats.Pair{all}).Tasks[0], c.spread.Deviation
	c.bound()
	found := &Repeats{Study: c.Study, Total: c.Total, chance: c}
	r.Repeats = found
}

// sortEvident moves rows to the front if their additional energy is more than chance.
func (r *Result) sortEvident() {
	moveFirst(r.Tasks, func(t *eflask.Task) bool { return Costlier(r.Chance.Task(t)) })
	moveFirst(r.AppCode.Rows, func(row *appcode.Row) bool { return Costlier(r.Chance.Code(row)) })
}

// moveFirst moves the chosen rows to the front and otherwise keeps the order. It calls chosen once
// per row, because an estimate takes long.
func moveFirst[T any](rows []T, chosen func(*T) bool) {
	rest, n := make([]T, 0, len(rows)), 0
	for i := range rows {
		if chosen(&rows[i]) {
			rows[n] = rows[i]
			n++
		} else {
			rest = append(rest, rows[i])
		}
	}
	copy(rows[n:], rest)
}

// Costlier reports whether an estimate is evidence that the subject uses more. e may be nil.
func Costlier(e *repeats.Estimate) bool { return e != nil && e.Verdict == repeats.Costlier }

// Evident reports whether an estimate is evidence of a difference. e may be nil.
func Evident(e *repeats.Estimate) bool { return e != nil && e.Verdict != repeats.NoEvidence }

// inRuns returns the inclusive energy of a node in each run of its side.
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

func floats(energies []units.Energy) []float64 {
	figures := make([]float64, len(energies))
	for k, e := range energies {
		figures[k] = float64(e)
	}
	return figures
}

// Energies converts the ends of an interval to energies.
func Energies(i repeats.Interval) (least, most units.Energy) {
	whole := func(x float64) units.Energy {
		return units.Energy(math.Round(max(math.MinInt64/2, min(math.MaxInt64/2, x))))
	}
	return whole(i.Least), whole(i.Most)
}
