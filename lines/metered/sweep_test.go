package metered

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestReadingsOfMeters checks which readings a meter keeps, and its errors.
func TestReadingsOfMeters(t *testing.T) {
	for _, c := range []struct {
		name     string
		readings []reading
		want     meter
		failure  string
	}{
		{"rising", []reading{{1, 5}, {2, 7}, {3, 8}}, meter{{1, 5}, {2, 7}, {3, 8}}, ""},
		{"repeated values", []reading{{1, 5}, {2, 5}, {3, 8}, {4, 8}}, meter{{1, 5}, {3, 8}}, ""},
		{"two values at a moment", []reading{{1, 5}, {2, 6}, {2, 9}}, meter{{1, 5}, {2, 9}}, ""},
		{"falling", []reading{{1, 5}, {2, 4}}, nil, "the meter falls from 5 to 4 nJ"},
		{"out of order", []reading{{2, 5}, {1, 6}}, nil, "not in order of time"},
		{"still", []reading{{1, 5}, {2, 5}}, nil, "does not change"},
		{"one reading", []reading{{1, 5}}, nil, "does not change"},
	} {
		got, err := newMeter(c.readings)
		if c.failure == "" && (err != nil || !slices.Equal(got, c.want)) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
		if c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.failure)
		}
	}
}

// TestSumsOfMeters checks that the sum has the times of the meter with the fewest readings, as far
// as all meters have them.
func TestSumsOfMeters(t *testing.T) {
	few, many := meter{{0, 100}, {20, 140}, {40, 150}}, meter{{10, 7}, {15, 8}, {30, 23}, {50, 33}}
	if got, err := sum([]meter{many}); err != nil || !slices.Equal(got, many) {
		t.Errorf("one meter: %v, %v", got, err)
	}
	// At 20, the second meter has risen by 1 and a third of 15. At 40, it has risen by 21.
	for _, all := range [][]meter{{few, many}, {many, few}} {
		if got, err := sum(all); err != nil || !slices.Equal(got, meter{{20, 46}, {40, 71}}) {
			t.Errorf("two meters: %v, %v", got, err)
		}
	}
	if _, err := sum([]meter{few, {{30, 0}, {50, 1}, {60, 2}, {70, 3}}}); err == nil || !strings.Contains(err.Error(), "no time in common") {
		t.Errorf("one common time: %v", err)
	}
	if got := few.energy(10, 30); got != 25 {
		t.Errorf("the energy from 10 to 30 is %d, want 25", got)
	}
	if got := few.energy(-5, 99); got != 50 {
		t.Errorf("the energy of all times is %d, want 50", got)
	}
}

// TestSlicesOfTime checks the slices of two threads. Run 1 is a call within run 0, and run 3 waits.
func TestSlicesOfTime(t *testing.T) {
	const code, wait = 0, 1
	runs := []run{{code, 10, 50}, {code, 20, 30}, {code, 25, 60}, {wait, 40, 45}}
	kindOf := func(path int32) kind {
		if path == wait {
			return ofWait
		}
		return 0
	}
	edges := innermost(1, runs, []int32{0, 1, 3}, kindOf, nil)
	edges = innermost(2, runs, []int32{2}, kindOf, edges)
	var got []string
	sweep(edges, []int64{5, 15, 55, 99}, func(s *slice) { got = append(got, fmt.Sprintf("%d-%d%d", s.begin, s.end, s.runs)) })
	want := []string{"10-15[0]", "15-20[0]", "20-25[1]", "25-30[1 2]", "30-40[0 2]", "40-45[2]", "45-50[0 2]", "50-55[2]", "55-60[2]"}
	if !slices.Equal(got, want) {
		t.Errorf("the slices are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Two calls that end together, and a caller that ends before its callee.
	got = nil
	runs = []run{{code, 0, 20}, {code, 5, 20}, {code, 30, 40}, {code, 35, 45}}
	sweep(innermost(trace.ThreadID(1), runs, []int32{0, 1, 2, 3}, kindOf, nil), nil, func(s *slice) { got = append(got, fmt.Sprintf("%d-%d%d", s.begin, s.end, s.runs)) })
	if want := []string{"0-5[0]", "5-20[1]", "30-35[2]", "35-45[3]"}; !slices.Equal(got, want) {
		t.Errorf("the slices are %q, want %q", got, want)
	}
}
