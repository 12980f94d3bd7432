package within

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// A Testable is an app of one client with enough data for a test. It depends on when apps ran and
// on strata, but not on rates.
type Testable struct {
	app int // app is the index in Work.Apps.
	in  []presence
	// squares is the sum of the squared presence, minus the mean of its stratum.
	squares float64
}

// A presence is a pair with an app. ends is 1 or 2: the number of its samples that list the app.
type presence struct {
	pair int32
	ends uint8
}

// share returns the presence as a number: 1 if both samples list the app, and otherwise 1/2.
func (p presence) share() float64 { return float64(p.ends) / 2 }

// Testable returns the apps of the client that can be tested for bugs. skip reports whether an app
// is a hog: hogs are not bugs. The result is valid until the next call of Testable or P. It also
// holds for other rates of the same pairs.
func (s *Series) Testable(w *pairs.Work, skip func(app uint32) bool) (all []Testable) {
	for a, in := range s.presence(w) {
		if len(in) < minPairs || len(s.pairs)-len(in) < minPairs || skip(w.Apps[a]) || s.changes(in) < minChanges {
			continue
		}
		m := s.moments(in)
		if s.explained(m) < maxExplained {
			all = append(all, Testable{a, in, m.within()})
		}
	}
	return all
}

// presence returns the pairs of each app. The result is valid until the next call.
func (s *Series) presence(w *pairs.Work) [][]presence {
	s.starts = zeros(s.starts, len(w.Apps)+2)
	next := s.starts[1:] // next[a] is where the next pair of app a is stored in present.
	for i := range s.pairs {
		for _, a := range w.Running(s.from + i) {
			next[a+1]++
		}
	}
	for a := range w.Apps {
		next[a+1] += next[a]
	}
	s.present = slices.Grow(s.present[:0], next[len(w.Apps)])[:next[len(w.Apps)]]
	for i := range s.pairs {
		ends := w.Ends(s.from + i)
		for n, a := range w.Running(s.from + i) {
			s.present[next[a]] = presence{int32(i), ends[n]}
			next[a]++
		}
	}
	all := make([][]presence, len(w.Apps))
	for a := range all {
		all[a] = s.present[s.starts[a]:s.starts[a+1]]
	}
	return all
}

// changes returns how often the app started or stopped. in has the pairs with the app.
func (s *Series) changes(in []presence) (n int) {
	for i, p := range in {
		if p.pair > 0 && (i == 0 || in[i-1].pair != p.pair-1) {
			n++
		}
		if int(p.pair) < len(s.pairs)-1 && (i == len(in)-1 || in[i+1].pair != p.pair+1) {
			n++
		}
	}
	return n
}

// moments has sums over the pairs with an app. x is the presence. sum is Σx and squares Σx². between
// is the sum of (Σx)²/n over the strata, where n is the number of pairs of the stratum.
type moments struct{ sum, squares, between float64 }

// within returns the sum of the squared differences between x and its mean in the stratum.
func (m moments) within() float64 { return m.squares - m.between }

func (s *Series) moments(in []presence) (m moments) {
	s.mean = zeros(s.mean, len(s.strata))
	for _, p := range in {
		x := p.share()
		m.sum, m.squares = m.sum+x, m.squares+x*x
		s.mean[s.stratum[p.pair]] += x
	}
	for stratum, n := range s.strata {
		if n > 0 {
			m.between += s.mean[stratum] * s.mean[stratum] / float64(n)
		}
	}
	return m
}

// explained returns how well strata predict whether an app runs. 0 means no better than by chance,
// and 1 means perfectly.
func (s *Series) explained(m moments) float64 {
	pairs := float64(len(s.pairs))
	chance := m.sum * m.sum / pairs
	return (m.between-chance)/(m.squares-chance) - (s.used()-1)/(pairs-1)
}

// used returns the number of strata that have pairs.
func (s *Series) used() (n float64) {
	for _, pairs := range s.strata {
		if pairs > 0 {
			n++
		}
	}
	return n
}

// product returns Σxy over all pairs, where x is the presence of an app. The mean of y must be 0 in
// each stratum. The sum is then the same with and without subtracting the mean of x.
func (s *Series) product(in []presence, y []float64) (sum float64) {
	for _, p := range in {
		sum += p.share() * y[p.pair]
	}
	return sum
}
