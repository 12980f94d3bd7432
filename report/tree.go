package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Tree is the calling-context tree of one input, pruned for reading.
type Tree struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Input         Input `json:"input"`
	// Stage is "raw" as recorded, or "merged" after preprocessing.
	Stage string `json:"stage"`
	// Counts says what is counted: "calls" or "samples". It is empty if neither is.
	Counts string `json:"counts"`
	// Contexts are in preorder. Siblings are sorted by inclusive energy, the largest first.
	Contexts []Context `json:"contexts"`
	Warnings []Note    `json:"warnings"`
	// Methods are the methods of Contexts.
	Methods Methods `json:"methods"`
}

// A Context is a node of a Tree.
type Context struct {
	// Depth is 0 for the root.
	Depth  int    `json:"depth"`
	Method string `json:"method"`
	// Kind is "root", "framework" or "app" in a merged tree. It is empty in a raw tree.
	Kind      string       `json:"kind"`
	Inclusive units.Energy `json:"inclusiveNJ"`
	Exclusive units.Energy `json:"exclusiveNJ"`
	// Share is Inclusive as a share of the whole tree.
	Share float64 `json:"share"`
	Counts
	// Recursive counts recursive calls that were merged into this node. It is nil unless the
	// recording counts calls.
	Recursive *int64 `json:"recursiveCalls"`
	// Pruned counts the omitted nodes whose nearest listed ancestor is this one. PrunedEnergy is
	// their energy.
	Pruned       int          `json:"prunedContexts"`
	PrunedEnergy units.Energy `json:"prunedNJ"`
}

// A Prune selects the contexts that a Tree omits. The zero Prune omits nothing.
type Prune struct {
	// Depth is the largest depth to list. 0 means any.
	Depth int
	// MinShare omits nodes with a smaller share of the tree's energy, from 0 to 1. It is ignored
	// for a tree without energy.
	MinShare float64
	// Most limits the number of nodes; those with the most energy stay. 0 means no limit. If nodes
	// tie at the limit, all of them are omitted. The root always stays.
	Most int
}

// NewTree lists an input's tree, as recorded if raw is set, or else preprocessed.
func NewTree(in *analysis.Input, version string, raw bool, prune Prune) *Tree {
	t := &Tree{
		SchemaVersion: SchemaVersion,
		Tool:          Tool{Name: "diffprof", Version: version},
		Input:         newInput(*in),
		Stage:         "merged",
		Counts:        words.Counts(in.Trace.Calls),
		Warnings:      notes(in.Trace.Warnings),
	}
	if raw {
		t.Stage = "raw"
		t.grow(rawForest{in.Tree.Source}, prune)
	} else {
		t.grow(mergedForest{in.Tree}, prune)
	}
	return t
}

// WriteJSON writes the tree as indented JSON, ended by a newline.
func (t *Tree) WriteJSON(w io.Writer) error { return writeJSON(w, t) }

// A forest is a tree in preorder: the recorded tree or the preprocessed one.
type forest interface {
	context(i int32) Context
	method(i int32) name.Method
	inclusive(i int32) units.Energy
	end(i int32) int32
}

type rawForest struct{ t *cct.Tree }

func (f rawForest) method(i int32) name.Method     { return recorded(f.t, i) }
func (f rawForest) end(i int32) int32              { return f.t.Nodes[i].End }
func (f rawForest) inclusive(i int32) units.Energy { return f.t.Energy.All(i) }

func (f rawForest) context(i int32) Context {
	return Context{
		Method: f.t.Label(i), Inclusive: f.t.Energy.All(i), Exclusive: f.t.Energy.Self(i),
		Counts: counts(f.t.Counted, f.t.Calls.Self(i)), Recursive: recursiveCalls(f.t.Counted, f.t.Recursive.Self(i)),
	}
}

type mergedForest struct{ t *preprocess.Tree }

func (f mergedForest) method(i int32) name.Method     { return f.t.Labels.Method(f.t.Nodes[i].Label) }
func (f mergedForest) end(i int32) int32              { return f.t.Nodes[i].End }
func (f mergedForest) inclusive(i int32) units.Energy { return f.t.Energy.All(i) }

func (f mergedForest) context(i int32) Context {
	n := &f.t.Nodes[i]
	kind := "framework"
	switch n.Kind {
	case preprocess.Toplevel:
		kind = "root"
	case preprocess.App:
		kind = "app"
	}
	return Context{
		Method: f.t.Labels.Text(n.Label), Kind: kind, Inclusive: f.t.Energy.All(i), Exclusive: f.t.Energy.Self(i),
		Counts: counts(f.t.Source.Counted, f.t.Calls.Self(i)), Recursive: recursiveCalls(f.t.Source.Counted, f.t.Recursive.Self(i)),
	}
}

// recursiveCalls returns a number of recursive calls, or nil if calls are not counted.
func recursiveCalls(kind trace.Calls, n int64) *int64 {
	if kind != trace.CountedCalls {
		return nil
	}
	return &n
}

// grow fills the Tree with the nodes that are not pruned. It uses an explicit stack, because a tree
// may be one long chain.
func (t *Tree) grow(f forest, prune Prune) {
	type open struct {
		node  int32
		depth int
	}
	t.Contexts, t.Methods = []Context{}, Methods{}
	total := f.inclusive(0)
	if total == 0 {
		prune.MinShare = 0
	}
	least := leastKept(f, prune.Most)
	stack := []open{{0, 0}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		c := f.context(top.node)
		c.Depth, c.Share = top.depth, units.Share(c.Inclusive, total)

		first := len(stack)
		for child := top.node + 1; child < f.end(top.node); child = f.end(child) {
			e := f.inclusive(child)
			if (prune.Depth > 0 && top.depth >= prune.Depth) || units.Share(e, total) < prune.MinShare || e < least {
				c.Pruned += int(f.end(child) - child)
				c.PrunedEnergy += e
				continue
			}
			stack = append(stack, open{child, top.depth + 1})
		}
		// The largest child is popped first. Equal children keep the order of the tree.
		slices.SortFunc(stack[first:], func(a, b open) int {
			if by := cmp.Compare(f.inclusive(a.node), f.inclusive(b.node)); by != 0 {
				return by
			}
			return cmp.Compare(b.node, a.node)
		})
		t.Contexts = append(t.Contexts, c)
		if _, known := t.Methods[c.Method]; !known {
			t.Methods.add(f.method(top.node))
		}
	}
}

// leastKept returns the smallest energy that a listed node may have. The parameter most limits the
// number of listed nodes; 0 lists all. No node has more energy than its parent, so the listed nodes
// form a tree.
func leastKept(f forest, most int) units.Energy {
	n := f.end(0)
	if most <= 0 || int(n) <= most {
		return 0
	}
	energies := make([]units.Energy, n)
	for i := range energies {
		energies[i] = f.inclusive(int32(i))
	}
	slices.Sort(energies)
	// This is more than the energy of the first omitted context.
	return energies[int(n)-most-1] + 1
}
