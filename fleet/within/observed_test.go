package within

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestObservedShare compares ObservedShare with the true share for an app that starts and stops at
// a constant rate, for pairs of few and of many minutes.
func TestObservedShare(t *testing.T) {
	const minutes, on, off = 1 << 20, 60, 120
	random := rand.New(rand.NewPCG(1, 2))
	ran := make([]int64, minutes+1) // ran has the number of minutes with the app up to each minute.
	at := make([]bool, minutes)
	runs := false
	for i := range minutes {
		stay := off
		if runs {
			stay = on
		}
		if random.IntN(stay) == 0 {
			runs = !runs
		}
		at[i] = runs
		ran[i+1] = ran[i]
		if runs {
			ran[i+1]++
		}
	}
	for _, pause := range []int{5, 20, 60, 120} {
		var s Stratum
		var seen, full float64 // ΣD(x − x̄) for a drop of 1 per minute with the app, compared with ΣTx(x − x̄)/2
		for from := 0; from+pause < minutes; from += pause {
			ends := uint8(0)
			for _, end := range []int{from, from + pause} {
				if at[end] {
					ends++
				}
			}
			s.Add(ran[from+pause+1]-ran[from+1], int64(pause), ends)
		}
		n, d := s.Contrast()
		seen, full = float64(n), float64(d)
		if got := ObservedShare(full, float64(s.TimeOf)/2, float64(s.Squares)); math.Abs(got-seen/full) > 0.02 {
			t.Errorf("pairs of %d minutes: %.3f is seen, by the ends %.3f", pause, seen/full, got)
		} else {
			t.Logf("pairs of %d minutes: %.3f is seen, by the ends %.3f", pause, seen/full, got)
		}
	}
	if got := ObservedShare(10, 5, 20); got != 1 {
		t.Errorf("of an app that is always at both ends %v is seen", got)
	}
}
