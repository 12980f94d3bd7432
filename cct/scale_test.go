package cct

import (
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// TestScaled checks that no number is negative, that sums are exact to a nanojoule, and that the
// original tree does not change.
func TestScaled(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range shorten.Count(200) {
		n := 1 + random.IntN(20)
		ends, self := make([]int32, n), make([]units.Energy, n)
		threads, total := make([]units.Energy, 3), units.Energy(0)
		for i := range n {
			ends[i] = int32(i + 1)
			self[i] = units.Energy(random.Int64N(1 << (1 + random.IntN(40))))
			threads[random.IntN(3)] += self[i]
			total += self[i]
		}
		ends[0] = int32(n)
		tree := &Tree{Nodes: make([]Node, n), ThreadEnergy: threads}
		for range 2 { // for each account but the first
			tree.threadAccounts = append(tree.threadAccounts, []units.Energy{threads[0] / 3, 0, threads[2] / 2})
		}
		tree.Energy = NewColumn(ends, self)
		tail := make([]units.Energy, n)
		for i := range tail {
			tail[i] = self[i] / units.Energy(1+random.IntN(4))
			self[i] -= tail[i]
		}
		tree.parts = []part{{Key{}, NewColumn(ends, self).sums}, {Key{Account: 2}, NewColumn(ends, tail).sums}}
		for i := range self {
			self[i] += tail[i]
		}
		p, q := random.Int64N(1_000_000), 1+random.Int64N(1_000_000)
		scaled := tree.Scaled(p, q)
		want := units.Energy(units.MulDiv(int64(total), p, q))
		var sum, byThread units.Energy
		for i := range n {
			e := scaled.Energy.Self(int32(i))
			if low := units.MulDiv(int64(self[i]), p, q); int64(e) < low || int64(e) > low+1 {
				t.Fatalf("%d times %d/%d is %d", self[i], p, q, e)
			}
			if first := scaled.Self(int32(i), Key{}); first < 0 || first > int64(e) || first+scaled.Self(int32(i), Key{Account: 2}) != int64(e) {
				t.Fatalf("a node has %d, of that %d on its first account, and %d on the other", e, first, scaled.Self(int32(i), Key{Account: 2}))
			}
			sum += e
		}
		for i, e := range scaled.ThreadEnergy {
			for a := range trace.AccountID(3) {
				had := tree.EnergyOfThread(i, a)
				// The thread's total energy is exact to a nanojoule. The rounding of its parts adds
				// at most another nanojoule.
				if has, low := scaled.EnergyOfThread(i, a), units.Energy(units.MulDiv(int64(had), p, q)); has < max(low-1, 0) || has > low+2 {
					t.Fatalf("a thread's %d on account %d times %d/%d is %d", had, a, p, q, has)
				}
			}
			if e < 0 {
				t.Fatalf("a thread has %d", e)
			}
			byThread += e
		}
		if sum != want || byThread != want || scaled.Energy.Total() != want || tree.Energy.Total() != total {
			t.Fatalf("%d times %d/%d is %d, %d over nodes and %d over threads", total, p, q, want, sum, byThread)
		}
	}
}
