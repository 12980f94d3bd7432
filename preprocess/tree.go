package preprocess

import (
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A LabelID identifies a label in a Labels. Equal labels of the two trees have the same ID. IDs are
// in the order of the labels' texts.
type LabelID int32

// A Kind states who owns a node.
type Kind uint8

// The kinds of nodes.
const (
	// Toplevel is the root's kind.
	Toplevel Kind = iota
	// Framework is the kind of an F-method.
	Framework
	// App is the kind of an A-method, or of a callback with the calls that merged into it.
	App
	// Recorder is the kind of the recorder's own calls, with their subtrees, after the recorder
	// step. Such a node is directly below the root.
	Recorder
	// Idle is the kind of a single node directly below the root. After the idle step, it has all
	// waiting of a run.
	Idle
)

// A Tree is a calling-context tree after preprocessing, ready for matching. Each node represents
// one or more nodes of the source tree. Both trees of a pair share their labels. A Tree is
// immutable and safe for concurrent use.
type Tree struct {
	// Nodes are in preorder: the subtree of node i is Nodes[i:Nodes[i].End]. Siblings have
	// different labels and are sorted by the labels' texts.
	Nodes []Node
	// Labels is the label table that both trees of a pair share.
	Labels *Labels
	// Source is the tree before preprocessing. It never changes.
	Source *cct.Tree
	// Image maps each node of Source to the node that contains it.
	Image []int32
	// Measures are sums over the source nodes, except for Calls. Calls counts only the calls that
	// enter a node from outside. For example, if A-methods a and b merged, the calls of b by a do
	// not count.
	cct.Measures

	// moved maps the root of each moved hand-over to its new caller. Both are nodes of Source.
	moved map[int32]int32
	// inner marks the nodes of Source that merged into the node of their caller.
	inner []bool
	// kinds and compared are indexed by Source.Methods.
	kinds    []Kind
	compared []*name.Method

	// originals lists the nodes of Source, grouped by the node that contains them. Node i contains
	// originals[start[i]:start[i+1]].
	start, originals []int32
}

// A Node represents the source nodes that merged into it. Tree.Measures has its energy and calls.
type Node struct {
	Label LabelID
	Kind  Kind
	// Parent is -1 for the root.
	Parent int32
	// End is one past the node's last descendant.
	End int32
}

// Path returns the texts of the labels from the root to node i, including both.
func (t *Tree) Path(i int32) []string {
	var path []string
	for ; i >= 0; i = t.Nodes[i].Parent {
		path = append(path, t.Labels.Text(t.Nodes[i].Label))
	}
	slices.Reverse(path)
	return path
}

// MethodKind returns the kind of a method of Source. It is Toplevel if the method has no kind of
// its own and takes that of its caller, or if no node has the method.
func (t *Tree) MethodKind(m trace.MethodID) Kind { return t.kinds[m] }

// Compared returns the name by which a method of Source is compared with the other run. Depending
// on the steps, it lacks the parts that the other run omits, and the numbers of lambdas.
func (t *Tree) Compared(m trace.MethodID) name.Method {
	if known := t.compared[m]; known != nil {
		return *known
	}
	return t.Source.Methods[m]
}

// Originals returns the nodes of Source that node i contains, in ascending order. There is at least
// one. The caller must not modify the slice.
func (t *Tree) Originals(i int32) []int32 {
	return t.originals[t.start[i]:t.start[i+1]:t.start[i+1]]
}

// A Call describes the calls of a node from a single caller.
type Call struct {
	// Source is the calling node, in Tree.Source.
	Source int32
	// Calls is the number of calls, without recursive ones. Energy is their inclusive energy.
	Calls  int64
	Energy units.Energy
}

// Callers returns the original calls that entered node i, in ascending order of Source. They add up
// to the node's Calls. The root has no callers. Two kinds of callers are replaced:
//
//   - If the caller merged into an app's node, Source is the nearest A-method at or above it there.
//     For example, a superclass's method that made the call is replaced by the A-method that
//     overrides it.
//   - If the call is a moved hand-over, Source is the app call under which it was moved.
func (t *Tree) Callers(i int32) []Call { return t.AppendCallers(nil, i) }

// AppendCallers appends the result of Callers to a list.
func (t *Tree) AppendCallers(list []Call, i int32) []Call {
	if i == cct.Root {
		return list
	}
	first := len(list)
	for _, o := range t.Originals(i) {
		from := t.Caller(o)
		if from < 0 || t.Image[from] == i || t.inner[o] {
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

// Caller returns the node of Source that called node o, or -1 for the root. For a moved hand-over,
// it is the node under which o was moved.
func (t *Tree) Caller(o int32) int32 {
	if len(t.moved) > 0 {
		if from, ok := t.moved[o]; ok {
			return from
		}
	}
	return t.Source.Nodes[o].Parent
}

// appCaller returns the nearest A-method at or above a source node within the same new node. If
// there is none, it returns the source node itself.
func (t *Tree) appCaller(from int32) int32 {
	if t.Nodes[t.Image[from]].Kind != App {
		return from
	}
	for o := from; o >= 0 && t.Image[o] == t.Image[from]; o = t.Caller(o) {
		if m := t.Source.Nodes[o].Method; m >= 0 && t.kinds[m] == App {
			return o
		}
	}
	return from
}
