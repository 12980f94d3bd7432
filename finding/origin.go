package finding

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/name"
)

// An Origin is the place in the app's own code from which a call comes. A developer can change this
// code.
type Origin struct {
	// Own is the app's own method that made the call. If a library made the call, Own is the
	// innermost own method above the library. It is the zero Method if the framework called the
	// library.
	Own name.Method
	// Node is Own's node in the tree before preprocessing. If there is no Own, it is the node of
	// the calling method.
	Node int32
	// Called is the library or framework method that Own called to make the call. It is the zero
	// Method if Own made the call itself.
	Called name.Method
	// Library is the library group of the calling method. It may be empty.
	Library string
}

// Origins has the origins of all calls of an input. It is immutable.
type Origins struct {
	in *analysis.Input
	// own has, for each node before preprocessing, the innermost own method at or above the node.
	// called has the callee of this own method on the path to the node, or the own method if it is
	// the node itself. Both are -1 if there is no own method.
	own, called []int32
}

// NewOrigins finds the origins of the calls of an input. It does not search above the start of a
// thread's work.
func NewOrigins(in *analysis.Input) *Origins {
	const none, unknown = -1, -2
	t := in.Tree
	n := len(t.Source.Nodes)
	o := &Origins{in, make([]int32, n), make([]int32, n)}
	find := func(i, from int32) {
		switch m := t.Source.Nodes[i].Method; {
		case m >= 0 && in.Own.Is(m):
			o.own[i], o.called[i] = i, i
		case from < 0 || t.Image[from] == cct.Root:
			o.own[i], o.called[i] = none, none
		case o.own[from] == from:
			o.own[i], o.called[i] = from, i
		default:
			o.own[i], o.called[i] = o.own[from], o.called[from]
		}
	}
	// Handed-over work, such as a posted Runnable, counts as called by the app method that handed
	// it over. This method may come later in the tree. Since it is not itself inside handed-over
	// work, the nodes of handed-over work are processed last.
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

// Origin returns the origin of a node's calls. source is an eflask.Caller.Source.
func (o *Origins) Origin(source int32) Origin {
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

// Own reports whether the app's own code makes or contains at least one call of a task. The task
// must be of the same input.
func (o *Origins) Own(task *eflask.Task) bool {
	for _, c := range eflask.Callers(o.in.Tree, task.Node) {
		if o.own[c.Source] >= 0 {
			return true
		}
	}
	return false
}
