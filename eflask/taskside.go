package eflask

import (
	"slices"
	"sync/atomic"

	"github.com/diffprof/diffprof/preprocess"
)

// A taskSide has the tasks of one tree, numbered in preorder.
type taskSide struct {
	tree   *preprocess.Tree
	rarity *rarity
	nodes  []int32
	labels []preprocess.LabelID
	// class has the class of each task's label. leaf is true if the task's F-method calls nothing.
	class []int32
	leaf  []bool
	// at maps each node to its task, or to -1 if the node is no task.
	at []int32
	// peer has each task's counterpart in the other tree, or -1.
	peer []int32
	// below has the labels below each task's F-method. Entries are nil until belowOf computes them.
	below []atomic.Pointer[bag]
	// belowOf may visit left more nodes. scarce means that this may be too few for all tasks.
	left   int32
	scarce bool
	// callback has, for each task, the number of its callback: the app method that calls the
	// F-method. The tasks of callbacks[c] are tasks[first[c]:first[c+1]].
	callback  []int32
	callbacks []callback
	first     []int32
	tasks     []int32
	// lone counts the tasks of each label class that have no counterpart. all counts all tasks of
	// the class. After tasks are paired, describe updates lone and callbacks.
	lone, all []int32
}

// A callback is an app method that calls tasks. It is weighed by its labels, not by its energy.
type callback struct {
	label preprocess.LabelID
	// weight is the weight of all its tasks, and paired that of its tasks with a counterpart.
	weight, paired int64
	// open has the labels of the tasks without a counterpart.
	open bag
}

func newTaskSide(t *preprocess.Tree, r *rarity) *taskSide {
	s := &taskSide{tree: t, rarity: r, at: slices.Repeat([]int32{-1}, len(t.Nodes)), all: make([]int32, len(r.class))}
	number := slices.Repeat([]int32{-1}, len(t.Nodes)) // callback of each node, or -1
	for v := int32(1); int(v) < len(t.Nodes); v++ {
		if !IsTask(t, v) {
			continue
		}
		s.at[v] = int32(len(s.nodes))
		s.nodes = append(s.nodes, v)
		s.labels = append(s.labels, t.Nodes[v].Label)
		s.class = append(s.class, r.class[t.Nodes[v].Label])
		s.leaf = append(s.leaf, t.Nodes[v].End == v+1)
		s.all[s.class[len(s.class)-1]]++
		caller := t.Nodes[v].Parent
		if number[caller] < 0 {
			number[caller] = int32(len(s.callbacks))
			s.callbacks = append(s.callbacks, callback{label: t.Nodes[caller].Label})
		}
		s.callback = append(s.callback, number[caller])
	}
	s.first, s.tasks = grouped(s.callback, len(s.callbacks))
	s.peer = slices.Repeat([]int32{-1}, len(s.nodes))
	s.below = make([]atomic.Pointer[bag], len(s.nodes))
	s.left = s.mostBelow()
	all := int64(0)
	for _, v := range s.nodes {
		all += int64(min(maxBelow, t.Nodes[v].End-v-1))
	}
	s.scarce = all > int64(s.left)
	return s
}

// grouped sorts the indices of group by group number, which is less than n. Group g gets the
// indices members[first[g]:first[g+1]], ascending.
func grouped(group []int32, n int) (first, members []int32) {
	first, members = make([]int32, n+1), make([]int32, len(group))
	for _, g := range group {
		first[g+1]++
	}
	for g := range n {
		first[g+1] += first[g]
	}
	next := slices.Clone(first)
	for i, g := range group {
		members[next[g]] = int32(i)
		next[g]++
	}
	return first, members
}

func (s *taskSide) label(task int32) preprocess.LabelID { return s.labels[task] }

func (s *taskSide) weight(task int32) int64 { return s.rarity.weight[s.class[task]] }

// tasksOf returns the tasks of a callback, ascending.
func (s *taskSide) tasksOf(callback int32) []int32 {
	return s.tasks[s.first[callback]:s.first[callback+1]]
}

// Limits of the search for the callees of tasks: maxBelow visited nodes per task, and on average
// maxNests visits per node of the tree. Tasks in apps are nested about a dozen deep. In a malicious
// file, they may be nested a hundred thousand deep.
const (
	maxBelow = 4096
	maxNests = 32
)

// belowOf returns the labels below a task's F-method. If scarce is true, it must not be called
// concurrently.
func (s *taskSide) belowOf(task int32) *bag {
	if known := s.below[task].Load(); known != nil {
		return known
	}
	v := s.nodes[task]
	end := min(s.tree.Nodes[v].End, v+1+maxBelow)
	if s.scarce {
		end = min(end, v+1+s.left)
		s.left -= end - v - 1
	}
	classes := make([]int32, 0, end-v-1)
	for i := v + 1; i < end; i++ {
		classes = append(classes, s.rarity.class[s.tree.Nodes[i].Label])
	}
	b := s.rarity.bag(classes)
	s.below[task].Store(&b)
	return &b
}

// calls reports whether a task's F-method directly calls a method of the given class.
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

// describe updates the numbers of lone tasks, and the weights of the callbacks that changed, or of
// all callbacks if changed is nil.
func (s *taskSide) describe(changed []bool) {
	s.lone = fill(s.lone, len(s.rarity.class), 0)
	for task, peer := range s.peer {
		if peer < 0 {
			s.lone[s.class[task]]++
		}
	}
	for i := range s.callbacks {
		if changed != nil && !changed[i] {
			continue
		}
		c := &s.callbacks[i]
		c.weight, c.paired = 0, 0
		open := c.open.classes[:0]
		for _, task := range s.tasksOf(int32(i)) {
			c.weight += s.weight(task)
			if s.peer[task] >= 0 {
				c.paired += s.weight(task)
			} else {
				open = append(open, s.class[task])
			}
		}
		c.open = s.rarity.bag(open)
	}
}
