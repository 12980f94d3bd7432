package fleet

import (
	"math"

	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// A spread describes how much the excess of an app differs between clients.
type spread struct {
	// variance is the variance of the excesses of single clients, divided by the square of their
	// mean. It may be negative by chance. err is its approximate standard error.
	variance, err float64
}

// relativeSpread returns the spread of candidate number n. e is the estimate of its mean excess.
func (f *Fleet) relativeSpread(n int, c candidate, e within.Estimate) spread {
	found := f.spreadOf(n, byStrata)
	s := spread{variance: found.Variance() / (e.Excess * e.Excess)}
	// If clients are equal, the error of a client's excess is √clients times the error of the mean.
	// The error for one half of a client is larger by √2. The error of the product of two halves is
	// the product of their errors.
	clients := c.contrast.Freedom() + 1
	s.err = 2 * math.Sqrt(clients) * math.Pow(e.Error/e.Excess, 2)
	return s
}

// onFew reports whether less than half of the clients have the excess. If the share q of the
// clients has an excess and the others have none, the relative variance is (1 − q)/q.
func (s *spread) onFew() bool { return s.variance-s.err > 1 }

// under returns the spread among the clients that satisfy conditions. ratio is the mean excess of
// these clients divided by the mean excess of all clients. At least the share 1/ratio of all
// clients then satisfies the conditions. If ratio is at most 1, under returns s.
func (s spread) under(ratio float64) spread {
	if !(ratio > 1) {
		return s
	}
	return spread{variance: (s.variance+1)/ratio - 1, err: s.err / ratio}
}

// deviation returns a factor. The excesses of most single clients differ from their mean by less
// than this factor. Batteries differ in capacity and age, so an app uses a different share of each
// battery. This holds for all hogs, and a single hog often has too few data to show it. The
// deviation is therefore at least that of all hogs together, which is estimated and increased by
// one standard error. The factors are assumed to be log-normal, because an excess is energy divided
// by a capacity.
func (f *Fleet) deviation(h *Hog) float64 {
	if f.Method == Paper {
		return 1
	}
	var weight, sum float64
	for _, other := range f.judge().hogs {
		if s := other.spread; len(other.Where) == 0 && isNumber(s.variance) && s.err > 0 {
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
