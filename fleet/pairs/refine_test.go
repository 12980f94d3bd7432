package pairs

import (
	"math"
	"slices"
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

// TestRanges checks that many different numbers are held by range, and other texts by value.
func TestRanges(t *testing.T) {
	const n = 40
	values := make([]uint32, n+1)
	var pairs []Pair
	for i := range values {
		values[i] = uint32(i%20) + 1
		if i > 0 {
			pairs = append(pairs, Pair{From: i - 1, To: i})
		}
	}
	r := refiner{}
	if !r.ofFeature(pairs, values, func(v uint32) float64 { return float64(v) / 10 }) {
		t.Fatal("the numbers do not vary")
	}
	seen := slices.Clone(r.codes)
	slices.Sort(seen)
	// Four ranges, three borders, and the step from the largest number to the smallest one.
	if seen = slices.Compact(seen); len(seen) != 8 {
		t.Errorf("%d codes: %v", len(seen), seen)
	}
	if r.codes[0] != r.codes[1] || r.codes[0] == r.codes[n/2-2] {
		t.Errorf("the codes are %v", r.codes)
	}
	texts := refiner{}
	texts.ofFeature(pairs, values, func(uint32) float64 { return math.NaN() })
	if got := slices.Max(texts.codes); got != mostCodes*(mostCodes+1)/2-1 {
		t.Errorf("the largest code of texts is %d", got)
	}
}
