package metered

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/regression"
)

// TestLastingPower checks the standard deviation of the power of paths on three periods. The used
// residuals are 1, 2 and -1, and the busy times differ from their mean by -3, -1 and 4. The third
// period is not used.
func TestLastingPower(t *testing.T) {
	s := &sheet{}
	for _, p := range []struct{ busy, residual float64 }{{2, 1}, {4, 2}, {10, 100}, {9, -1}} {
		begin := int64(10 * len(s.periods))
		s.periods = append(s.periods, period{begin: begin, end: begin + 10, busy: p.busy, energy: 10*3 + 2*p.busy + p.residual})
	}
	use := func(i int) bool { return i != 2 }
	for sigma, want := range map[float64]float64{
		// The products are -3, -2 and -4. Those that are one and two periods apart have the weights
		// 4/3 and 2/3.
		100: 9 + 4 + 16 + 4./3*(6+8) + 2./3*12,
		// No residual is greater than 1, so the products are -3, -1 and -4.
		1. / regression.Tukey: 9 + 1 + 16 + 4./3*(3+4) + 2./3*12,
	} {
		if got := s.lasting(&base{idle: 3, busy: 2, sigma: sigma}, use); !near(got, math.Sqrt(want)/26) {
			t.Errorf("sigma %v: %v, want %v", sigma, got, math.Sqrt(want)/26)
		}
	}
}

// TestLostPeriods checks which periods lack most of their energy. Such a period has less than half
// of the usual energy, and the difference is far larger than usual.
func TestLostPeriods(t *testing.T) {
	b := &base{idle: 1, busy: 2, sigma: 10. / regression.Tukey}
	s := &sheet{periods: []period{
		{begin: 0, end: 100, busy: 50, energy: 200}, // the usual energy
		{begin: 100, end: 200, busy: 50, energy: 100},
		{begin: 200, end: 300, busy: 50, energy: 99},
		{begin: 300, end: 306, busy: 2, energy: 0}, // 10 less than usual
		{begin: 306, end: 312, busy: 3, energy: 0}, // 12 less than usual
		{begin: 312, end: 412, busy: 50, energy: 0, lost: true},
	}}
	if got := s.markLost(b); got != 106 {
		t.Errorf("the newly lost time is %d, want 106", got)
	}
	for i, want := range []bool{false, false, true, false, true, true} {
		if s.periods[i].lost != want {
			t.Errorf("period %d is lost: %v", i, !want)
		}
	}
}

// TestWorkingPower checks whether paths clearly use more energy than an idle device.
func TestWorkingPower(t *testing.T) {
	for _, c := range []struct {
		b    base
		want bool
	}{
		{base{idle: 1000, busy: 1.01, deviation: 0.1}, true},
		{base{idle: 1000, busy: 0.99, deviation: 0.1}, false},
		{base{idle: 0, busy: 1, deviation: 0.1}, true},
		{base{idle: 0, busy: 0, deviation: 0.1}, false},
		{base{idle: 1, busy: 1, deviation: maxDeviation}, true},
		{base{idle: 1, busy: 1, deviation: maxDeviation * 1.01}, false},
	} {
		if got := c.b.works(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.b, got, c.want)
		}
	}
}
