package change

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// dense computes the same as fit by generalized least squares with the covariance matrix of all
// points.
func dense(d *days, figures []float64, starts []int, share, memory float64) (likelihood, t float64) {
	n, m := len(figures), len(starts)
	covariance, design := mat.NewSymDense(n, nil), mat.NewDense(n, m, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := share * math.Pow(memory, float64(j-i))
			if i == j {
				v += (1 - share) * d.weights[i]
			}
			covariance.SetSym(i, j, v)
		}
		for c, from := range starts {
			if i >= from {
				design.Set(i, c, 1)
			}
		}
	}
	var inverse, information, unscaled mat.Dense
	if err := inverse.Inverse(covariance); err != nil {
		panic(err)
	}
	information.Product(design.T(), &inverse, design)
	if err := unscaled.Inverse(&information); err != nil {
		panic(err)
	}
	y := mat.NewDense(n, 1, figures)
	var levels, fitted, residue, squares mat.Dense
	levels.Product(&unscaled, design.T(), &inverse, y)
	fitted.Mul(design, &levels)
	residue.Sub(y, &fitted)
	squares.Product(residue.T(), &inverse, &residue)
	freedom := float64(n-m) + d.freedom
	variance := (squares.At(0, 0) + d.squares/(1-share)) / freedom
	likelihood = -(math.Log(mat.Det(covariance)) + math.Log(mat.Det(&information)) + d.freedom*math.Log(1-share) + freedom*math.Log(variance)) / 2
	return likelihood, levels.At(m-1, 0) / math.Sqrt(variance*unscaled.At(m-1, m-1))
}

// TestFit compares the Kalman filter with dense.
func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 40 {
		o := steps{levels: level(6+r.IntN(6), 3, 0.1), runs: 1 + r.IntN(4), noise: 0.03, day: 0.02}
		d := newSeries(o.points(r)).days()
		starts := []int{0, 2 + r.IntN(3)}
		if r.IntN(2) == 0 {
			starts = []int{0, 4, 2}
		}
		for _, share := range shares {
			for _, memory := range memories {
				likelihood, step, freedom := d.fit(d.figures, starts, share, memory)
				wantLikelihood, wantStep := dense(d, d.figures, starts, share, memory)
				if math.Abs(likelihood-wantLikelihood) > 1e-6 || math.Abs(step-wantStep) > 1e-6 || freedom != float64(len(d.figures)-len(starts))+d.freedom {
					t.Fatalf("share %v, memory %v: likelihood %v and t %v, want %v and %v", share, memory, likelihood, step, wantLikelihood, wantStep)
				}
			}
		}
	}
}

// TestAlike checks that a slow random walk has no change, although its level shifts, and that the
// result states the reason.
func TestAlike(t *testing.T) {
	points := [][]float64{{100, 101}, {101, 102}, {103, 102}, {104, 103}, {104, 105}, {106, 105}, {107, 106}, {107, 108}, {109, 108}, {110, 109}}
	if got := Find(points); len(got.Changes) != 0 || !got.Confounded || got.Next == 0 || got.NextP <= Rate {
		t.Errorf("%+v", got)
	}
	// The same shift is a change if it happens in a single step between steady points.
	if got := Find([][]float64{{100, 101}, {101, 100}, {100, 101}, {101, 100}, {100, 101}, {110, 109}, {109, 110}, {110, 109}, {109, 110}, {110, 109}}); len(got.Changes) != 1 || got.Confounded {
		t.Errorf("%+v", got)
	}
}
