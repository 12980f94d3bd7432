package eflask

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Found says how a task's counterpart was found.
type Found uint8

// The ways, in order of trust.
const (
	// Unmatched: the reference has no such task.
	Unmatched Found = iota
	// Exact: equal paths and equal F-methods.
	Exact
	// Path: the same F-method under a different path.
	Path
	// Hierarchy: the same method of a subclass or superclass.
	Hierarchy
	// Moved: the same method of the app calls the F-method from another callback.
	Moved
	// Delegate: one F-method calls the other.
	Delegate
	// Renamed: another F-method; the subtrees decided.
	Renamed
	// Likeness: found apart from the matching, by name, subtree and callback.
	Likeness
)

// String names the way as reports do; "unmatched" for Unmatched.
func (f Found) String() string {
	return [...]string{"unmatched", "exact", "path", "hierarchy", "moved", "delegate", "renamed", "likeness"}[f]
}

// A Task is a task of the subject: an F-method that an A-method calls directly, in
// the context of its call path (DiffProf, Section 3.2).
type Task struct {
	// Node is the F-method's node in the subject's tree.
	Node int32
	// Energy is the node's inclusive energy. Own is Energy without the energy of the
	// tasks inside this one, so the sum of Own over all tasks counts nothing twice.
	Energy, Own units.Energy
	// Calls counts the calls of the F-method, as cct.Tree.Counted says.
	Calls int64
	Found Found
	// Peer is the F-method's node in the reference's tree. For an unmatched task it is
	// -1, and PeerEnergy, PeerCalls and Distance are 0.
	Peer       int32
	PeerEnergy units.Energy
	PeerCalls  int64
	Distance   int32
	// Evidence is what speaks for the counterpart, zero for an unmatched task.
	Evidence Evidence
	// Perhaps is a counterpart that is likely but not sure, nil if there is none. The
	// task counts as unmatched all the same.
	Perhaps *Counterpart
	// In are calls that the reference makes in other tasks than Peer, Out calls of Peer that the
	// subject makes in other tasks. Only [Shifted] sets them.
	In, Out []Shift
	// Saving is Energy less PeerEnergy: the room for improvement. It is negative
	// where the reference drains more. The energies of In count as the peer's, those of Out
	// do not.
	Saving units.Energy
	// Split parts the Saving of a matched task; nil unless both inputs count calls
	// and some of either F-method's.
	Split *Split
}

// A Split parts a saving in two. Calls is the cost of more calls: the difference in
// calls times the reference's energy a call. PerCall is the rest: the cost of dearer
// calls.
type Split struct{ Calls, PerCall units.Energy }

// A Caller is a method of the app that calls a task's F-method.
type Caller struct {
	// Source is the caller's node in the subject's calling-context tree. If several
	// nodes have the same method, it is the one with the most energy.
	Source int32
	Calls  int64
	// Energy is what its calls drained, with what the F-method called.
	Energy units.Energy
}

// Tasks lists the subject's tasks and their counterparts, the largest saving first.
// The saving is the whole energy of an unmatched task, and the difference to the
// reference's energy for a matched one (DiffProf, Section 4). Of equal savings the task of
// more energy comes first, and of equal energies that of the earlier node.
func Tasks(subject, reference *preprocess.Tree, counterparts []Counterpart) []Task {
	of := make([]int32, len(subject.Nodes)) // the counterpart of an F-method, plus one
	for i := range counterparts {
		of[counterparts[i].Subject] = int32(i) + 1
	}
	counted := BothCount(subject, reference)
	innermost, all := Innermost(subject), 0
	for v, f := range innermost {
		if f == int32(v) {
			all++
		}
	}
	tasks := make([]Task, 0, all)
	at := make([]int32, len(subject.Nodes)) // the task of an F-method
	for v, f := range innermost {
		v := int32(v)
		if f == v {
			at[v] = int32(len(tasks))
			t := Task{Node: v, Energy: subject.Energy.All(v), Calls: subject.Calls.Self(v), Peer: -1}
			t.Saving = t.Energy
			if c := of[v]; c > 0 {
				t.match(reference, &counterparts[c-1], counted)
			}
			tasks = append(tasks, t)
		}
		if f >= 0 {
			tasks[at[f]].Own += subject.Energy.Self(v)
		}
	}
	return ranked(tasks)
}

// ranked puts tasks in the order of their savings, and returns them. Tasks are large, so it
// sorts their numbers, and then moves each task once.
func ranked(tasks []Task) []Task {
	type ranking struct {
		saving, energy units.Energy
		task           int32
	}
	order := make([]ranking, len(tasks))
	for i := range tasks {
		order[i] = ranking{tasks[i].Saving, tasks[i].Energy, int32(i)}
	}
	slices.SortFunc(order, func(a, b ranking) int {
		switch {
		case a.saving != b.saving:
			return cmp.Compare(b.saving, a.saving)
		case a.energy != b.energy:
			return cmp.Compare(b.energy, a.energy)
		}
		return cmp.Compare(a.task, b.task)
	})
	for i := range order {
		if int(order[i].task) == i {
			continue
		}
		first, at := tasks[i], i
		for {
			from := int(order[at].task)
			order[at].task = int32(at)
			if from == i {
				tasks[at] = first
				break
			}
			tasks[at], at = tasks[from], from
		}
	}
	return tasks
}

// IsTask reports whether node v is the F-method of a task: a method of the
// framework that the app calls.
func IsTask(t *preprocess.Tree, v int32) bool {
	n := &t.Nodes[v]
	return n.Kind == preprocess.Framework && t.Nodes[n.Parent].Kind == preprocess.App
}

// Innermost returns for each node the F-method of the innermost task that it is in, which
// may be the node itself; -1 for a node outside of tasks. What a node drains itself
// belongs to that task and to no other.
func Innermost(t *preprocess.Tree) []int32 {
	tasks := make([]int32, len(t.Nodes))
	tasks[0] = -1
	for v := int32(1); int(v) < len(t.Nodes); v++ {
		if IsTask(t, v) {
			tasks[v] = v
		} else {
			tasks[v] = tasks[t.Nodes[v].Parent]
		}
	}
	return tasks
}

// BothCount reports whether both runs count calls: only then is a saving split.
func BothCount(subject, reference *preprocess.Tree) bool {
	return subject.Source.Counted == trace.CountedCalls && reference.Source.Counted == trace.CountedCalls
}

// NewSplit parts a saving, by the calls of both sides and what the reference's drain
// together; nil if either side has no calls.
func NewSplit(saving units.Energy, calls, peerCalls int64, peerEnergy units.Energy) *Split {
	if calls <= 0 || peerCalls <= 0 {
		return nil
	}
	more := units.Energy(units.MulDiv(calls-peerCalls, int64(peerEnergy), peerCalls))
	return &Split{Calls: more, PerCall: saving - more}
}

// match notes the task's counterpart. counted says whether both runs count calls.
func (t *Task) match(reference *preprocess.Tree, c *Counterpart, counted bool) {
	w := c.Reference
	if !c.Evidence.Sure() {
		t.Perhaps = c
		return
	}
	t.Found, t.Distance, t.Evidence = c.Found, c.Distance, c.Evidence
	t.Peer, t.PeerEnergy, t.PeerCalls = w, reference.Energy.All(w), reference.Calls.Self(w)
	t.Saving = t.Energy - t.PeerEnergy
	if counted {
		t.Split = NewSplit(t.Saving, t.Calls, t.PeerCalls, t.PeerEnergy)
	}
}

// Callers returns the methods of the app that call node v, the F-method of a task,
// most calls first.
func Callers(t *preprocess.Tree, v int32) []Caller {
	calls := t.Callers(v)
	if len(calls) == 1 {
		return []Caller{{calls[0].Source, calls[0].Calls, calls[0].Energy}}
	}
	nodes := t.Source.Nodes
	at := make(map[trace.MethodID]int)
	var out []Caller
	for _, c := range calls {
		i, ok := at[nodes[c.Source].Method]
		if !ok {
			i = len(out)
			at[nodes[c.Source].Method] = i
			out = append(out, Caller{Source: c.Source})
		}
		out[i].Calls += c.Calls
		out[i].Energy += c.Energy
		if t.Source.Energy.All(c.Source) > t.Source.Energy.All(out[i].Source) {
			out[i].Source = c.Source
		}
	}
	slices.SortStableFunc(out, func(a, b Caller) int { return cmp.Compare(b.Calls, a.Calls) })
	return out
}
