package preprocess

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// grow returns a random tree of n nodes with the given methods. shape returns a node's parent,
// which is an earlier node. The nodes are then sorted into preorder.
func grow(n int, methods []name.Method, rng *rand.Rand, shape func(i int) int) *cct.Tree {
	parent := make([]int, n)
	children := make([][]int, n)
	for i := 1; i < n; i++ {
		parent[i] = shape(i)
		children[parent[i]] = append(children[parent[i]], i)
	}
	t := &cct.Tree{Methods: methods}
	place := make([]int32, n)
	stack := []int{0}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		place[i] = int32(len(t.Nodes))
		node := cct.Node{Method: trace.MethodID(rng.IntN(len(methods))), Parent: -1, End: place[i] + 1}
		if i == 0 {
			node.Method = cct.NoMethod
		} else {
			node.Parent = place[parent[i]]
		}
		t.Nodes = append(t.Nodes, node)
		stack = append(stack, children[i]...)
	}
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		node := &t.Nodes[i]
		if node.Parent >= 0 {
			up := &t.Nodes[node.Parent]
			up.End = max(up.End, node.End)
		}
	}
	t.Energy = cct.NewColumn(t.Ends(), slices.Repeat([]units.Energy{1}, n))
	t.Calls = cct.NewColumn(t.Ends(), slices.Repeat([]int64{1}, n))
	return t
}

// manyMethods returns n methods in n/10 classes. A third of them are the app's.
func manyMethods(n int) []name.Method {
	methods := make([]name.Method, n)
	for i := range methods {
		class := fmt.Sprintf("android.pkg%d.Class%d", i%97, i/10)
		if i%3 == 0 {
			class = fmt.Sprintf("com.example.pkg%d.Class%d", i%31, i/10)
		}
		methods[i] = name.OfClass(class, fmt.Sprintf("method%d", i%500), "(Ljava/lang/Object;I)V")
	}
	return methods
}

// sizeOptions returns options with all steps, and with a hierarchy of depth five in which each
// class has supertypes with the same methods.
func sizeOptions() Options {
	o := testOptions(AllSteps())
	o.Platform = newTestPlatform(func(class string) iter.Seq[string] {
		prefix, number, _ := strings.Cut(class, ".Class")
		if k, err := strconv.Atoi(number); err == nil && k%5 != 0 {
			return slices.Values([]string{prefix + ".Class" + strconv.Itoa(k-1)})
		}
		return func(func(string) bool) {}
	})
	return o
}

// TestPairTakesAnyShape checks that chains and stars of 100,000 nodes take linear time and no
// recursion. The nodes have a single method, two methods, or many.
func TestPairTakesAnyShape(t *testing.T) {
	n := shorten.Count(100_000)
	two := []name.Method{name.Parse("app.A.run()V", name.JVM), name.Parse("fw.T.m()V", name.JVM)}
	launchers := []name.Method{name.Parse("java.lang.Thread.run()V", name.JVM)}
	for _, methods := range [][]name.Method{two[:1], two[1:], two, launchers, manyMethods(5000)} {
		rng := rand.New(rand.NewPCG(11, 12))
		for name, shape := range map[string]func(int) int{
			"chain": func(i int) int { return i - 1 },
			"star":  func(int) int { return 0 },
			"broom": func(i int) int { return min(i-1, n/2) },
		} {
			tree := grow(n, methods, rng, shape)
			// Every tenth node is a hand-over from another node, which may be before or after it.
			for i := 1; i < n; i += 10 {
				tree.Handovers = append(tree.Handovers, cct.Handover{Node: int32(i), Origin: rng.Int32N(int32(n))})
			}
			for _, steps := range []Steps{{}, {Async: true}, {Async: true, Entry: true, App: true, Hierarchy: true}} {
				o := sizeOptions()
				o.Steps = steps
				if s := One(tree, o); s.Energy.Total() != units.Energy(n) {
					t.Errorf("%s of %d methods, %+v: energy %d", name, len(methods), steps, s.Energy.Total())
				}
			}
		}
	}
}

// TestHierarchyTakesAnyClasses checks that a class path may contain chains, stars and rings of any
// size. All its classes have a method in common.
func TestHierarchyTakesAnyClasses(t *testing.T) {
	n := shorten.Count(10_000)
	methods := make([]name.Method, n)
	for i := range methods {
		methods[i] = name.OfClass(fmt.Sprintf("fw.C%d", i), "m", "()V")
	}
	rng := rand.New(rand.NewPCG(13, 14))
	tree := grow(n, methods, rng, func(i int) int { return i / 2 })
	name := func(i int) string { return fmt.Sprintf("fw.C%d", i) }
	for shape, supers := range map[string]func(i int) iter.Seq[string]{
		"chain": func(i int) iter.Seq[string] { return slices.Values([]string{name(i + 1)}) },
		"ring":  func(i int) iter.Seq[string] { return slices.Values([]string{name((i + 1) % n), name(i)}) },
		"star":  func(i int) iter.Seq[string] { return slices.Values([]string{name(0), objectClass}) },
		"all": func(int) iter.Seq[string] {
			return func(yield func(string) bool) {
				for k := 0; yield(name(k)); k++ {
				}
			}
		},
	} {
		o := testOptions(Steps{Hierarchy: true})
		o.Platform = newTestPlatform(func(class string) iter.Seq[string] {
			i, _ := strconv.Atoi(strings.TrimPrefix(class, "fw.C"))
			return supers(i)
		})
		if s := One(tree, o); s.Energy.Total() != units.Energy(n) {
			t.Errorf("%s: energy %d", shape, s.Energy.Total())
		}
	}
}

// BenchmarkPair preprocesses two trees of 300,000 nodes with 20,000 methods, more than real runs
// have.
func BenchmarkPair(b *testing.B) {
	rng := rand.New(rand.NewPCG(15, 16))
	methods := manyMethods(20_000)
	// Parents are chosen near their children, so the tree has a depth of a few dozen.
	shape := func(i int) int { return max(0, i-1-rng.IntN(max(1, i/8))) }
	subject, reference := grow(300_000, methods, rng, shape), grow(300_000, methods, rng, shape)
	for _, bench := range []struct {
		name  string
		steps Steps
	}{
		{"none", Steps{}},
		{"entry", Steps{Entry: true}},
		{"hierarchy", Steps{Hierarchy: true}},
		{"app", Steps{App: true}},
		{"all", AllSteps()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			o := sizeOptions()
			o.Steps = bench.steps
			b.ReportAllocs()
			for b.Loop() {
				Pair(subject, reference, o)
			}
		})
	}
}
