package machine

import (
	"math"
	"testing"
)

// TestLaterStaysBelowNever checks that a deadline that overflows becomes the latest possible time,
// which differs from never.
func TestLaterStaysBelowNever(t *testing.T) {
	for _, c := range []struct{ t, ns, want int64 }{
		{3, 4, 7}, {0, never - 1, never - 1}, {1, never - 2, never - 1}, {1, never - 1, never - 1}, {never - 1, 1, never - 1},
		{math.MaxInt64 / 2, math.MaxInt64/2 + 9, never - 1}, {-5, 3, -2},
	} {
		if got := addTime(c.t, c.ns); got != c.want {
			t.Errorf("later(%d, %d) = %d, want %d", c.t, c.ns, got, c.want)
		}
	}
}
