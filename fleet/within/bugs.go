package within

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// What makes an app of a client testable: pairs with and without it, and how often the one
// follows the other. An app that ran once in one stretch says little: so may anything that
// happened in that time.
const (
	minPairs   = 4
	minChanges = 3
	// tied is the share of when an app runs that strata explain, from which on it is not tested:
	// an app that shows itself runs while the screen is on, and which of two times with the
	// screen on was used the harder cannot be told from the app.
	tied = 0.1
	// mostSeries is how many pairs of a client are looked at, the latest.
	mostSeries = 1 << 16
	// likeness is the correlation from which two apps of a client are not told apart.
	likeness = 0.8
)

// A Series is the logarithms of the rates of one client's pairs, without what its strata and its
// hogs account for.
type Series struct {
	pairs   []pairs.Pair
	from    int
	rates   []float64 // the logarithm, less the mean of the stratum
	x       []float64 // of an app: 1 if it ran, half if at one end, less the mean of the stratum
	stratum []int     // by pair
	strata  []int     // pairs of each
	mean    []float64
	n, d    []float64 // by place
	drains  []float64 // of hogs, by place
	present []presence
	starts  []int // in present, by place
}

// Load takes a client's pairs, by stratum or, if whole is set, all as one stratum. drain says what a
// hog drains, in % a second, by the app's name; nil takes nothing out.
func (s *Series) Load(w *pairs.Work, whole bool, drain func(app uint32) float64) {
	s.pairs, s.from = w.Pairs, 0
	if len(s.pairs) > mostSeries {
		s.from = len(s.pairs) - mostSeries
		s.pairs = s.pairs[s.from:]
	}
	s.rates, s.drains = s.rates[:0], s.drains[:0]
	for _, app := range w.Apps {
		if drain == nil {
			break
		}
		s.drains = append(s.drains, drain(app))
	}
	for i := range s.pairs {
		p := &s.pairs[i]
		// A pair without a drop may have one of half a step.
		drop := float64(max(p.Drop, (p.Most-p.Least)/2, 500_000))
		rate := drop / float64(p.Time) * scale
		hogs := 0.0
		if drain != nil {
			for _, a := range w.Running(s.from + i) {
				hogs += s.drains[a]
			}
		}
		s.rates = append(s.rates, math.Log(max(rate-hogs, rate/10)))
	}
	s.stratum = s.stratum[:0]
	for i := range s.pairs {
		if whole {
			s.stratum = append(s.stratum, 0)
		} else {
			s.stratum = append(s.stratum, s.pairs[i].Stratum)
		}
	}
	s.strata = slices.Grow(s.strata[:0], w.Strata)[:w.Strata]
	clear(s.strata)
	for _, stratum := range s.stratum {
		s.strata[stratum]++
	}
	s.center(s.rates)
}

// center takes the mean of each stratum out.
func (s *Series) center(v []float64) {
	s.mean = slices.Grow(s.mean[:0], len(s.strata))[:len(s.strata)]
	clear(s.mean)
	for i := range v {
		s.mean[s.stratum[i]] += v[i]
	}
	for i := range v {
		stratum := s.stratum[i]
		v[i] -= s.mean[stratum] / float64(s.strata[stratum])
	}
}

// Follow returns the sums that tell how much a rate is like the one before it: of products of
// neighbours and of squares, each a whole number of millionths.
func (s *Series) Follow() (products, squares int64) {
	for i, r := range s.rates {
		squares += int64(math.Round(r * r * 1e6))
		if i > 0 {
			products += int64(math.Round(r * s.rates[i-1] * 1e6))
		}
	}
	return products, squares
}

// Effects calls f for each app of the client that ran in some of the pairs and in others not, with
// the sums that tell how many times more is drained with it: the logarithm is n/d, each a
// whole number of millionths.
func (s *Series) Effects(w *pairs.Work, f func(app uint32, n, d int64)) {
	apps := len(w.Apps)
	s.n, s.d = slices.Grow(s.n[:0], apps)[:apps], slices.Grow(s.d[:0], apps)[:apps]
	s.x = slices.Grow(s.x[:0], apps*len(s.strata))[:apps*len(s.strata)]
	clear(s.n)
	clear(s.d)
	clear(s.x)
	for i, r := range s.rates {
		ends := w.Ends(s.from + i)
		for n, a := range w.Running(s.from + i) {
			x := float64(ends[n]) / 2
			s.n[a] += x * r
			s.d[a] += x * x
			s.x[s.stratum[i]*apps+int(a)] += x
		}
	}
	for stratum, pairs := range s.strata {
		for a := range w.Apps {
			if x := s.x[stratum*apps+a]; x > 0 {
				s.d[a] -= x * x / float64(pairs)
			}
		}
	}
	for a, app := range w.Apps {
		if n, d := int64(math.Round(s.n[a]*1e6)), int64(math.Round(s.d[a]*1e6)); d > 0 {
			f(app, n, d)
		}
	}
}

// A Fleet is what the bugs of a client are compared with.
type Fleet struct {
	// Follow is the correlation of a rate with the one before.
	Follow float64
	// Effect is the logarithm of how many times other clients drain with an app, by its name.
	Effect func(app uint32) float64
}

// A Bug is an app that drains one client more than the client drains without it.
type Bug struct {
	// App is the app's name; Like are those of apps that the client cannot tell from it.
	App  uint32
	Like []uint32
	// Times is the logarithm of how many times the client drains without it; Error its
	// standard error.
	Times, Error, Freedom float64
	// P is the probability if there is no bug, by all apps of the client that were tested.
	P float64
	// With and Without are numbers of pairs.
	With, Without int
	// t is how many errors the app drains more than on other clients.
	t float64
}

// p is the probability of so many errors, or more, by chance.
func (b *Bug) p() float64 { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: b.Freedom}.CDF(-b.t) }

// Bugs returns the apps of a client that may be bugs, the likeliest first, and how many apps
// could be tested. One after another is taken out of the rates before the next is looked for.
// fleet is what is known of all clients; skip says which apps are no bugs, since they are hogs.
func (s *Series) Bugs(w *pairs.Work, fleet Fleet, skip func(app uint32) bool) ([]Bug, int) {
	const most, doubtful = 3, 0.1
	presence, tested := s.presence(w, skip)
	tested = slices.DeleteFunc(tested, func(a int) bool { return s.explained(presence[a]) >= tied })
	if len(tested) == 0 {
		return nil, 0
	}
	var bugs []Bug
	for len(bugs) < most {
		// All apps of a client have the same freedom, so the likeliest has the most errors.
		best, at := Bug{}, -1
		for _, a := range tested {
			b, ok := s.test(presence[a], fleet.Follow, fleet.Effect(w.Apps[a]))
			if ok && (at < 0 || b.t > best.t) {
				best, at = b, a
			}
		}
		if at < 0 {
			break
		}
		best.App = w.Apps[at]
		best.P = min(1, best.p()*float64(len(tested)))
		if best.P > doubtful {
			break
		}
		for _, a := range tested {
			if a != at && s.alike(presence[a], presence[at]) {
				best.Like = append(best.Like, w.Apps[a])
			}
		}
		bugs = append(bugs, best)
		s.load(presence[at])
		for i := range s.rates {
			s.rates[i] -= best.Times * s.x[i]
		}
		tested = slices.DeleteFunc(tested, func(a int) bool {
			return a == at || slices.Contains(best.Like, w.Apps[a])
		})
	}
	return bugs, len(tested) + len(bugs)
}

// P is the probability that an app of the client, by its name, drains as much more as it does, or
// more, if it does not.
func (s *Series) P(w *pairs.Work, fleet Fleet, app uint32) float64 {
	all, _ := s.presence(w, func(other uint32) bool { return other != app })
	if b, ok := s.test(all[slices.Index(w.Apps, app)], fleet.Follow, fleet.Effect(app)); ok {
		return b.p()
	}
	return 1
}

// presence returns for each app, by its place, the pairs in which it ran, and the places of those
// that can be tested. They are valid until it is called again.
func (s *Series) presence(w *pairs.Work, skip func(app uint32) bool) ([][]presence, []int) {
	s.starts = slices.Grow(s.starts[:0], len(w.Apps)+1)[:len(w.Apps)+1]
	clear(s.starts)
	for i := range s.pairs {
		for _, a := range w.Running(s.from + i) {
			s.starts[a+1]++
		}
	}
	for a := range w.Apps {
		s.starts[a+1] += s.starts[a]
	}
	s.present = slices.Grow(s.present[:0], s.starts[len(w.Apps)])[:s.starts[len(w.Apps)]]
	all := make([][]presence, len(w.Apps))
	for a := range all {
		all[a] = s.present[s.starts[a]:s.starts[a]]
	}
	for i := range s.pairs {
		ends := w.Ends(s.from + i)
		for n, a := range w.Running(s.from + i) {
			all[a] = append(all[a], presence{int32(i), ends[n]})
		}
	}
	var tested []int
	for a, in := range all {
		if len(in) < minPairs || len(s.pairs)-len(in) < minPairs || skip(w.Apps[a]) {
			continue
		}
		changes := 0
		for i, p := range in {
			if p.pair > 0 && (i == 0 || in[i-1].pair != p.pair-1) {
				changes++
			}
			if int(p.pair) < len(s.pairs)-1 && (i == len(in)-1 || in[i+1].pair != p.pair+1) {
				changes++
			}
		}
		if changes >= minChanges {
			tested = append(tested, a)
		}
	}
	return all, tested
}

// A presence is a pair in which an app ran, and at how many of its ends.
type presence struct {
	pair int32
	ends uint8
}

// explained is the share of an app's presence that its strata explain, less what they would by
// chance.
func (s *Series) explained(in []presence) float64 {
	pairs := float64(len(s.pairs))
	var sum, squares, between float64
	s.mean = slices.Grow(s.mean[:0], len(s.strata))[:len(s.strata)]
	clear(s.mean)
	for _, p := range in {
		x := float64(p.ends) / 2
		sum, squares = sum+x, squares+x*x
		s.mean[s.stratum[p.pair]] += x
	}
	strata := 0.0
	for stratum, n := range s.strata {
		if n > 0 {
			strata++
			between += s.mean[stratum] * s.mean[stratum] / float64(n)
		}
	}
	whole := squares - sum*sum/pairs
	return (between-sum*sum/pairs)/whole - (strata-1)/(pairs-1)
}

// load has in x how much an app ran, less the mean of the stratum.
func (s *Series) load(in []presence) {
	s.x = slices.Grow(s.x[:0], len(s.pairs))[:len(s.pairs)]
	clear(s.x)
	for _, p := range in {
		s.x[p.pair] = float64(p.ends) / 2
	}
	s.center(s.x)
}

// test tests one app. Errors follow each other as follow says, both in the error of the excess
// and in how many pairs it rests on. others is what the app drains on other clients.
func (s *Series) test(in []presence, follow, others float64) (Bug, bool) {
	s.load(in)
	var xx, xy, xfx, before float64
	for i, x := range s.x {
		xx += x * x
		xy += x * s.rates[i]
		if i > 0 {
			before = follow * (before + s.x[i-1])
		}
		xfx += x * (x + 2*before)
	}
	strata := 0
	for _, n := range s.strata {
		if n > 0 {
			strata++
		}
	}
	free := (float64(len(s.rates)-strata) - 1) * (1 - follow) / (1 + follow)
	if xx < 1 || free < 2 {
		return Bug{}, false
	}
	b := Bug{Times: xy / xx, Freedom: free, With: len(in), Without: len(s.pairs) - len(in)}
	var left float64
	for i, x := range s.x {
		e := s.rates[i] - b.Times*x
		left += e * e
	}
	variance := left / (float64(len(s.rates)-strata) - 1)
	b.Error = math.Sqrt(variance*max(xfx, xx)) / xx
	if b.Error == 0 {
		return Bug{}, false
	}
	b.t = (b.Times - others) / b.Error
	return b, true
}

// alike says whether two apps ran in nearly the same pairs.
func (s *Series) alike(a, b []presence) bool {
	i, j, both := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].pair < b[j].pair:
			i++
		case a[i].pair > b[j].pair:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	n := float64(len(s.pairs))
	pa, pb := float64(len(a))/n, float64(len(b))/n
	return (float64(both)/n-pa*pb)/math.Sqrt(pa*(1-pa)*pb*(1-pb)) >= likeness
}
