package regression

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
)

// squareBlocks returns blocks with as many rows as unknowns. A row has one unknown, or more if mixed is set. Unless equal is set,
// the variances of the measurements differ much.
func squareBlocks(random *rand.Rand, count int, mixed, equal bool, spread float64) (blocks []Block, truth [][]float64) {
	for range count {
		b := Block{}
		var x []float64
		for range 2 + random.IntN(5) {
			prior := math.Exp(random.NormFloat64())
			b.Prior, x = append(b.Prior, prior), append(x, prior*(1+spread*random.NormFloat64()))
		}
		for r := range x {
			row, energy, expected := make([]float64, len(x)), 0.0, 0.0
			for k := range row {
				if k == r || mixed && random.IntN(3) > 0 {
					row[k] = 1
				}
				energy, expected = energy+row[k]*x[k], expected+row[k]*b.Prior[k]
			}
			deviation := 0.2 * expected
			if !equal {
				deviation *= math.Exp(random.NormFloat64())
			}
			b.Rows, b.Y = append(b.Rows, row), append(b.Y, energy+deviation*random.NormFloat64())
			b.Variance = append(b.Variance, deviation*deviation)
		}
		blocks, truth = append(blocks, b), append(truth, x)
	}
	return blocks, truth
}

// TestShrinkSquare checks the intervals where blocks have as many rows as unknowns, so that little distinguishes the spread from the noise.
// The likeliest noise is then often 0, and intervals by it hold 3 to 90 of 100 unknowns.
func TestShrinkSquare(t *testing.T) {
	const runs = 60
	held := func(within float64, count int, mixed, equal bool, spread float64) float64 {
		in, all := 0, 0
		for seed := range uint64(runs) {
			blocks, truth := squareBlocks(rand.New(rand.NewPCG(seed, 7100)), count, mixed, equal, spread)
			s, err := Shrink(blocks, within)
			if err != nil {
				t.Fatal(err)
			}
			for i := range blocks {
				for k, x := range truth[i] {
					weights := make([]float64, len(truth[i]))
					weights[k] = 1
					all++
					if math.Abs(s.Blocks[i].X[k]-x) <= 1.96*s.Blocks[i].Deviation(weights, nil) {
						in++
					}
				}
			}
		}
		return float64(in) / float64(all)
	}
	for _, mixed := range []bool{false, true} {
		for _, equal := range []bool{false, true} {
			sum, settings := 0.0, 0.0
			for _, count := range shorten.Some([]int{3, 10, 40}) {
				for _, spread := range []float64{0.05, 0.1, 0.3, 0.6, 1} {
					share := held(2, count, mixed, equal, spread)
					t.Logf("mixed %t, equal %t, %d blocks, spread %v: %.3f held", mixed, equal, count, spread, share)
					if share < 0.9 {
						t.Errorf("mixed %t, equal %t, %d blocks, spread %v: %.3f of the intervals hold", mixed, equal, count, spread, share)
					}
					sum, settings = sum+share, settings+1
				}
			}
			if mean := sum / settings; mean > 0.99 {
				t.Errorf("mixed %t, equal %t: %.3f of the intervals hold, so they are too wide", mixed, equal, mean)
			}
		}
	}
	// Without a bound of the noise, the intervals do not hold. The bound is the remedy.
	if share := held(0, 10, false, true, 0.3); share > 0.5 {
		t.Errorf("%.3f of the intervals by the likeliest noise hold", share)
	}
}
