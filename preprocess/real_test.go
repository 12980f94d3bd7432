package preprocess

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A charged is a file whose events get their processor time in nanoseconds as their energy.
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

// realTrees returns the trees of the real traces by file name. If there are none, it skips the
// test.
func realTrees(tb testing.TB) map[string]*cct.Tree {
	tb.Helper()
	trees, err := readTrees()
	if err != nil {
		tb.Fatal(err)
	}
	if len(trees) == 0 {
		tb.Skip("the real traces are not at ../shared/data/art")
	}
	return trees
}

var readTrees = sync.OnceValues(func() (map[string]*cct.Tree, error) {
	files, err := filepath.Glob("../../shared/data/art/*.trace*")
	trees := make(map[string]*cct.Tree)
	for _, path := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".trace")
		if name == "perflib-header" {
			continue // the file has only a header
		}
		file, err := ingest.Open(context.Background(), path, ingest.Options{Partial: true})
		if err != nil {
			return nil, err
		}
		tree, _, err := cct.Build(context.Background(), charged{file}, cct.Limits{})
		file.Close()
		if err != nil {
			return nil, err
		}
		trees[name] = tree
	}
	return trees, err
})

// TestInterruptsAreNoTasks checks that in real recordings of Linux, interrupts with all their work
// are directly below the root, and never below an A-method.
func TestInterruptsAreNoTasks(t *testing.T) {
	for path, least := range map[string]int{
		"judgement/native/slow.script": 2, "simpleperf/studio-simpleperf_raw_trace.trace": 2, "simpleperf/aosp-perf_display_bitmaps.data": 2,
		"simpleperf/studio-simpleperf_callchain.trace": 2, "folded/flamegraph-perf-java-stacks-01-collapsed-all.txt": 1,
	} {
		file, err := ingest.Open(t.Context(), filepath.Join("../../shared/data", path), ingest.Options{Partial: true})
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the real recordings are not at ../shared/data")
		} else if err != nil {
			t.Fatal(err)
		}
		tree, _, err := cct.Build(t.Context(), charged{file}, cct.Limits{})
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		o := realOptions(t, AllSteps())
		o.Platform = o.Platform.(*platform.Platform).Running(platform.RunOf(tree.Methods))
		got := One(tree, o)
		checkTree(t, path, got, tree)
		interrupts := func(i int32) bool {
			m := tree.Nodes[i].Method
			return m != cct.NoMethod && o.Platform.Role(tree.Methods[m]) == platform.Interrupt
		}
		found := 0
		for i := int32(0); int(i) < len(tree.Nodes); i++ {
			if !interrupts(i) {
				continue
			}
			handler := got.Image[i]
			switch n := got.Nodes[handler]; {
			case n.Kind == Recorder:
				continue // The interrupted code belongs to the recorder.
			case n.Parent != cct.Root || n.Kind != Framework:
				t.Errorf("%s: an interrupt became %v", path, got.Path(handler))
			}
			for at := i; i+1 < tree.Nodes[at].End; i++ {
				if into := got.Image[i]; into < handler || into >= got.Nodes[handler].End {
					t.Errorf("%s: a part of an interrupt became %v", path, got.Path(into))
				}
			}
			found++
		}
		if found < least {
			t.Errorf("%s: %d interrupts", path, found)
		}
	}
}

// realOptions returns options that classify packages and classes by the built-in table.
func realOptions(tb testing.TB, steps Steps) Options {
	tb.Helper()
	table, err := classes.BuiltIn()
	if err != nil {
		tb.Fatal(err)
	}
	known, err := platform.New(platform.Rules{}, table)
	if err != nil {
		tb.Fatal(err)
	}
	return Options{Steps: steps, Platform: known}
}

func TestPairKeepsTheLawsOnRealTraces(t *testing.T) {
	trees := realTrees(t)
	names := shorten.Some(slices.Sorted(maps.Keys(trees)))
	for k := 0; k < len(names); k += 2 {
		subject, reference := trees[names[k]], trees[names[(k+1)%len(names)]]
		for _, steps := range someSteps(k / 2) {
			s, r := Pair(subject, reference, realOptions(t, steps))
			checkTree(t, fmt.Sprintf("%s, %+v", names[k], steps), s, subject)
			checkTree(t, fmt.Sprintf("the other after %s, %+v", names[k], steps), r, reference)
		}
	}
}

// TestEntryUndoesALateStart checks that launchers at the top of a path do not change the result,
// because a recording that starts during a run lacks them.
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
		for round := range shorten.Count(8) {
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

// lateStart removes some launchers from the tops of paths, as if the recording had started after
// these calls. It gives their energy to the root. Hand-overs stay, because they happened during the
// recording.
func lateStart(t *cct.Tree, rng *rand.Rand, o Options) *cct.Tree {
	handover := make(map[int32]bool)
	for _, h := range t.Handovers {
		handover[h.Node] = true
	}
	nodes := make([]*sketch, len(t.Nodes))
	root := &sketch{method: cct.NoMethod}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		nodes[i] = &sketch{method: n.Method, calls: t.Calls.Self(int32(i))}
		to := nodes[i]
		if i == 0 {
			nodes[0], to = root, root
		} else if m := t.Methods[n.Method]; nodes[n.Parent] == root && o.Platform.Role(m) == platform.Launcher &&
			o.Platform.Owner(m) == platform.Framework && !handover[int32(i)] && rng.IntN(2) == 0 {
			nodes[i], to = root, root
		} else {
			up := nodes[n.Parent]
			up.children = append(up.children, to)
		}
		to.energy += t.Energy.Self(int32(i))
		to.recursive += t.Recursive.Self(int32(i))
	}
	for _, h := range t.Handovers {
		nodes[h.Node].origin = nodes[h.Origin]
	}
	late := root.tree(t.Methods, nil)
	late.Elapsed = t.Elapsed
	return late
}

// TestMeasureSteps logs how the steps change pairs of real traces. Run it with -v.
// docs/preprocessing.md quotes its output.
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
				pair[0], pair[1], steps, len(s.Nodes), len(r.Nodes), nodes, 100*float64(nodes)/float64(len(s.Nodes)), 100*units.Share(energy, s.Energy.Total()))
			if nodes == 0 {
				t.Errorf("the roots have equal paths, and none was found")
			}
		}
	}
}

// TestMeasureLateStart removes the launchers at the tops of a trace's paths. It logs which fraction
// of the trace has the same paths with and without them, before and after the entry step.
func TestMeasureLateStart(t *testing.T) {
	for name, tree := range realTrees(t) {
		drop := Options{Platform: realOptions(t, Steps{}).Platform}
		late := tree
		for range 40 { // Each round removes half of the remaining launchers.
			late = lateStart(late, rand.New(rand.NewPCG(9, 10)), drop)
		}
		for _, steps := range []Steps{{}, {Entry: true}} {
			s, r := Pair(tree, late, realOptions(t, steps))
			nodes, energy := equalPaths(s, r)
			t.Logf("%s, %+v: %d of %d nodes (%.1f%%), %.1f%% of the energy", name, steps,
				nodes, len(s.Nodes), 100*float64(nodes)/float64(len(s.Nodes)), 100*units.Share(energy, s.Energy.Total()))
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
			energy += s.Energy.Self(int32(i))
		}
	}
	return nodes, energy
}

// BenchmarkReal preprocesses the two largest real traces as a pair.
func BenchmarkReal(b *testing.B) {
	trees := realTrees(b)
	o := realOptions(b, AllSteps())
	b.ReportAllocs()
	for b.Loop() {
		Pair(trees["likaci-cpu_trace"], trees["firefox-art-streaming"], o)
	}
}
