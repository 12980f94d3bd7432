package preprocess

import (
	"iter"
	"sync"

	"github.com/diffprof/diffprof/cct"
)

// Steps says which steps of preprocessing to run. The zero Steps runs none.
type Steps struct{ Async, Entry, App, Hierarchy bool }

// StepNames returns the names that [Steps.Add] knows, in the order of the fields of
// Steps.
func StepNames() []string { return []string{"async", "entry", "app", "hierarchy"} }

// Add has the named step run; it reports whether there is such a step.
func (s *Steps) Add(name string) bool {
	switch name {
	case "async":
		s.Async = true
	case "entry":
		s.Entry = true
	case "app":
		s.App = true
	case "hierarchy":
		s.Hierarchy = true
	default:
		return false
	}
	return true
}

// Options say how to preprocess.
type Options struct {
	Steps Steps
	// Framework says whether a package, written with dots, is the framework's, as
	// [Packages.Framework] does. Nil means that none is.
	Framework func(pkg string) bool
	// Supertypes lists what a class directly extends and implements;
	// java.lang.Object may be left out. Nil knows no class. The hierarchy step
	// alone asks, once a class.
	Supertypes func(class string) iter.Seq[string]
}

// Pair preprocesses the trees of a comparison. The results share their Labels.
// Equal arguments give equal results, and swapping the trees swaps the results.
// The arguments stay as they are; o's functions are called from one goroutine.
func Pair(subject, reference *cct.Tree, o Options) (s, r *Tree) {
	trees := run(o, subject, reference)
	return trees[0], trees[1]
}

// One preprocesses a single tree, for showing it.
func One(tree *cct.Tree, o Options) *Tree { return run(o, tree)[0] }

func run(o Options, sources ...*cct.Tree) []*Tree {
	v := newVocabulary(o, sources)
	trees := make([]*Tree, len(sources))
	var wg sync.WaitGroup
	for k, source := range sources {
		wg.Go(func() { trees[k] = transform(source, v, v.of[k], o.Steps) })
	}
	wg.Wait()
	v.labels(trees)
	return trees
}

// transform runs the steps on one tree. Async comes first, since hand-overs are
// between calls of the source; hierarchy before app, which drops the classes that
// it compares.
func transform(source *cct.Tree, v *vocabulary, of []LabelID, steps Steps) *Tree {
	t := &Tree{Source: source, Nodes: lift(source, v, of), Into: make([]int32, len(source.Nodes))}
	for i := range t.Into {
		t.Into[i] = int32(i)
	}
	t.kinds = make([]Kind, len(of))
	for m, label := range of {
		if label >= 0 {
			t.kinds[m] = v.kinds[label]
		}
	}
	apply := func(p plan, changed bool) {
		if !changed {
			return
		}
		nodes, image := rewrite(t.Nodes, p, v.kinds)
		t.Nodes = nodes
		for i, at := range t.Into {
			t.Into[i] = image[at]
		}
	}

	var p plan
	if steps.Async {
		p, t.moved = async(t.Nodes, source.Handovers)
	}
	apply(p, p.under != nil || !canonical(t.Nodes))
	if steps.Entry {
		apply(entry(t.Nodes, v))
	}
	if steps.Hierarchy {
		apply(override(t.Nodes, v))
	}
	if steps.App {
		apply(app(t.Nodes, v))
	}
	return t
}
