package analysis

import (
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// minTested is the smallest energy of a tested row, as a share of the mean of both totals.
// Smaller rows have no relevant saving, and each test makes the other tests stricter. The share is
// the same for both sides, so it favors neither.
const minTested = 0.001

// An amount is the energy of a row on one side, with its samples or calls.
type amount struct {
	energy units.Energy
	// samples is the number of samples of the row in the mean run, 0 if they are not counted.
	samples float64
	// calls is the number of calls of the row, 0 if they are not counted.
	calls int64
	// absent is set if the run lacks the row.
	absent bool
	// fixed is the part of energy without noise. squares is the variance of the rest. each is the
	// energy of an event. It is used if fixed is the whole energy. All three are set only for runs
	// of the kind counts.
	fixed         units.Energy
	squares, each float64
	// runs has the row's energy in each run of a side with several runs.
	runs []float64
}

// A compared row has the amounts of both sides.
type compared struct {
	subject, reference amount
	// elsewhere is energy that may be in other rows instead: see repeats.ReadingPair.Elsewhere.
	elsewhere units.Energy
	// moved is the energy of app code that moved to other rows. It is negative if code moved here.
	moved units.Energy
}

// A table has the rows of a comparison that are tested together, with indices to find them.
type table struct {
	rows []compared
	// tasks finds a row by the task's node in the subject's tree. there finds a row by the task's
	// node in the reference's tree.
	tasks, there map[int32]int
	// code finds a row by the first of its appcode.Parts.
	code map[*appcode.Part]int
	// smallMoved has the rows of app code whose code moved between methods, but which are too small
	// to be tested. Its keys are first parts, as in code, also for the reference.
	smallMoved map[*appcode.Part]bool
	// codeThere finds a row by the index in AppCode.Only.Sides.
	codeThere map[int]int
	// system is the index of the system's row, -1 if it is not tested.
	system int
	// shifted has, for each task of the reference, the energy of calls that the subject makes in a
	// task other than the counterpart.
	shifted map[int32]units.Energy
}

// shifted returns the amount plus e. A positive e is the energy of calls that moved to this row. A
// negative e is the energy of calls that moved to other rows.
func (a amount) shifted(e units.Energy) amount {
	if e == 0 {
		return a
	}
	runs := make([]float64, len(a.runs))
	for k := range runs {
		runs[k] = max(a.runs[k]+float64(e), 0) // e is a mean over the runs
	}
	if a.energy > 0 {
		a.samples *= max(float64(a.energy+e), 0) / float64(a.energy)
		a.squares *= max(float64(a.energy+e), 0) / float64(a.energy)
	}
	a.energy, a.runs = max(a.energy+e, 0), runs
	a.absent = a.energy == 0
	return a
}

// tested lists the rows of a finished comparison that are tested together.
func (r *Result) tested(s, ref *measured) *table {
	t := &table{shifted: make(map[int32]units.Energy), tasks: make(map[int32]int), there: make(map[int32]int), code: make(map[*appcode.Part]int), smallMoved: make(map[*appcode.Part]bool), codeThere: make(map[int]int), system: -1}
	least := minTested * float64(r.Subject.Energy+r.Reference.Energy) / 2
	add := func(subject, reference units.Energy, row func() compared) (int, bool) {
		drained := float64(subject+reference) / 2
		if drained == 0 || drained < least {
			return -1, false
		}
		t.rows = append(t.rows, row())
		return len(t.rows) - 1, true
	}
	for _, shift := range r.Shifts {
		t.shifted[shift.Reference] += shift.Energy
	}
	taken := make([]bool, len(r.Reference.Tree.Nodes))
	for i := range r.Tasks {
		task := &r.Tasks[i]
		peer := counterpart(task)
		energy := units.Energy(0)
		if peer >= 0 {
			energy, taken[peer] = r.Reference.Tree.Energy.All(peer), true
		}
		elsewhere := task.Elsewhere()
		if row, ok := add(task.Energy, max(energy+elsewhere, 0), func() compared {
			return compared{subject: s.task(task.Node), reference: ref.task(peer).shifted(elsewhere)}
		}); ok {
			t.tasks[task.Node] = row
			if task.Perhaps != nil {
				t.there[peer] = row
			}
		}
	}
	for v := int32(1); int(v) < len(r.Reference.Tree.Nodes); v++ {
		if taken[v] || !eflask.IsTask(r.Reference.Tree, v) {
			continue
		}
		left := r.Reference.Tree.Energy.All(v) - t.shifted[v]
		if row, ok := add(0, max(left, 0), func() compared { return compared{subject: s.none(), reference: ref.task(v).shifted(-t.shifted[v])} }); ok {
			t.there[v] = row
		}
	}
	for i := range r.AppCode.Rows {
		row := &r.AppCode.Rows[i]
		if len(row.Parts) == 0 {
			continue
		}
		energy := units.Energy(0)
		if row.Peer != nil {
			energy = row.Peer.Energy
		}
		if k, ok := add(row.Energy, energy, func() compared { return compared{subject: s.code(&row.Side), reference: ref.code(row.Peer)} }); ok {
			t.code[&row.Parts[0]] = k
		}
	}
	for i := range r.AppCode.Only.Sides {
		side := &r.AppCode.Only.Sides[i]
		if k, ok := add(0, side.Energy, func() compared { return compared{subject: s.none(), reference: ref.code(side)} }); ok {
			t.codeThere[i] = k
		}
	}
	samples := s.kind == sampled && ref.kind == sampled
	if samples {
		t.inline(r)
	}
	t.elsewhere(r)
	t.extracted(r, samples)
	t.system, _ = add(r.Summary.Outside.System, r.ReferenceSummary.Outside.System, func() compared { return compared{subject: s.system(), reference: ref.system()} })
	return t
}

// inline finds, for each row of two sampled runs, the energy that inlining may have moved to or
// from other rows. If a compiler inlines a method in only one run, the method's exclusive energy
// moves to or from the tasks that it calls.
func (t *table) inline(r *Result) {
	trees := [2]*preprocess.Tree{r.Subject.Tree, r.Reference.Tree}
	own, called := make(map[string]units.Energy), make(map[string]units.Energy)
	label := func(side int, m trace.MethodID) string { known := trees[side].Compared(m); return known.Label() }
	for i := range r.AppCode.Rows {
		if row := &r.AppCode.Rows[i]; row.Kind == appcode.Method && len(row.Parts) > 0 {
			own[label(0, row.Parts[0].Method)] += row.Saving
		}
	}
	for i := range r.AppCode.Only.Sides {
		if parts := r.AppCode.Only.Sides[i].Parts; len(parts) > 0 {
			own[label(1, parts[0].Method)] -= r.AppCode.Only.Sides[i].Energy
		}
	}
	task := func(side int, node int32, row int) {
		// If several callers have the same largest energy, take the first.
		var most preprocess.Call
		for i, call := range trees[side].Callers(node) {
			if i == 0 || call.Energy > most.Energy {
				most = call
			}
		}
		if m := trees[side].Source.Nodes[most.Source].Method; m != cct.NoMethod {
			caller := label(side, m)
			t.rows[row].elsewhere = own[caller]
			called[caller] += t.rows[row].subject.energy - t.rows[row].reference.energy
		}
	}
	for i := range r.Tasks {
		if row, ok := t.tasks[r.Tasks[i].Node]; ok {
			task(0, r.Tasks[i].Node, row)
		}
	}
	for v := int32(1); int(v) < len(r.Reference.Tree.Nodes); v++ {
		if row, ok := t.there[v]; ok && t.rows[row].subject.absent {
			task(1, v, row)
		}
	}
	for i := range r.AppCode.Rows {
		if parts := r.AppCode.Rows[i].Parts; len(parts) > 0 {
			if row, ok := t.code[&parts[0]]; ok {
				t.rows[row].elsewhere = called[label(0, parts[0].Method)]
			}
		}
	}
	for i, row := range t.codeThere {
		t.rows[row].elsewhere = called[label(1, r.AppCode.Only.Sides[i].Parts[0].Method)]
	}
}

// counterpart returns the reference node that a task is compared with, or -1 if there is none.
func counterpart(t *eflask.Task) int32 {
	if t.Perhaps != nil {
		return t.Perhaps.Reference
	}
	return t.Peer
}

// pairs returns the energies of each row in the runs of both sides.
func (t *table) pairs() []repeats.Pair {
	pairs := make([]repeats.Pair, len(t.rows))
	for i := range t.rows {
		subject, reference := t.rows[i].subject, t.rows[i].reference
		switch moved := t.rows[i].moved; {
		case moved < 0:
			reference = reference.shifted(-moved)
		case moved > 0:
			subject = subject.shifted(moved)
		}
		pairs[i] = repeats.Pair{Subject: subject.runs, Reference: reference.runs}
	}
	return pairs
}
