package regression

import (
	"math"
	"math/rand/v2"
	"testing"
)

// joint returns the unknowns. It solves the normal equations of measurements and priors by Gaussian
// elimination.
func joint(b *Block, spread, noise float64) []float64 {
	var rows [][]float64
	var y, weights []float64
	for i, row := range b.Rows {
		rows, y, weights = append(rows, row), append(y, b.Y[i]), append(weights, 1/(noise*b.Variance[i]))
	}
	for k, prior := range b.Prior {
		row := make([]float64, len(b.Prior))
		row[k] = 1
		rows, y, weights = append(rows, row), append(y, prior), append(weights, 1/(spread*spread*prior*prior))
	}
	return eliminate(rows, y, weights)
}

// likelihood is minus twice the logarithm of the likelihood of two measurements, by the determinant of their
// covariance.
func likelihood(b *Block, spread, noise float64) float64 {
	var v [2][2]float64
	var r [2]float64
	for i := range 2 {
		r[i] = b.Y[i]
		for k, p := range b.Prior {
			r[i] -= b.Rows[i][k] * p
			for j := range 2 {
				v[i][j] += spread * spread * p * p * b.Rows[i][k] * b.Rows[j][k]
			}
		}
		v[i][i] += noise * b.Variance[i]
	}
	det := v[0][0]*v[1][1] - v[0][1]*v[1][0]
	return math.Log(det) + (r[0]*r[0]*v[1][1]-2*r[0]*r[1]*v[0][1]+r[1]*r[1]*v[0][0])/det
}

// blocksOf returns simulated blocks whose factors vary with the given deviation.
func blocksOf(random *rand.Rand, count, rows, columns int, spread, noise float64) (blocks []Block, truth [][]float64) {
	for range count {
		b := Block{}
		var x []float64
		for range columns {
			prior := math.Exp(random.NormFloat64())
			b.Prior, x = append(b.Prior, prior), append(x, prior*(1+spread*random.NormFloat64()))
		}
		for range rows {
			row, sum := make([]float64, columns), 0.0
			for k := range row {
				row[k] = float64(random.IntN(4))
				sum += row[k] * x[k]
			}
			variance := 0.01 + random.Float64()
			b.Rows, b.Variance = append(b.Rows, row), append(b.Variance, variance)
			b.Y = append(b.Y, sum+math.Sqrt(noise*variance)*random.NormFloat64())
		}
		blocks, truth = append(blocks, b), append(truth, x)
	}
	return blocks, truth
}

func TestShrinkOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	blocks, _ := blocksOf(random, 40, 2, 3, 0.5, 0.05)
	s, err := Shrink(blocks, ShrinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		for k, want := range joint(&blocks[i], s.Spread, s.Noise) {
			if got := s.Blocks[i].X[k]; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("block %d, unknown %d: %v, want %v", i, k, got, want)
			}
		}
	}
	all := func(spread, noise float64) (sum float64) {
		for i := range blocks {
			sum += likelihood(&blocks[i], spread, noise)
		}
		return sum
	}
	best := all(s.Spread, s.Noise)
	for _, a := range []float64{0.5, 0.9, 0.99, 1, 1.01, 1.1, 2} {
		for _, b := range []float64{0.5, 0.9, 0.99, 1, 1.01, 1.1, 2} {
			if all(a*s.Spread, b*s.Noise) < best-1e-6 {
				t.Errorf("spread %v and noise %v are likelier", a*s.Spread, b*s.Noise)
			}
		}
	}
}

// TestShrinkHolds checks that the 95 % intervals of 93 to 97 of 100 unknowns contain the true
// value, and that the spread is estimated correctly.
func TestShrinkHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for _, spread := range []float64{0.1, 0.3, 0.6, 1} {
		blocks, truth := blocksOf(random, 300, 6, 8, spread, 0.1)
		s, err := Shrink(blocks, ShrinkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		held, all := 0, 0
		for i := range blocks {
			for k := range truth[i] {
				weights := make([]float64, len(truth[i]))
				weights[k] = 1
				all++
				if math.Abs(s.Blocks[i].X[k]-truth[i][k]) <= 1.96*s.Blocks[i].Deviation(weights) {
					held++
				}
			}
		}
		share := float64(held) / float64(all)
		t.Logf("spread %v: found %.3f, noise %.3f, held %.3f", spread, s.Spread, s.Noise, share)
		if share < 0.93 || share > 0.97 || math.Abs(s.Spread/spread-1) > 0.15 {
			t.Errorf("spread %v: found %v, held %v", spread, s.Spread, share)
		}
	}
	if _, err := Shrink([]Block{{Rows: [][]float64{{1}}, Y: []float64{1}, Variance: []float64{0}, Prior: []float64{1}}}, ShrinkOptions{}); err == nil {
		t.Error("a variance of zero")
	}
}
