package eflask

import (
	"cmp"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A hidden finds work that is a task in one run and recursion in the other. A recursive call merges
// into the node above with the same method, which hides its energy. For example, a layout fragment
// calls LayoutInflater.inflate inside of LayoutInflater.inflate. If the fragment moves to another
// callback, the call becomes a task.
//
// The energy of a recursive call is not known. A shift of such calls therefore gets the smaller of
// two differences: the energy of the task minus its counterpart's, and the same for the task that
// has the recursive calls.
type hidden struct {
	*mover
	// excess is the energy of each task minus its counterpart's, by side. Energy already explained
	// by shifts is subtracted.
	excess [2][]units.Energy
	// rest is the energy of each task that is not yet part of a shift, by side.
	rest [2][]units.Energy
	// innermost has the result of the function Innermost for each tree.
	innermost [2][]int32
	// above is scratch memory of unfold. For each class, it has the nearest node of that class at
	// or above the current node, plus one. It is zero between uses.
	above []int32
	calls []hiddenCall
}

// A hiddenCall is node v in a task of side k. Node w of the other side may hide its energy.
type hiddenCall struct {
	k          int
	task, v, w int32
}

// recursive appends the shifts between tasks and recursive calls.
func (m *mover) recursive(shifts []Shift) []Shift {
	h := &hidden{mover: m, above: make([]int32, len(m.rarity.class))}
	for k, side := range m.sides {
		h.innermost[k] = Innermost(side.tree)
		h.excess[k], h.rest[k] = make([]units.Energy, len(side.nodes)), make([]units.Energy, len(side.nodes))
		for task, peer := range side.peer {
			e := side.tree.Energy.All(side.nodes[task])
			h.rest[k][task], h.excess[k][task] = e, e
			if peer >= 0 {
				h.excess[k][task] -= m.sides[1-k].tree.Energy.All(m.sides[1-k].nodes[peer])
			}
		}
	}
	for _, s := range shifts {
		i, j, both := m.subject.at[s.Subject], m.reference.at[s.Reference], min(s.Energy, s.SubjectEnergy)
		h.rest[0][i] -= s.SubjectEnergy
		h.rest[1][j] -= s.Energy
		h.spend(0, i, both)
		h.spend(1, j, both)
	}
	h.find()
	// The order does not depend on which run is the subject.
	energy := func(c *hiddenCall) units.Energy { return h.sides[c.k].tree.Energy.All(c.v) }
	slices.SortFunc(h.calls, func(a, b hiddenCall) int {
		return cmp.Or(cmp.Compare(energy(&b), energy(&a)), cmp.Compare(a.v+a.w, b.v+b.w), cmp.Compare(max(a.v-a.w, a.w-a.v), max(b.v-b.w, b.w-b.v)), cmp.Compare(b.task, a.task))
	})
	for _, c := range slices.Compact(h.calls) {
		shifts = h.shift(shifts, c)
	}
	return shifts
}

// spend records that a shift explains energy e of a task of side k.
func (h *hidden) spend(k int, task int32, e units.Energy) {
	h.excess[k][task] -= e
	if peer := h.sides[k].peer[task]; peer >= 0 {
		h.excess[1-k][peer] += e
	}
}

// find finds calls of each side that may be hidden by recursion on the other side.
func (h *hidden) find() {
	var callers [2][]string // label of the app's own method that calls each task, by side
	wanted := make(map[string]bool)
	for k, side := range h.sides {
		callers[k] = make([]string, len(side.nodes))
		for task := range callers[k] {
			if h.mayHide(k, int32(task)) {
				if label := h.ownCaller(k, int32(task)); label != "" {
					callers[k][task], wanted[label] = label, true
				}
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	var at [2]map[string][]occurrence
	var wg sync.WaitGroup
	for k, side := range h.sides {
		wg.Go(func() { at[k] = places(side.tree, wanted) })
	}
	wg.Wait()
	for k := range h.sides {
		here, there := at[k], at[1-k]
		for task, label := range callers[k] {
			if len(there[label]) <= maxEntrances {
				for _, p := range there[label] {
					h.unfold(k, int32(task), p.node, here[label], there[label])
				}
			}
		}
	}
}

// An occurrence is a node in which a method runs, with the number of its calls there.
type occurrence struct {
	node  int32
	calls int64
}

// places returns the nodes in which each of the wanted methods runs, in preorder.
func places(t *preprocess.Tree, wanted map[string]bool) map[string][]occurrence {
	// lists has the occurrences of each wanted label. list 0 is for all other methods.
	lists, number := make([][]occurrence, 1), make(map[string]int32)
	list := make([]int32, len(t.Source.Methods))
	for id := range list {
		m := t.Compared(trace.MethodID(id))
		if label := m.Label(); wanted[label] {
			n, ok := number[label]
			if !ok {
				n = int32(len(lists))
				number[label], lists = n, append(lists, nil)
			}
			list[id] = n
		}
	}
	for v := range int32(len(t.Nodes)) {
		for _, x := range t.Originals(v) {
			id := t.Source.Nodes[x].Method
			if id < 0 || list[id] == 0 {
				continue
			}
			at := &lists[list[id]]
			if n := len(*at); n == 0 || (*at)[n-1].node != v {
				*at = append(*at, occurrence{node: v})
			}
			(*at)[len(*at)-1].calls += max(t.Source.Calls.Self(x), 1)
		}
	}
	found := make(map[string][]occurrence, len(number))
	for label, n := range number {
		found[label] = lists[n]
	}
	return found
}

// inside counts the calls at the places: those inside a task's subtree, and those outside.
func inside(t *preprocess.Tree, task int32, places []occurrence) (in, out int64) {
	for _, p := range places {
		if p.node >= task && p.node < t.Nodes[task].End {
			in += p.calls
		} else {
			out += p.calls
		}
	}
	return in, out
}

// mayHide reports whether the other run may hide calls of a task by recursion.
func (h *hidden) mayHide(k int, task int32) bool {
	if h.excess[k][task] <= 0 {
		return false
	}
	peer := h.sides[k].peer[task]
	if k == 1 {
		task = peer
	}
	return peer < 0 || h.found[task].Found == Moved
}

// ownCaller returns the label of the app's own method whose calls of a task use the most energy, or
// "" if there is none.
func (h *hidden) ownCaller(k int, task int32) (label string) {
	t, most := h.sides[k].tree, units.Energy(-1)
	for _, c := range h.callers.callsOf(k, task) {
		for o := c.Source; c.Energy > most && o >= 0 && t.Image[o] == t.Image[c.Source]; o = t.Caller(o) {
			if id := t.Source.Nodes[o].Method; id >= 0 && h.callers.own[h.callers.methods[k][id]] {
				m := t.Compared(id)
				label, most = m.Label(), c.Energy
			}
		}
	}
	return label
}

// unfold finds calls of a task of side k that may be recursive calls above node w of the other
// side. w is a node of the method that calls the task. The last two parameters are the nodes of
// this method on side k and on the other side.
func (h *hidden) unfold(k int, task, w int32, here, there []occurrence) {
	s, o := h.sides[k], h.sides[1-k]
	class := func(t *preprocess.Tree, v int32) int32 { return h.rarity.class[t.Nodes[v].Label] }
	if h.steps <= 0 {
		return // deep trees of a malicious file would take long
	}
	for v := w; v > 0; v = o.tree.Nodes[v].Parent {
		h.steps--
		if at := &h.above[class(o.tree, v)]; *at == 0 && o.tree.Nodes[v].Kind == preprocess.Framework {
			*at = v + 1
		}
	}
	root := s.nodes[task]
	for v := root; v < s.tree.Nodes[root].End && h.steps > 0; h.steps-- {
		above := h.above[class(s.tree, v)] - 1
		if above < 0 || h.innermost[k][v] != root {
			v++ // node v may be in an inner task
			continue
		}
		if h.left(k, above, here, there) {
			h.calls = append(h.calls, hiddenCall{k, task, v, above})
			h.inner(k, v, above)
		}
		v = s.tree.Nodes[v].End
	}
	for v := w; v > 0; v = o.tree.Nodes[v].Parent {
		h.above[class(o.tree, v)] = 0
	}
}

// left reports whether calls of a method moved out of the task around node w of the other side.
// That task's counterpart on side k must have fewer of these calls. The drop must be at least half
// of the increase outside of it. If there is no counterpart, the calls have left. The last two
// parameters are the method's nodes on side k and on the other side.
func (h *hidden) left(k int, w int32, here, there []occurrence) bool {
	other := h.innermost[1-k][w]
	if other < 0 {
		return false
	}
	peer := h.sides[1-k].peer[h.sides[1-k].at[other]]
	if peer < 0 {
		return true
	}
	before, elsewhere := inside(h.sides[1-k].tree, other, there)
	now, more := inside(h.sides[k].tree, h.sides[k].nodes[peer], here)
	return before > now && 2*(before-now) >= more-elsewhere
}

// shift appends a shift for a hidden call if both tasks have energy that nothing else explains.
func (h *hidden) shift(shifts []Shift, c hiddenCall) []Shift {
	s, o := h.sides[c.k], h.sides[1-c.k]
	other := h.innermost[1-c.k][c.w]
	if other < 0 {
		return shifts
	}
	j := o.at[other]
	all := s.tree.Energy.All(c.v)
	e := min(all, h.excess[c.k][c.task], h.excess[1-c.k][j], h.rest[1-c.k][j])
	if e <= 0 || s.peer[c.task] == j {
		return shifts
	}
	// If the calls of an earlier shift use less energy in the other run, the difference may be
	// recursive calls there. Take the energy that this shift lacks from there.
	for i := range shifts {
		x := &shifts[i]
		if lack := e - h.rest[c.k][c.task]; lack <= 0 {
			break
		} else if both := min(x.Energy, x.SubjectEnergy); c.k == 0 && x.Subject == s.nodes[c.task] {
			h.rest[0][c.task] += min(lack, x.SubjectEnergy-both)
			x.SubjectEnergy -= min(lack, x.SubjectEnergy-both)
		} else if c.k == 1 && x.Reference == s.nodes[c.task] {
			h.rest[1][c.task] += min(lack, x.Energy-both)
			x.Energy -= min(lack, x.Energy-both)
		}
	}
	h.rest[c.k][c.task] -= e
	h.rest[1-c.k][j] -= e
	h.spend(c.k, c.task, e)
	h.spend(1-c.k, j, e)
	if c.k == 0 {
		return append(shifts, Shift{Subject: s.nodes[c.task], Reference: other, Energy: e, SubjectEnergy: all})
	}
	return append(shifts, Shift{Subject: other, Reference: s.nodes[c.task], Energy: e, SubjectEnergy: e})
}

// inner finds more hidden calls inside node v of side k: unpaired tasks that have equal paths
// inside node w of the other side.
func (h *hidden) inner(k int, v, w int32) {
	s, o := h.sides[k], h.sides[1-k]
	waiting := [][2]int32{{v, w}}
	for len(waiting) > 0 && h.steps > 0 {
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		x, end := at[0]+1, s.tree.Nodes[at[0]].End
		y, last := at[1]+1, o.tree.Nodes[at[1]].End
		for ; x < end && y < last; h.steps-- {
			switch a, b := s.tree.Nodes[x].Label, o.tree.Nodes[y].Label; {
			case a < b:
				x = s.tree.Nodes[x].End
			case a > b:
				y = o.tree.Nodes[y].End
			default:
				if i := s.at[x]; i >= 0 && o.at[y] >= 0 && s.peer[i] < 0 {
					h.calls = append(h.calls, hiddenCall{k, i, x, y})
				}
				waiting = append(waiting, [2]int32{x, y})
				x, y = s.tree.Nodes[x].End, o.tree.Nodes[y].End
			}
		}
	}
}
