package pairs

import (
	"math"
	"slices"
	"testing"
)

// TestRanges checks that a feature with many different numbers is coded by ranges, and other
// features by value.
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
	if got := slices.Max(texts.codes); got != maxCodes*(maxCodes+1)/2-1 {
		t.Errorf("the largest code of texts is %d", got)
	}
}
