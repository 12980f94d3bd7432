package finding

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/eflask"
)

// An Origin says where in the app's own code a call began: what a developer can change.
type Origin struct {
	// Own is the app's own method that made the call, or the innermost above the
	// library that did. It has no Name where there is none: the framework
	// called the library.
	Own name.Method
	// Node is Own's in the tree before preprocessing, or that of the calling method
	// where there is no Own.
	Node int32
	// Called is the method that Own called on the way, the library's or the
	// framework's; it has no Name where Own made the call itself.
	Called name.Method
	// Library is the group of libraries that made the call, empty if it is in none.
	Library string
}

// Origins are those of all calls of an input. They are not changed once made.
type Origins struct {
	in *analysis.Input
	// own is, for each node before preprocessing, that of the innermost own method at
	// or above it, called the one that this calls on the way, or the node of own
	// itself; -1 where there is none.
	own, called []int32
}

// NewOrigins finds the origins of the calls of an input. It looks no further up than
// where a thread's work begins.
func NewOrigins(in *analysis.Input) *Origins {
	const none, unknown = -1, -2
	t := in.Tree
	n := len(t.Source.Nodes)
	o := &Origins{in, make([]int32, n), make([]int32, n)}
	find := func(i, from int32) {
		switch m := t.Source.Nodes[i].Method; {
		case m >= 0 && in.Own.Is(m):
			o.own[i], o.called[i] = i, i
		case from < 0 || t.Into[from] == cct.Root:
			o.own[i], o.called[i] = none, none
		case o.own[from] == from:
			o.own[i], o.called[i] = from, i
		default:
			o.own[i], o.called[i] = o.own[from], o.called[from]
		}
	}
	// A hand-over was hung under a method of the app, which may come later in the tree,
	// but is in no hand-over that was hung elsewhere. So those wait.
	var waiting []int32
	for i := range int32(n) {
		from := t.Caller(i)
		if parent := t.Source.Nodes[i].Parent; from != parent || from >= 0 && o.own[from] == unknown {
			o.own[i] = unknown
			waiting = append(waiting, i)
			continue
		}
		find(i, from)
	}
	for _, i := range waiting {
		find(i, t.Caller(i))
	}
	return o
}

// Of returns the origin of the calls that a node makes: of a caller's Source.
func (o *Origins) Of(source int32) Origin {
	t := o.in.Tree.Source
	out := Origin{Node: source}
	if m := t.Nodes[source].Method; m >= 0 {
		out.Library = o.in.Libraries[m]
	}
	own := o.own[source]
	if own < 0 {
		return out
	}
	out.Own, out.Node = t.Methods[t.Nodes[own].Method], own
	if called := o.called[source]; called != own {
		if m := t.Nodes[called].Method; m >= 0 {
			out.Called = t.Methods[m]
		}
	}
	return out
}

// Own says whether a task of the result whose subject the origins are of is of the app's own
// code: whether one of its calls has an own method at or above it.
func (o *Origins) Own(task *eflask.Task) bool {
	for _, c := range eflask.Callers(o.in.Tree, task.Node) {
		if o.own[c.Source] >= 0 {
			return true
		}
	}
	return false
}
