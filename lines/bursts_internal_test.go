package lines

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// burstsOf returns the streaks of a thread whose samples come in bursts. The samples of a burst are
// 1 ms apart. periods has the distances in ms between the beginnings of bursts. place is the method
// of a sample.
func burstsOf(samples int, periods []int64, place func(burst, sample int) trace.MethodID) *streaks {
	const ms = 1_000_000
	s := new(streaks)
	begin := int64(ms)
	for b := range len(periods) + 1 {
		for i := range samples {
			s.add(&trace.Sample{Time: begin + int64(i)*ms, Count: 1}, []trace.MethodID{place(b, i)}, 0)
		}
		if b < len(periods) {
			begin += periods[b] * ms
		}
	}
	return s
}

// equal returns n periods of some milliseconds.
func equal(n int, ms int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = ms
	}
	return all
}

// unequal returns n periods that alternate between 60 ms and 140 ms.
func unequal(n int) []int64 {
	all := equal(n, 60)
	for i := 1; i < n; i += 2 {
		all[i] = 140
	}
	return all
}

// TestOffShare checks when bursts show that the recorder was off between them, and for which share
// of the time.
func TestOffShare(t *testing.T) {
	for _, test := range []struct {
		name    string
		samples int
		periods []int64
		want    float64
	}{
		// A gap of 81 ms has 80 ms more than the usual distance. 20 such gaps are 1600 of 2019 ms.
		{"bursts at equal distances", 20, equal(20, 100), 1600.0 / 2019},
		{"distances that differ by 2 ms", 20, []int64{99, 101, 99, 101, 99, 101, 99, 101, 99, 101, 99, 101, 99, 101, 99, 101, 99, 101, 99, 101}, 1600.0 / 2019},
		{"bursts at unequal distances", 20, unequal(20), 0},
		{"few bursts", 20, equal(10, 100), 0},
		{"just enough bursts", 20, equal(11, 100), 880.0 / 1119},
		{"short gaps", 80, equal(20, 100), 0},
		{"no gaps", 100, equal(20, 100), 0},
	} {
		s := burstsOf(test.samples, test.periods, func(int, int) trace.MethodID { return 0 })
		if got := s.offShare(); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%s: off for %.3f of the time, want %.3f", test.name, got, test.want)
		}
	}
}

// TestOffDoubt checks when it matters whether an app slept or its recorder was off between bursts
// at unequal distances.
func TestOffDoubt(t *testing.T) {
	perBurst := func(burst, _ int) trace.MethodID { return trace.MethodID(burst % 2) }
	perSample := func(_, sample int) trace.MethodID { return trace.MethodID(sample % 2) }
	for _, test := range []struct {
		name    string
		samples int
		periods []int64
		place   func(burst, sample int) trace.MethodID
		want    float64
	}{
		// 20 gaps of 41 ms or 121 ms have 1600 ms more than the usual distances.
		{"each burst has a line of its own", 20, unequal(20), perBurst, 1600.0 / 2019},
		{"all bursts have the same lines", 20, unequal(20), perSample, 0},
		{"the recorder was off", 20, equal(20, 100), perBurst, 0},
		{"few bursts", 20, unequal(8), perBurst, 0},
		{"short gaps", 56, unequal(20), perBurst, 0},
	} {
		s := burstsOf(test.samples, test.periods, test.place)
		if got := s.offDoubt(); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%s: in doubt for %.3f of the time, want %.3f", test.name, got, test.want)
		}
	}
}
