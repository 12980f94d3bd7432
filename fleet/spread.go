package fleet

import (
	"math"

	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// A spread shows how the excess of an app differs between clients.
type spread struct {
	// variance is the variance of the excesses of single clients, as a share of the square of their
	// mean. It may be negative by chance. err is its approximate standard error.
	variance, err float64
}

// relativeSpread returns the spread of a candidate. e is the estimate of its mean excess.
func (f *Fleet) relativeSpread(n int, c candidate, e within.Estimate) spread {
	found := f.spreadOf(n, byStrata)
	s := spread{variance: found.Variance() / (e.Excess * e.Excess)}
	// With equal clients, the error of a client's excess is √clients times the error of the mean, and
	// √2 times as large for one half. The product of two halves has the product of their errors.
	clients := c.contrast.Freedom() + 1
	s.err = 2 * math.Sqrt(clients) * math.Pow(e.Error/e.Excess, 2)
	return s
}

// onFew reports whether the excess is on less than half of the clients. If a share q of the clients has
// an excess, and the others have none, the relative variance is (1 − q)/q.
func (s *spread) onFew() bool { return s.variance-s.err > 1 }

// under returns the spread among the clients that satisfy conditions. ratio is the mean excess under the
// conditions, divided by the mean excess of all clients. The clients under the conditions are then at
// least the share 1/ratio of all. It is the spread of all if the excess under the conditions is not larger.
func (s spread) under(ratio float64) spread {
	if !(ratio > 1) {
		return s
	}
	return spread{variance: (s.variance+1)/ratio - 1, err: s.err / ratio}
}

// deviation returns the factor by which the excesses of most single clients differ at most from their
// mean. Clients have batteries of different capacity and age, so an app uses a different share of each.
// This holds for all hogs alike, and a single hog often has too little data to show it. The deviation
// is therefore at least the deviation of all hogs together. It is the upper end of an estimate, plus one
// standard error. The factors are taken as log-normal, because an excess is energy divided by a capacity.
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
