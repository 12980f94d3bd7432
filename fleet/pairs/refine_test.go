package pairs

import (
	"testing"

	"github.com/diffprof/diffprof/fleet/samples"
)

// TestUnordered checks that strata are joined if their ends have the same two values in opposite orders,
// for few strata, for the most that are compared, and for one more, which stay as they are.
func TestUnordered(t *testing.T) {
	for _, c := range []struct{ strata, want int }{{2, 1}, {6, 3}, {maxUnordered, maxUnordered / 2}, {maxUnordered + 2, maxUnordered + 2}} {
		w := &Work{Bases: c.strata}
		w.Within = []int{0}
		client := &samples.Client{Features: make([][]uint32, 1)}
		for base := range c.strata {
			from, to := uint32(base), uint32(base)+1 // even strata: 1 to 2, 3 to 4; odd ones: 2 to 1, 4 to 3
			if base%2 == 0 {
				from, to = uint32(base)+1, uint32(base)+2
			} else {
				from, to = to, from
			}
			client.Features[0] = append(client.Features[0], from, to)
			w.Pairs = append(w.Pairs, Pair{From: 2 * base, To: 2*base + 1, Base: base})
		}
		if got := w.unordered(client); got != c.want {
			t.Errorf("%d strata become %d, want %d", c.strata, got, c.want)
		}
	}
}
