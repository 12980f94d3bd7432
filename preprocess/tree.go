package preprocess

import (
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/units"
)

// A LabelID names a label in a Labels; two nodes of either tree have equal
// labels exactly when their ids are equal.
type LabelID int32

// Kind says whose code a node is.
type Kind uint8

// The kinds of node.
const (
	// Toplevel is the root's kind.
	Toplevel Kind = iota
	// Framework marks an F-method.
	Framework
	// App marks an A-method, or a callback with the calls that merged into it.
	App
)

// A Tree is a calling-context tree as the matching sees it: labels that both
// inputs share, and nodes that stand for one or more nodes of the input's own
// tree. It is immutable and safe for concurrent use.
type Tree struct {
	// Nodes are in preorder: the subtree of node i is Nodes[i:Nodes[i].End].
	// Siblings have different labels and stand in the order of their labels' texts.
	Nodes []Node
	// Labels is shared by both trees of a pair.
	Labels *Labels
	// Source is the tree this one was made from, never changed.
	Source *cct.Tree
	// Into maps a node of Source to the node that it became part of.
	Into []int32
}

// A Node stands for the nodes of the source tree that merged into it.
type Node struct {
	Label LabelID
	Kind  Kind
	// Parent is -1 for the root.
	Parent int32
	// End is one past the node's last descendant.
	End int32
	// Exclusive is the sum over the nodes that merged into this one, Inclusive
	// that and its descendants'.
	Exclusive, Inclusive units.Energy
	// Calls counts calls that came from outside of the node: where calls inside
	// of an app merged, only those that entered the run of A-methods.
	Calls, Recursive int64
}
