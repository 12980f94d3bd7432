package within

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
)

// The apps of oneClient.
const (
	buggy     = 1 + iota // buggy makes the rate three times as high.
	twin                 // twin always runs with buggy.
	quiet                // quiet runs at other times.
	always               // always runs in each sample.
	once                 // once runs in one period.
	byUser               // byUser runs while the screen is on.
	companion            // companion often runs with buggy.
)

// oneClient returns the pairs of one client with a screen. The rates have noise.
func oneClient(seed uint64) *pairs.Work {
	random := rand.New(rand.NewPCG(seed, 12))
	c := samples.NewClient(1, 1)
	at, level := int64(1_700_000_000_000), 100.0
	var runs [companion + 1]bool
	for n := range 400 {
		if n%4 == 0 {
			runs[buggy] = random.IntN(3) == 0
			runs[quiet] = random.IntN(3) == 0
			runs[companion] = runs[buggy] && random.IntN(3) > 0
		}
		screen := uint32(1 + n/7%2)
		runs[twin], runs[always], runs[once], runs[byUser] = runs[buggy], true, n >= 100 && n < 150, screen == 2
		s := samples.Sample{Time: at, Level: int32(level * samples.Percent), State: samples.Discharging, Features: []uint32{screen}}
		for app, in := range runs {
			if in {
				s.Apps = append(s.Apps, uint32(app))
			}
		}
		c.Add(&s)
		rate := 3 * math.Exp(0.2*random.NormFloat64()) // %/h
		if screen == 2 {
			rate *= 4
		}
		if runs[buggy] {
			rate *= 3
		}
		pause := int64(3_600_000 / rate)
		at += pause
		if level--; level < 10 {
			level = 100
		}
	}
	w := &pairs.Work{Options: pairs.Options{Within: []int{0}, Known: []int{0}, Model: -1}}
	w.Load(c)
	return w
}

// zero is a fleet in which no app has an effect.
func zero() Fleet { return Fleet{Sums: func(uint32) [2]float64 { return [2]float64{} }} }

func noHog(uint32) bool { return false }

// TestBugs checks which apps of a client are possible bugs.
func TestBugs(t *testing.T) {
	w := oneClient(1)
	var s Series
	s.Load(w, false, nil)
	bugs, tested := s.Bugs(w, zero(), s.Testable(w, noHog))
	if len(bugs) == 0 || bugs[0].App != buggy || !slices.Contains(bugs[0].Confounded, twin) || slices.Contains(bugs[0].Confounded, quiet) {
		t.Fatalf("the bugs are %+v", bugs)
	}
	for _, b := range bugs[1:] {
		if b.P < 0.001 {
			t.Errorf("another app is a bug: %+v", b)
		}
	}
	// The apps that always run, that ran once, and that the screen explains are not tested.
	if want := 4 - len(bugs[0].Confounded); tested != want {
		t.Errorf("%d apps count as tested, want %d", tested, want)
	}
	b := bugs[0]
	if math.Abs(b.Times-math.Log(3)) > 0.15 || math.Abs(b.Times-math.Log(3)) > 3*b.Error {
		t.Errorf("the effect is %.3f ± %.3f, want %.3f", b.Times, b.Error, math.Log(3))
	}
	if b.P > 1e-6 || b.With+b.Without != len(w.Pairs) {
		t.Errorf("p is %v, with %d and without %d of %d pairs", b.P, b.With, b.Without, len(w.Pairs))
	}
	// An app that has the same effect on all clients has no bug, and a hog has none either.
	s.Load(w, false, nil)
	same := Fleet{Sums: func(app uint32) [2]float64 {
		if app == buggy || app == twin || app == companion {
			return [2]float64{math.Log(3), 1}
		}
		return [2]float64{}
	}}
	if bugs, _ := s.Bugs(w, same, s.Testable(w, noHog)); len(bugs) > 0 && bugs[0].P < 0.001 {
		t.Errorf("an app that is the same everywhere has the bugs %+v", bugs)
	}
	s.Load(w, false, nil)
	if bugs, _ := s.Bugs(w, zero(), s.Testable(w, func(app uint32) bool { return app == buggy || app == twin || app == companion })); len(bugs) > 0 && bugs[0].P < 0.001 {
		t.Errorf("hogs have the bugs %+v", bugs)
	}
	// The excess of a hog is subtracted from the rates.
	s.Load(w, false, nil)
	if p := s.P(w, zero(), buggy); p > 1e-6 {
		t.Errorf("p of the app is %v", p)
	}
	if p := s.P(w, zero().With(buggy, 0), quiet); p < 0.001 {
		t.Errorf("p of another app is %v", p)
	}
}

// TestWith checks that With adds to the effect of one app only.
func TestWith(t *testing.T) {
	f := Fleet{Sums: func(app uint32) [2]float64 { return [2]float64{float64(app), 2} }}
	more := f.With(3, 4)
	if f.Effect(3) != 1.5 || more.Effect(3) != 3.5 || more.Effect(1) != 0.5 {
		t.Errorf("the effects are %v, %v and %v", f.Effect(3), more.Effect(3), more.Effect(1))
	}
	if got := zero(); got.Effect(1) != 0 {
		t.Errorf("an app without data has the effect %v", got.Effect(1))
	}
}

// TestEffects compares the effect of each app on a client with a plain regression within strata.
func TestEffects(t *testing.T) {
	w := oneClient(2)
	var strata, undivided Series
	strata.Load(w, false, nil)
	undivided.LoadWhole(w, &strata)
	effects := map[bool]map[uint32][2]float64{false: {}, true: {}}
	strata.Effects(w, &undivided, func(app uint32, within, whole [2]int64) {
		for undivided, sums := range map[bool][2]int64{false: within, true: whole} {
			if sums[1] > 0 {
				effects[undivided][app] = [2]float64{float64(sums[0]) / 1e6, float64(sums[1]) / 1e6}
			}
		}
	})
	for _, whole := range []bool{false, true} {
		var s Series
		s.Load(w, whole, nil)
		got := effects[whole]
		for place, app := range w.Apps {
			x := make([]float64, len(w.Pairs))
			sum, count := map[int]float64{}, map[int]float64{}
			stratum := func(i int) int {
				if whole {
					return 0
				}
				return w.Pairs[i].Base
			}
			for i := range w.Pairs {
				if at := slices.Index(w.Running(i), uint32(place)); at >= 0 {
					x[i] = float64(w.Ends(i)[at]) / 2
				}
				sum[stratum(i)] += x[i]
				count[stratum(i)]++
			}
			var n, d float64
			for i, v := range x {
				v -= sum[stratum(i)] / count[stratum(i)]
				n, d = n+v*s.rates[i], d+v*v
			}
			if d < 1e-6 {
				if _, ok := got[app]; ok {
					t.Errorf("app %d does not vary, and has an effect", app)
				}
				continue
			}
			about(t, "n", got[app][0], n)
			about(t, "n", float64(s.Effect(w, place))/1e6, n)
			about(t, "d", got[app][1], d)
		}
		products, squares := s.Follow()
		var wantProducts, wantSquares float64
		for i, r := range s.rates {
			wantSquares += r * r
			if i > 0 {
				wantProducts += r * s.rates[i-1]
			}
		}
		if math.Abs(float64(products)/1e6-wantProducts) > 1e-3 || math.Abs(float64(squares)/1e6-wantSquares) > 1e-3 {
			t.Errorf("the products are %d and %d, want %v and %v", products, squares, wantProducts, wantSquares)
		}
	}
}

// TestRivals compares the app with a bug with each kind of other app.
func TestRivals(t *testing.T) {
	w := oneClient(3)
	hidden := func(apps ...uint32) func(uint32) bool {
		return func(app uint32) bool { return slices.Contains(apps, app) }
	}
	for _, c := range []struct {
		name   string
		app    uint32
		hidden func(uint32) bool
		want   Rivalry
	}{
		{"another app explains it", companion, hidden(), Explained},
		{"a hidden app runs at the same times", buggy, hidden(twin), Indistinct},
		{"the other app that runs at the same times is tested", buggy, hidden(), None},
		{"an app of the client that has no effect", buggy, hidden(quiet), None},
	} {
		var s Series
		s.Load(w, false, nil)
		in, test := s.presence(w)[slices.Index(w.Apps, c.app)], s.tester(0)
		b, ok := test.test(&Testable{in: in, squares: s.moments(in).within()}, 0)
		if !ok {
			t.Fatal(c.name)
		}
		b.App = c.app
		r := s.Rivals(w, 0, noHog, c.hidden)
		if got := r.Compare(&b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	var s Series
	s.Load(w, false, nil)
	if got := s.Rivals(w, 0, noHog, hidden()).Compare(&Bug{App: 99}); got != None {
		t.Errorf("an app that did not run has the rivalry %v", got)
	}
}

// TestTimes compares the sums of each app with sums over its pairs.
func TestTimes(t *testing.T) {
	for _, w := range makeWorld(3).works {
		var times Times
		times.Load(w)
		for place := range w.Apps {
			strata := make([]Stratum, w.Strata)
			var pairs, drop, time, appTime int64
			for i, p := range w.Pairs {
				ends := uint8(0)
				if at := slices.Index(w.Running(i), uint32(place)); at >= 0 {
					pairs++
					ends = w.Ends(i)[at]
				}
				strata[p.Stratum].Add(p.Drop, p.Time, ends)
				drop, time, appTime = drop+p.Drop, time+p.Time, appTime+p.Time*int64(ends)
			}
			var n, d, timeOf, squares int64
			for i := range strata {
				if en, ed := strata[i].Contrast(); ed > 0 {
					n, d, timeOf, squares = n+en, d+ed, timeOf+strata[i].TimeOf/2, squares+strata[i].Squares
				}
			}
			if a, b, c, e := times.Contrast(place); a != n || b != d || c != timeOf || e != squares {
				t.Errorf("app %d has the contrast %d, %d, %d, %d, want %d, %d, %d, %d", place, a, b, c, e, n, d, timeOf, squares)
			}
			if a, b, c := times.Whole(place); a != drop || b != time || math.Abs(float64(c)-float64(appTime)/2) > float64(w.Strata) {
				t.Errorf("app %d has the sums %d, %d, %d, want %d, %d, %d", place, a, b, c, drop, time, appTime/2)
			}
			if times.Ran(place) != pairs {
				t.Errorf("app %d ran in %d pairs, want %d", place, times.Ran(place), pairs)
			}
		}
	}
}

// TestSparseSums compares the sums over an app's own pairs with the same sums over all pairs.
func TestSparseSums(t *testing.T) {
	for seed := range uint64(4) {
		w := oneClient(seed)
		for _, whole := range []bool{false, true} {
			var s Series
			s.Load(w, whole, nil)
			for place, in := range s.presence(w) {
				s.load(in)
				var xx, xy float64
				for i, x := range s.x {
					xx, xy = xx+x*x, xy+x*s.rates[i]
				}
				gotXX, gotXY := s.moments(in).within(), s.product(in, s.rates)
				if math.Abs(gotXX-xx) > 1e-9 || math.Abs(gotXY-xy) > 1e-9 {
					t.Errorf("app %d, whole %v: the sums are %v and %v, want %v and %v", w.Apps[place], whole, gotXX, gotXY, xx, xy)
				}
			}
		}
	}
}

// TestPlainBugs compares the first bug with the app of the largest t, computed without shortcuts.
func TestPlainBugs(t *testing.T) {
	const follow = 0.3
	for seed := range uint64(6) {
		w := oneClient(seed)
		var s Series
		s.Load(w, false, nil)
		apps := s.Testable(w, noHog)
		best, bestT := uint32(0), math.Inf(-1)
		for _, a := range apps {
			s.load(a.in)
			var xx, xy, errors, correlated float64
			for i, x := range s.x {
				xx, xy = xx+x*x, xy+x*s.rates[i]
				for j, other := range s.x {
					correlated += x * other * math.Pow(follow, math.Abs(float64(i-j)))
				}
			}
			for i, x := range s.x {
				e := s.rates[i] - xy/xx*x
				errors += e * e
			}
			left := float64(len(s.rates)) - s.used() - 1
			if value := xy / xx / (math.Sqrt(errors/left*max(xx, correlated)) / xx); value > bestT {
				best, bestT = w.Apps[a.app], value
			}
		}
		fleet := zero()
		fleet.Follow = follow
		bugs, _ := s.Bugs(w, fleet, apps)
		if len(bugs) == 0 || bugs[0].App != best {
			t.Fatalf("the bugs are %+v, want app %d first", bugs, best)
		}
		about(t, "t", bugs[0].t, bestT)
	}
}
