package within

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/diffprof/diffprof/fleet/pairs"
)

// Minimum data for testing an app on a client: pairs with the app, pairs without it, and changes
// between the two. If an app ran in a single period, anything else in that period may be the cause.
const (
	minPairs   = 4
	minChanges = 3
	// maxExplained limits how well strata predict whether an app runs. Other apps are not tested.
	// For example, an app in the foreground runs only while the screen is on, so the data cannot
	// distinguish it from heavier use of the phone.
	maxExplained = 0.1
	// maxSeries is the maximum number of pairs of a client. The latest pairs are used.
	maxSeries = 1 << 16
	// maxCorrelation is the largest correlation at which two apps of a client can be distinguished.
	maxCorrelation = 0.8
)

// A Series has the logarithms of a client's discharge rates, one for each pair. The effects of
// strata and hogs are subtracted.
type Series struct {
	pairs   []pairs.Pair
	from    int
	rates   []float64 // rates has the logarithm of each rate, minus the mean of its stratum.
	logs    []float64 // logs has the logarithm of each rate.
	x       []float64 // x is the presence of one app, by pair: 1, 1/2 or 0, minus the mean of the stratum.
	stratum []int     // stratum is indexed by pair.
	strata  []int     // strata counts the pairs of each stratum.
	mean    []float64
	apps    []appEffect // apps is indexed like Apps.
	drains  []float64   // drains has the excesses of hogs. It is indexed like Apps.
	present []presence
	starts  []int // starts maps the index of an app to its first element of present.
	// limitT is the last result of limit, which was for limitFree degrees of freedom.
	limitFree, limitT float64
}

// Load loads the pairs of a client, by stratum or, if whole is set, as one stratum. drain returns
// the excess of a hog in % per second, and 0 for other apps. The excess is subtracted from the
// rates. drain may be nil.
func (s *Series) Load(w *pairs.Work, whole bool, drain func(app uint32) float64) {
	s.pairs, s.from = w.Pairs, 0
	if len(s.pairs) > maxSeries {
		s.from = len(s.pairs) - maxSeries
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
		// Even if the level did not fall, it may have fallen by half a step.
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
	s.logs = append(s.logs[:0], s.rates...)
	s.divide(w, whole)
}

// LoadWhole loads the same pairs as the Series other, as one stratum.
func (s *Series) LoadWhole(w *pairs.Work, other *Series) {
	s.pairs, s.from = other.pairs, other.from
	s.rates = append(s.rates[:0], other.logs...)
	s.divide(w, true)
}

// divide divides the pairs into strata, and subtracts the mean of each stratum from its rates.
func (s *Series) divide(w *pairs.Work, whole bool) {
	s.stratum = s.stratum[:0]
	for i := range s.pairs {
		if whole {
			s.stratum = append(s.stratum, 0)
		} else {
			s.stratum = append(s.stratum, s.pairs[i].Base)
		}
	}
	s.strata = slices.Grow(s.strata[:0], w.Bases)[:w.Bases]
	clear(s.strata)
	for _, stratum := range s.stratum {
		s.strata[stratum]++
	}
	s.center(s.rates)
}

// center subtracts the mean of each stratum.
func (s *Series) center(v []float64) {
	s.mean = slices.Grow(s.mean[:0], len(s.strata))[:len(s.strata)]
	clear(s.mean)
	for i := range v {
		s.mean[s.stratum[i]] += v[i]
	}
	for stratum, n := range s.strata {
		s.mean[stratum] /= float64(n)
	}
	for i := range v {
		v[i] -= s.mean[s.stratum[i]]
	}
}

// Follow returns two sums in millionths: the sum of the products of successive rates, and of the squared
// rates. Their quotient is the serial correlation.
func (s *Series) Follow() (products, squares int64) {
	for i, r := range s.rates {
		squares += int64(math.Round(r * r * 1e6))
		if i > 0 {
			products += int64(math.Round(r * s.rates[i-1] * 1e6))
		}
	}
	return products, squares
}

// Effects calls f for each app that ran in some pairs of the client and not in others. The app
// multiplies the discharge rate by exp(n/d). f gets n and d twice: from comparisons within strata,
// and from comparisons of all pairs. Both numbers are in millionths, or 0 if nothing can be
// compared. whole must have the same pairs as one stratum (LoadWhole).
func (s *Series) Effects(w *pairs.Work, whole *Series, f func(app uint32, strata, whole [2]int64)) {
	apps := len(w.Apps)
	s.apps, s.x = zeros(s.apps, apps), zeros(s.x, apps*len(s.strata))
	for i, r := range s.rates {
		ends, present, all := w.Ends(s.from+i), s.x[s.stratum[i]*apps:][:apps], whole.rates[i]
		for n, a := range w.Running(s.from + i) {
			x, own := float64(ends[n])/2, &s.apps[a]
			own.n += x * r
			own.whole += x * all
			own.squares += x * x
			present[a] += x
		}
	}
	for a, app := range w.Apps {
		own, sum := &s.apps[a], 0.0
		d := own.squares
		for stratum, pairs := range s.strata {
			if x := s.x[stratum*apps+a]; x > 0 {
				d -= x * x / float64(pairs)
				sum += x
			}
		}
		within, without := millionths(own.n, d), [2]int64{}
		if sum > 0 {
			without = millionths(own.whole, own.squares-sum*sum/float64(len(s.rates)))
		}
		if within[1] > 0 || without[1] > 0 {
			f(app, within, without)
		}
	}
}

// An appEffect has sums over the pairs with one app. x is 1 if both samples list it, and otherwise
// 1/2. n is Σx·rate, with strata. whole is the same without strata. squares is Σx².
type appEffect struct{ n, whole, squares float64 }

// millionths returns n and d as whole numbers, or zeros if d is 0.
func millionths(n, d float64) [2]int64 {
	if d := int64(math.Round(d * 1e6)); d > 0 {
		return [2]int64{int64(math.Round(n * 1e6)), d}
	}
	return [2]int64{}
}

// Effect returns the sum n of one app, as in Effects. at is the index of the app.
func (s *Series) Effect(w *pairs.Work, at int) int64 {
	n := 0.0
	for i, r := range s.rates {
		if in := slices.Index(w.Running(s.from+i), uint32(at)); in >= 0 {
			n += float64(w.Ends(s.from + i)[in]) / 2 * r
		}
	}
	return int64(math.Round(n * 1e6))
}

// A Fleet has mean effects over all clients. A bug of one client differs from them.
type Fleet struct {
	// Follow is the serial correlation of rates.
	Follow float64
	// Sums returns n and d of an app over all clients (Series.Effects). app is the app's name.
	Sums func(app uint32) [2]float64
}

// Effect returns the logarithm of the factor by which an app multiplies the rate, over all clients.
func (f *Fleet) Effect(app uint32) float64 {
	if s := f.Sums(app); s[1] > 0 {
		return s[0] / s[1]
	}
	return 0
}

// With returns a copy of f in which the sum n of one app is larger by the parameter more.
func (f Fleet) With(app uint32, more float64) Fleet {
	sums := f.Sums
	f.Sums = func(other uint32) [2]float64 {
		s := sums(other)
		if other == app {
			s[0] += more
		}
		return s
	}
	return f
}

// A Bug is an app that increases the discharge of one client more than of other clients.
type Bug struct {
	// App is the app's name. Confounded are the names of apps that the client's data cannot
	// distinguish from App.
	App        uint32
	Confounded []uint32
	// Times is the logarithm of the factor by which the app multiplies the rate. Error is its
	// standard error.
	Times, Error, Freedom float64
	// P is the probability of such a difference by chance. It is corrected for the number of tested
	// apps of the client.
	P float64
	// With and Without are the numbers of pairs with and without the app.
	With, Without int
	// t is Times minus the effect on all clients, in standard errors.
	t float64
}

// p returns the probability of a difference of at least t standard errors by chance.
func (b *Bug) p() float64 { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: b.Freedom}.CDF(-b.t) }

// Bugs returns the possible bugs of the client and the number of tested apps. The most significant
// bug is first. Its effect is subtracted before the search for the next one. fleet has the effects
// on all clients. apps are the Testable apps.
func (s *Series) Bugs(w *pairs.Work, fleet Fleet, apps []Testable) ([]Bug, int) {
	const most, doubtful = 3, 0.1
	if len(apps) == 0 {
		return nil, 0
	}
	apps = slices.Clone(apps)
	var bugs []Bug
	for len(bugs) < most {
		// All tests have the same degrees of freedom, so the largest t is the most significant.
		best, at := Bug{}, -1
		t := s.tester(fleet.Follow)
		for i := range apps {
			b, ok := t.test(&apps[i], fleet.Effect(w.Apps[apps[i].app]))
			if ok && (at < 0 || b.t > best.t) {
				best, at, t.least = b, i, b.t
			}
		}
		if at < 0 {
			break
		}
		bug := apps[at]
		best.App = w.Apps[bug.app]
		best.P = min(1, best.p()*float64(len(apps)))
		if best.P > doubtful {
			break
		}
		for _, other := range apps {
			if other.app != bug.app && s.alike(other.in, bug.in) {
				best.Confounded = append(best.Confounded, w.Apps[other.app])
			}
		}
		bugs = append(bugs, best)
		s.load(bug.in)
		for i := range s.rates {
			s.rates[i] -= best.Times * s.x[i]
		}
		apps = slices.DeleteFunc(apps, func(a Testable) bool {
			return a.app == bug.app || slices.Contains(best.Confounded, w.Apps[a.app])
		})
	}
	return bugs, len(apps) + len(bugs)
}

// P returns the p-value of an app on this client, compared with its effect on all clients. app is
// the name of the app. P is 1 if the app cannot be tested.
func (s *Series) P(w *pairs.Work, fleet Fleet, app uint32) float64 {
	place := uint32(slices.Index(w.Apps, app))
	s.present = s.present[:0]
	for i := range s.pairs {
		if n := slices.Index(w.Running(s.from+i), place); n >= 0 {
			s.present = append(s.present, presence{int32(i), w.Ends(s.from + i)[n]})
		}
	}
	a, t := Testable{in: s.present, squares: s.moments(s.present).within()}, s.tester(fleet.Follow)
	if b, ok := t.test(&a, fleet.Effect(app)); ok {
		return b.p()
	}
	return 1
}

// load sets s.x to the presence of an app, minus the mean of the stratum.
func (s *Series) load(in []presence) {
	s.mean = zeros(s.mean, len(s.strata))
	for _, p := range in {
		s.mean[s.stratum[p.pair]] += p.share()
	}
	for stratum, n := range s.strata {
		s.mean[stratum] /= float64(n)
	}
	s.x = slices.Grow(s.x[:0], len(s.pairs))[:len(s.pairs)]
	x, mean := s.x, s.mean
	for i, stratum := range s.stratum[:len(x)] {
		x[i] = 0 - mean[stratum]
	}
	for _, p := range in {
		x[p.pair] = p.share() - mean[s.stratum[p.pair]]
	}
}

// A tester has what the tests of a client's apps have in common.
type tester struct {
	s *Series
	// follow is the serial correlation, which increases the error. free is the degrees of freedom,
	// and left is the same without serial correlation.
	follow, left, free float64
	// squares is the sum of the squared rates.
	squares float64
	// least is the largest t so far. Smaller ones are not of interest.
	least float64
}

func (s *Series) tester(follow float64) tester {
	t := tester{s: s, follow: follow, least: math.Inf(-1)}
	t.left = float64(len(s.rates)) - s.used() - 1
	t.free = t.left * (1 - follow) / (1 + follow)
	for _, r := range s.rates {
		t.squares += r * r
	}
	return t
}

// test estimates the effect of one app and compares it with the parameter others, the effect on all
// clients. It returns false if there are too few data, or if t cannot be above t.least.
func (t *tester) test(app *Testable, others float64) (Bug, bool) {
	s, xx := t.s, app.squares
	if xx < 1 || t.free < 2 {
		return Bug{}, false
	}
	xy := s.product(app.in, s.rates)
	b := Bug{Times: xy / xx, Freedom: t.free, With: len(app.in), Without: len(s.pairs) - len(app.in)}
	if certainlyBelow(t.least, b.Times-others, xx, t.squares-b.Times*xy, t.squares, t.left) {
		return Bug{}, false
	}
	s.load(app.in)
	var xfx, before, residuals float64
	for i, x := range s.x {
		if i > 0 {
			before = t.follow * (before + s.x[i-1])
		}
		xfx += x * (x + 2*before)
		e := s.rates[i] - b.Times*x
		residuals += e * e
	}
	b.Error = math.Sqrt(residuals/t.left*max(xfx, xx)) / xx
	if b.Error == 0 {
		return Bug{}, false
	}
	b.t = (b.Times - others) / b.Error
	return b, true
}

// certainlyBelow reports cheaply whether t must be below the parameter least. It uses the error
// without serial correlation, which is never larger than the true one. residuals is the sum of
// squared residuals, up to rounding.
func certainlyBelow(least, excess, xx, residuals, squares, left float64) bool {
	const rounding = 1e-9
	if excess <= 0 {
		return least > 0
	}
	residuals -= rounding * squares
	return residuals > 0 && excess*math.Sqrt(xx*left/residuals)*(1+rounding) < least
}

// alike reports whether two apps ran in almost the same pairs.
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
	return (float64(both)/n-pa*pb)/math.Sqrt(pa*(1-pa)*pb*(1-pb)) >= maxCorrelation
}
