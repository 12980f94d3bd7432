package regression

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Tukey is the constant of the bisquare in vLens: a row is an outlier if its residual exceeds Tukey
// times the spread of all residuals.
const Tukey = 40

// A Spread is a method of estimating the spread σ of residuals.
type Spread uint8

// The methods of estimating the spread.
const (
	// Median is the median absolute deviation, divided by its value for the standard normal
	// distribution.
	Median Spread = iota
	// Deviation is the standard deviation of the residuals of all rows. With it, at most one row in
	// k² can be an outlier.
	Deviation
	// WeightedDeviation is the standard deviation of the residuals, weighted by the rows' weights.
	WeightedDeviation
)

// Options are the options of a robust fit.
type Options struct {
	// K is the constant of the bisquare. 0 means Tukey's constant.
	K      float64
	Spread Spread
	// Printed weighs rows by equation 4 as the paper prints it, x(kσ − x²)². The usual bisquare has
	// (kσ)² instead of kσ.
	Printed bool
}

// A Fit is the result of a robust regression.
type Fit struct {
	// X has the values of the unknowns. If there are several solutions, X is the shortest.
	X []float64
	// Sigma is the spread of the residuals. Limit is the smallest absolute residual of an outlier.
	Sigma, Limit float64
	// Residuals are the measurements minus the predictions. Weights are the rows' weights, from 0
	// to 1.
	Residuals, Weights []float64
	// Outliers are the rows of weight 0, in order. Unjudged are the rows that determine an unknown
	// almost alone. Their residuals cannot show whether they are outliers.
	Outliers, Unjudged []int
	// Rank is the number of independent columns. Determined reports, for each unknown, whether all
	// solutions agree on it.
	Rank       int
	Determined []bool
	// R2 is the multiple correlation coefficient (vLens, eq. 7), and AEE is the accumulated
	// estimating error (eq. 6). Outliers do not count in them. R2 is 0 if the measurements do not
	// vary.
	R2, AEE float64
	// Iterations counts the weighted fits. Settled is false if the spread still changed in the last
	// fit.
	Iterations int
	Settled    bool

	inverse *mat.SymDense
}

const (
	mostIterations = 200
	settled        = 1e-9
	// madOfNormal is the median absolute deviation of the standard normal distribution.
	madOfNormal = 0.6744897501960817
	// A row whose leverage is unjudged or more cannot be judged. The leverage of a path that was
	// seen only twice is about 0.5.
	unjudged = 0.4
	// beginnings is the number of fits by absolute residuals, which set the first weights.
	beginnings = 20
	// A residual below smallest times the largest measurement is a rounding error.
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
	for f.Iterations < mostIterations && !f.Settled {
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

// Least fits a system by plain least squares. All weights are 1, and no row is judged.
func Least(s *System) (*Fit, error) {
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

// begin sets the first weights by the absolute values of residuals. The fit then begins near the
// medians. For example, if a path was run three times, an event in one run does not distort the
// estimate from the other two runs. Weights by standard deviations begin with plain least squares,
// as in vLens.
func (f *Fit) begin(s *System, work []float64) error {
	for range beginnings {
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
	}
	return nil
}

// bisquare returns the weight of a residual, which is ψ(r)/r. Without Printed, it is from 0 to 1.
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
		return median(work) / madOfNormal
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

// median returns the median of values, and changes their order.
func median(values []float64) float64 {
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

// judge finds the outliers, and the rows that cannot be judged.
func (f *Fit) judge(s *System, at *solution) {
	for i := range f.Weights {
		if f.Weights[i] == 0 {
			// The other rows must determine the prediction for this row.
			if s.seen(i, at) {
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

// Deviation returns the standard deviation of a sum of unknowns, computed from the residuals of the
// fit. It is infinite if an unknown of the sum is not determined, or if there are no degrees of
// freedom.
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
