package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// leastTested is the part of the mean of both runs that a task or a row of app code needs to
// be tested. Smaller ones save nothing worth knowing, and each test makes the others harder
// to pass. Which are tested depends on both sides alike, so that the choice favours neither.
const leastTested = 0.001

// Repeats is what repeated runs show of the tasks and the app code of a comparison. They were
// tested together. It is immutable and safe for concurrent use; nil shows nothing.
type Repeats struct {
	// Study has an estimate of each that was tested.
	Study *repeats.Study
	// Total is that of all that the runs drained, which was tested by itself.
	Total repeats.Estimate

	tasks map[int32]int         // by node
	code  map[*appcode.Part]int // by the row's first part
}

// Task is what the runs show of a task, nil if it was not tested. A task that has a
// counterpart perhaps is judged as if it were.
func (r *Repeats) Task(t *eflask.Task) *repeats.Estimate {
	if r == nil {
		return nil
	}
	if i, ok := r.tasks[t.Node]; ok {
		return &r.Study.Tasks[i]
	}
	return nil
}

// Code is what the runs show of a row of app code, nil if it was not tested.
func (r *Repeats) Code(row *appcode.Row) *repeats.Estimate {
	if r == nil || len(row.Parts) == 0 {
		return nil
	}
	if i, ok := r.code[&row.Parts[0]]; ok {
		return &r.Study.Tasks[i]
	}
	return nil
}

// judge studies the runs of both sides, if there are enough, and puts first what there is
// evidence for.
func (r *Result) judge() {
	if min(len(r.Subject.Runs), len(r.Reference.Runs)) < repeats.LeastRuns {
		return
	}
	found := &Repeats{tasks: make(map[int32]int), code: make(map[*appcode.Part]int)}
	least := leastTested * float64(r.Subject.Energy+r.Reference.Energy) / 2
	var pairs []repeats.Pair
	tested := func(p repeats.Pair, drained units.Energy) bool {
		if float64(drained)/2 < least {
			return false
		}
		pairs = append(pairs, p)
		return true
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		peer := t.Peer
		if t.Perhaps != nil {
			peer = t.Perhaps.Reference
		}
		p := repeats.Pair{Subject: inRuns(r.Subject.Tree, t.Node), Reference: make([]float64, len(r.Reference.Runs))}
		drained := t.Energy
		if peer >= 0 {
			p.Reference = inRuns(r.Reference.Tree, peer)
			drained += r.Reference.Tree.Energy.All(peer)
		}
		for k := range p.Reference {
			p.Reference[k] += float64(t.Elsewhere()) // the mean of all runs
		}
		if tested(p, drained) {
			found.tasks[t.Node] = len(pairs) - 1
		}
	}
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		p := repeats.Pair{Subject: floats(row.Runs()), Reference: make([]float64, len(r.Reference.Runs))}
		drained := row.Energy
		if row.Peer != nil {
			p.Reference, drained = floats(row.Peer.Runs()), drained+row.Peer.Energy
		}
		if tested(p, drained) {
			found.code[&row.Parts[0]] = len(pairs) - 1
		}
	}
	found.Study = repeats.Judge(pairs)
	found.Total = repeats.Judge([]repeats.Pair{{Subject: totals(r.Subject.Runs), Reference: totals(r.Reference.Runs)}}).Tasks[0]
	r.Repeats = found
	slices.SortStableFunc(r.Tasks, func(a, b eflask.Task) int { return cmp.Compare(rank(found.Task(&a)), rank(found.Task(&b))) })
	slices.SortStableFunc(r.AppCode.Rows, func(a, b appcode.Row) int { return cmp.Compare(rank(found.Code(&a)), rank(found.Code(&b))) })
}

// rank puts estimates in order: what there is evidence for comes first.
func rank(e *repeats.Estimate) int {
	if Evident(e) {
		return 0
	}
	return 1
}

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
