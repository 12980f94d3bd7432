package fleet

import (
	"math"

	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// A spread describes how much the excess of an app differs between clients.
type spread struct {
	// variance is the relative variance: the variance of the excess between clients, divided by the
	// squared mean. It may be negative by chance. err is its approximate standard error.
	variance, err float64
}

// relativeSpread returns the spread of a candidate. n is its index, and e the estimate of its
// excess.
func (f *Fleet) relativeSpread(n int, c candidate, e within.Estimate) spread {
	found := f.spreadOf(n, byStrata)
	s := spread{variance: found.Variance() / (e.Excess * e.Excess)}
	// If clients are equal, a single client has √clients times the error of the mean. Half of a
	// client has √2 times that error. The errors of the two halves are multiplied.
	clients := c.contrast.Freedom() + 1
	s.err = 2 * math.Sqrt(clients) * math.Pow(e.Error/e.Excess, 2)
	return s
}

// onFew reports whether only a minority of clients has the excess. If the share q of the clients
// has the same excess and the others have none, the relative variance is (1 − q)/q.
func (s *spread) onFew() bool { return s.variance-s.err > 1 }

// under returns the spread among the clients under some conditions. ratio is their mean excess,
// divided by the mean excess of all clients. They are then at least the share 1/ratio of all
// clients. If ratio is at most 1, under returns s.
func (s spread) under(ratio float64) spread {
	if !(ratio > 1) {
		return s
	}
	return spread{variance: (s.variance+1)/ratio - 1, err: s.err / ratio}
}

// deviation returns how much the excess of a hog differs between clients, as a factor. For example,
// 1.5 means that most clients have between 2/3 and 3/2 of the mean. Batteries differ in capacity
// and age, so an app uses a different share of each battery. An excess is energy divided by
// capacity, so the factors are assumed to be log-normal.
//
// A single hog often has too few data for an estimate. The result is therefore at least the spread
// of all hogs together, plus one standard error.
func (f *Fleet) deviation(h *Hog) float64 {
	if f.Method == Paper {
		return 1
	}
	var weight, sum float64
	for _, other := range f.judge().hogs {
		if s := other.spread; len(other.Conditions) == 0 && isNumber(s.variance) && s.err > 0 {
			weight, sum = weight+1/(s.err*s.err), sum+s.variance/(s.err*s.err)
		}
	}
	variance := h.spread.variance
	if weight > 0 {
		variance = max(variance, sum/weight+1/math.Sqrt(weight))
	}
	if !(variance > 0) {
		return 1
	}
	c := within.ContrastOf(f.Sums.Get(sums.Key("app", h.App)))
	return math.Exp(half(math.Sqrt(math.Log1p(variance)), c.Freedom()))
}
