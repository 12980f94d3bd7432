package within

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBetween has clients whose true excesses differ, and clients of different weight. The rates of
// each client have noise.
func TestBetween(t *testing.T) {
	const truth, mean = 0.3, 1.0 // The unit is 1/scale % per second.
	for _, spread := range []float64{truth, 0} {
		var c Contrast
		random := rand.New(rand.NewPCG(1, 3))
		for range 2000 {
			d := 1e7 * math.Exp(0.4*random.NormFloat64())
			excess := mean + spread*random.NormFloat64()
			n := excess*d + 400*math.Sqrt(d)*random.NormFloat64()
			c.Add(int64(n), int64(d))
			c.AddRatio(int64(n), int64(d))
		}
		if got := c.Between() / scale; math.Abs(got-spread) > 0.05 {
			t.Errorf("the clients differ by %v, want %v", got, spread)
		}
	}
}
