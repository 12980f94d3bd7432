package within

import (
	"math"
	"math/rand/v2"
	"testing"
)

// half returns the sums of half of a client with one candidate. excess is the n of the half, and d
// is its weight.
func half(excess, d float64) *Gram {
	g := NewGram(0)
	g.local = []int{0}
	g.owns, g.excesses = []int64{int64(d)}, []int64{int64(excess)}
	return g
}

// TestVariance has clients whose true excesses and weights differ. The noise of their rates differs
// too, and clients of small weight have more noise.
func TestVariance(t *testing.T) {
	const truth, mean = 0.3, 1.0 // The unit is 1/scale % per second.
	for _, spread := range []float64{truth, 0} {
		all := make([]Spread, 1)
		random := rand.New(rand.NewPCG(1, 3))
		for range 4000 {
			d := 1e7 * math.Exp(0.8*random.NormFloat64())
			excess := mean + spread*random.NormFloat64()
			noisy := func(part float64) *Gram {
				return half(excess*d*part+600*math.Sqrt(d)*math.Sqrt(1e7/d)*random.NormFloat64(), d*part)
			}
			noisy(0.4).AddHalves(noisy(0.6), []int64{int64(mean * scale * Unit)}, all)
		}
		if got := all[0].Variance() / scale / scale; math.Abs(got-spread*spread) > 0.01 {
			t.Errorf("the variance of the clients is %v, want %v", got, spread*spread)
		}
	}
	if got := (&Spread{}).Variance(); !math.IsNaN(got) {
		t.Errorf("without clients the variance is %v", got)
	}
}
