package within

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
)

// TestAloneHoldsTheTruth has phones that discharge slowly at night and fast by day, and faster in
// some hours than in others. An app that starts and stops uses 3 % per hour more. The intervals
// contain this excess.
func TestAloneHoldsTheTruth(t *testing.T) {
	const phones, truth = 200, 3.0 / 3600
	held, sum := 0, 0.0
	for seed := range uint64(phones) {
		random := rand.New(rand.NewPCG(seed, 5))
		c := samples.NewClient(samples.ID(seed+1), 0)
		at, level := int64(1_700_000_000_000), 100.0
		runs, left, hour := false, 0, 1.0
		for n := range 500 {
			if left--; left < 0 {
				runs, left = !runs, int(random.ExpFloat64()*8)
			}
			if n%8 == 0 {
				hour = math.Exp(0.5 * random.NormFloat64())
			}
			s := samples.Sample{Time: at, Level: int32(math.Floor(level) * samples.Percent)}
			if runs {
				s.Apps = append(s.Apps, 1)
			}
			c.Add(&s)
			rate := 0.5 / 3600 * hour
			if n%96 > 32 {
				rate *= 10
			}
			if runs {
				rate += truth
			}
			pause := 600 + 600*random.Float64()
			at += int64(pause * 1000)
			if level -= rate * pause; level < 10 {
				level = 100
			}
		}
		w := &pairs.Work{Options: pairs.Options{Model: -1}}
		w.Load(c)
		e, _ := Alone(w, 0, true, []float64{0}, func(p *pairs.Pair) int64 { return c.Times[p.From] })
		if math.Abs(e.Excess-truth) <= e.Half(0.95) {
			held++
		}
		sum += e.Excess
	}
	if held*100 < phones*90 {
		t.Errorf("%d of %d intervals hold the truth", held, phones)
	}
	if mean := sum / phones; mean < 0.9*truth || mean > 1.1*truth {
		t.Errorf("on average %v, in truth %v", mean, truth)
	}
	t.Logf("%d of %d intervals hold, on average %.2f of the truth", held, phones, sum/phones/truth)
}
