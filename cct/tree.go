package cct

import (
	"iter"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Root is the index of the root in Tree.Nodes.
const Root int32 = 0

// NoMethod is the method of the root, (toplevel), which represents the whole run.
const NoMethod trace.MethodID = -1

// A Tree is a calling-context tree: nodes, and measures of them. t.Energy.Self(i) is the exclusive
// energy of node i. t.Energy.All(i) includes its descendants. A Tree is immutable and safe for
// concurrent use.
type Tree struct {
	// Nodes are in preorder, so the subtree of node i is Nodes[i:Nodes[i].End]. Siblings are
	// sorted by label, so the tree does not depend on the order in which threads were read.
	Nodes []Node
	// Methods is the recording's method table, indexed by Node.Method.
	Methods []name.Method
	// Handovers are the subtrees that ran because another call had enqueued their work, in
	// preorder. It is empty if the recording has no hand-overs.
	Handovers []Handover
	// Recursions are the recursive calls by caller, if Limits.Recursions requested them. Pack,
	// Mean and Merge drop them.
	Recursions []Recursion
	// ThreadEnergy is the energy of each thread of the recording. Its sum is the root's energy. A
	// charge to a marked call counts for the thread that marked it. A charge to no call counts for
	// the thread of the Charge.
	ThreadEnergy []units.Energy
	// threadAccounts[a-1][t] is the part of ThreadEnergy[t] on account a. Account 0 has the rest
	// (see EnergyOfThread).
	threadAccounts [][]units.Energy
	// Elapsed is true if energy was computed from elapsed time, which includes waiting.
	Elapsed bool
	// Counted says what Measures.Calls and Measures.Recursive count.
	Counted trace.Calls

	Measures

	// threadSets are indexed by Node.threads. The first is empty.
	threadSets [][]trace.ThreadID
}

// A Node is one calling context. The tree's Measures have its numbers.
type Node struct {
	Method trace.MethodID
	// Parent is -1 for the root.
	Parent int32
	// End is the index after the node's last descendant.
	End int32
	// threads is the index of the set of threads that made the calls.
	threads int32
}

// A Handover is a subtree that ran because another call enqueued it.
type Handover struct {
	// Node is the call that ran the work, the root of the subtree. Its parent may also have a plain
	// child and other hand-overs with the same label. They stay separate nodes.
	Node int32
	// Origin is the call that enqueued the work.
	Origin int32
}

// Ends lists the nodes' ends, for NewColumn.
func (t *Tree) Ends() []int32 {
	ends := make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		ends[i] = t.Nodes[i].End
	}
	return ends
}

// EnergyOfThread returns the energy of a thread on an account.
func (t *Tree) EnergyOfThread(thread int, a trace.AccountID) units.Energy {
	if a != 0 {
		return at(at(t.threadAccounts, int32(a)-1), int32(thread))
	}
	e := at(t.ThreadEnergy, int32(thread))
	for _, others := range t.threadAccounts {
		e -= at(others, int32(thread))
	}
	return e
}

// Edges yields the caller and the callee of each node except the root, as indices into Methods. The
// root is -1.
func (t *Tree) Edges() iter.Seq2[int, int] {
	return func(yield func(caller, callee int) bool) {
		for i := 1; i < len(t.Nodes); i++ {
			n := &t.Nodes[i]
			if !yield(int(t.Nodes[n.Parent].Method), int(n.Method)) {
				return
			}
		}
	}
}

// Label returns the label of node i. The label of the root is "(toplevel)".
func (t *Tree) Label(i int32) string {
	if m := t.Nodes[i].Method; m != NoMethod {
		return t.Methods[m].Label()
	}
	return RootLabel
}

// RootLabel is the root's label.
const RootLabel = "(toplevel)"

// Path returns the labels from the root to node i, both included.
func (t *Tree) Path(i int32) []string {
	var path []string
	for ; i >= 0; i = t.Nodes[i].Parent {
		path = append(path, t.Label(i))
	}
	for a, b := 0, len(path)-1; a < b; a, b = a+1, b-1 {
		path[a], path[b] = path[b], path[a]
	}
	return path
}
