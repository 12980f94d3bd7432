package metered

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBlendOfPeriods checks how much of the power a meter shows in adjacent periods. The meter of the test
// shows the same part too early and too late.
func TestBlendOfPeriods(t *testing.T) {
	const idle, busy = 2.0, 10.0
	for _, c := range []struct {
		name       string
		early      float64
		periods    int
		deviation  float64
		want, most float64 // most is the largest accepted error of the result
	}{
		{"an exact meter", 0, 300, 0.01, 0, 0},
		{"a tenth on each side", 0.1, 300, 0.01, 0.2, 0.01},
		{"a quarter on each side", 0.25, 300, 0.01, 0.5, 0.01},
		{"an inexact power", 0.1, 300, 0.3, 0, 0},
		{"too few periods", 0.1, 4, 0.01, 0, 0},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		s := &sheet{}
		for i := range int64(c.periods) {
			s.periods = append(s.periods, period{begin: i * i, end: i*i + 2*i + 1}) // Their lengths differ.
			s.periods[i].busy = r.Float64() * s.periods[i].length()
		}
		for i := 1; i < c.periods-1; i++ {
			part := func(k int) float64 { return s.periods[k].busy / s.periods[k].length() }
			shown := (1-2*c.early)*part(i) + c.early*(part(i-1)+part(i+1))
			s.periods[i].energy = (idle + busy*shown + 0.05*r.NormFloat64()) * s.periods[i].length()
		}
		// A fit of single periods finds only the part that the meter shows in time.
		got := s.findBlend(&base{busy: busy * (1 - 2*c.early), idle: idle, deviation: c.deviation})
		if math.Abs(got-c.want) > c.most {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
