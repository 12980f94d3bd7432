package change

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// draws is the maximum number of permutations of a test. The test ends early once `enough`
// permutations have at least the same divergence.
const draws, enough = 9999, 20

// source returns the random numbers of a test. They are the same for each test.
func source() *rand.Rand { return rand.New(rand.NewPCG(1979, 2014)) }

// A segment is a part of a series in which no change has been found.
type segment struct {
	// first is the index of the segment's first point.
	first int
	// ranks has twice the rank of each run, point after point. Equal values share the mean of their
	// ranks. ends has the index after each point's last run, except for the last point.
	ranks []int64
	ends  []int
	// sum and variance are the sum and the variance of the ranks. variance is 0 if all runs are equal.
	sum      int64
	variance float64
}

func (s *series) segment(from, to int) *segment {
	g := &segment{first: from, ranks: ranks(s.runs(from, to))}
	end := 0
	for _, runs := range s.points[from : to-1] {
		end += len(runs)
		g.ends = append(g.ends, end)
	}
	n := float64(len(g.ranks))
	squares := 0.0
	for _, rank := range g.ranks {
		g.sum += rank
		squares += (float64(rank) - n - 1) * (float64(rank) - n - 1)
	}
	if n > 1 {
		g.variance = squares / (n - 1)
	}
	return g
}

// ranks returns twice the rank of each value, beginning with 2. Equal values share the mean of
// their ranks, so ranks are doubled to be whole numbers.
func ranks(values []float64) []int64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]int64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = int64(from + to + 1)
		}
		from = to
	}
	return out
}

// divergence divides the segment where its two parts diverge most. It returns their divergence, and
// the point at which the second part begins. It returns 0 if no two parts diverge.
//
// The divergence is the statistic of Kruskal and Wallis for two samples. It equals the statistic of
// E-Divisive for the exponent 2, divided by the variance of all ranks.
func (g *segment) divergence() (most float64, at int) {
	if g.variance == 0 {
		return 0, 0
	}
	n, left, run := int64(len(g.ranks)), int64(0), 0
	for i, end := range g.ends {
		for ; run < end; run++ {
			left += g.ranks[run]
		}
		m := int64(end)
		apart := float64(left*n - g.sum*m)
		if d := apart * apart / (float64(n) * float64(m*(n-m)) * g.variance); d > most {
			most, at = d, g.first+i+1
		}
	}
	return most, at
}

// next returns the most likely place of one more change, or 0 if there is none. ends has the
// boundaries of the segments so far. p is the probability that chance alone gives a change as
// strong.
func (s *series) next(ends []int) (best int, p float64) {
	var segments []*segment
	most := 0.0
	for i, to := range ends[1:] {
		if to-ends[i] < 2 {
			continue
		}
		g := s.segment(ends[i], to)
		segments = append(segments, g)
		if d, at := g.divergence(); d > most {
			most, best = d, at
		}
	}
	if best == 0 {
		return 0, 1
	}
	// Values that differ only in the last digits count as equal.
	most *= 1 - 1e-9
	random, as := source(), 0
	for drawn := range draws {
		for _, g := range segments {
			random.Shuffle(len(g.ranks), func(i, j int) { g.ranks[i], g.ranks[j] = g.ranks[j], g.ranks[i] })
		}
		if slices.ContainsFunc(segments, func(g *segment) bool { d, _ := g.divergence(); return d >= most }) {
			as++
		}
		if as == enough {
			return best, float64(enough) / float64(drawn+1)
		}
	}
	return best, float64(as+1) / (draws + 1)
}
