package eflask

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/ingest"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// readTree reads the tree of a recording.
func readTree(tb testing.TB, path string) *cct.Tree {
	tb.Helper()
	f, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	tree, _, err := cct.Build(context.Background(), f, cct.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return tree
}

// realTree returns the largest available tree of a real run.
func realTree(tb testing.TB) *cct.Tree {
	path := filepath.Join("..", "..", "shared", "data", "art", "likaci-cpu_trace.trace")
	if _, err := os.Stat(path); err != nil {
		tb.Skip("needs the real traces, which a clone does not have")
	}
	return readTree(tb, path)
}

// grow makes a tree of n nodes from a smaller tree. It copies random subtrees to random nodes, so
// that fan-out and depth stay realistic. It returns the tree, and a copy in which a tenth of the
// nodes have the label of another node.
func grow(t *cct.Tree, n int) (grown, relabelled *cct.Tree) {
	r := rand.New(rand.NewPCG(1, 2))
	type node struct {
		method trace.MethodID
		kids   []int32
	}
	var nodes []node
	for i := range t.Nodes {
		nodes = append(nodes, node{method: t.Nodes[i].Method})
		if i > 0 {
			p := t.Nodes[i].Parent
			nodes[p].kids = append(nodes[p].kids, int32(i))
		}
	}
	var list []int32
	for len(nodes) < n {
		from, to := int32(1+r.IntN(len(nodes)-1)), int32(r.IntN(len(nodes)))
		taken := false
		for _, k := range nodes[to].kids {
			taken = taken || nodes[k].method == nodes[from].method
		}
		if taken {
			continue
		}
		list = append(list[:0], from)
		for i := 0; i < len(list); i++ {
			list = append(list, nodes[list[i]].kids...)
		}
		if len(nodes)+len(list) > n+n/50 {
			continue
		}
		image := make(map[int32]int32, len(list))
		for _, i := range list {
			image[i] = int32(len(nodes))
			nodes = append(nodes, node{method: nodes[i].method})
		}
		for _, i := range list {
			for _, k := range nodes[i].kids {
				if c, ok := image[k]; ok {
					nodes[image[i]].kids = append(nodes[image[i]].kids, c)
				}
			}
		}
		nodes[to].kids = append(nodes[to].kids, image[from])
	}
	relabel := make([]trace.MethodID, len(nodes))
	for i := range nodes {
		relabel[i] = nodes[i].method
	}
	for range len(nodes) / 10 {
		relabel[1+r.IntN(len(nodes)-1)] = nodes[1+r.IntN(len(nodes)-1)].method
	}

	grown, relabelled = &cct.Tree{Methods: t.Methods}, &cct.Tree{Methods: t.Methods}
	type item struct{ node, parent int32 }
	for work := []item{{0, -1}}; len(work) > 0; {
		it := work[len(work)-1]
		work = work[:len(work)-1]
		at := int32(len(grown.Nodes))
		n := cct.Node{Method: nodes[it.node].method, Parent: it.parent, End: at + 1}
		grown.Nodes = append(grown.Nodes, n)
		n.Method = relabel[it.node]
		relabelled.Nodes = append(relabelled.Nodes, n)
		for _, k := range nodes[it.node].kids {
			work = append(work, item{k, at})
		}
	}
	measure(grown)
	measure(relabelled)
	return grown, relabelled
}

// measure sets the ends of a tree's nodes and gives each node one call.
func measure(t *cct.Tree) {
	for i := len(t.Nodes) - 1; i > 0; i-- {
		n := &t.Nodes[i]
		p := &t.Nodes[n.Parent]
		p.End = max(p.End, n.End)
	}
	t.Energy = cct.NewColumn(t.Ends(), slices.Repeat([]units.Energy{1}, len(t.Nodes)))
	t.Calls = cct.NewColumn(t.Ends(), slices.Repeat([]int64{1}, len(t.Nodes)))
}

// bushy returns two trees with the given number of levels. Each method calls three of 2,000 other
// methods, always the same three. In changed, one call in a hundred goes to another method. Most
// subtrees of tree and changed have no label in common.
func bushy(levels int) (tree, changed *cct.Tree) {
	const methods, fanOut = 2000, 3
	r := rand.New(rand.NewPCG(1, 2))
	table := make([]name.Method, methods)
	callees := make([][fanOut]int, methods)
	for m := range table {
		table[m] = name.OfClass(fmt.Sprintf("bench.Class%d", m/8), fmt.Sprintf("call%d", m), "()V")
		for k := range callees[m] {
			callees[m][k] = r.IntN(methods)
		}
	}
	grow := func(change bool) *cct.Tree {
		t := &cct.Tree{Methods: table, Nodes: []cct.Node{{Method: cct.NoMethod, Parent: -1, End: 1}}}
		type item struct{ method, parent, level int }
		for work := []item{{0, 0, 1}}; len(work) > 0; {
			it := work[len(work)-1]
			work = work[:len(work)-1]
			if change && r.IntN(100) == 0 {
				it.method = r.IntN(methods)
			}
			at := len(t.Nodes)
			t.Nodes = append(t.Nodes, cct.Node{Method: trace.MethodID(it.method), Parent: int32(it.parent), End: int32(at) + 1})
			for _, callee := range callees[it.method] {
				if it.level < levels {
					work = append(work, item{callee, at, it.level + 1})
				}
			}
		}
		measure(t)
		return t
	}
	return grow(false), grow(true)
}

// BenchmarkMatchBushy matches trees in which most pairs of subtrees have no label in common.
func BenchmarkMatchBushy(b *testing.B) {
	tree, changed := bushy(10)
	s, r := prepared(b, tree, changed)
	for _, alpha := range []int{0, 2, 5} {
		b.Run(fmt.Sprintf("alpha=%d", alpha), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				match(b, s, r, alpha, Options{})
			}
			b.ReportMetric(float64(len(s.Nodes)), "nodes")
		})
	}
}

// prepared makes a pair of trees comparable. It merges nothing, so that they keep their size.
func prepared(tb testing.TB, s, r *cct.Tree) (*preprocess.Tree, *preprocess.Tree) {
	table, err := classes.BuiltIn()
	if err != nil {
		tb.Fatal(err)
	}
	known, err := platform.New(platform.Rules{}, table)
	if err != nil {
		tb.Fatal(err)
	}
	return preprocess.Pair(s, r, preprocess.Options{Platform: known})
}

// BenchmarkMatchReal matches the largest real tree with a copy in which a tenth of the labels
// differ.
func BenchmarkMatchReal(b *testing.B) {
	t := realTree(b)
	_, relabelled := grow(t, len(t.Nodes))
	s, r := prepared(b, t, relabelled)
	for _, alpha := range []int{0, 2, 5} {
		b.Run(fmt.Sprintf("transcription/alpha=%d", alpha), func(b *testing.B) {
			for b.Loop() {
				transcribe(s, r, alpha)
			}
		})
		b.Run(fmt.Sprintf("match/alpha=%d", alpha), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				match(b, s, r, alpha, Options{})
			}
			b.ReportMetric(float64(len(s.Nodes)), "nodes")
		})
	}
}

// BenchmarkMatchGrown measures how the time grows with the size. It matches grown trees with
// themselves, and with copies in which a tenth of the labels differ. It also matches the smaller
// trees by the plain transcription of the lemma.
func BenchmarkMatchGrown(b *testing.B) {
	t := realTree(b)
	for _, c := range []struct{ nodes, alpha int }{
		{12_500, 2}, {25_000, 2}, {50_000, 2}, {100_000, 2}, {1_000_000, 2},
		{12_500, 5}, {25_000, 5}, {50_000, 5}, {100_000, 5}, {1_000_000, 5},
	} {
		b.Run(fmt.Sprintf("nodes=%d/alpha=%d", c.nodes, c.alpha), func(b *testing.B) {
			grown, relabelled := grow(t, c.nodes)
			for _, against := range []struct {
				name string
				tree *cct.Tree
			}{{"itself", grown}, {"relabelled", relabelled}} {
				s, r := prepared(b, grown, against.tree)
				b.Run(against.name, func(b *testing.B) {
					b.ReportAllocs()
					var m *Matching
					for b.Loop() {
						m = match(b, s, r, c.alpha, Options{})
					}
					b.ReportMetric(float64(m.Size), "size")
				})
				if c.nodes > 100_000 {
					continue
				}
				b.Run(against.name+"-transcription", func(b *testing.B) {
					for b.Loop() {
						transcribe(s, r, c.alpha)
					}
				})
			}
		})
	}
}
