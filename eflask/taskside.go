package eflask

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// A taskSide holds the tasks of one tree, by number, in preorder.
type taskSide struct {
	tree   *preprocess.Tree
	rarity *rarity
	nodes  []int32
	// at is the task of a node, -1 for nodes that are none.
	at []int32
	// peer is the counterpart of a task among the other tree's, -1 for none.
	peer []int32
	// below has the labels below a task's F-method; entries are nil until asked for.
	below []*bag
	// left is how many more nodes may be looked at for that.
	left int32
	// callbacks describes the A-methods that call tasks, by node. It holds true until
	// another task gets a counterpart.
	callbacks map[int32]*callback
	// lone counts the tasks without a counterpart, by the class of their label, and
	// all counts all tasks. lone holds true as long as callbacks does.
	lone, all []int32
}

// A callback is an A-method that calls tasks. Energies do not count here: weights are
// sums over labels.
type callback struct {
	// weight is that of all its tasks, paired that of those with a counterpart.
	weight, paired float64
	tasks          int
	// open has the labels of the tasks without a counterpart.
	open bag
}

func newTaskSide(t *preprocess.Tree, r *rarity) *taskSide {
	s := &taskSide{tree: t, rarity: r, at: slices.Repeat([]int32{-1}, len(t.Nodes)), all: make([]int32, len(r.class))}
	for v := int32(1); int(v) < len(t.Nodes); v++ {
		if IsTask(t, v) {
			s.at[v] = int32(len(s.nodes))
			s.nodes = append(s.nodes, v)
			s.all[r.class[t.Nodes[v].Label]]++
		}
	}
	s.peer = slices.Repeat([]int32{-1}, len(s.nodes))
	s.below = make([]*bag, len(s.nodes))
	s.left = int32(min(maxNests*len(t.Nodes), math.MaxInt32))
	return s
}

func (s *taskSide) label(task int32) preprocess.LabelID { return s.tree.Nodes[s.nodes[task]].Label }

func (s *taskSide) class(task int32) int32 { return s.rarity.class[s.label(task)] }

func (s *taskSide) weight(task int32) float64 { return s.rarity.of(s.label(task)) }

// callback is the node of the A-method that calls a task's F-method.
func (s *taskSide) callback(task int32) int32 { return s.tree.Nodes[s.nodes[task]].Parent }

// leaf reports whether a task's F-method calls nothing.
func (s *taskSide) leaf(task int32) bool {
	v := s.nodes[task]
	return s.tree.Nodes[v].End == v+1
}

// What bounds the search for labels below tasks: the nodes looked at for one task, and
// for all of them how often each node of the tree may be. Tasks nest, a dozen deep where
// apps do and a hundred thousand deep where a file means harm.
const (
	maxBelow = 4096
	maxNests = 32
)

// belowOf returns the labels below a task's F-method.
func (s *taskSide) belowOf(task int32) *bag {
	if s.below[task] == nil {
		v := s.nodes[task]
		end := min(s.tree.Nodes[v].End, v+1+min(maxBelow, s.left))
		s.left -= end - v - 1
		classes := make([]int32, 0, end-v-1)
		for i := v + 1; i < end; i++ {
			classes = append(classes, s.rarity.class[s.tree.Nodes[i].Label])
		}
		b := s.rarity.bag(classes)
		s.below[task] = &b
	}
	return s.below[task]
}

// calls reports whether a task's F-method itself calls a method of the given class.
func (s *taskSide) calls(task, class int32) bool {
	nodes := s.tree.Nodes
	v := s.nodes[task]
	for u := v + 1; u < nodes[v].End; u = nodes[u].End {
		if s.rarity.class[nodes[u].Label] == class {
			return true
		}
	}
	return false
}

// describe makes callbacks and lone anew.
func (s *taskSide) describe() {
	s.callbacks = make(map[int32]*callback)
	s.lone = make([]int32, len(s.rarity.class))
	for i := range s.nodes {
		task := int32(i)
		c := s.callbacks[s.callback(task)]
		if c == nil {
			c = &callback{}
			s.callbacks[s.callback(task)] = c
		}
		c.tasks++
		c.weight += s.weight(task)
		if s.peer[task] >= 0 {
			c.paired += s.weight(task)
		} else {
			c.open.classes = append(c.open.classes, s.class(task))
			s.lone[s.class(task)]++
		}
	}
	for _, c := range s.callbacks {
		c.open = s.rarity.bag(c.open.classes)
	}
}
