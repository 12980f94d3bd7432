package energy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestCurve makes curves of random meters, and compares the powers with the energy between all
// readings. A curve keeps a bounded number of readings. The energy of all columns is the energy of
// the run.
func TestCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		var c Curve
		var all []Reading
		skip, at := int64(0), Reading{Time: r.Int64N(1000)}
		for i := range 2 + r.Int64N(3000) {
			c, skip = c.add(at, i, skip)
			all = append(all, at)
			at.Time += 1 + r.Int64N(1_000_000)
			at.Energy += units.Energy(r.Int64N(5_000_000))
		}
		last := all[len(all)-1]
		if len(c) > maxCurveReadings || c[0] != all[0] || last.Time-c[len(c)-1].Time > (skip+1)*1_000_000 {
			t.Fatalf("round %d: %d readings of %d, from %v to %v", round, len(c), len(all), c[0], c[len(c)-1])
		}
		for _, kept := range c {
			if !slices.Contains(all, kept) {
				t.Fatalf("round %d: %v is no reading", round, kept)
			}
		}
		const n = 20
		begin, end := c[0].Time, c[len(c)-1].Time
		var sum float64
		for i, p := range c.Powers(begin, end, n) {
			from, to := begin+units.MulDiv(end-begin, int64(i), n), begin+units.MulDiv(end-begin, int64(i)+1, n)
			if from < to {
				sum += float64(p) * float64(to-from) / 1e6
			}
		}
		whole := float64(c[len(c)-1].Energy - c[0].Energy)
		if off := sum - whole; off > whole*1e-3+float64(end-begin)/1e6*n || off < -whole*1e-3-float64(end-begin)/1e6*n {
			t.Errorf("round %d: the columns have %.0f nJ, the run %.0f", round, sum, whole)
		}
	}
	steady := Curve{{100, 0}, {200, 50}}
	if got := steady.Powers(0, 300, 3); !slices.Equal(got, []units.Power{-1, 500_000, -1}) {
		t.Errorf("powers %v", got)
	}
}
