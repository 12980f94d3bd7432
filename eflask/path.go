package eflask

import (
	"math"
	"sync/atomic"
)

// paths computes the similarity of call paths to callbacks. Two paths are similar if they have
// methods in common. A method weighs more if it leads to fewer callbacks. The call path is a part
// of a task (DiffProf, Section 3.2).
type paths struct {
	rarity *rarity
	// subject and reference have the path of each callback. Entries are nil until path computes
	// them.
	subject, reference []atomic.Pointer[bag]
	// on caches the path of the last callback of the subject, because most calls of alike are about
	// the same one. on[class] equals at if class is on the path of callback at-1.
	on []int32
	at int32
}

// maxWay limits the methods of a path that are compared, counted from the callback up. Paths on
// Android have about sixty methods. A malicious file may have a hundred thousand.
const maxWay = 64

func newPaths(subject, reference *taskSide) *paths {
	class := subject.rarity.class
	w := &paths{
		rarity:  &rarity{class: class, weight: make([]int64, len(class))},
		subject: make([]atomic.Pointer[bag], len(subject.callbacks)), reference: make([]atomic.Pointer[bag], len(reference.callbacks)),
		on: make([]int32, len(class)),
	}
	subject.leads(w.rarity.weight)
	reference.leads(w.rarity.weight)
	all := float64(len(subject.callbacks) + len(reference.callbacks))
	for c, n := range w.rarity.weight {
		if n > 0 {
			w.rarity.weight[c] = int64(math.Round(millionths * math.Log(1+max(all/float64(n), 1))))
		}
	}
	return w
}

// leads counts the callbacks at or below the nodes of each class. It adds the counts to the slice,
// which is indexed by class.
func (s *taskSide) leads(to []int64) {
	nodes := s.tree.Nodes
	calls := make([]bool, len(nodes))
	for _, v := range s.nodes {
		calls[nodes[v].Parent] = true
	}
	before := make([]int32, len(nodes)+1) // number of callbacks before each node
	for v := range nodes {
		before[v+1] = before[v]
		if calls[v] {
			before[v+1]++
		}
	}
	for v := 1; v < len(nodes); v++ {
		to[s.rarity.class[nodes[v].Label]] += int64(before[nodes[v].End] - before[v])
	}
}

// alike returns the similarity of the paths to callback c of the subject and callback d of the
// reference. It is 1 for equal paths.
func (w *paths) alike(subject *taskSide, c int32, reference *taskSide, d int32) float64 {
	a, b := w.path(subject, w.subject, c), w.path(reference, w.reference, d)
	if w.at != c+1 {
		w.at = c + 1
		for _, class := range a.classes {
			w.on[class] = c + 1
		}
	}
	common := int64(0)
	for _, class := range b.classes {
		if w.on[class] == c+1 {
			common += w.rarity.weight[class]
		}
	}
	return dice(common, a.weight, b.weight)
}

// path returns the methods on the path to a callback of s. The paths are cached in known.
func (w *paths) path(s *taskSide, known []atomic.Pointer[bag], callback int32) *bag {
	if b := known[callback].Load(); b != nil {
		return b
	}
	nodes := s.tree.Nodes
	var classes []int32
	task := s.tasksOf(callback)[0]
	for v := nodes[s.nodes[task]].Parent; v > 0 && len(classes) < maxWay; v = nodes[v].Parent {
		classes = append(classes, s.rarity.class[nodes[v].Label])
	}
	b := w.rarity.bag(classes)
	known[callback].Store(&b)
	return &b
}
