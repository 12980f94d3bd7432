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

// A library knows on which shelves the tasks of a label lie. Names are numbered once a
// label, since tasks come back in each round.
type library struct {
	labels  *preprocess.Labels
	class   []int32 // of a label, as rarity has it
	numbers map[string]int32
	// names are by label, nil until asked for.
	names []*numberedName
	// out is handed out by shelves and used anew.
	out []shelf
}

// A numberedName has a number for each part of a method's name that tasks may share.
type numberedName struct {
	name, class, method int32
	typed               bool // whether it has a class
}

func newLibrary(labels *preprocess.Labels, class []int32) *library {
	return &library{labels: labels, class: class, numbers: make(map[string]int32), names: make([]*numberedName, labels.Len())}
}

func (l *library) number(text string) int32 {
	n, ok := l.numbers[text]
	if !ok {
		n = int32(len(l.numbers))
		l.numbers[text] = n
	}
	return n
}

// nameOf numbers the name of a label.
func (l *library) nameOf(id preprocess.LabelID) *numberedName {
	if l.names[id] == nil {
		m := l.labels.Method(id)
		class := m.Class()
		l.names[id] = &numberedName{l.number(m.Name + m.Signature), l.number(class), l.number(class + "." + m.Name), m.Type != ""}
	}
	return l.names[id]
}

// shelves returns where a task lies. The result is good until the next call.
func (l *library) shelves(s *taskSide, task int32) []shelf {
	v := s.nodes[task]
	nodes := s.tree.Nodes
	class, n := l.class[nodes[v].Label], l.nameOf(nodes[v].Label)
	out := append(l.out[:0],
		shelf{sameThere, class, int32(nodes[nodes[v].Parent].Label)}, shelf{sameMethod, class, 0}, shelf{sameName, n.name, 0})
	if n.typed {
		out = append(out, shelf{sameClass, n.class, 0}, shelf{sameOverload, n.method, 0})
	}
	for u := v + 1; u < nodes[v].End; u = nodes[u].End {
		if nodes[u].Kind != preprocess.Framework {
			continue
		}
		if inner := l.nameOf(nodes[u].Label); inner.typed {
			out = append(out, shelf{sameOverload, inner.method, 0})
		}
	}
	l.out = out
	return out
}
