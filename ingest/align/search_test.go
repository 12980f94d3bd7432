package align

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// TestPearson compares correlations with values that follow from the definition. Too few pairs and
// constant values have no correlation.
func TestPearson(t *testing.T) {
	const other = 9 // The test computes the value.
	up, down := []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}
	for _, c := range []struct {
		a, b []float64
		lag  int
		want float64
	}{
		{up, up, 0, 1}, {up, down, 0, -1}, {up, []float64{9, 1, 2, 3, 4}, 1, 1}, {up, []float64{3, 4, 9, 9}, -2, 1}, {up, []float64{4, 9, 9, 9}, -3, -1}, {up, []float64{7, 7, 7, 7}, 0, -1}, {[]float64{7, 7, 7, 7}, up, 0, -1},
		{[]float64{1, 0, 1, 0}, []float64{1, 1, 0, 0}, 0, 0}, {[]float64{1, 2, 3, 3}, []float64{1, 2, 3, 4}, 0, other}, {up, []float64{1, 2, 9, 9}, 0, other},
	} {
		want := c.want
		if want == other {
			// The sums of squares and of products, by the definition.
			var x, y, xx, yy, xy float64
			for i := range c.a {
				x, y = x+c.a[i]/4, y+c.b[i]/4
			}
			for i := range c.a {
				xx, yy, xy = xx+math.Pow(c.a[i]-x, 2), yy+math.Pow(c.b[i]-y, 2), xy+(c.a[i]-x)*(c.b[i]-y)
			}
			want = xy / math.Sqrt(xx*yy)
		}
		if got := pearson(c.a, c.b, c.lag); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v with %v from %d: %v, want %v", c.a, c.b, c.lag, got, want)
		}
	}
}

// pulses returns an activity with work in the given bins of n.
func pulses(n int, at ...int) *activity {
	a := &activity{width: int64(10 * time.Millisecond), bins: make([]float64, n)}
	for _, i := range at {
		a.bins[i] = 5
	}
	return a
}

// TestCorrelate finds where a recording begins by the time of its work, and refuses what is not clear.
func TestCorrelate(t *testing.T) {
	for _, c := range []struct {
		what    string
		did, dr *activity
		bins    int // by how many bins the other recording begins later
		fails   string
	}{
		{"at the same time", pulses(40, 3, 9, 20, 33), pulses(40, 3, 9, 20, 33), 0, ""},
		{"earlier", pulses(40, 3, 9, 20, 33), pulses(60, 13, 19, 30, 43), -10, ""},
		{"later", pulses(40, 13, 19, 30, 33), pulses(40, 8, 14, 25, 28), 5, ""},
		{"the work repeats", pulses(40, 3, 13, 23, 33), pulses(60, 3, 13, 23, 33, 43, 53), 0, "ambiguous"},
		{"other work", pulses(40, 3, 9, 20, 33), pulses(40, 5), 0, "ambiguous"},
		{"no energy", pulses(40, 3), &activity{}, 0, "neither energy nor busy cores"},
		{"a short run", pulses(minBins-1, 3), pulses(40, 3), 0, "too short"},
		{"a much shorter recording", pulses(40, 3, 9), pulses(10, 3), 0, "much shorter"},
	} {
		p, err := correlate(c.did, c.dr)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %+v, %v", c.what, p, err)
			}
			continue
		}
		if want := time.Duration(c.bins) * 10 * time.Millisecond; err != nil || p.Shift != want || p.By != "activity" || p.Residual != 10*time.Millisecond || p.Correlation < 0.99 {
			t.Errorf("%s: %+v, %v; want a shift of %v", c.what, p, err, want)
		}
	}
}

// TestZone looks for recordings in a wrong time zone.
func TestZone(t *testing.T) {
	const hour, minute = int64(time.Hour), int64(time.Minute)
	for _, c := range []struct{ begin, end, length, want int64 }{
		{2 * hour, 2*hour + 10*minute, 10 * minute, 2 * hour}, {-90 * minute, -80 * minute, 10 * minute, -90 * minute}, {26 * hour, 26*hour + 10*minute, 10 * minute, 26 * hour}, {27 * hour, 27*hour + 10*minute, 10 * minute, 0},
		{-26 * hour, -26*hour + 10*minute, 10 * minute, -26 * hour}, {30 * hour, 31 * hour, 10 * minute, 0}, {0, 10 * minute, 10 * minute, 0}, {19 * minute, 29 * minute, 10 * minute, 15 * minute}, {20 * minute, 30 * minute, 10 * minute, 0}, {25 * minute, 35 * minute, 10 * minute, 0}, {26 * minute, 36 * minute, 10 * minute, 30 * minute},
	} {
		if got := zone(c.begin, c.end, c.length); got != c.want {
			t.Errorf("a recording from %v to %v of a run of %v: %v, want %v", time.Duration(c.begin), time.Duration(c.end), time.Duration(c.length), time.Duration(got), time.Duration(c.want))
		}
	}
}

// TestChooseShift chooses the best of several correlations, unless a distant one is nearly as good.
func TestChooseShift(t *testing.T) {
	const step = int64(500 * time.Millisecond) // Shifts within 3 steps are near.
	for _, c := range []struct {
		all  []float64
		at   int
		fine bool
	}{
		{[]float64{0, 0, 0.9, 0, 0, 0, 0}, 2, true}, {[]float64{0, 0.8, 0.9, 0.8, 0, 0.8, 0}, 2, true}, {[]float64{0, 0, 0.9, 0, 0, 0, 0.8}, 0, false}, {[]float64{0.7, 0, 0.9, 0, 0, 0, 0.7}, 2, true}, {[]float64{0, 0, 0.5, 0, 0, 0, 0}, 0, false},
		{[]float64{0.8, 0, 0, 0, 0, 0.9}, 0, false}, {[]float64{0, 0, 0.8, 0, 0, 0.9}, 5, true},
	} {
		at, err := choose(c.all, c.all, 0, step)
		if (err == nil) != c.fine || at != c.at {
			t.Errorf("%v: %d, %v", c.all, at, err)
		}
	}
	if _, err := choose([]float64{0, 0.9}, []float64{0, 0.5}, 0, step); err == nil {
		t.Error("a group of bursts that is not seen is enough")
	}
}

// TestTemplates checks the load that bursts should cause.
func TestTemplates(t *testing.T) {
	at := int64(10 * time.Second)
	near, far := trace.Burst{Begin: at + 3*cell, End: at + 4*cell + cell/2}, trace.Burst{Begin: at + 3*cell + 2*group, End: at + 4*cell + 2*group}
	made := newTemplate([]trace.Burst{{Begin: at, End: at + cell}, near, far})
	if made.begin != at-margin || made.end != near.End+margin || made.middle() != (at+near.End)/2 {
		t.Errorf("the group is from %d to %d", made.begin-at, made.end-at)
	}
	sum, first := 0.0, -1
	for i, load := range made.load {
		if sum += load; load > 0 && first < 0 {
			first = i
		}
	}
	if math.Abs(sum-2.5) > 1e-9 || int64(first) != margin/cell {
		t.Errorf("the load is %v cells from cell %d on", sum, first)
	}
}
