package repeats

import (
	"math"
	"testing"
)

// TestSequences checks that the sides explain only a little of the variance of the runs' positions
// if runs are made in turn, and most of it if they are made one side after the other.
func TestSequences(t *testing.T) {
	for sides, want := range map[string]Sequence{
		"ABAB": InTurn, "ABBA": InTurn, "ABBAAB": InTurn, "AABBAABB": InTurn, "ABABABABAB": InTurn,
		"AABB": OneAfterOther, "BBBAAA": OneAfterOther, "AAAAABBBBB": OneAfterOther, "AAABAB": OneAfterOther,
	} {
		o := orderOf(sides)
		if o.Sequence != want {
			t.Errorf("%s is %v, want %v", sides, o.Sequence, want)
		}
	}
	for _, o := range []Order{NewOrder(nil, nil), NewOrder([]float64{1}, nil), NewOrder([]float64{3, 3}, []float64{3, 3})} {
		if o.Sequence != UnknownOrder {
			t.Errorf("%+v is no order", o)
		}
	}
}

// orderOf returns the order of runs. sides has the side of each run, such as ABBA.
func orderOf(sides string) Order {
	var subject, reference []float64
	for k, side := range sides {
		if side == 'A' {
			subject = append(subject, float64(k))
		} else {
			reference = append(reference, float64(k))
		}
	}
	return NewOrder(subject, reference)
}

// drifting returns the figures of equal programs that drift by a fraction from run to run.
func drifting(sides string, drift float64) Pair {
	var p Pair
	for k, side := range sides {
		x := 1000*(1+drift*float64(k)) + float64(k*k*7%5)
		if side == 'A' {
			p.Subject = append(p.Subject, x)
		} else {
			p.Reference = append(p.Reference, x)
		}
	}
	return p
}

// TestDriftIsNoChange checks that a drift of any size is no evidence of a difference between equal
// programs, if the order is known. In each order, a large growth is evidence.
func TestDriftIsNoChange(t *testing.T) {
	for _, sides := range []string{"ABAB", "ABBA", "AABB", "BBAA", "ABABAB", "AAABBB", "AAAAABBBBB", "BBBBBAAAAA", "ABBAABBAAB", "AAAAAAAABBBBBBBB"} {
		for _, drift := range []float64{-0.01, 0, 0.01, 0.03} {
			p := drifting(sides, drift)
			c := Conditions{Order: orderOf(sides).TestTrend(p), Builds: DefaultBuilds}
			if e := JudgeUnder(c, []Pair{p}).Tasks[0]; e.Verdict != NoEvidence {
				t.Errorf("%s, drift %v: %+v", sides, drift, e)
			}
			grown := Pair{times(p.Subject, 20), p.Reference}
			c.Order = orderOf(sides).TestTrend(grown)
			e := JudgeUnder(c, []Pair{grown}).Tasks[0]
			if few := len(sides) < 6; e.Verdict != Costlier && !few {
				t.Errorf("%s, drift %v: 20 times as much is %+v", sides, drift, e)
			}
			if e.Interval.Least > e.Interval.Most || math.IsNaN(e.P) {
				t.Errorf("%s: %+v", sides, e)
			}
		}
	}
}

// TestTrendIsRemoved checks that a trend of runs made in turn is found, and that its part of the
// difference is removed.
func TestTrendIsRemoved(t *testing.T) {
	p := drifting("ABABABAB", 0.02)
	o := orderOf("ABABABAB").TestTrend(p)
	if !o.Adjusted || math.Abs(o.Trend-0.0187) > 0.002 {
		t.Fatalf("%+v", o)
	}
	e := JudgeUnder(Conditions{Order: o}, []Pair{p}).Tasks[0]
	if middle := (e.Interval.Least + e.Interval.Most) / 2; math.Abs(middle) > 3 || e.Difference > -15 {
		t.Errorf("the interval %+v of %v is not around 0", e.Interval, e.Difference)
	}
}

// TestMoreRunsNeverSuffice checks that the noise between builds hides small differences, however
// many runs there are.
func TestMoreRunsNeverSuffice(t *testing.T) {
	s := SpreadOf(100, 0.01).WithBuilds(DefaultBuilds, 0)
	if _, ok := s.Needed(0.08, 1); ok {
		t.Error("8 % can be shown")
	}
	if n, ok := s.Needed(0.15, 1); !ok || n > 5 {
		t.Errorf("15 %% takes %d runs", n)
	}
	if with, without := s.Detectable(5, 1), s.WithBuilds(0, 0).Detectable(5, 1); with <= without {
		t.Errorf("%v with noise between builds, %v without", with, without)
	}
}

// TestComingAndGoing checks that a row that is in all runs of only one side is evidence only if few
// rows come and go.
func TestComingAndGoing(t *testing.T) {
	study := func(n, some int) Estimate {
		side := func(x float64, has func(k int) bool) []float64 {
			out := make([]float64, n)
			for k := range out {
				if has(k) {
					out[k] = x * (1 + 0.01*float64((k*7+int(x))%5))
				}
			}
			return out
		}
		always, never := func(int) bool { return true }, func(int) bool { return false }
		pairs := []Pair{{side(500, always), side(500, never)}}
		for i := range 30 {
			pairs = append(pairs, Pair{side(float64(300+17*i), always), side(float64(301+17*i), always)})
		}
		for i := range some {
			pairs = append(pairs, Pair{side(float64(450+31*i), func(k int) bool { return k>>i&1 == 0 }), side(float64(460+31*i), func(k int) bool { return (k+1)>>i&1 == 0 })})
		}
		return Judge(pairs).Tasks[0]
	}
	for _, c := range []struct {
		n, some int
		want    Verdict
	}{{2, 0, NoEvidence}, {3, 0, Costlier}, {3, 2, NoEvidence}, {5, 2, Costlier}} {
		if e := study(c.n, c.some); e.Verdict != c.want {
			t.Errorf("%d runs, %d rows that come and go: %+v", c.n, c.some, e)
		}
	}
	// The example of a tea tasting (Fisher 1935) compares 3 of 4 with 1 of 4.
	if p := fisher(3, 4, 1, 4); !near(p, 34.0/70, 1e-9) {
		t.Errorf("p = %v", p)
	}
	if got := ratio(2, 2); !near(got, 1.0/6, 1e-9) {
		t.Errorf("the ratio is %v", got)
	}
}

// TestBetweenBuilds checks that equal builds without offsets give less noise than the default, and
// that builds with offsets give the noise of these offsets.
func TestBetweenBuilds(t *testing.T) {
	quiet := EqualBuilds{Total: Pair{[]float64{100, 101, 99}, []float64{100, 99, 101}}}
	for i := range 30 {
		x := float64(100 + i)
		quiet.Rows = append(quiet.Rows, Pair{[]float64{x, x + 0.5, x - 0.5}, []float64{x, x - 0.4, x + 0.4}})
	}
	total, row := BetweenBuilds([]EqualBuilds{quiet})
	if !near(total, DefaultBuilds/math.Sqrt2, 1e-9) || row != total {
		t.Errorf("%v, %v", total, row)
	}
	shifted := quiet
	shifted.Total = Pair{[]float64{120, 121, 119}, []float64{100, 99, 101}}
	if more, _ := BetweenBuilds([]EqualBuilds{shifted}); more < 0.08 {
		t.Errorf("a difference of a fifth shows %v", more)
	}
	if x, _ := BetweenBuilds(nil); x != DefaultBuilds {
		t.Errorf("no builds show %v", x)
	}
	var history [][]float64
	for i := range 12 {
		history = append(history, []float64{100 + float64(i%2), 100.2 + float64(i%2)})
	}
	if x := BetweenEntries(history); x <= 0 || x > 0.025 {
		t.Errorf("a steady history shows %v", x)
	}
	if x := BetweenEntries(history[:3]); x != DefaultBuilds {
		t.Errorf("three entries show %v", x)
	}
}
