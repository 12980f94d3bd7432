package eflask

import "github.com/diffprof/diffprof/preprocess"

// maxShelf bounds how many tasks one task is held against for one reason. More of one
// kind say little about any of them.
const maxShelf = 64

// A shelf is where tasks lie that may be counterparts, for one reason.
type shelf struct {
	why  reason
	a, b int32
}

type reason uint8

const (
	// One F-method, or related ones, in callbacks of one name.
	sameThere reason = iota
	// One F-method, or related ones.
	sameMethod
	// One name with one signature.
	sameName
	// One class.
	sameClass
	// One class and name, or one calls a method of the other's.
	sameOverload
)

// A librarian numbers names.
type librarian struct {
	labels  *preprocess.Labels
	class   []int32 // of a label, as rarity has it
	numbers map[string]int32
}

func newLibrarian(labels *preprocess.Labels, class []int32) *librarian {
	return &librarian{labels, class, make(map[string]int32)}
}

func (l *librarian) number(text string) int32 {
	n, ok := l.numbers[text]
	if !ok {
		n = int32(len(l.numbers))
		l.numbers[text] = n
	}
	return n
}

// shelves returns where a task lies.
func (l *librarian) shelves(s *taskSide, task int32) []shelf {
	v := s.nodes[task]
	nodes := s.tree.Nodes
	class := l.class[nodes[v].Label]
	m := l.labels.Method(nodes[v].Label)
	out := []shelf{
		{sameThere, class, int32(nodes[nodes[v].Parent].Label)},
		{sameMethod, class, 0},
		{sameName, l.number(m.Name + m.Signature), 0},
	}
	if m.Type != "" {
		out = append(out, shelf{sameClass, l.number(m.Class()), 0}, shelf{sameOverload, l.number(m.Class() + "." + m.Name), 0})
	}
	for u := v + 1; u < nodes[v].End; u = nodes[u].End {
		if inner := l.labels.Method(nodes[u].Label); nodes[u].Kind == preprocess.Framework && inner.Type != "" {
			out = append(out, shelf{sameOverload, l.number(inner.Class() + "." + inner.Name), 0})
		}
	}
	return out
}
