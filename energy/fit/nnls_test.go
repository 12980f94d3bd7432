package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// best returns the least error over all sets of positive columns. It is a slow and obvious oracle.
func best(a *mat.Dense, b []float64) float64 {
	rows, columns := a.Dims()
	least := math.Inf(1)
	for set := range 1 << columns {
		var chosen []int
		for j := range columns {
			if set&(1<<j) != 0 {
				chosen = append(chosen, j)
			}
		}
		x := make([]float64, columns)
		if len(chosen) > 0 {
			part := mat.NewDense(rows, len(chosen), nil)
			for p, j := range chosen {
				part.SetCol(p, mat.Col(nil, j, a))
			}
			var z mat.VecDense
			if err := z.SolveVec(part, mat.NewVecDense(rows, b)); err != nil {
				continue
			}
			for p, j := range chosen {
				x[j] = z.AtVec(p)
			}
		}
		off, fits := 0.0, true
		for _, v := range x {
			fits = fits && v >= 0
		}
		for _, r := range residual(a, x, b) {
			off += r * r
		}
		if fits {
			least = min(least, off)
		}
	}
	return least
}

// TestSolve compares solutions with the best set of columns.
func TestSolve(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		rows, columns := 6+r.IntN(20), 1+r.IntN(5)
		a, b := mat.NewDense(rows, columns, nil), make([]float64, rows)
		for i := range rows {
			for j := range columns {
				a.Set(i, j, 10*r.Float64())
			}
			b[i] = 100 * r.NormFloat64()
		}
		s := solve(a, b)
		off := 0.0
		for _, e := range residual(a, s.x, b) {
			off += e * e
		}
		for _, v := range s.x {
			if v < 0 {
				t.Errorf("seed %d: %v", seed, s.x)
			}
		}
		if want := best(a, b); off > want*(1+1e-6)+1e-9 {
			t.Errorf("seed %d: off by %g, could be %g", seed, off, want)
		}
	}
}

// TestInflation finds the columns that others can replace.
func TestInflation(t *testing.T) {
	a, b := mat.NewDense(8, 4, nil), make([]float64, 8)
	for i := range 8 {
		x := float64(i%4 + 1)
		a.SetRow(i, []float64{x, 2 * x, float64(i * i), 0})
		b[i] = 3*x + float64(i*i)
	}
	s := solve(a, b)
	if s.inflation[0] < maxInflated || s.inflation[1] < maxInflated || s.inflation[2] > 10 || !math.IsInf(s.inflation[3], 1) || math.Abs(s.x[2]-1) > 1e-6 || s.x[3] != 0 {
		t.Errorf("%+v", s)
	}
}
