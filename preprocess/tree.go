package preprocess

import (
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A LabelID identifies a label in a Labels. Nodes of both trees have equal labels exactly if their
// IDs are equal. IDs are in the order of the texts.
type LabelID int32

// Kind is the owner of a node.
type Kind uint8

// The kinds of node.
const (
	// Toplevel is the root's kind.
	Toplevel Kind = iota
	// Framework marks an F-method.
	Framework
	// App marks an A-method, or a callback with the calls that merged into it.
	App
	// Recorder marks the recorder's work with its subtree, once the recorder step has run. It
	// is directly below the root.
	Recorder
	// Idle marks the waiting of a run with its subtree, once the idle step has run. It is one
	// node directly below the root.
	Idle
)

// A Tree is a calling-context tree as input of the matching. Both trees of a pair share their
// labels. A node represents one or more nodes of the input's own tree. A Tree is immutable and
// safe for concurrent use.
type Tree struct {
	// Nodes are in preorder: the subtree of node i is Nodes[i:Nodes[i].End]. Siblings have
	// different labels and are sorted by the labels' texts.
	Nodes []Node
	// Labels is shared by both trees of a pair.
	Labels *Labels
	// Source is the tree before preprocessing. It never changes.
	Source *cct.Tree
	// Into maps a node of Source to the node that it became part of.
	Into []int32
	// Measures are sums over the merged nodes, except for Calls. Calls counts the calls that enter a
	// node from outside. For merged A-methods, these are the calls that enter the group.
	cct.Measures

	// moved maps the roots of moved hand-overs to their new callers. Both are nodes of Source.
	moved map[int32]int32
	// inner marks the nodes of Source whose callers were in the same new node at the time of
	// merging.
	inner []bool
	// kinds and compared are indexed by Source.Methods.
	kinds    []Kind
	compared []*name.Method

	// originals lists the nodes of Source by the node that contains them. Node i contains
	// originals[start[i]:start[i+1]].
	start, originals []int32
}

// A Node represents the nodes of the source tree that merged into it. The tree's Measures have
// its figures.
type Node struct {
	Label LabelID
	Kind  Kind
	// Parent is -1 for the root.
	Parent int32
	// End is one past the node's last descendant.
	End int32
}

// Path returns the labels' texts from the root to node i, both included.
func (t *Tree) Path(i int32) []string {
	var path []string
	for ; i >= 0; i = t.Nodes[i].Parent {
		path = append(path, t.Labels.Text(t.Nodes[i].Label))
	}
	slices.Reverse(path)
	return path
}

// MethodKind returns the owner of a method of Source. It is Toplevel if the method has the
// owner of its caller, or was never called.
func (t *Tree) MethodKind(m trace.MethodID) Kind { return t.kinds[m] }

// Compared returns the name under which a method of Source is compared: without the parts that
// the other run omits, and without the numbers of lambdas, according to the steps.
func (t *Tree) Compared(m trace.MethodID) name.Method {
	if known := t.compared[m]; known != nil {
		return *known
	}
	return t.Source.Methods[m]
}

// Originals returns the nodes of Source that became node i, in ascending order. There is at
// least one. The caller must not change the slice.
func (t *Tree) Originals(i int32) []int32 {
	return t.originals[t.start[i]:t.start[i+1]:t.start[i+1]]
}

// A Call is a number of calls that a node received from one of its callers.
type Call struct {
	// Source is the calling node in the tree's Source.
	Source int32
	// Calls counts the calls that are not recursive. Energy is their inclusive energy.
	Calls  int64
	Energy units.Energy
}

// Callers returns the original calls that entered node i, in ascending order of their Source. They
// add up to the node's Calls. If the caller is part of an app's node, Source is an A-method. For
// example, if a superclass's method made the call and merged into an overriding A-method, Source is
// the A-method. A hand-over that moved under an app call counts as called by it. The root has no
// callers.
func (t *Tree) Callers(i int32) []Call { return t.AppendCallers(nil, i) }

// AppendCallers appends the calls that Callers returns to a list.
func (t *Tree) AppendCallers(list []Call, i int32) []Call {
	if i == cct.Root {
		return list
	}
	first := len(list)
	for _, o := range t.Originals(i) {
		from := t.Caller(o)
		if from < 0 || t.Into[from] == i || t.inner[o] {
			continue
		}
		list = append(list, Call{Source: t.appCaller(from), Calls: t.Source.Calls.Self(o), Energy: t.Source.Energy.All(o)})
	}
	calls := list[first:]
	slices.SortFunc(calls, func(a, b Call) int { return int(a.Source) - int(b.Source) })
	list = list[:first]
	for _, c := range calls {
		if n := len(list); n > first && list[n-1].Source == c.Source {
			list[n-1].Calls += c.Calls
			list[n-1].Energy += c.Energy
			continue
		}
		list = append(list, c)
	}
	return list
}

// Caller returns the node of Source that called node o of Source, or to which it was moved as a
// hand-over. It is -1 for the root.
func (t *Tree) Caller(o int32) int32 {
	if len(t.moved) > 0 {
		if from, ok := t.moved[o]; ok {
			return from
		}
	}
	return t.Source.Nodes[o].Parent
}

// appCaller returns the nearest A-method at or above from within from's node. Without an A-method it
// returns from.
func (t *Tree) appCaller(from int32) int32 {
	if t.Nodes[t.Into[from]].Kind != App {
		return from
	}
	for o := from; o >= 0 && t.Into[o] == t.Into[from]; o = t.Caller(o) {
		if m := t.Source.Nodes[o].Method; m >= 0 && t.kinds[m] == App {
			return o
		}
	}
	return from
}
