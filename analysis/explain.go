package analysis

import (
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/units"
)

// A Reason says what distinguishes the two flasks of a task, or what an unmatched
// task spends its energy on: one thing that a person can look at, or Spread.
type Reason struct {
	Kind ReasonKind
	// Method is the method that the reason is about, without file and line: the
	// subject's if it has it. It is the F-method for MoreCalls, Self and Spread, and
	// the zero Method for Same.
	Method name.Method
	// Task is the F-method; the zero Method for Same.
	Task name.Method
	// Subject and Reference are Method's nodes, -1 on a side that lacks it.
	Subject, Reference int32
	// Energy is what of the task's Saving this explains. It is negative where the
	// reference drains more.
	Energy units.Energy
	// Saving is the task's.
	Saving units.Energy
}

// Name is Method's short name. That of a method which shares the task's short name, such as
// an overload, has what tells the two apart.
func (r Reason) Name() string { return name.Apart([]name.Method{r.Task, r.Method})[1] }

// A ReasonKind is a kind of Reason. Where the task saves nothing but costs more in
// the reference, read the words the other way around.
type ReasonKind uint8

// The kinds. A reason explains at least half of the saving, but for Spread.
const (
	// Same: nothing distinguishes the energy of the two.
	Same ReasonKind = iota
	// MoreCalls: the app calls the F-method more often.
	MoreCalls
	// Lacking: one side has a subtree that the other lacks, at Method. In an
	// unmatched task, whose reference lacks it all, the heaviest branch.
	Lacking
	// Dearer: Method is below the F-method on both sides and costs more on one.
	Dearer
	// Self: the F-method itself, without what it calls.
	Self
	// Spread: many small things.
	Spread
)

// String names the kind as data does: "same", "more-calls", "lacking", "dearer",
// "self", "spread".
func (k ReasonKind) String() string {
	return [...]string{"same", "more-calls", "lacking", "dearer", "self", "spread"}[k]
}

// Explain says what most of a task's saving comes from. It takes Tasks[task], not
// the whole run.
//
// More calls explain it where Task.Split says that they make up half of it.
// Otherwise it walks down the aligned flask as long as one row accounts for three
// quarters of the saving, and names where it stops; where no row does, the same
// with half of it. What a row accounts for is the difference of the exclusive
// energy of all rows at and below it, so that a caller that only one side has does
// not answer for what both sides have below it.
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

// label returns the label of the subject's node, or of the reference's if there is
// none.
func (r *Result) method(subject, reference int32) name.Method {
	t, v := r.Subject.Tree, subject
	if v < 0 {
		t, v = r.Reference.Tree, reference
	}
	return t.Labels.Method(t.Nodes[v].Label)
}

// What part of a saving a reason has to explain, in quarters.
const (
	half          = 2
	threeQuarters = 3
)

// explains reports whether a part is so many quarters of a saving or more.
func explains(part, saving units.Energy, quarters int64) bool {
	if saving < 0 {
		part, saving = -part, -saving
	}
	return part > 0 && int64(part) >= units.MulDiv(int64(saving), quarters, 4)
}

// nets returns what each row from the F-method's on accounts for.
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

// descend returns the lowest row to which a way leads down from the F-method over
// rows that account for so many quarters of the saving or more, the most first.
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

// own is the difference of the exclusive energy of a row's nodes.
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
