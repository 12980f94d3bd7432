package ftrace_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/ingest/ftrace"
)

// TestSpan checks that a few times that are far from all others are outside of the span, and that
// no other times are.
func TestSpan(t *testing.T) {
	const second = 1_000_000_000
	for _, c := range []struct {
		name    string
		moments []int64 // moments are added to a thousand times between 100 s and 110 s.
		outside int64
	}{
		{"none", nil, 0},
		{"at zero", []int64{0}, 1},
		{"a flipped bit", []int64{105*second ^ 1<<40}, 1},
		{"years later", []int64{math.MaxInt64, math.MinInt64, 1 << 60}, 3},
		{"a little later", []int64{125 * second}, 0},
		{"a pause of the recording", []int64{145 * second}, 0},
		{"too many", func() (all []int64) {
			for i := range int64(40) {
				all = append(all, 1000*second+i)
			}
			return all
		}(), 0},
	} {
		var s ftrace.Span
		rng := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			s.Add(100*second + rng.Int64N(10*second))
		}
		s.Add(100 * second)
		s.Add(110 * second)
		for _, m := range c.moments {
			s.Add(m)
		}
		first, last, outside := s.Bounds()
		if outside != c.outside {
			t.Errorf("%s: %d outside, want %d", c.name, outside, c.outside)
		}
		if outside > 0 && (first != 100*second || last != 110*second) {
			t.Errorf("%s: from %d to %d", c.name, first, last)
		}
	}
	var none ftrace.Span
	if _, _, outside := none.Bounds(); outside != 0 {
		t.Errorf("%d of no events are outside", outside)
	}
}
