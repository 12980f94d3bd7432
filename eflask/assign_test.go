package eflask

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// bestByTrial returns the largest weight of an assignment. It tries all assignments.
func bestByTrial(rows, cols int, at map[[2]int32]weight) weight {
	taken := make([]bool, cols)
	var try func(r int) weight
	try = func(r int) weight {
		if r == rows {
			return weight{}
		}
		best := try(r + 1)
		for c := range cols {
			w, ok := at[[2]int32{int32(r), int32(c)}]
			if !ok || taken[c] {
				continue
			}
			taken[c] = true
			if sum := w.plus(try(r + 1)); best.less(sum) {
				best = sum
			}
			taken[c] = false
		}
		return best
	}
	return try(0)
}

func TestAssignerAgainstTrial(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	a := newAssigner(8, new(atomic.Bool))
	for range shorten.Count(20000) {
		rows, cols := 1+r.IntN(6), 1+r.IntN(6)
		density, top := 1+r.IntN(4), 1+r.IntN(9)
		var edges []edge
		at := make(map[[2]int32]weight)
		sizes := make(map[[2]int32]weight)
		for i := range int32(rows) {
			for j := range int32(cols) {
				if r.IntN(4) >= density {
					continue
				}
				e := edge{row: i, col: j, size: int32(1 + r.IntN(top))}
				edges = append(edges, e)
				key := [2]int32{i, j}
				at[key] = weight{int64(e.size), -int64(r.IntN(3)), -int64(r.IntN(3)), -int64(r.IntN(3))}
				sizes[key] = weight{size: int64(e.size)}
			}
		}
		if len(edges) == 0 {
			continue
		}
		want := bestByTrial(rows, cols, sizes)
		if got := a.best(edges); int64(got) != want.size {
			t.Fatalf("best of %v is %d, want %d", edges, got, want.size)
		}
		// The rule for ties chooses only among the optimal edges.
		full := bestByTrial(rows, cols, at)
		tight := a.optimal(edges)
		a.solve(tight, func(e edge) weight { return at[[2]int32{e.row, e.col}] })
		var got weight
		chosen := a.chosen(tight)
		for _, e := range chosen {
			got = got.plus(at[[2]int32{e.row, e.col}])
		}
		if got != full || !a.isMatching(chosen) {
			t.Fatalf("assignment of %v is %v, worth %v; want %v", edges, chosen, got, full)
		}
	}
}
