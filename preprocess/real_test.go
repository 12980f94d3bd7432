package preprocess

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/classes"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// charged gives each event its processor time in nanoseconds as its energy.
type charged struct{ file *ingest.File }

func (c charged) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return c.file.Scan(ctx, charging{sink})
}

type charging struct{ trace.Sink }

func (c charging) Events(batch []trace.Event) error {
	for i := range batch {
		batch[i].Energy = units.Energy(batch[i].CPU)
	}
	return c.Sink.Events(batch)
}

// realTrees returns the trees of the real traces, by file name, or skips the test.
func realTrees(tb testing.TB) map[string]*cct.Tree {
	tb.Helper()
	files, _ := filepath.Glob("../../shared/data/art/*.trace*")
	if len(files) == 0 {
		tb.Skip("the real traces are not at ../shared/data/art")
	}
	trees := make(map[string]*cct.Tree)
	for _, path := range files {
		file, err := ingest.Open(path, ingest.Options{Partial: true})
		if err != nil {
			tb.Fatal(err)
		}
		tree, _, err := cct.Build(tb.Context(), charged{file}, cct.Limits{})
		file.Close()
		if err != nil {
			tb.Logf("%v", err)
			continue
		}
		trees[strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".trace")] = tree
	}
	return trees
}

// realOptions class packages by the built-in table. Of the class relations they
// know those to a few superclasses with many overriding methods.
func realOptions(tb testing.TB, steps Steps) Options {
	tb.Helper()
	table, err := classes.BuiltIn()
	if err != nil {
		tb.Fatal(err)
	}
	known := []string{
		"android.content.Context", "android.content.ContextWrapper", "android.app.Activity", "android.os.Handler",
		"android.view.View", "android.view.ViewGroup", "android.widget.TextView", "android.widget.FrameLayout",
		"java.io.InputStream", "java.io.OutputStream", "java.io.Reader", "java.lang.Thread", "java.lang.Runnable",
		"java.util.Map", "java.util.AbstractMap", "java.util.AbstractList", "java.util.Collection",
	}
	return Options{
		Steps:     steps,
		Framework: table.Framework,
		Supertypes: func(class string) iter.Seq[string] {
			return func(yield func(string) bool) {
				for _, super := range known {
					if table.Subtype(class, super) && !yield(super) {
						return
					}
				}
			}
		},
	}
}

func TestPairKeepsTheLawsOnRealTraces(t *testing.T) {
	trees := realTrees(t)
	reference := trees["firefox-art-streaming"]
	for name, tree := range trees {
		for _, steps := range allSteps() {
			s, r := Pair(tree, reference, realOptions(t, steps))
			checkTree(t, fmt.Sprintf("%s, %+v", name, steps), s, tree)
			checkTree(t, fmt.Sprintf("streaming after %s, %+v", name, steps), r, reference)
		}
	}
}

// TestEntryUndoesALateStart: the frames that a recording begun in mid-run would
// miss, launchers at the top of a path, make no difference to the result.
func TestEntryUndoesALateStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	check := func(name string, whole *cct.Tree, o Options) {
		want := One(whole, o)
		for range 5 {
			late := One(lateStart(whole, rng, o), o)
			if !reflect.DeepEqual(late.Nodes, want.Nodes) || !reflect.DeepEqual(late.Labels, want.Labels) {
				t.Fatalf("%s, %+v: with a late start it is\n%s\nwithout\n%s", name, o.Steps, render(late), render(want))
			}
		}
	}
	for _, steps := range allSteps() {
		if !steps.Entry {
			continue
		}
		for round := range 20 {
			script := randomScript(rng, 100)
			check(fmt.Sprintf("round %d %q", round, script), treeOf(script), testOptions(steps))
		}
	}
	t.Run("real", func(t *testing.T) {
		for name, tree := range realTrees(t) {
			check(name, tree, realOptions(t, Steps{Entry: true, App: true}))
		}
	})
}

// lateStart drops some launchers from the tops of paths, as if the recording had
// begun below them, and gives their energy to the root.
func lateStart(t *cct.Tree, rng *rand.Rand, o Options) *cct.Tree {
	nodes := make([]*sketch, len(t.Nodes))
	root := &sketch{method: cct.NoMethod}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		nodes[i] = &sketch{method: n.Method, calls: n.Calls}
		to := nodes[i]
		if i == 0 {
			nodes[0], to = root, root
		} else if m := t.Methods[n.Method]; nodes[n.Parent] == root && roleOf(m) == launcher && o.Framework(m.Package()) && rng.IntN(2) == 0 {
			nodes[i], to = root, root
		} else {
			up := nodes[n.Parent]
			up.children = append(up.children, to)
		}
		to.energy += n.Exclusive
		to.recursive += n.Recursive
	}
	for _, h := range t.Handovers {
		if nodes[h.Node] != root {
			nodes[h.Node].origin = nodes[h.Origin]
		}
	}
	return root.tree(t.Methods, nil)
}

// TestMeasureSteps logs what the steps do to pairs of real traces; run it with -v.
// docs/preprocessing.md quotes it.
func TestMeasureSteps(t *testing.T) {
	trees := realTrees(t)
	for _, pair := range [][2]string{
		{"firefox-art-regular", "firefox-art-streaming"},
		{"likaci-cpu_trace", "firefox-art-streaming"},
		{"cf2204-profile", "androidperformance-App"},
		{"profilertester-cpu-art-new", "firefox-art-streaming"},
	} {
		for _, steps := range []Steps{{}, {Entry: true}, {App: true}, {Entry: true, App: true}, {Entry: true, App: true, Hierarchy: true}} {
			s, r := Pair(trees[pair[0]], trees[pair[1]], realOptions(t, steps))
			nodes, energy := equalPaths(s, r)
			t.Logf("%s against %s, %+v: %d and %d nodes, %d of the subject's with the reference's path (%.1f%%), %.1f%% of the energy",
				pair[0], pair[1], steps, len(s.Nodes), len(r.Nodes), nodes, 100*float64(nodes)/float64(len(s.Nodes)), 100*units.Share(energy, s.Energy()))
			if nodes == 0 {
				t.Errorf("the roots have equal paths, and none was found")
			}
		}
	}
}

// TestMeasureLateStart logs how much of a trace has equal paths in the same trace
// without the launchers at the tops of its paths, before and after entry.
func TestMeasureLateStart(t *testing.T) {
	for name, tree := range realTrees(t) {
		drop := Options{Framework: realOptions(t, Steps{}).Framework}
		late := tree
		for range 40 { // each time, half of what is left
			late = lateStart(late, rand.New(rand.NewPCG(9, 10)), drop)
		}
		for _, steps := range []Steps{{}, {Entry: true}} {
			s, r := Pair(tree, late, realOptions(t, steps))
			nodes, energy := equalPaths(s, r)
			t.Logf("%s, %+v: %d of %d nodes (%.1f%%), %.1f%% of the energy", name, steps,
				nodes, len(s.Nodes), 100*float64(nodes)/float64(len(s.Nodes)), 100*units.Share(energy, s.Energy()))
			if steps.Entry && nodes != len(s.Nodes) {
				t.Errorf("%s: entry leaves %d nodes without their equal", name, len(s.Nodes)-nodes)
			}
		}
	}
}

func equalPaths(s, r *Tree) (nodes int, energy units.Energy) {
	paths := make(map[string]bool)
	for i := range r.Nodes {
		paths[strings.Join(r.Path(int32(i)), ";")] = true
	}
	for i := range s.Nodes {
		if paths[strings.Join(s.Path(int32(i)), ";")] {
			nodes++
			energy += s.Nodes[i].Exclusive
		}
	}
	return nodes, energy
}

// BenchmarkReal preprocesses the pair of the two largest real traces.
func BenchmarkReal(b *testing.B) {
	trees := realTrees(b)
	o := realOptions(b, Steps{Async: true, Entry: true, App: true})
	b.ReportAllocs()
	for b.Loop() {
		Pair(trees["likaci-cpu_trace"], trees["firefox-art-streaming"], o)
	}
}

