// Package change finds lasting changes in a series of measurements: the commits with which a
// program began to use more or less.
//
// # The method
//
// A series has one point per measured commit, in the order of the commits. A point has one figure
// per run. The procedure is E-Divisive (Matteson and James, "A nonparametric approach for multiple
// change point analysis of multivariate data", JASA 109, 2014), which teams use for performance
// data (Daly et al., "The use of change point detection to identify software performance
// regressions in a continuous integration system", ICPE 2020):
//
//  1. Divide the series where the two parts diverge most.
//  2. Compare this change with chance by a permutation test, which permutes the figures within the
//     segments that were found so far.
//  3. If the change is not significant, stop. Otherwise continue with each part in the same way.
//
// This implementation differs from E-Divisive in these ways:
//
//   - The divergence has the exponent 2. E-Divisive then compares only means. A change therefore
//     always has a direction, costlier or cheaper.
//   - The divergence uses the ranks of the runs within their segment, as in Pettitt ("A
//     non-parametric approach to the change-point problem", Applied Statistics 28, 1979). Energy is
//     skewed, and a single outlier must neither cause a change nor hide one. Equal figures have
//     equal ranks.
//   - A change is between two points, never between two runs of one point.
//   - A change must also be larger than slowly changing conditions explain. See Conditions below.
//   - Permutations are drawn with a fixed seed. Drawing stops when the answer is clear (Besag and
//     Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991).
//
// The size of a change is the estimate of Hodges and Lehmann: the median of all differences between
// a run after the change and a run before it. Its interval belongs to the test of Mann and Whitney.
//
// # Assumptions
//
// If nothing changed, the runs must be exchangeable. They must be independent and made under equal
// conditions, on one device and in one scenario. Runs of one commit are often made together. They
// are then more similar to each other than to runs of other commits. The package tests this: if the
// means of neighboring points differ by more than their runs explain, in most places of the series,
// each point counts as a single run. This test needs four points. With fewer points, the conditions
// are assumed to be equal.
//
// # Conditions
//
// Neighboring points are alike if conditions change slowly: a phone ages, a room warms up. Such a
// series has shifts that no commit caused, and a permutation test takes them for changes. So a
// second test models the medians of the points as the sum of a level, of conditions, and of the
// noise of runs. The correlation of the conditions falls geometrically with the distance (AR(1),
// estimated with a Kalman filter).
//
// The second test gives the p-value of a step by Student's t from generalized least squares, times
// the number of places where the step could be. This is averaged over a grid of conditions,
// weighted by the square root of their restricted likelihood. A change must be significant in both
// tests. The grid and the square root were chosen by simulations of tools/studies, and checked by
// simulations with other seeds. A series of fewer than four points has no such test.
//
// Noise may have any distribution, but it must be the same for all points. A lasting trend appears
// as steps.
//
// All functions are pure and may be called concurrently. If all figures of a series are multiplied
// by a factor, shifted or negated, the changes stay at the same points.
package change

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/repeats"
)

// Method names the statistics of Find for users.
const Method = "E-Divisive with means of ranks (Matteson and James 2014), tested by permutation"

// Rate is the maximum probability of finding a change in a series that has none.
const Rate = 0.05

// A Result has the changes in a series.
type Result struct {
	// Changes is sorted by point.
	Changes []Change
	// P is the probability that chance alone gives a change as strong as the first one that Find
	// considered.
	P float64
	// Next is the most likely place of one more change, which is not significant. NextP is the
	// probability that chance alone gives a change as strong. Next is 0 if there is no such place.
	Next  int
	NextP float64
	// WholePoints reports that each point counted as a single run, because runs of the same point
	// are more alike than runs of different points. See Assumptions in the package comment.
	WholePoints bool
	// Confounded reports that slowly changing conditions may explain the change at Next, which
	// would otherwise be significant. NextP is then the probability that they alone cause a change
	// as strong.
	Confounded bool
}

// A Change is a lasting change of the figures.
type Change struct {
	// At is the index of the first point after the change.
	At int
	// Earliest and Latest are the first and last possible values of At. It is unclear whether the
	// runs in between are before or after the change.
	Earliest, Latest int
	// P is the probability that chance alone gives a change as strong. It is at most Rate.
	P float64
	// Before and After are the medians of the runs in the segments before and after the change.
	// Runs has the numbers of runs in these segments.
	Before, After float64
	Runs          [2]int
	// Difference is how much the figures increased, and Interval is its 95 % interval. A bound is
	// infinite if the segments have too few runs.
	Difference float64
	Interval   repeats.Interval
}

// Costlier reports whether the figures rose.
func (c Change) Costlier() bool { return c.Difference > 0 }

// Find finds the changes in a series. Each point has the figures of its runs. A point without runs
// was not measured, and is skipped.
func Find(points [][]float64) *Result {
	s := newSeries(points)
	days := s.days()
	r := &Result{P: 1, NextP: 1, WholePoints: s.uneven()}
	if r.WholePoints {
		s = s.whole()
	}
	ends := []int{0, len(s.points)}
	for {
		best, p := s.next(ends)
		if best == 0 {
			break
		}
		alike := false
		if p <= Rate {
			under := days.chance(ends, best)
			alike, p = under > Rate, max(p, under)
		}
		if len(ends) == 2 {
			r.P = p
		}
		if p > Rate {
			r.Next, r.NextP, r.Confounded = s.index[best], p, alike
			break
		}
		at, _ := slices.BinarySearch(ends, best)
		ends = slices.Insert(ends, at, best)
		r.Changes = append(r.Changes, Change{At: best, P: p})
	}
	slices.SortFunc(r.Changes, func(a, b Change) int { return a.At - b.At })
	for i := range r.Changes {
		s.describe(&r.Changes[i], ends[i], ends[i+2])
	}
	return r
}

// A series has the points that have runs.
type series struct {
	points [][]float64
	// index has the index of each point in the argument of Find.
	index []int
}

func newSeries(points [][]float64) *series {
	s := &series{}
	for i, runs := range points {
		if len(runs) > 0 {
			s.points, s.index = append(s.points, runs), append(s.index, i)
		}
	}
	return s
}

// whole returns a series with a single run for each point: the median of its runs.
func (s *series) whole() *series {
	w := &series{index: s.index}
	for _, runs := range s.points {
		w.points = append(w.points, []float64{repeats.Median(runs)})
	}
	return w
}

// runs returns the runs of the points from `from` up to, but not including, `to`.
func (s *series) runs(from, to int) []float64 { return slices.Concat(s.points[from:to]...) }

// describe sets the fields of a change. The segments around it begin at the point `from` and end
// before the point `to`. describe converts points to indices in the argument of Find.
func (s *series) describe(c *Change, from, to int) {
	before, after := s.runs(from, c.At), s.runs(c.At, to)
	c.Runs = [2]int{len(before), len(after)}
	c.Before, c.After = repeats.Median(before), repeats.Median(after)
	c.Difference, c.Interval = shift(before, after)
	at := c.At
	earliest, latest := at, at
	for earliest-1 > from && mannWhitney(s.runs(earliest-1, at), after) > Rate {
		earliest--
	}
	for latest+1 < to && mannWhitney(before, s.runs(at, latest+1)) > Rate {
		latest++
	}
	c.At, c.Earliest, c.Latest = s.index[at], s.index[earliest], s.index[latest]
}

// uneven reports whether most neighboring points differ by more than their runs explain.
func (s *series) uneven() bool {
	const leastPoints, rate, draws = 4, 0.05, 999
	// The noise of runs is relative to their mean, so logarithms are compared.
	var logs, weights []float64
	squares, freedom := 0.0, 0
	for _, runs := range s.points {
		mean := 0.0
		for _, x := range runs {
			mean += x / float64(len(runs))
		}
		if mean <= 0 {
			continue
		}
		logs, weights = append(logs, math.Log(mean)), append(weights, 1/float64(len(runs)))
		for _, x := range runs {
			squares += (x/mean - 1) * (x/mean - 1)
		}
		freedom += len(runs) - 1
	}
	if len(logs) < leastPoints || freedom == 0 {
		return false
	}
	seen := roughness(logs, weights)
	if seen == 0 {
		return false
	}
	seen /= squares / float64(freedom)
	random, as := source(), 0
	drawn := make([]float64, len(logs))
	for range draws {
		for i := range drawn {
			drawn[i] = random.NormFloat64() * math.Sqrt(weights[i])
		}
		chi := 0.0
		for range freedom {
			z := random.NormFloat64()
			chi += z * z
		}
		if roughness(drawn, weights)/(chi/float64(freedom)) >= seen {
			as++
		}
	}
	return float64(as+1)/(draws+1) <= rate
}

// roughness measures how much the means of neighboring points differ:
//
//   - Each squared step between neighbors is divided by its expected value, which depends on the
//     numbers of runs.
//   - The largest quarter of the steps is left out. A lasting change is a single step, so a few
//     changes do not increase the result.
//   - The result is the sum of the others.
func roughness(means, weights []float64) float64 {
	steps := make([]float64, len(means)-1)
	for i := range steps {
		d := means[i+1] - means[i]
		steps[i] = d * d / (weights[i] + weights[i+1])
	}
	slices.Sort(steps)
	sum := 0.0
	for _, step := range steps[:len(steps)-(len(steps)+3)/4] {
		sum += step
	}
	return sum
}
