package change

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/repeats"
)

// Constants of the test whether slowly changing conditions explain a step. See the package comment.
const (
	// minDays is the minimum number of points for this test.
	minDays = 4
	// doubt is a factor of the log-likelihood of conditions. It is below 1 because the step was
	// chosen from the same values, so their likelihood excludes too many conditions.
	doubt = 0.5
	// farthest is the distance from the median, in standard deviations, to which outliers are
	// moved.
	farthest = 3.0
)

// The test tries all pairs of a share and a memory. A share is the fraction of the points' variance
// that comes from conditions. A memory is the correlation of the conditions of neighboring points.
var (
	shares   = []float64{0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97}
	memories = []float64{0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98}
)

// A days models the points of a series. The value of a point is the sum of a level, its conditions
// (such as the temperature), and the noise of its runs. The conditions of neighboring points are
// correlated.
type days struct {
	figures []float64
	// weights has the variance of each figure, relative to the variance of runs.
	weights []float64
	// squares is the sum of the squared deviations of runs from the mean of their point. freedom is
	// the degrees of freedom of this sum.
	squares float64
	freedom float64
}

func (s *series) days() *days {
	d := &days{}
	for _, runs := range s.points {
		d.figures = append(d.figures, repeats.Median(runs))
		n := float64(len(runs))
		// The approximate variance of the median of n normal variables.
		d.weights = append(d.weights, math.Pi/2/(n+math.Pi/2-1))
		mean := 0.0
		for _, x := range runs {
			mean += x / n
		}
		for _, x := range runs {
			d.squares += (x - mean) * (x - mean)
		}
		d.freedom += n - 1
	}
	return d
}

// chance returns the probability that changing conditions alone cause a step as large as the one at
// best, anywhere in the series. Earlier steps, at ends, are part of the level.
//
// The result is the mean over all pairs of a share and a memory, weighted by their likelihood.
// Their prior weights are equal. If there are too few points for the test, chance returns 0.
func (d *days) chance(ends []int, best int) float64 {
	n := len(d.figures)
	starts := append(slices.Clone(ends[:len(ends)-1]), best)
	if n < minDays || n-len(starts) < 2 {
		return 0
	}
	figures, places := d.clipped(starts), float64(n-len(starts)+1)
	type fit struct{ likelihood, prior, p float64 }
	var fits []fit
	most := math.Inf(-1)
	for _, share := range shares {
		// If the share is 0, conditions have no effect, so all memories give the same fit.
		terms, prior := memories, 1.0
		if share == 0 {
			terms, prior = memories[:1], float64(len(memories))
		}
		for _, memory := range terms {
			if likelihood, t, freedom := d.fit(figures, starts, share, memory); freedom > 0 {
				p := 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(math.Abs(t))
				fits, most = append(fits, fit{likelihood, prior, min(1, places*p)}), max(most, likelihood)
			}
		}
	}
	sum, weights := 0.0, 0.0
	for _, f := range fits {
		weight := f.prior * math.Exp(doubt*(f.likelihood-most))
		sum, weights = sum+weight*f.p, weights+weight
	}
	if weights == 0 {
		return 0
	}
	return sum / weights
}

// clipped returns the figures with outliers moved closer to the median of their segment. They are
// then `farthest` standard deviations away.
func (d *days) clipped(starts []int) []float64 {
	sorted := slices.Sorted(slices.Values(starts))
	out := slices.Clone(d.figures)
	middles := make([]float64, len(out))
	var distances []float64
	for k, from := range sorted {
		to := len(out)
		if k+1 < len(sorted) {
			to = sorted[k+1]
		}
		middle := repeats.Median(out[from:to])
		for i := from; i < to; i++ {
			middles[i] = middle
			distances = append(distances, math.Abs(out[i]-middle))
		}
	}
	const normal = 0.6745
	reach := farthest * repeats.Median(distances) / normal
	if reach == 0 {
		return out
	}
	for i := range out {
		out[i] = max(middles[i]-reach, min(middles[i]+reach, out[i]))
	}
	return out
}

// fit fits a level to each segment of figures, by generalized least squares. Segments begin at
// starts. fit returns the restricted log-likelihood, and Student's t of the step at the last of
// starts, with its degrees of freedom. t and freedom are 0 if the figures do not determine the
// step. A Kalman filter makes the errors of the points independent.
func (d *days) fit(figures []float64, starts []int, share, memory float64) (likelihood, t, freedom float64) {
	n, columns := len(figures), len(starts)+1
	// The first columns of white are the steps, and the last column is the figures. state has the
	// expected conditions at the next point for each column.
	white := make([][]float64, columns)
	for c := range white {
		white[c] = make([]float64, n)
	}
	state, variance := make([]float64, columns), share
	for i := range n {
		whole := variance + (1-share)*d.weights[i]
		likelihood -= math.Log(whole) / 2
		gain := variance / whole
		for c := range white {
			x := 0.0
			switch {
			case c == columns-1:
				x = figures[i]
			case i >= starts[c]:
				x = 1
			}
			innovation := x - state[c]
			white[c][i] = innovation / math.Sqrt(whole)
			state[c] = memory * (state[c] + gain*innovation)
		}
		variance = memory*memory*variance*(1-gain) + share*(1-memory*memory)
	}
	// The Gram–Schmidt process: subtract from each column its component along each earlier column.
	figure := white[columns-1]
	effect := 0.0
	for c := range columns - 1 {
		norm := 0.0
		for _, x := range white[c] {
			norm += x * x
		}
		if norm < 1e-12 {
			return 0, 0, 0
		}
		likelihood -= math.Log(norm) / 2
		norm = math.Sqrt(norm)
		for i := range white[c] {
			white[c][i] /= norm
		}
		for later := c + 1; later < columns; later++ {
			dot := 0.0
			for i, x := range white[c] {
				dot += x * white[later][i]
			}
			for i, x := range white[c] {
				white[later][i] -= dot * x
			}
			if later == columns-1 {
				effect = dot
			}
		}
	}
	squares := 0.0
	for _, x := range figure {
		squares += x * x
	}
	freedom = float64(n - len(starts))
	if d.freedom > 0 {
		squares += d.squares / (1 - share)
		freedom += d.freedom
		likelihood -= d.freedom * math.Log(1-share) / 2
	}
	if squares == 0 {
		return 0, 0, 0
	}
	likelihood -= freedom * math.Log(squares/freedom) / 2
	return likelihood, effect / math.Sqrt(squares/freedom), freedom
}
