package preprocess

import (
	"iter"
	"sync"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
)

// Steps selects steps of preprocessing. The zero Steps selects none.
type Steps struct{ Async, Recorder, Idle, Detail, Runtime, Synthetic, Entry, App, Hierarchy bool }

// AllSteps selects all steps.
func AllSteps() Steps { return Steps{true, true, true, true, true, true, true, true, true} }

// StepNames returns the names that [Steps.Add] accepts, in the order of the fields of Steps.
func StepNames() []string {
	return []string{"async", "recorder", "idle", "detail", "runtime", "synthetic", "entry", "app", "hierarchy"}
}

// Add selects the step called name. It reports whether there is such a step.
func (s *Steps) Add(name string) bool {
	switch name {
	case "async":
		s.Async = true
	case "recorder":
		s.Recorder = true
	case "idle":
		s.Idle = true
	case "detail":
		s.Detail = true
	case "runtime":
		s.Runtime = true
	case "synthetic":
		s.Synthetic = true
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

// Names returns the names of the selected steps, in the order of StepNames.
func (s Steps) Names() []string {
	names := []string{}
	for i, on := range []bool{s.Async, s.Recorder, s.Idle, s.Detail, s.Runtime, s.Synthetic, s.Entry, s.App, s.Hierarchy} {
		if on {
			names = append(names, StepNames()[i])
		}
	}
	return names
}

// Options control the preprocessing.
type Options struct {
	Steps Steps
	// Platform classifies methods. Nil means a [platform.Platform] without rules and classes.
	Platform Platform
}

// A Platform classifies methods as [platform.Platform] does. Its results depend only on its
// arguments.
type Platform interface {
	// Owner returns the owner of a method. It is called once for all methods that have the same
	// language, module and scope, and all have a type or none has. These must have the same owner.
	// For a method without module, scope and type, the owner depends on its name.
	Owner(m name.Method) platform.Owner
	// Role returns a method's role. For example, a framework method only leads a thread to its
	// work, or a compiler generated the method, or a recorder did. The steps recorder, runtime,
	// synthetic and entry use it.
	Role(m name.Method) platform.Role
	// Waits reports whether a method only waits. The idle step uses it.
	Waits(m name.Method) bool
	// Supertypes yields the direct supertypes of a class. It may omit java.lang.Object. Only the
	// hierarchy step uses it, and calls it once for each class.
	Supertypes(class string) iter.Seq[string]
}

// Pair preprocesses the two trees of a comparison. The results share their Labels. Equal arguments
// give equal results, and swapping the trees swaps the results. The arguments are not modified.
// o.Platform is called from a single goroutine.
func Pair(subject, reference *cct.Tree, o Options) (s, r *Tree) {
	trees := run(o, subject, reference)
	return trees[0], trees[1]
}

// One preprocesses a single tree for display.
func One(tree *cct.Tree, o Options) *Tree { return run(o, tree)[0] }

// Unchanged returns a Tree for listing methods. It has the measures of source and the kinds of its
// methods, but no Nodes, Labels and Into. It is much faster than [One].
func Unchanged(source *cct.Tree, o Options) *Tree {
	if o.Platform == nil {
		o.Platform = new(platform.Platform)
	}
	t := &Tree{Source: source, Measures: source.Measures, kinds: make([]Kind, len(source.Methods)), compared: make([]*name.Method, len(source.Methods))}
	kindOf := kinds(o)
	for i := range source.Methods {
		t.kinds[i] = kindOf(&source.Methods[i])
	}
	return t
}

func run(o Options, sources ...*cct.Tree) []*Tree {
	if o.Platform == nil {
		o.Platform = new(platform.Platform)
	}
	v := newVocabulary(o, sources)
	trees := make([]*Tree, len(sources))
	var wg sync.WaitGroup
	for k, source := range sources {
		wg.Go(func() { trees[k] = transform(source, v, v.methodLabels[k], o.Steps) })
	}
	wg.Wait()
	v.labels(trees)
	return trees
}

// transform runs the steps on one tree. async comes first, because hand-overs refer to nodes of the
// source. hierarchy comes before app, because it compares classes, which app drops.
func transform(source *cct.Tree, v *vocabulary, labels []LabelID, steps Steps) *Tree {
	t := &Tree{Source: source, Into: make([]int32, len(source.Nodes)), inner: make([]bool, len(source.Nodes))}
	for i := range t.Into {
		t.Into[i] = int32(i)
	}
	t.kinds, t.compared = make([]Kind, len(labels)), make([]*name.Method, len(labels))
	for m, label := range labels {
		if label >= 0 {
			t.kinds[m], t.compared[m] = v.kinds[label], v.compared(label)
		}
	}
	places := lift(source, v, labels)
	apply := func(p plan, changed bool) {
		if !changed {
			return
		}
		nodes, image := rewrite(places, p, v.kinds)
		places = nodes
		for i, at := range t.Into {
			t.inner[i] = t.inner[i] || p.merge != nil && p.merge[at]
			t.Into[i] = image[at]
		}
	}

	var p plan
	if steps.Async {
		p, t.moved = async(places, source.Handovers)
	}
	apply(p, p.under != nil || !canonical(places))
	if steps.Recorder {
		apply(recorder(places, v))
	}
	if steps.Idle && source.Elapsed {
		apply(idle(places, v))
	}
	if steps.Detail {
		apply(detail(places, v))
	}
	if steps.Runtime {
		apply(runtime(places, v))
	}
	if steps.Synthetic {
		apply(synthetic(places, v))
	}
	if steps.Entry {
		apply(entry(places, v))
	}
	if steps.Hierarchy {
		apply(override(places, v))
	}
	if steps.App {
		apply(app(places, v))
	}
	t.fill(places)
	return t
}

// fill sets the nodes and their measures. The measures of a node are sums over its source nodes,
// but calls between these source nodes do not count. Nothing is lost.
func (t *Tree) fill(places []place) {
	t.Nodes = make([]Node, len(places))
	ends := make([]int32, len(places))
	for i, p := range places {
		t.Nodes[i] = Node{Label: p.label, Kind: p.kind, Parent: p.parent, End: p.end}
		ends[i] = p.end
	}
	t.Measures = t.Source.Fold(t.Into, ends, t.inner)
	t.start, t.originals = make([]int32, len(places)+1), make([]int32, len(t.Into))
	for _, i := range t.Into {
		t.start[i+1]++
	}
	for i := range t.Nodes {
		t.start[i+1] += t.start[i]
	}
	// While the originals are distributed, start[i] advances to the end of node i. Then it is
	// reset.
	for o, i := range t.Into {
		t.originals[t.start[i]] = int32(o)
		t.start[i]++
	}
	copy(t.start[1:], t.start)
	t.start[0] = 0
}
