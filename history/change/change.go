// Package change finds where the level of a series changes for good: from which of the
// commits that were measured a program drains more, or less.
//
// # The method
//
// A series has a point for each measured commit, in their order, and a point has a figure for
// each of its runs. The procedure is E-Divisive (Matteson and James, "A nonparametric
// approach for multiple change point analysis of multivariate data", JASA 109, 2014), which
// teams use for series of performance (Daly et al., "The use of change point detection to
// identify software performance regressions in a continuous integration system", ICPE
// 2020). It parts the series in two where the parts diverge most, and each part again, and
// asks of each change by permutation whether chance does as much: figures change places
// within the segments found so far, and the first change that is no evidence ends the search.
// Here:
//
//   - The divergence has the exponent 2. With it, E-Divisive compares means and nothing else,
//     so that a change always has a direction: costlier or cheaper.
//   - It is of the runs' ranks within their segment, as in Pettitt ("A non-parametric approach
//     to the change-point problem", Applied Statistics 28, 1979). Energy is skewed, and one
//     run out of line neither makes a change nor hides one. Equal figures share their ranks.
//   - A change lies between two points, never between two runs of one.
//   - Permutations are drawn with a fixed seed, and no longer than they leave the answer open
//     (Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991).
//
// By how much the level changed is the estimate of Hodges and Lehmann: the median of all
// differences of a run after the change and one before it, with the interval that belongs to
// the test of Mann and Whitney.
//
// # What it assumes
//
// Where nothing changed, runs could have changed places. So they are independent and
// were made under equal conditions: one device, one scenario. Runs of one commit are often
// made in one go, and are then more alike than runs of two commits are. The
// package looks for that: if the means of neighbouring points differ by more than the runs of
// points explain, in most places and not just in some, each point counts as a single run. That
// takes four points. With fewer, conditions are taken for equal.
//
// Noise may have any distribution, but the same all along. Lasting trends are shown as steps.
//
// All functions are pure and may be called concurrently. A series with its figures
// multiplied, shifted or negated has its changes in the same places.
package change

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/repeats"
)

// Method names the statistics of Find for people.
const Method = "E-Divisive with means of ranks (Matteson and James 2014), tested by permutation"

// Rate is how often a series without changes is said to have one, at most.
const Rate = 0.05

// A Result is what a series shows.
type Result struct {
	// Changes are in the order of their points.
	Changes []Change
	// P is how often chance alone shows as much as the first change that was looked for, if
	// nothing changed at all.
	P float64
	// Next is where one change more would most likely be, which is no evidence: NextP is how
	// often chance alone shows as much there. Next is 0 where no further change is possible.
	Next  int
	NextP float64
	// Whole is set where each point counted as a single run: see the package comment.
	Whole bool
}

// A Change is a lasting change of level.
type Change struct {
	// At is the index of the first point after the change.
	At int
	// Earliest and Latest are between which points the first after the change lies: the runs of
	// the points between At and these do not tell on which side they are.
	Earliest, Latest int
	// P is how often chance alone shows as much, at most Rate.
	P float64
	// Before and After are the median runs of the segments on either side, and Runs how many
	// runs they have.
	Before, After float64
	Runs          [2]int
	// Difference is by how much the level rose; Interval holds it with 95 %. It is infinite on
	// either side where the segments have too few runs for one.
	Difference float64
	Interval   repeats.Interval
}

// Costlier reports whether the level rose.
func (c Change) Costlier() bool { return c.Difference > 0 }

// Find looks for changes in a series of points, each with the figures of its runs. A point
// without runs was not measured, and is passed over.
func Find(points [][]float64) *Result {
	s := newSeries(points)
	r := &Result{P: 1, NextP: 1, Whole: s.uneven()}
	if r.Whole {
		s = s.whole()
	}
	ends := []int{0, len(s.points)}
	for {
		best, p := s.next(ends)
		if best == 0 {
			break
		}
		if len(ends) == 2 {
			r.P = p
		}
		if p > Rate {
			r.Next, r.NextP = s.index[best], p
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

// A series is the points that have runs.
type series struct {
	points [][]float64
	// index has the place of each point among all.
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

// whole returns the series with each point as a single run: its median.
func (s *series) whole() *series {
	w := &series{index: s.index}
	for _, runs := range s.points {
		w.points = append(w.points, []float64{repeats.Median(runs)})
	}
	return w
}

// runs are the runs of the points from one to another.
func (s *series) runs(from, to int) []float64 { return slices.Concat(s.points[from:to]...) }

// describe says of the change at a point what its segments show: from the one that begins at
// from to the one that ends at to. Its points become places among all.
func (s *series) describe(c *Change, from, to int) {
	before, after := s.runs(from, c.At), s.runs(c.At, to)
	c.Runs = [2]int{len(before), len(after)}
	c.Before, c.After = repeats.Median(before), repeats.Median(after)
	c.Difference, c.Interval = shift(before, after)
	at := c.At
	earliest, latest := at, at
	for earliest-1 > from && apart(s.runs(earliest-1, at), after) > Rate {
		earliest--
	}
	for latest+1 < to && apart(before, s.runs(at, latest+1)) > Rate {
		latest++
	}
	c.At, c.Earliest, c.Latest = s.index[at], s.index[earliest], s.index[latest]
}

// uneven reports whether points differ by more than their runs explain, in most places.
func (s *series) uneven() bool {
	const leastPoints, rate, draws = 4, 0.05, 999
	// The noise of runs is relative.
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

// roughness is the mean of the squared steps from one mean to the next, each in parts of what
// the numbers of runs let expect, but for the largest quarter. A lasting change is one step, so
// that a few do not make a series rough.
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
