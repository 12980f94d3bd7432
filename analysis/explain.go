package analysis

import (
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Reason says why a task and its counterpart differ in energy. For an unmatched task, it says
// what uses most of the energy. It names one method to look at, unless its kind is Spread.
type Reason struct {
	Kind ReasonKind
	// Method is the method that the reason is about, without file and line. It is the subject's
	// method, or the reference's if the subject lacks it. It is the F-method for MoreCalls, Self
	// and Spread, and the zero Method for Same.
	Method name.Method
	// Task is the F-method. It is the zero Method for Same.
	Task name.Method
	// Subject and Reference are Method's nodes. -1 means that the side lacks it.
	Subject, Reference int32
	// Energy is the part of the task's Saving that the reason explains. It is negative if the
	// reference uses more.
	Energy units.Energy
	// Saving is the task's Saving.
	Saving units.Energy
}

// Name returns Method's short name. If the task's method has the same short name, for example as an
// overload, Name adds the part that distinguishes the two.
func (r Reason) Name() string { return name.DistinctNames([]name.Method{r.Task, r.Method})[1] }

// A ReasonKind is a kind of Reason. The constants describe a task that costs more in the subject.
// If it costs more in the reference, swap the two sides in their descriptions.
type ReasonKind uint8

// The kinds. Every reason but Spread explains at least half of the saving.
const (
	// Same means that the task and its counterpart use the same energy.
	Same ReasonKind = iota
	// MoreCalls means that the app calls the F-method more often.
	MoreCalls
	// Lacking means that the reference lacks the subtree at Method. For an unmatched task, which
	// the reference lacks as a whole, Method is the branch that uses most.
	Lacking
	// Dearer means that Method is below the F-method on both sides and costs more on one side.
	Dearer
	// Self means that the F-method itself costs more, without its callees.
	Self
	// Spread means many small differences.
	Spread
)

// String returns the kind's name in data: "same", "more-calls", "lacking", "dearer", "self" or
// "spread".
func (k ReasonKind) String() string {
	return [...]string{"same", "more-calls", "lacking", "dearer", "self", "spread"}[k]
}

// Explain returns the main reason for the saving of Tasks[task]. It does not accept WholeRun.
//
//  1. The reason is MoreCalls if Task.Split attributes at least half of the saving to calls.
//  2. Otherwise Explain walks down the aligned flask (the task's call tree in both runs) while one
//     row accounts for three quarters of the saving. The reason is the row where the walk ends.
//  3. If no row accounts for three quarters, Explain repeats the walk with half of the saving.
//
// A row accounts for the difference of the exclusive energies in its subtree. So a caller that only
// one side has does not account for callees that both sides have.
func (r *Result) Explain(task int) Reason {
	t := &r.Tasks[task]
	reason := Reason{Subject: t.Node, Reference: t.Peer, Saving: t.Saving}
	if t.Saving == 0 {
		return reason
	}
	reason.Task = r.method(t.Node, -1)
	reason.Method = reason.Task
	if t.Split != nil && explains(t.Split.Calls, t.Saving, half) {
		reason.Kind, reason.Energy = MoreCalls, t.Split.Calls
		return reason
	}
	a := r.align(task)
	nets := a.nets()
	at := a.descend(nets, t.Saving, threeQuarters)
	if at == a.fRow {
		at = a.descend(nets, t.Saving, half)
	}
	row, self := &a.rows[at], a.own(a.fRow)
	switch {
	case at != a.fRow:
		reason.Method, reason.Energy = r.method(row.Subject, row.Reference), nets[at]
		reason.Subject, reason.Reference = row.Subject, row.Reference
		reason.Kind = Lacking
		if row.Subject >= 0 && row.Reference >= 0 {
			reason.Kind = Dearer
		}
	case explains(self, t.Saving, half):
		reason.Kind, reason.Energy = Self, self
	default:
		reason.Kind, reason.Energy = Spread, t.Saving
	}
	return reason
}

// method returns the method of the subject's node, or of the reference's node if the subject has
// none.
func (r *Result) method(subject, reference int32) name.Method {
	t, v := r.Subject.Tree, subject
	if v < 0 {
		t, v = r.Reference.Tree, reference
	}
	return t.Labels.Method(t.Nodes[v].Label)
}

// The parts of a saving that a reason must explain at least, in quarters.
const (
	half          = 2
	threeQuarters = 3
)

// explains reports whether part is at least quarters/4 of saving.
func explains(part, saving units.Energy, quarters int64) bool {
	if saving < 0 {
		part, saving = -part, -saving
	}
	return part > 0 && int64(part) >= units.MulDiv(int64(saving), quarters, 4)
}

// nets returns the energy that each row from the F-method down accounts for (see Explain).
func (a *aligner) nets() []units.Energy {
	nets := make([]units.Energy, len(a.rows))
	for i := int32(len(a.rows)) - 1; i >= a.fRow; i-- {
		nets[i] += a.own(i)
		if i > a.fRow {
			nets[a.rows[i].Parent] += nets[i]
		}
	}
	return nets
}

// descend walks down from the F-method over rows that account for at least quarters/4 of the
// saving. It always follows the largest such row, and returns the last one.
func (a *aligner) descend(nets []units.Energy, saving units.Energy, quarters int64) int32 {
	best := make([]int32, len(a.rows))
	for i := a.fRow + 1; i < int32(len(a.rows)); i++ {
		b := &best[a.rows[i].Parent]
		if explains(nets[i], saving, quarters) && (*b == 0 || less(nets[*b], nets[i], saving)) {
			*b = i
		}
	}
	at := a.fRow
	for best[at] != 0 {
		at = best[at]
	}
	return at
}

// less reports whether a accounts for less of a saving than b.
func less(a, b, saving units.Energy) bool {
	if saving < 0 {
		return a > b
	}
	return a < b
}

// own returns the difference of the exclusive energy of a row's nodes.
func (a *aligner) own(i int32) units.Energy {
	var e units.Energy
	if v := a.rows[i].Subject; v >= 0 {
		e += a.subject.Energy.Self(v)
	}
	if w := a.rows[i].Reference; w >= 0 {
		e -= a.reference.Energy.Self(w)
	}
	return e
}
