package metered

import (
	"math/rand/v2"
	"testing"
)

// TestBusyTime checks the busy time up to a moment. A cursor may be asked for earlier moments again.
func TestBusyTime(t *testing.T) {
	b := &busyTime{at: []int64{10, 20, 40}, busy: []float64{0, 5, 25}}
	c := busyCursor{busyTime: b}
	for _, test := range []struct {
		moment int64
		want   float64
	}{{5, 0}, {10, 0}, {15, 2.5}, {20, 5}, {30, 15}, {40, 25}, {50, 25}, {40, 25}, {22, 7}, {20, 5}, {9, 0}, {12, 1}} {
		if got := c.until(test.moment); got != test.want {
			t.Errorf("up to %d: %v, want %v", test.moment, got, test.want)
		}
	}
	if none := (busyCursor{busyTime: new(busyTime)}); none.until(7) != 0 {
		t.Errorf("without paths: %v", none.until(7))
	}
}

// TestFoundShift checks that the shift of a meter is found to a quarter of a period. A power that
// has nothing to do with the paths shows no shift.
func TestFoundShift(t *testing.T) {
	const length, periods = 100, 200
	r := rand.New(rand.NewPCG(5, 6))
	s := &sheet{}
	at, busy := int64(0), 0.0
	for at < (periods+20)*length { // Paths run for a random part of each step.
		step := 10 + r.Int64N(60)
		at, busy = at+step, busy+r.Float64()*float64(step)
		s.time.at, s.time.busy = append(s.time.at, at), append(s.time.busy, busy)
	}
	for _, test := range []struct {
		shift  int64
		paths  float64 // the power of paths
		chance float64 // the standard deviation of other power
		want   int64
	}{
		{0, 10, 0.1, 0}, {25, 10, 0.1, 25}, {-75, 10, 0.1, -75}, {250, 10, 0.1, 250}, {800, 10, 0.1, 800}, {-800, 10, 0.1, -800},
		{250, 0, 1, 0}, {250, 1, 10, 0}, {1000, 10, 0.1, 0},
	} {
		time := busyCursor{busyTime: &s.time}
		s.periods = nil
		for i := range int64(periods) {
			begin := (i + 10) * length
			ran := time.until(begin+length+test.shift) - time.until(begin+test.shift)
			s.periods = append(s.periods, period{begin: begin, end: begin + length, energy: 2*length + test.paths*ran + test.chance*length*r.NormFloat64()})
		}
		if got := s.findShift(length); got != test.want {
			t.Errorf("a shift of %d, with the power %v of paths and %v of others: found %d, want %d", test.shift, test.paths, test.chance, got, test.want)
		}
	}
}
