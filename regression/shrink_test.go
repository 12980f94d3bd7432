package regression

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// joint returns the unknowns. It solves the normal equations of the measurements and the priors
// together, by Gaussian elimination.
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

// likelihood returns minus twice the logarithm of the likelihood of two measurements. It uses the
// determinant of their covariance.
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
	s, err := Shrink(blocks, 0)
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
		s, err := Shrink(blocks, 0)
		if err != nil {
			t.Fatal(err)
		}
		held, all := 0, 0
		for i := range blocks {
			for k := range truth[i] {
				weights := make([]float64, len(truth[i]))
				weights[k] = 1
				all++
				if math.Abs(s.Blocks[i].X[k]-truth[i][k]) <= 1.96*s.Blocks[i].Deviation(weights, nil) {
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
	if _, err := Shrink([]Block{{Rows: [][]float64{{1}}, Y: []float64{1}, Variance: []float64{0}, Prior: []float64{1}}}, 0); err == nil {
		t.Error("a variance of zero")
	}
}

// TestShrinkFixed compares Shrink with the solution of a dense system whose unknowns are the
// parameters and the factors. It compares the changes of the parameters and the deviations.
func TestShrinkFixed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	const parameters = 3
	blocks, slopes := fixedBlocks(random, 12, 4, 3, 0.3, 0.02, []float64{2, 3, 5}, []float64{2.2, 2.9, 5})
	s, err := Shrink(blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The dense system has two kinds of unknowns: the changes of the parameters, and the changes of
	// each block's unknowns without the change of their priors.
	size := parameters
	for _, b := range blocks {
		size += len(b.Prior)
	}
	normal, right := mat.NewSymDense(size, nil), mat.NewVecDense(size, nil)
	first := parameters
	for _, b := range blocks {
		for i, row := range b.Rows {
			all := make([]float64, size)
			copy(all, b.Fixed[i])
			copy(all[first:], row)
			y := b.Y[i]
			for k, v := range row {
				y -= v * b.Prior[k]
			}
			weight := 1 / (s.Noise * b.Variance[i])
			normal.SymRankOne(normal, weight, mat.NewVecDense(size, all))
			right.AddScaledVec(right, weight*y, mat.NewVecDense(size, all))
		}
		for k, prior := range b.Prior {
			normal.SetSym(first+k, first+k, normal.At(first+k, first+k)+1/(s.Spread*s.Spread*prior*prior))
		}
		first += len(b.Prior)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(normal); err != nil {
		t.Fatal(err)
	}
	var x mat.VecDense
	x.MulVec(&inverse, right)
	for k, got := range s.Moved {
		if want := x.AtVec(k); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("parameter %d moves by %v, want %v", k, got, want)
		}
	}
	first = parameters
	for i, b := range blocks {
		for k := range b.Prior {
			weights := make([]float64, len(b.Prior))
			weights[k] = 1
			sum := mat.NewVecDense(size, nil)
			for j, v := range slopes[i][k] {
				sum.SetVec(j, v)
			}
			sum.SetVec(first+k, 1)
			var half mat.VecDense
			half.MulVec(&inverse, sum)
			want := math.Sqrt(mat.Dot(sum, &half))
			if got := s.Blocks[i].Deviation(weights, slopes[i][k]); math.Abs(got-want) > 1e-4*want {
				t.Errorf("block %d, unknown %d: deviation %v, want %v", i, k, got, want)
			}
		}
		first += len(b.Prior)
	}
}

// fixedBlocks returns blocks whose priors are weighted sums of parameters, and the weights for each
// unknown. The unknowns are simulated from the parameters truth, and the priors are computed from
// the parameters fitted.
func fixedBlocks(random *rand.Rand, count, rows, columns int, spread, noise float64, fitted, truth []float64) (blocks []Block, slopes [][][]float64) {
	for range count {
		b := Block{}
		var own [][]float64
		var x []float64
		for range columns {
			slope, prior, price := make([]float64, len(truth)), 0.0, 0.0
			for j := range slope {
				slope[j] = float64(1 + random.IntN(4))
				prior, price = prior+slope[j]*fitted[j], price+slope[j]*truth[j]
			}
			own = append(own, slope)
			b.Prior, x = append(b.Prior, prior), append(x, price*(1+spread*random.NormFloat64()))
		}
		for range rows {
			row, fixed, y := make([]float64, columns), make([]float64, len(truth)), 0.0
			for k := range row {
				row[k] = float64(random.IntN(3))
				y += row[k] * x[k]
				for j, v := range own[k] {
					fixed[j] += row[k] * v
				}
			}
			b.Rows, b.Fixed, b.Variance = append(b.Rows, row), append(b.Fixed, fixed), append(b.Variance, noise)
			b.Y = append(b.Y, y+math.Sqrt(noise)*random.NormFloat64())
		}
		blocks, slopes = append(blocks, b), append(slopes, own)
	}
	return blocks, slopes
}

// TestShrinkUnseen checks that the deviation is infinite if the rows do not determine a parameter.
func TestShrinkUnseen(t *testing.T) {
	blocks := []Block{{
		Rows: [][]float64{{1, 1}, {2, 2}}, Y: []float64{5, 10.1}, Variance: []float64{1, 1}, Prior: []float64{2, 3},
		Fixed: [][]float64{{1, 1, 0}, {2, 2, 0}},
	}}
	for _, within := range []float64{0, 2} {
		s, err := Shrink(blocks, within)
		if err != nil {
			t.Fatal(err)
		}
		if d := s.Blocks[0].Deviation([]float64{1, 0}, []float64{1, 0, 0}); !math.IsInf(d, 1) {
			t.Errorf("the deviation of one of two unknowns that always occur together is %v", d)
		}
		if d := s.Blocks[0].Deviation([]float64{1, 1}, []float64{1, 1, 0}); math.IsInf(d, 1) || d <= 0 {
			t.Errorf("the deviation of both is %v", d)
		}
		if d := s.Blocks[0].Deviation([]float64{1, 1}, []float64{1, 1, 1}); !math.IsInf(d, 1) {
			t.Errorf("the deviation with a parameter of no row is %v", d)
		}
	}
}
