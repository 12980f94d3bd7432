package repeats

import (
	"math"
	"testing"
)

// TestEvenIsTheWeightedMedian checks the factor by which all rows changed. For an even number of
// rows of equal weight, it is the geometric mean of the two in the middle.
func TestEvenIsTheWeightedMedian(t *testing.T) {
	row := func(subject, reference float64) ReadingPair {
		return ReadingPair{Subject: Reading{Figure: subject}, Reference: Reading{Figure: reference}}
	}
	for name, c := range map[string]struct {
		rows        []ReadingPair
		want        float64
		ok          bool
		along, both int
	}{
		"three rows":                         {[]ReadingPair{row(186, 114), row(180, 120), row(182, 118)}, 182.0 / 118, true, 3, 3},
		"four rows":                          {[]ReadingPair{row(186, 114), row(180, 120), row(184, 116), row(182, 118)}, math.Sqrt(182.0 / 118 * 184 / 116), true, 4, 4},
		"a heavy row":                        {[]ReadingPair{row(186, 114), row(1800, 1200), row(184, 116), row(182, 118)}, 1.5, true, 4, 4},
		"all cost less":                      {[]ReadingPair{row(114, 186), row(120, 180), row(118, 182)}, 118.0 / 182, true, 3, 3},
		"rows of one side":                   {[]ReadingPair{row(186, 114), row(180, 120), row(182, 118), row(50, 0), row(0, 50)}, 182.0 / 118, true, 3, 3},
		"one row of five costs less":         {[]ReadingPair{row(186, 114), row(180, 120), row(184, 116), row(182, 118), row(140, 160)}, 182.0 / 118, false, 4, 5},
		"a row with most of the energy":      {[]ReadingPair{row(682, 88), row(26, 20), row(5, 4)}, 682.0 / 88, false, 3, 3},
		"two rows":                           {[]ReadingPair{row(186, 114), row(180, 120)}, 1, false, 0, 2},
		"ratios that differ by their change": {[]ReadingPair{row(101, 100), row(110, 100), row(200, 100)}, 1.1, false, 3, 3},
	} {
		got, ok := Even(c.rows)
		if ok != c.ok || math.Abs(got.Factor-c.want) > 1e-9 && c.ok {
			t.Errorf("%s: Even = %v, %v, want %v, %v", name, got.Factor, ok, c.want, c.ok)
		}
		if got.Along != c.along || got.Rows != c.both {
			t.Errorf("%s: %d of %d rows change like all, want %d of %d", name, got.Along, got.Rows, c.along, c.both)
		}
	}
}
