package cct_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
)

// packable returns trees of all kinds: with recursion, hand-overs, threads and accounts, of several
// runs, of their mean, and of a part of the mean.
func packable(t testing.TB) []*cct.Tree {
	r := rand.New(rand.NewPCG(15, 16))
	var trees []*cct.Tree
	for range shorten.Count(60) {
		var runs []*cct.Tree
		for range 1 + r.IntN(3) {
			tree, _ := build(randomRun(r, "abcdefABCDEF0123|!$&"))
			runs = append(runs, tree)
		}
		merged, err := cct.Merge(runs...)
		if err != nil {
			t.Fatal(err)
		}
		mean, err := cct.Mean(runs...)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, runs[0], merged, mean, mean.Scaled(7, 3))
	}
	return trees
}

func TestPackKeepsTrees(t *testing.T) {
	for _, tree := range packable(t) {
		packed := tree.Pack()
		got, err := cct.Unpack(packed)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := known(got), known(tree); a != b {
			t.Fatalf("unpacked\n%s\npacked\n%s", a, b)
		}
		if !bytes.Equal(got.Pack(), packed) {
			t.Fatal("packed again it has other bytes")
		}
	}
}

// known returns everything that a tree has as text.
func known(tree *cct.Tree) string {
	var b strings.Builder
	fmt.Fprintln(&b, tree.Methods, tree.Handovers, tree.ThreadEnergy, tree.Elapsed, tree.Counted, tree.Runs(), tree.Repeats(), tree.Keys())
	for thread := range tree.ThreadEnergy {
		fmt.Fprint(&b, tree.EnergyOfThread(thread, 1), " ")
	}
	for i := range int32(len(tree.Nodes)) {
		fmt.Fprint(&b, "\n", tree.Path(i), tree.Nodes[i], tree.Threads(i), tree.Energy.Self(i), tree.CPU.All(i), tree.Wall.All(i),
			tree.Calls.Self(i), tree.Recursive.Self(i), tree.Weight.Self(i), tree.Seen.Self(i))
		for _, key := range tree.Keys() {
			fmt.Fprint(&b, " ", tree.Self(i, key))
		}
		for run := range tree.Repeats() {
			fmt.Fprint(&b, " ", tree.InRun(run).All(i))
		}
	}
	return b.String()
}

// TestUnpackRejectsDamagedData cuts packed trees at every length, and changes their version.
func TestUnpackRejectsDamagedData(t *testing.T) {
	for _, tree := range packable(t)[:20] {
		packed := tree.Pack()
		for cut := range packed {
			if _, err := cct.Unpack(packed[:cut]); err == nil {
				t.Fatalf("cut at %d of %d: no error", cut, len(packed))
			}
		}
		if _, err := cct.Unpack(append(slices.Clone(packed), 0)); err == nil {
			t.Fatal("there is more behind the tree")
		}
		packed[0]++
		if _, err := cct.Unpack(packed); err == nil {
			t.Fatal("the layout is a newer one")
		}
	}
}

// FuzzUnpack checks that any bytes give either an error or a usable tree.
func FuzzUnpack(f *testing.F) {
	for _, tree := range packable(f)[:16] {
		f.Add(tree.Pack())
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		tree, err := cct.Unpack(packed)
		if err != nil {
			return
		}
		again, err := cct.Unpack(tree.Pack())
		if err != nil || !reflect.DeepEqual(again, tree) {
			t.Fatalf("packed again it differs: %v", err)
		}
		for i := range tree.Nodes {
			tree.Path(int32(i))
			tree.Threads(int32(i))
		}
		if _, err := cct.Merge(tree, tree); err == nil {
			tree.Scaled(2, 3)
		}
	})
}
