package cct_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// randomRun is a script of up to three threads. It refers only to its own marks.
func randomRun(r *rand.Rand, alphabet string) string {
	b := []byte("!")
	for range r.IntN(50) {
		b = append(b, alphabet[r.IntN(len(alphabet))])
	}
	return string(b)
}

// TestMergeIsBuildOfAll checks that merging runs gives the tree of a single recording with the
// threads of all runs.
func TestMergeIsBuildOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range shorten.Count(800) {
		var scripts []string
		var trees []*cct.Tree
		for range 1 + r.IntN(4) {
			s := randomRun(r, "abcdefABCDEF0123|!$&")
			tree, _ := build(s)
			scripts, trees = append(scripts, s), append(trees, tree)
		}
		want, _ := build(strings.Join(scripts, "|"))
		got := merge(t, trees...)
		if a, b := render(got), render(want); a != b {
			t.Fatalf("Merge of %q:\n got %s\nwant %s", scripts, a, b)
		}
		checkEqual(t, scripts, got, want)
		checkRuns(t, scripts, got, trees)
	}
}

// checkEqual compares two trees of the same shape.
func checkEqual(t *testing.T, scripts []string, got, want *cct.Tree) {
	t.Helper()
	if !slices.Equal(trim(got.ThreadEnergy), trim(want.ThreadEnergy)) {
		t.Fatalf("%q: the threads drained %v, want %v", scripts, got.ThreadEnergy, want.ThreadEnergy)
	}
	for i := range int32(len(want.Nodes)) {
		figures := func(tree *cct.Tree) string {
			return fmt.Sprint(tree.Energy.All(i), tree.CPU.Self(i), tree.Wall.Self(i), tree.Calls.Self(i), tree.Recursive.Self(i), tree.Threads(i))
		}
		if a, b := figures(got), figures(want); a != b {
			t.Fatalf("%q: %v has %s, want %s", scripts, want.Path(i), a, b)
		}
	}
}

func trim(list []units.Energy) []units.Energy {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// checkRuns compares each run's columns with the run's own tree, path by path.
func checkRuns(t *testing.T, scripts []string, got *cct.Tree, trees []*cct.Tree) {
	t.Helper()
	if got.Runs() != len(trees) {
		t.Fatalf("%q: %d runs", scripts, got.Runs())
	}
	for k, tree := range trees {
		self := make(map[string]int64)
		for i := range int32(len(tree.Nodes)) {
			self[pathOf(tree, i)] = int64(tree.Energy.Self(i))
		}
		key := cct.Key{Run: k, Quantity: cct.Energy}
		for i := range int32(len(got.Nodes)) {
			if want := self[pathOf(got, i)]; got.Self(i, key) != want {
				t.Fatalf("%q: %v has %d in run %d, want %d", scripts, got.Path(i), got.Self(i, key), k, want)
			}
		}
		for what, total := range map[cct.Quantity]int64{
			cct.Energy: int64(tree.Energy.Total()), cct.CPU: int64(tree.CPU.Total()), cct.Wall: int64(tree.Wall.Total()),
			cct.Calls: tree.Calls.Total(), cct.Recursive: tree.Recursive.Total(),
		} {
			if all := got.All(cct.Root, cct.Key{Run: k, Quantity: what}); all != total {
				t.Fatalf("%q: run %d has %d of %d, want %d", scripts, k, all, what, total)
			}
		}
	}
}

// TestMergeIgnoresOrder checks that the order of the runs changes only their numbers, and that
// merged runs can be merged again.
func TestMergeIgnoresOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range shorten.Count(300) {
		a, _ := build(randomRun(r, "abcdefABCDEF0123|!$&"))
		b, _ := build(randomRun(r, "abcdefABCDEF0123|!$&"))
		c, _ := build(randomRun(r, "abcdefABCDEF0123|!$&"))
		abc, cab, nested := merge(t, a, b, c), merge(t, c, a, b), merge(t, merge(t, a, b), c)
		if render(abc) != render(cab) || !reflect.DeepEqual(abc.Methods, cab.Methods) {
			t.Fatalf("one order gives\n%s\nand another\n%s", render(abc), render(cab))
		}
		if render(abc) != render(nested) || !slices.Equal(abc.Keys(), nested.Keys()) {
			t.Fatalf("merging at once gives\n%s\nwith %v and in two steps\n%s\nwith %v", render(abc), abc.Keys(), render(nested), nested.Keys())
		}
		for _, key := range abc.Keys() {
			for i := range int32(len(abc.Nodes)) {
				moved := key
				moved.Run = (key.Run + 1) % 3
				if abc.Self(i, key) != cab.Self(i, moved) || abc.All(i, key) != nested.All(i, key) {
					t.Fatalf("%v has %d by %v, %d by %v in another order, and %d in all of %d in two steps", abc.Path(i),
						abc.Self(i, key), key, cab.Self(i, moved), moved, nested.All(i, key), abc.All(i, key))
				}
			}
		}
	}
}

// TestMergeOfOne checks that merging one tree does not change it.
func TestMergeOfOne(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	handovers := 0
	for range shorten.Count(1000) {
		s := randomRun(r, "abcdABCD0123|!$&<>>")
		want := must(t, booked{script(s), -1})
		got := merge(t, want)
		if a, b := render(got), render(want); a != b || !reflect.DeepEqual(got.Handovers, want.Handovers) {
			t.Fatalf("Merge of %q:\n got %s with %v\nwant %s with %v", s, a, got.Handovers, b, want.Handovers)
		}
		checkEqual(t, []string{s}, got, want)
		if !slices.Equal(got.Keys(), want.Keys()) {
			t.Fatalf("Merge of %q has %v, want %v", s, got.Keys(), want.Keys())
		}
		for _, key := range want.Keys() {
			for i := range int32(len(want.Nodes)) {
				if got.Self(i, key) != want.Self(i, key) {
					t.Fatalf("%q: %v has %d by %v, want %d", s, got.Path(i), got.Self(i, key), key, want.Self(i, key))
				}
			}
		}
		handovers += len(got.Handovers)
	}
	if handovers < shorten.Count(300) {
		t.Errorf("only %d hand-overs", handovers)
	}
}

// TestMergeHandovers merges a run in which work is handed over with a run that calls the work
// directly.
func TestMergeHandovers(t *testing.T) {
	handed, _ := build("a<A l d>1e2EDL")
	called, _ := build("l d4DL")
	for _, trees := range [][]*cct.Tree{{handed, called}, {called, handed}} {
		got := merge(t, trees...)
		if got, want := render(got), "root:0(a:0×1 l:0×2(d:4×1 d:1×1(e:2×1)))"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if h := got.Handovers; len(h) != 1 || got.Label(h[0].Origin) != "p.C.a" || got.Nodes[h[0].Node].End-h[0].Node != 2 {
			t.Errorf("hand-overs %v", h)
		}
	}
	twice := merge(t, handed, handed)
	if got, want := render(twice), "root:0(a:0×2 l:0×2(d:2×2(e:4×2)))"; got != want {
		t.Errorf("the same run twice is %s, want %s", got, want)
	}
}

// TestMergeUnifiesMethods checks that methods with equal labels become the same method, whatever
// their indices in the runs.
func TestMergeUnifiesMethods(t *testing.T) {
	one := &cct.Tree{
		Methods: []name.Method{name.OfClass("p.C", "b", "").At("C.java", 9), name.OfClass("p.C", "a", "")},
		Nodes:   []cct.Node{{Method: cct.NoMethod, Parent: -1, End: 3}, {Method: 1, Parent: 0, End: 3}, {Method: 0, Parent: 1, End: 3}},
	}
	one.Energy = cct.NewColumn(one.Ends(), []units.Energy{1, 2, 3})
	other := &cct.Tree{
		Methods: []name.Method{name.OfClass("p.C", "a", ""), name.OfClass("p.C", "b", "").At("C.java", 7)},
		Nodes:   []cct.Node{{Method: cct.NoMethod, Parent: -1, End: 3}, {Method: 0, Parent: 0, End: 3}, {Method: 1, Parent: 1, End: 3}},
	}
	other.Energy = cct.NewColumn(other.Ends(), []units.Energy{10, 20, 30})
	for _, got := range []*cct.Tree{merge(t, one, other), merge(t, other, one)} {
		if want := "root:11(a:22×0(b:33×0))"; render(got) != want {
			t.Errorf("got %s, want %s", render(got), want)
		}
		if want := []name.Method{name.OfClass("p.C", "a", ""), name.OfClass("p.C", "b", "").At("C.java", 7)}; !slices.Equal(got.Methods, want) {
			t.Errorf("methods %+v, want %+v", got.Methods, want)
		}
	}
}

func TestMergeErrors(t *testing.T) {
	shape := func() *cct.Tree { return &cct.Tree{Nodes: []cct.Node{{Method: cct.NoMethod, Parent: -1, End: 1}}} }
	most, some := shape(), shape()
	most.Wall = cct.NewColumn(most.Ends(), []time.Duration{math.MaxInt64})
	some.Wall = cct.NewColumn(some.Ends(), []time.Duration{1})
	if _, err := cct.Merge(most, some); err == nil || !strings.Contains(err.Error(), "63 bits") {
		t.Errorf("a sum beyond 63 bits: %v", err)
	}
	ring := &cct.Tree{
		Methods:   []name.Method{name.OfClass("p.C", "a", ""), name.OfClass("p.C", "b", "")},
		Nodes:     []cct.Node{{Method: cct.NoMethod, Parent: -1, End: 3}, {Method: 0, Parent: 0, End: 3}, {Method: 1, Parent: 1, End: 3}},
		Handovers: []cct.Handover{{Node: 1, Origin: 2}},
	}
	if _, err := cct.Merge(ring); err == nil || !strings.Contains(err.Error(), "before the call that enqueued it") {
		t.Errorf("a ring of hand-overs: %v", err)
	}
	if none := merge(t); len(none.Nodes) != 1 || none.Energy.Total() != 0 {
		t.Errorf("no trees give %+v", none)
	}
	if mixed := merge(t, &cct.Tree{Nodes: shape().Nodes, Counted: trace.CountedCalls}, &cct.Tree{Nodes: shape().Nodes, Counted: trace.EstimatedCalls}); mixed.Counted != trace.EstimatedCalls {
		t.Errorf("calls that are not all counted are %v", mixed.Counted)
	}
}

func merge(t *testing.T, trees ...*cct.Tree) *cct.Tree {
	t.Helper()
	tree, err := cct.Merge(trees...)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
