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

// A Tree is one input's calling-context tree, pruned.
type Tree struct {
	SchemaVersion int   `json:"schemaVersion"`
	Tool          Tool  `json:"tool"`
	Input         Input `json:"input"`
	// Stage is "raw" for the tree as recorded, "merged" for the tree after
	// preprocessing.
	Stage string `json:"stage"`
	// Counts names the figures that say how often methods ran: "calls" or
	// "samples", empty if there are none.
	Counts string `json:"counts"`
	// Contexts are in preorder, siblings by inclusive energy, largest first.
	Contexts []Context `json:"contexts"`
	Warnings []Note    `json:"warnings"`
	// Methods are those that Contexts name.
	Methods Methods `json:"methods"`
}

// A Context is a node of a Tree.
type Context struct {
	// Depth is 0 for the root.
	Depth  int    `json:"depth"`
	Method string `json:"method"`
	// Kind is "root", "framework" or "app" in a merged tree, empty in a raw one.
	Kind      string       `json:"kind"`
	Inclusive units.Energy `json:"inclusiveNJ"`
	Exclusive units.Energy `json:"exclusiveNJ"`
	// Share is Inclusive as a part of the whole tree.
	Share float64 `json:"share"`
	Counts
	// Recursive counts the calls that merged into this context from below; nil
	// unless the recording counts calls.
	Recursive *int64 `json:"recursiveCalls"`
	// Pruned counts the contexts below this one that the tree leaves out because
	// their parent is this one, or because such a context is above them;
	// PrunedEnergy is theirs.
	Pruned       int          `json:"prunedContexts"`
	PrunedEnergy units.Energy `json:"prunedNJ"`
}

// A Prune says what a Tree leaves out. The zero Prune leaves out nothing.
type Prune struct {
	// Depth is the depth of the deepest contexts kept; 0 is any.
	Depth int
	// MinShare is the least part of the whole tree's energy for a context to be
	// kept; a tree without energy keeps all.
	MinShare float64
	// Most is how many contexts are kept, those of most energy; 0 is any number. Equals of
	// the last one are kept together or not at all, but the root always is.
	Most int
}

// NewTree makes a report of an input's tree: as recorded if raw, else after
// preprocessing.
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

// A forest is a tree in preorder, of either stage.
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
		Counts: counts(f.t.Counted, f.t.Calls.Self(i)), Recursive: recursive(f.t.Counted, f.t.Recursive.Self(i)),
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
		Counts: counts(f.t.Source.Counted, f.t.Calls.Self(i)), Recursive: recursive(f.t.Source.Counted, f.t.Recursive.Self(i)),
	}
}

// recursive is a number of recursive calls where calls are counted.
func recursive(of trace.Calls, n int64) *int64 {
	if of != trace.CountedCalls {
		return nil
	}
	return &n
}

// grow lists the contexts of a forest that pruning keeps, and their methods. It keeps a stack of its
// own, since trees may be as deep as they are large.
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
		// The largest child comes off the stack first; equals in tree order.
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

// leastKept is the least energy of the contexts of a forest that are kept where most are; 0
// keeps all. No context has more than the one above it, so that those kept are a tree.
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
	// The first one that is left out, and all like it.
	return energies[int(n)-most-1] + 1
}
