package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// Shifted corrects the savings of tasks for moved work, because a move saves nothing. Wherever the
// reference makes a call of a task, its energy there counts for that task and for the tasks around
// it. The sum of the savings of all outermost tasks does not change. The result is sorted as
// [Tasks] sorts. counted is true if both runs count calls.
func Shifted(subject, reference *preprocess.Tree, tasks []Task, shifts []Shift, counted bool) []Task {
	in, out := make(map[int32][]Shift), make(map[int32][]Shift)
	for _, s := range shifts {
		in[s.Subject] = append(in[s.Subject], s)
		out[s.Reference] = append(out[s.Reference], s)
	}
	inside := movedInside(subject, reference, tasks, in)
	if len(shifts)+len(inside) == 0 {
		return tasks
	}
	tasks = slices.Clone(tasks)
	for i := range tasks {
		t := &tasks[i]
		t.In, t.Inside = in[t.Node], inside[t.Node]
		if t.Peer >= 0 {
			t.Out = out[t.Peer]
		}
		if len(t.In)+len(t.Out) == 0 && t.Inside == 0 {
			continue
		}
		// The reference's energy of moved calls is partly an estimate, so the sum can be negative.
		t.Inside -= min(t.PeerEnergy+t.Elsewhere(), 0)
		energy := t.PeerEnergy + t.Elsewhere()
		t.Saving = t.Energy - energy
		if t.Moved() {
			t.Perhaps = nil
		}
		if t.Split != nil {
			calls := t.PeerCalls
			for _, s := range t.In {
				calls += s.Calls
			}
			for _, s := range t.Out {
				calls -= s.Calls
			}
			t.Split = NewSplit(t.Saving, t.Calls, calls, energy)
		}
	}
	return ranked(tasks)
}

// movedInside computes Task.Inside, by the subject's node. in has the shifts by the subject's task.
func movedInside(subject, reference *preprocess.Tree, tasks []Task, in map[int32][]Shift) map[int32]units.Energy {
	// peer is the counterpart of each task in both runs, and 0 at other nodes. around has, for a
	// task in a shift, the tasks that make the shifted calls in the other run.
	peer := [2][]int32{make([]int32, len(subject.Nodes)), make([]int32, len(reference.Nodes))}
	around := [2]map[int32][]int32{make(map[int32][]int32), make(map[int32][]int32)}
	// A unit is work that moved as a whole: a task or some of its calls. Units inside it may have
	// moved elsewhere, so their energy is subtracted.
	type unit struct {
		v, w   int32
		energy units.Energy
		whole  bool // the unit is the whole task w
	}
	var moved []unit
	at := make(map[int32][]int) // the units at each node of the reference
	add := func(u unit) {
		at[u.w] = append(at[u.w], len(moved))
		moved = append(moved, u)
	}
	for i := range tasks {
		if t := &tasks[i]; t.Peer >= 0 {
			peer[0][t.Node], peer[1][t.Peer] = t.Peer, t.Node
			if t.Found == Moved {
				add(unit{t.Node, t.Peer, t.PeerEnergy, true})
			}
		}
		for _, s := range in[tasks[i].Node] {
			around[0][s.Subject] = append(around[0][s.Subject], s.Reference)
			around[1][s.Reference] = append(around[1][s.Reference], s.Subject)
			add(unit{s.Subject, s.Reference, s.Energy, false})
		}
	}
	if len(moved) == 0 {
		return nil
	}
	within := func(t *preprocess.Tree, v, outer int32) bool { return v >= outer && v < t.Nodes[outer].End }
	// does reports whether task w of run k does part of its work in node v of the other run, whose
	// tree is t.
	does := func(k int, w int32, t *preprocess.Tree, v int32) bool {
		return peer[k][w] > 0 && within(t, v, peer[k][w]) ||
			slices.ContainsFunc(around[k][w], func(outer int32) bool { return within(t, v, outer) })
	}
	// steps bounds the number of visited nodes. The deep trees of a malicious file would take long.
	steps := maxNests * (len(subject.Nodes) + len(reference.Nodes))
	own := make([]units.Energy, len(moved))
	for i, m := range moved {
		own[i] += m.energy
		for w := reference.Nodes[m.w].Parent; w > 0 && steps > 0; w = reference.Nodes[w].Parent {
			steps--
			outer := slices.IndexFunc(at[w], func(k int) bool { return moved[k].whole || within(subject, m.v, moved[k].v) })
			if outer >= 0 {
				own[at[w][outer]] -= m.energy
				break
			}
		}
	}
	inside := make(map[int32]units.Energy)
	for i, m := range moved {
		energy := max(own[i], 0)
		for v := subject.Nodes[m.v].Parent; v > 0 && steps > 0; v = subject.Nodes[v].Parent {
			steps--
			if IsTask(subject, v) && !does(0, v, reference, m.w) {
				inside[v] += energy
			}
		}
		for w := reference.Nodes[m.w].Parent; w > 0 && steps > 0; w = reference.Nodes[w].Parent {
			steps--
			if v := peer[1][w]; v > 0 && !does(1, w, subject, m.v) {
				inside[v] -= energy
			}
		}
	}
	return inside
}

// Moved reports whether a task moved. A matched task moved if its counterpart runs under another
// callback. An unmatched task moved if the reference makes some of its calls in other tasks.
func (t *Task) Moved() bool {
	return t.Found == Moved || t.Found == Unmatched && len(t.In) > 0
}

// There returns the task of the reference that a task is compared with, its energy and its number
// of calls. Usually this is its counterpart. If only some calls of the task moved, it is the
// reference's task to which most of their energy moved, and energy and calls add up all moved
// calls. node is -1 if there is no such task.
func (t *Task) There() (node int32, energy units.Energy, calls int64) {
	if t.Found != Unmatched || len(t.In) == 0 {
		return t.Peer, t.PeerEnergy, t.PeerCalls
	}
	most := t.In[0]
	for _, s := range t.In {
		if s.Energy > most.Energy {
			most = s
		}
		energy += s.Energy
		calls += s.Calls
	}
	return most.Reference, energy, calls
}

// Elsewhere returns the correction of PeerEnergy for moved work, including work inside the task. It
// adds the reference's energy for calls of this task that the reference makes in other tasks. It
// subtracts the energy for calls of the counterpart that the subject makes in other tasks. The
// saving is Energy - PeerEnergy - Elsewhere.
func (t *Task) Elsewhere() units.Energy {
	sum := t.Inside
	for _, s := range t.In {
		sum += s.Energy
	}
	for _, s := range t.Out {
		sum -= s.Energy
	}
	return sum
}
