package eflask

import "github.com/diffprof/diffprof/preprocess"

// A block is a set of tasks that may match because they have one property in common, such as the
// same class. The term comes from record linkage.
type block struct {
	why  reason
	a, b int32
}

type reason uint8

const (
	// sameThere means the same method, called in callbacks (app methods) of the same name.
	sameThere reason = iota
	// sameMethod means that the same framework method is called, or one with γ = 0.
	sameMethod
	// sameName means the same name and signature.
	sameName
	// sameClass means the same class.
	sameClass
	// sameOverload means the same class and name, with any parameters. A method that the F-method
	// calls directly also counts.
	sameOverload
)

// A blockIndex numbers the blocks and finds the blocks of each task.
type blockIndex struct {
	labels *preprocess.Labels
	class  []int32 // class of each label, as in rarity
	// names has a number for each text. blocks has a number for each block.
	names  map[string]int32
	blocks map[block]int32
	// known has the numberedName of each label. Entries are nil until nameOf computes them.
	known []*numberedName
}

// A numberedName is a method name with a number for each part, so that names compare fast.
type numberedName struct {
	name, class, method int32
	typed               bool // the name has a class
}

func newBlockIndex(labels *preprocess.Labels, class []int32) *blockIndex {
	return &blockIndex{
		labels: labels, class: class, known: make([]*numberedName, labels.Len()),
		names: make(map[string]int32), blocks: make(map[block]int32),
	}
}

// numberIn returns the number of a key in a table. It gives a new key the next number.
func numberIn[K comparable](table map[K]int32, key K) int32 {
	n, ok := table[key]
	if !ok {
		n = int32(len(table))
		table[key] = n
	}
	return n
}

// nameOf returns the numbered name of a label.
func (l *blockIndex) nameOf(id preprocess.LabelID) *numberedName {
	if l.known[id] == nil {
		m := l.labels.Method(id)
		class := m.Class()
		l.known[id] = &numberedName{
			numberIn(l.names, m.Name+m.Signature), numberIn(l.names, class), numberIn(l.names, class+"."+m.Name), m.Type != "",
		}
	}
	return l.known[id]
}

// A blocking groups one run's tasks without counterparts by block. The tasks of a block are in the
// order of the tree.
type blocking struct {
	// places[first[task]:first[task+1]] are the blocks of a task.
	first  []int32
	places []place
	// tasks[start[block]:start[block+1]] are the tasks in a block.
	start, tasks []int32
}

// A place is the position of a task in a block: before is the number of tasks in front of it.
type place struct{ block, before int32 }

// blocksOf finds the blocks of the tasks without a counterpart. sort then fills the blocks.
func (l *blockIndex) blocksOf(s *taskSide) *blocking {
	out := &blocking{first: make([]int32, 1, len(s.nodes)+1)}
	nodes := s.tree.Nodes
	for task, v := range s.nodes {
		if s.peer[task] >= 0 {
			out.first = append(out.first, int32(len(out.places)))
			continue
		}
		class, n := l.class[nodes[v].Label], l.nameOf(nodes[v].Label)
		lie := func(why reason, a, b int32) {
			out.places = append(out.places, place{block: numberIn(l.blocks, block{why, a, b})})
		}
		lie(sameThere, class, int32(nodes[nodes[v].Parent].Label))
		lie(sameMethod, class, 0)
		lie(sameName, n.name, 0)
		if n.typed {
			lie(sameClass, n.class, 0)
			lie(sameOverload, n.method, 0)
		}
		for u := v + 1; u < nodes[v].End; u = nodes[u].End {
			if nodes[u].Kind != preprocess.Framework {
				continue
			}
			if inner := l.nameOf(nodes[u].Label); inner.typed {
				lie(sameOverload, inner.method, 0)
			}
		}
		out.first = append(out.first, int32(len(out.places)))
	}
	return out
}

// sort fills the n blocks with the tasks that have no counterpart.
func (s *blocking) sort(peer []int32, n int) {
	s.start = fill(s.start, n+1, 0)
	for task, p := range peer {
		if p >= 0 {
			continue
		}
		for i := s.first[task]; i < s.first[task+1]; i++ {
			at := &s.places[i]
			at.before = s.start[at.block+1]
			s.start[at.block+1]++
		}
	}
	for block := range n {
		s.start[block+1] += s.start[block]
	}
	s.tasks = fill(s.tasks, int(s.start[n]), 0)
	for task, p := range peer {
		if p >= 0 {
			continue
		}
		for _, at := range s.places[s.first[task]:s.first[task+1]] {
			s.tasks[s.start[at.block]+at.before] = int32(task)
		}
	}
}

// placesOf returns the blocks that contain a task.
func (s *blocking) placesOf(task int32) []place { return s.places[s.first[task]:s.first[task+1]] }

// tasksIn returns the tasks in a block.
func (s *blocking) tasksIn(block int32) []int32 { return s.tasks[s.start[block]:s.start[block+1]] }

// Two blocks with at most maxAll pairs of tasks are compared completely. In larger blocks, each
// task is compared only with the tasks near the same relative position in the other block, at most
// maxNearby away. This loses little: tasks are sorted by path, and sharing a large block is weak
// evidence.
const (
	maxAll    = 64 * 64
	maxNearby = 32
)

// nearby returns the tasks of the other run's block that one task is compared with. The task is in
// a block of m tasks. The parameter before is the number of tasks in front of it. Swapping the runs
// gives the same pairs.
func nearby(tasks []int32, before, m int32) []int32 {
	n := int64(len(tasks))
	if n*int64(m) <= maxAll {
		return tasks
	}
	// |before·n - j·m| ≤ maxNearby·max(m, n)
	at, reach := int64(before)*n, maxNearby*max(int64(m), n)
	from := max(0, (at-reach+int64(m)-1)/int64(m))
	to := min(n, (at+reach)/int64(m)+1)
	return tasks[from:to]
}
