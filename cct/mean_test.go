package cct_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestMean checks that each subtree of a mean, and the sum over threads, differs from the exact
// quotient of the merged run by less than one, with and without accounts. It also checks that each
// run's column equals the column of the merged tree, and that folding keeps the runs.
func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range shorten.Count(400) {
		var trees []*cct.Tree
		for range 1 + r.IntN(4) {
			trees = append(trees, must(t, booked{script(randomRun(r, "abcdefABCDEF0123|!$&")), -1}))
		}
		n := int64(len(trees))
		merged := merge(t, trees...)
		mean, err := cct.Mean(trees...)
		if err != nil {
			t.Fatal(err)
		}
		if mean.Repeats() != len(trees) || merged.Repeats() != 0 || mean.Runs() != 1 {
			t.Fatalf("%d runs, the mean of %d", mean.Runs(), mean.Repeats())
		}
		for i := range int32(len(mean.Nodes)) {
			for _, c := range [][2]int64{
				{int64(mean.Energy.All(i)), int64(merged.Energy.All(i))}, {mean.Calls.All(i), merged.Calls.All(i)},
				{int64(mean.Wall.All(i)), int64(merged.Wall.All(i))}, {mean.Recursive.Self(i), merged.Recursive.Self(i)},
			} {
				if rest := c[1] - n*c[0]; rest <= -n || rest >= n {
					t.Fatalf("node %d has %d, of %d in %d runs", i, c[0], c[1], n)
				}
			}
			// Accounts divide the energy of each node, so they add up, and each of them is rounded
			// separately.
			whole := int64(mean.Energy.Self(i))
			for a := range trace.AccountID(3) {
				key, sum := cct.Key{Quantity: cct.Energy, Account: a}, int64(0)
				for k := range trees {
					sum += merged.Self(i, cct.Key{Run: k, Quantity: cct.Energy, Account: a})
				}
				if rest := sum - n*mean.Self(i, key); rest <= -2*n || rest >= 2*n || mean.Self(i, key) < 0 {
					t.Fatalf("node %d has %d on account %d, of %d in %d runs", i, mean.Self(i, key), a, sum, n)
				}
				whole -= mean.Self(i, key)
			}
			if whole != 0 {
				t.Fatalf("the accounts of node %d have %d less than the node", i, whole)
			}
			for k := range trees {
				sum := int64(0)
				for a := range trace.AccountID(3) {
					sum += merged.Self(i, cct.Key{Run: k, Quantity: cct.Energy, Account: a})
				}
				if got := mean.InRun(k).Self(i); int64(got) != sum {
					t.Fatalf("node %d has %d in run %d, want %d", i, got, k, sum)
				}
			}
		}
		if sum := sumOf(mean.ThreadEnergy); sum != mean.Energy.Total() {
			t.Fatalf("threads have %d of %d", sum, mean.Energy.Total())
		}
		all := mean.Fold(make([]int32, len(mean.Nodes)), []int32{1}, nil)
		for k := range trees {
			if all.InRun(k).Total() != trees[k].Energy.Total() {
				t.Fatalf("folded, run %d has %d of %d", k, all.InRun(k).Total(), trees[k].Energy.Total())
			}
		}
		if same, _ := cct.Mean(slices.Repeat(trees[:1], 3)...); fmt.Sprint(same.Energy.Total(), same.Calls.Total()) != fmt.Sprint(trees[0].Energy.Total(), trees[0].Calls.Total()) {
			t.Fatal("the mean of equal runs is another")
		}
	}
}

func sumOf(list []units.Energy) (sum units.Energy) {
	for _, e := range list {
		sum += e
	}
	return sum
}
