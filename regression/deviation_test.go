package regression

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDeviation compares the standard deviations of a line's intercept and slope, and of a value on
// the line, with their textbook formulas.
func TestDeviation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for range 50 {
		n := 3 + random.IntN(20)
		s := NewSystem(3)
		var x, y []float64
		for range n {
			x, y = append(x, 10*random.Float64()), append(y, 3+random.NormFloat64())
			if err := s.Add(y[len(y)-1], Term{0, 1}, Term{1, x[len(x)-1]}); err != nil {
				t.Fatal(err)
			}
		}
		f, err := LeastSquares(s)
		if err != nil {
			t.Fatal(err)
		}
		mean, squares, off := 0.0, 0.0, 0.0
		for i := range x {
			mean += x[i] / float64(n)
			r := y[i] - f.X[0] - f.X[1]*x[i]
			off += r * r
		}
		for i := range x {
			squares += (x[i] - mean) * (x[i] - mean)
		}
		if want := math.Sqrt(off / float64(n)); math.Abs(f.Sigma-want) > 1e-9*want || !math.IsInf(f.Limit, 1) || len(f.Outliers)+len(f.Unjudged) != 0 || !f.Settled {
			t.Errorf("%d rows: a spread of %v, want %v; %+v", n, f.Sigma, want, f)
		}
		variance := off / float64(n-2)
		at := 20 * random.Float64()
		for _, c := range []struct {
			what  string
			terms []Term
			want  float64
		}{
			{"intercept", []Term{{0, 1}}, math.Sqrt(variance * (1/float64(n) + mean*mean/squares))},
			{"slope", []Term{{1, 1}}, math.Sqrt(variance / squares)},
			{"negative slope", []Term{{1, -2}}, 2 * math.Sqrt(variance/squares)},
			{"value", []Term{{0, 1}, {1, at}}, math.Sqrt(variance * (1/float64(n) + (at-mean)*(at-mean)/squares))},
			{"nothing", nil, 0},
			{"an unknown in no row", []Term{{0, 1}, {2, 1}}, math.Inf(1)},
		} {
			if got := f.Deviation(c.terms...); got != c.want && math.Abs(got-c.want) > 1e-6*c.want {
				t.Errorf("%d rows: the deviation of the %s is %v, want %v", n, c.what, got, c.want)
			}
		}
	}
	two := NewSystem(2)
	for i := range 2 {
		if err := two.Add(float64(i), Term{0, 1}, Term{1, float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := LeastSquares(two)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Deviation(Term{0, 1}); !math.IsInf(got, 1) {
		t.Errorf("a line through two points has the deviation %v", got)
	}
}

// TestWeightsOfResiduals checks the bisquare and the spreads at values that are simple by hand.
func TestWeightsOfResiduals(t *testing.T) {
	for _, c := range []struct {
		residual, sigma float64
		o               Options
		want            float64
	}{
		{0, 0, Options{K: 2}, 1},
		{0, 1, Options{K: 2}, 1},
		{1, 1, Options{K: 2}, 0.5625},
		{-1, 1, Options{K: 2}, 0.5625},
		{2, 1, Options{K: 2}, 0},
		{-3, 1, Options{K: 2}, 0},
		{1, 2, Options{K: 2, Printed: true}, 0.5625},
		{3, 2, Options{K: 2, Printed: true}, 1.5625},
		{4, 2, Options{K: 2, Printed: true}, 0},
	} {
		if got := bisquare(c.residual, c.sigma, c.o); got != c.want {
			t.Errorf("the weight of %v at a spread of %v is %v, want %v", c.residual, c.sigma, got, c.want)
		}
	}
	residuals, weights := []float64{3, -4, 0, 1}, []float64{1, 0.5, 1, 0}
	for how, want := range map[Spread]float64{
		Median: 2 / madOfNormal, Deviation: math.Sqrt(26. / 4), WeightedDeviation: math.Sqrt(17 / 2.5),
	} {
		if got := spread(residuals, weights, how, make([]float64, 4)); math.Abs(got-want) > 1e-12 {
			t.Errorf("spread %d is %v, want %v", how, got, want)
		}
		if got := spread(nil, nil, how, nil); got != 0 {
			t.Errorf("spread %d of nothing is %v", how, got)
		}
	}
	if got := spread(residuals, make([]float64, 4), WeightedDeviation, nil); got != 0 {
		t.Errorf("the spread of rows without weight is %v", got)
	}
}
