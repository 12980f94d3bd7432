package regression

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Tukey is the constant of the bisquare in vLens: residuals of at least 40 times the spread have
// the weight 0.
const Tukey = 40

// A Spread is a way to estimate the spread σ of residuals.
type Spread uint8

// The methods of estimating the spread.
const (
	// Median is the median absolute deviation, scaled so that it is σ for a normal distribution.
	Median Spread = iota
	// Deviation is the standard deviation of all residuals. At most one row in k² can then be an
	// outlier.
	Deviation
	// WeightedDeviation is like Deviation, with the rows' weights.
	WeightedDeviation
)

// Options are the options of a robust fit.
type Options struct {
	// K is the constant of the bisquare. 0 means Tukey's constant.
	K      float64
	Spread Spread
	// Printed uses equation 4 as the paper prints it, x(kσ − x²)². The usual bisquare has (kσ)² in
	// place of kσ.
	Printed bool
}

// A Fit is the result of a robust regression.
type Fit struct {
	// X has the values of the unknowns. If several solutions are equally good, X is the shortest.
	X []float64
	// Sigma is the spread of the residuals. Limit is the smallest absolute residual of an outlier.
	Sigma, Limit float64
	// Residuals are the measurements minus the predictions. Weights are from 0 to 1, by row.
	Residuals, Weights []float64
	// Outliers are the rows of weight 0. Unjudged are the rows that determine an unknown almost
	// alone: their residuals do not show whether they are outliers.
	Outliers, Unjudged []int
	// Rank is the number of independent columns. Determined is true for an unknown that has the
	// same value in all solutions.
	Rank       int
	Determined []bool
	// R2 is the multiple correlation coefficient (vLens, eq. 7). It is 0 if the measurements do not
	// vary. AEE is the accumulated estimating error (eq. 6). Both ignore outliers.
	R2, AEE float64
	// Iterations is the number of weighted fits. Settled is false if the spread was still changing
	// in the last one.
	Iterations int
	Settled    bool

	inverse *mat.SymDense
}

const (
	maxIterations = 200
	settled       = 1e-9
	// madOfNormal is the median absolute deviation of the standard normal distribution.
	madOfNormal = 0.6744897501960817
	// unjudged is the smallest leverage of a row that cannot be judged. For example, a path that
	// was seen only twice has a leverage of about 0.5.
	unjudged = 0.4
	// startFits is the largest number of fits that find the first weights (begin). There are fewer
	// if the spread changes by less than startSettled, as a share.
	startFits    = 20
	startSettled = 1e-4
	// smallest is the limit of rounding errors in residuals, as a share of the largest measurement.
	smallest = 1e-12
)

// Robust fits a system by repeated weighted least squares.
func Robust(s *System, o Options) (*Fit, error) {
	if o.K <= 0 {
		o.K = Tukey
	}
	n := s.Rows()
	f := &Fit{Weights: make([]float64, n), Residuals: make([]float64, n)}
	for i := range f.Weights {
		f.Weights[i] = 1
	}
	largest := 0.0
	for _, y := range s.y {
		largest = math.Max(largest, math.Abs(y))
	}
	work := make([]float64, n)
	var at *solution
	if o.Spread == Median {
		if err := f.begin(s, work); err != nil {
			return nil, err
		}
	}
	for f.Iterations < maxIterations && !f.Settled {
		next, err := s.solve(f.Weights)
		if err != nil {
			return nil, err
		}
		f.Iterations++
		at = next
		for i := range f.Residuals {
			f.Residuals[i] = s.y[i] - s.predict(i, at.x)
		}
		sigma := math.Max(spread(f.Residuals, f.Weights, o.Spread, work), smallest*largest)
		f.Settled = f.Iterations > 1 && math.Abs(sigma-f.Sigma) <= settled*math.Max(sigma, f.Sigma) || n == 0
		f.Sigma, f.Limit = sigma, o.K*sigma
		if f.Settled {
			break
		}
		for i, r := range f.Residuals {
			f.Weights[i] = bisquare(r, sigma, o)
		}
	}
	f.X, f.Rank, f.Determined, f.inverse = at.x, at.rank, at.determined, at.inverse
	f.judge(s, at)
	f.quality(s)
	return f, nil
}

// NonNegative fits a system by least squares without negative unknowns. Unknowns that would be
// negative become 0, and the others are fitted again.
func NonNegative(s *System) ([]float64, error) {
	if s.columns > MostColumns {
		return nil, errColumns
	}
	n := s.columns
	gram, right := s.normal(slices.Repeat([]float64{1}, s.Rows()))
	zero := make([]bool, n)
	for {
		at, err := solveNormal(slices.Clone(gram), slices.Clone(right))
		if err != nil {
			return nil, err
		}
		negative := false
		for c, x := range at.x {
			if zero[c] {
				at.x[c] = 0 // It can differ from 0 by rounding.
				continue
			}
			if x >= 0 {
				continue
			}
			zero[c], negative, right[c] = true, true, 0
			for k := range n {
				gram[c*n+k], gram[k*n+c] = 0, 0
			}
		}
		if !negative {
			return at.x, nil
		}
	}
}

// LeastSquares fits a system by plain least squares. All weights are 1, and no row is judged.
func LeastSquares(s *System) (*Fit, error) {
	n := s.Rows()
	f := &Fit{Weights: make([]float64, n), Residuals: make([]float64, n), Iterations: 1, Settled: true}
	for i := range f.Weights {
		f.Weights[i] = 1
	}
	at, err := s.solve(f.Weights)
	if err != nil {
		return nil, err
	}
	for i := range f.Residuals {
		f.Residuals[i] = s.y[i] - s.predict(i, at.x)
	}
	f.X, f.Rank, f.Determined, f.inverse = at.x, at.rank, at.determined, at.inverse
	f.Sigma = spread(f.Residuals, f.Weights, Deviation, nil)
	f.Limit = math.Inf(1)
	f.quality(s)
	return f, nil
}

// begin sets the first weights by absolute residuals, so the fit begins near medians. For example,
// if a path was run three times, an event in one run does not distort the estimate. With Deviation
// and WeightedDeviation, the fit instead begins with plain least squares, as in vLens.
func (f *Fit) begin(s *System, work []float64) error {
	before := math.Inf(1)
	for range startFits {
		at, err := s.solve(f.Weights)
		if err != nil {
			return err
		}
		for i := range f.Residuals {
			f.Residuals[i] = s.y[i] - s.predict(i, at.x)
		}
		least := spread(f.Residuals, nil, Median, work) / 10
		if least == 0 {
			for _, r := range f.Residuals {
				least = math.Max(least, math.Abs(r)*1e-9)
			}
		}
		if least == 0 {
			break
		}
		for i, r := range f.Residuals {
			f.Weights[i] = least / math.Max(math.Abs(r), least)
		}
		if math.Abs(least-before) < startSettled*least {
			break
		}
		before = least
	}
	return nil
}

// bisquare returns the weight ψ(r)/r of a residual. It is from 0 to 1, but not with Printed.
func bisquare(r, sigma float64, o Options) float64 {
	most := o.K * sigma
	switch {
	case r == 0:
		return 1
	case math.Abs(r) >= most:
		return 0
	case o.Printed:
		part := 1 - r*r/most
		return part * part
	}
	part := 1 - r/most*(r/most)
	return part * part
}

// spread estimates the spread of residuals.
func spread(residuals, weights []float64, how Spread, work []float64) float64 {
	if len(residuals) == 0 {
		return 0
	}
	if how == Median {
		for i, r := range residuals {
			work[i] = math.Abs(r)
		}
		return MedianOf(work) / madOfNormal
	}
	sum, total := 0.0, 0.0
	for i, r := range residuals {
		w := 1.0
		if how == WeightedDeviation {
			w = weights[i]
		}
		sum, total = sum+w*r*r, total+w
	}
	if total == 0 {
		return 0
	}
	return math.Sqrt(sum / total)
}

// MedianOf returns the median of values, and changes their order. It is 0 without values.
func MedianOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	low, high, middle := 0, len(values)-1, len(values)/2
	for low < high {
		pivot := values[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case middle <= j:
			high = j
		case middle >= i:
			low = i
		default:
			low = high
		}
	}
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle] + slices.Max(values[:middle])) / 2
}

// judge sets Outliers and Unjudged.
func (f *Fit) judge(s *System, at *solution) {
	for i := range f.Weights {
		if f.Weights[i] == 0 {
			// An outlier needs a prediction from the other rows.
			if s.determined(i, at) {
				f.Outliers = append(f.Outliers, i)
			} else {
				f.Unjudged = append(f.Unjudged, i)
			}
			continue
		}
		if f.Weights[i]*s.leverage(i, at) >= unjudged {
			f.Unjudged = append(f.Unjudged, i)
		}
	}
}

// quality sets R2 and AEE.
func (f *Fit) quality(s *System) {
	n, sum, predicted := 0.0, 0.0, 0.0
	for i, y := range s.y {
		if f.Weights[i] > 0 {
			n, sum, predicted = n+1, sum+y, predicted+y-f.Residuals[i]
		}
	}
	if n == 0 {
		return
	}
	if sum != 0 {
		f.AEE = math.Abs(predicted-sum) / math.Abs(sum)
	}
	off, all := 0.0, 0.0
	for i, y := range s.y {
		if f.Weights[i] > 0 {
			off += f.Residuals[i] * f.Residuals[i]
			all += (y - sum/n) * (y - sum/n)
		}
	}
	if all > 0 {
		f.R2 = 1 - off/all
	}
}

// Deviation returns the standard deviation of a sum of unknowns, from the residuals of the fit. It
// is infinite if an unknown of the sum is not determined, or without degrees of freedom.
func (f *Fit) Deviation(terms ...Term) float64 {
	freedom := -float64(f.Rank)
	off := 0.0
	for i, w := range f.Weights {
		off += w * f.Residuals[i] * f.Residuals[i]
		freedom += w
	}
	if freedom <= 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for _, a := range terms {
		if !f.Determined[a.Column] {
			return math.Inf(1)
		}
		for _, b := range terms {
			sum += a.Value * b.Value * f.inverse.At(a.Column, b.Column)
		}
	}
	return math.Sqrt(math.Max(sum, 0) * off / freedom)
}
