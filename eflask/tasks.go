package eflask

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Found tells how the counterpart of a task was found.
type Found uint8

// The values of Found. Unmatched is first. The others are sorted from the most to the least
// trusted.
const (
	// Unmatched means that the task has no counterpart in the reference.
	Unmatched Found = iota
	// Exact means equal paths and equal F-methods.
	Exact
	// Path means the same F-method under a different path.
	Path
	// Hierarchy means the same method of a subclass or superclass.
	Hierarchy
	// Moved means that the same method of the app calls the F-method from another callback.
	Moved
	// Delegate means that one F-method calls the other.
	Delegate
	// Renamed means a different F-method that was chosen because its subtree is similar.
	Renamed
	// Likeness means that the names, the subtrees and the callbacks are similar, although the
	// matching does not pair the tasks.
	Likeness
)

// String returns the name of f in reports, such as "exact" or "unmatched".
func (f Found) String() string {
	return [...]string{"unmatched", "exact", "path", "hierarchy", "moved", "delegate", "renamed", "likeness"}[f]
}

// A Task is a framework method that a method of the app calls directly, with its call path. A task
// is the unit of comparison (DiffProf, Section 3.2). The fields describe a task of the subject.
type Task struct {
	// Node is the F-method's node in the subject's tree.
	Node int32
	// Energy is the node's inclusive energy. Own leaves out the tasks inside this task, so the sum
	// of Own over all tasks counts no energy twice.
	Energy, Own units.Energy
	// Calls counts the calls of the F-method. cct.Tree.Counted says what is counted.
	Calls int64
	Found Found
	// Peer is the F-method's node in the reference's tree. For an unmatched task it is
	// -1, and PeerEnergy, PeerCalls and Distance are 0.
	Peer       int32
	PeerEnergy units.Energy
	PeerCalls  int64
	Distance   int32
	// Evidence is the evidence for the counterpart. It is zero for an unmatched task.
	Evidence Evidence
	// Perhaps is a likely counterpart of an unmatched task, or nil. It is not sure enough to count
	// as matched.
	Perhaps *Counterpart
	// In has calls of this task that the reference makes in other tasks than Peer. Out has calls of
	// Peer that the subject makes in other tasks than this one. Only [Shifted] sets In and Out.
	In, Out []Shift
	// Inside corrects PeerEnergy for moved work inside this task. Some work is inside this task only
	// in the subject: Inside has its energy in the reference. Other work is inside only in the
	// reference: its energy is subtracted. Only [Shifted] sets Inside.
	Inside units.Energy
	// Saving is the possible saving: Energy minus PeerEnergy. It is negative if the reference uses
	// more. [Shifted] first corrects PeerEnergy for moved work (see [Task.Elsewhere]).
	Saving units.Energy
	// Split divides the Saving of a matched task. It is nil unless both runs count calls and call
	// both F-methods.
	Split *Split
}

// A Split divides a saving into two parts. Calls is the part from making more calls: the additional
// calls times the reference's energy per call. PerCall is the rest, from more energy per call.
type Split struct{ Calls, PerCall units.Energy }

// A Caller is a method of the app that calls a task's F-method.
type Caller struct {
	// Source is the caller's node in the subject's source tree. If several nodes have the same
	// method, Source is the node with the most energy.
	Source int32
	Calls  int64
	// Energy is the energy of the caller's calls of the F-method, including callees.
	Energy units.Energy
}

// Tasks lists the subject's tasks and their counterparts, the largest saving first. The saving of
// an unmatched task is its whole energy. The saving of a matched task is its energy minus the
// reference's energy (DiffProf, Section 4). Among equal savings, the task with more energy comes
// first, then the task with the earlier node.
func Tasks(subject, reference *preprocess.Tree, counterparts []Counterpart) []Task {
	index := make([]int32, len(subject.Nodes)) // for each F-method, the index of its counterpart plus one
	for i := range counterparts {
		index[counterparts[i].Subject] = int32(i) + 1
	}
	counted := BothCount(subject, reference)
	innermost, all := Innermost(subject), 0
	for v, f := range innermost {
		if f == int32(v) {
			all++
		}
	}
	tasks := make([]Task, 0, all)
	at := make([]int32, len(subject.Nodes)) // for each F-method, the index of its task
	for v, f := range innermost {
		v := int32(v)
		if f == v {
			at[v] = int32(len(tasks))
			t := Task{Node: v, Energy: subject.Energy.All(v), Calls: subject.Calls.Self(v), Peer: -1}
			t.Saving = t.Energy
			if c := index[v]; c > 0 {
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

// ranked sorts tasks by saving. A Task is large, so it sorts indices and then moves each task once.
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

// IsTask reports whether node v is the F-method of a task: a framework method that the app calls.
func IsTask(t *preprocess.Tree, v int32) bool {
	n := &t.Nodes[v]
	return n.Kind == preprocess.Framework && t.Nodes[n.Parent].Kind == preprocess.App
}

// Innermost returns, for each node, the F-method of the innermost task that contains it, or -1
// outside of tasks. An F-method is in its own task. The exclusive energy of a node belongs only to
// its innermost task.
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

// BothCount reports whether both runs count calls. Only then are savings split.
func BothCount(subject, reference *preprocess.Tree) bool {
	return subject.Source.Counted == trace.CountedCalls && reference.Source.Counted == trace.CountedCalls
}

// NewSplit divides a saving by the numbers of calls. peerEnergy is the energy of all calls of the
// reference. NewSplit returns nil if either run has no calls.
func NewSplit(saving units.Energy, calls, peerCalls int64, peerEnergy units.Energy) *Split {
	if calls <= 0 || peerCalls <= 0 {
		return nil
	}
	more := units.Energy(units.MulDiv(calls-peerCalls, int64(peerEnergy), peerCalls))
	return &Split{Calls: more, PerCall: saving - more}
}

// match sets the task's counterpart, or Perhaps if c is not sure. counted is true if both runs
// count calls.
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

// Callers returns the app methods that call v, the F-method of a task, the most calls first.
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
