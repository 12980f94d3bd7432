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
		e := Alone(w, 0, true, []float64{0}, func(p *pairs.Pair) int64 { return c.Times[p.From] })
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

// TestSwitching has phones with an app that starts and stops every few minutes. Samples are taken
// at each per cent, or every quarter of an hour. The app may start and stop again between two
// samples, which Alone does not see. The excess is between the estimates of Alone and of Switching,
// and their intervals together contain it.
func TestSwitching(t *testing.T) {
	const phones, truth = 100, 8.0 / 3600
	for name, quarters := range map[string]bool{"each per cent": false, "each quarter of an hour": true} {
		held, sum, alone := 0, 0.0, 0.0
		for seed := range uint64(phones) {
			random := rand.New(rand.NewPCG(seed, 6))
			c := samples.NewClient(samples.ID(seed+1), 0)
			level, next, runs, noise := 100.0, 100.0, false, 0.0
			for minute := range 8 * 1440 {
				mean := 40
				if runs {
					mean = 15
				}
				if random.IntN(mean) == 0 {
					runs = !runs
				}
				noise += -noise/60 + 0.05*random.NormFloat64()
				rate := 3.0 / 3600 * math.Exp(noise)
				if runs {
					rate += truth
				}
				level -= 60 * rate
				if quarters && minute%15 > 0 || !quarters && level > next-1 {
					continue
				}
				next = math.Ceil(level)
				s := samples.Sample{Time: 1_700_000_000_000 + int64(minute)*60_000, Level: int32(level * samples.Percent), State: samples.Discharging}
				if !quarters {
					s.Level = int32(next) * samples.Percent
				}
				if runs {
					s.Apps = append(s.Apps, 1)
				}
				if c.Add(&s); level < 10 {
					level, next = 100, 100
				}
			}
			w := &pairs.Work{Options: pairs.Options{Model: -1}}
			w.Load(c)
			begins := func(p *pairs.Pair) int64 { return c.Times[p.From] }
			e := Switching(w, 0, []float64{0}, begins)
			a := Alone(w, 0, true, []float64{0}, begins)
			if a.Excess-a.Half(0.95) <= truth && truth <= e.Excess+e.Half(0.95) {
				held++
			}
			sum, alone = sum+e.Excess, alone+a.Excess
		}
		t.Logf("%s: %d of %d intervals hold, on average %.3f of the truth, and %.3f alone", name, held, phones, sum/phones/truth, alone/phones/truth)
		if held*100 < phones*90 || sum/phones < 0.98*truth || sum/phones > 1.15*truth || alone/phones > 0.92*truth {
			t.Errorf("%s: %d of %d intervals hold, on average %.3f of the truth, and %.3f alone", name, held, phones, sum/phones/truth, alone/phones/truth)
		}
	}
	// An app that always runs has no contrast.
	c := samples.NewClient(1, 0)
	for i := range 20 {
		c.Add(&samples.Sample{Time: 1_700_000_000_000 + int64(i)*600_000, Level: int32(100-i) * samples.Percent, Apps: []uint32{1}})
	}
	w := &pairs.Work{Options: pairs.Options{Model: -1}}
	w.Load(c)
	if e := Switching(w, 0, []float64{0}, func(p *pairs.Pair) int64 { return c.Times[p.From] }); !math.IsNaN(e.Excess) {
		t.Errorf("an app that always runs has the excess %v", e.Excess)
	}
}
