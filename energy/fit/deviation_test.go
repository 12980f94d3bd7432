package fit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// near reports whether two figures agree in six digits.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Max(1, math.Abs(want)) }

// TestDeviationOfAMean fits one constant column. The unknown is the mean of the figures, and its
// standard deviation is the standard error of the mean.
func TestDeviationOfAMean(t *testing.T) {
	b := []float64{2, 4, 4, 4, 5, 5, 7, 9, 41}
	for _, scale := range []float64{1, 10} {
		a, sum := mat.NewDense(len(b), 1, nil), 0.0
		for i, v := range b {
			a.Set(i, 0, scale)
			sum += v
		}
		mean, squares := sum/float64(len(b)), 0.0
		for _, v := range b {
			squares += (v - mean) * (v - mean)
		}
		n := float64(len(b))
		s := solve(a, b)
		if want := math.Sqrt(squares/(n-1)/n) / scale; !near(s.x[0], mean/scale) || !near(s.deviation[0], want) {
			t.Errorf("column of %v: %v ± %v, want %v ± %v", scale, s.x[0], s.deviation[0], mean/scale, want)
		}
	}
}

// TestDeviationOfALine fits a line and compares the standard deviations of its intercept and its
// slope with the formulas of simple linear regression.
func TestDeviationOfALine(t *testing.T) {
	x := []float64{1, 2, 3, 5, 8, 13}
	y := []float64{5.2, 6.7, 9.4, 12.8, 19.5, 28.9}
	a := mat.NewDense(len(x), 2, nil)
	n, meanX, meanY := float64(len(x)), 0.0, 0.0
	for i := range x {
		a.SetRow(i, []float64{1, x[i]})
		meanX += x[i] / n
		meanY += y[i] / n
	}
	sxx, sxy := 0.0, 0.0
	for i := range x {
		sxx += (x[i] - meanX) * (x[i] - meanX)
		sxy += (x[i] - meanX) * (y[i] - meanY)
	}
	slope := sxy / sxx
	intercept, off := meanY-slope*meanX, 0.0
	for i := range x {
		r := y[i] - intercept - slope*x[i]
		off += r * r
	}
	variance := off / (n - 2)
	s := solve(a, y)
	if !near(s.x[0], intercept) || !near(s.x[1], slope) {
		t.Fatalf("the line is %v, want %v + %v x", s.x, intercept, slope)
	}
	want := []float64{math.Sqrt(variance * (1/n + meanX*meanX/sxx)), math.Sqrt(variance / sxx)}
	if !near(s.deviation[0], want[0]) || !near(s.deviation[1], want[1]) {
		t.Errorf("deviations %v, want %v", s.deviation, want)
	}
}

// TestDeviationWithoutFreedom solves a system with as many rows as columns. The residual is 0, so
// all deviations are 0. A column of zeros has neither a value nor a deviation.
func TestDeviationWithoutFreedom(t *testing.T) {
	s := solve(mat.NewDense(3, 3, []float64{2, 0, 0, 0, 4, 0, 1, 1, 0}), []float64{6, 20, 8})
	if !near(s.x[0], 3) || !near(s.x[1], 5) || s.x[2] != 0 {
		t.Errorf("unknowns %v, want 3, 5 and 0", s.x)
	}
	for j, d := range s.deviation {
		if !near(d, 0) {
			t.Errorf("unknown %d deviates by %v, want 0", j, d)
		}
	}
	// The sum of squared residuals of the three rows is 6. One degree of freedom is assumed.
	s = solve(mat.NewDense(2, 2, []float64{1, 0, 1, 0}), []float64{1, 3})
	if !near(s.x[0], 2) || !near(s.deviation[0], 1) || s.deviation[1] != 0 {
		t.Errorf("%v ± %v, want 2 ± 1", s.x, s.deviation)
	}
}
