package fleet

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// plantedSizes are the sizes of the artificial bugs, in %/h.
var plantedSizes = []int{2, 4, 8, 16}

const (
	// plantedClients is about the number of clients that get artificial bugs.
	plantedClients = 300
	// maxTenths is the largest value of tenths.
	maxTenths = 180
)

// A Recall is how many artificial bugs of one size the analysis finds.
type Recall struct {
	// Excess is the size of the bugs, in % per second.
	Excess float64
	// Planted is the number of bugs that were added to the samples, at most one on each client.
	// Each is in an app that the client ran only at times. Found is how many of them were found.
	Planted, Found int64
}

// Recall measures how many bugs the analysis finds, by size. The stage "detail" adds artificial
// bugs to the samples of some clients for this purpose. The result is empty for the paper's method,
// and without a screen column.
func (f *Fleet) Recall() (all []Recall) {
	if f.Method == Paper || f.Unscreened() {
		return nil
	}
	// limit is the largest significant p if one more client has a bug (Benjamini and Hochberg).
	bugs, _ := f.Bugs()
	named := map[string]bool{}
	for _, b := range bugs {
		named[b.Client] = true
	}
	limit := f.BugRate * float64(len(named)+1) / max(1, f.Sums.Get(sums.Key("bugs", ""))[0].Float())
	for _, size := range plantedSizes {
		r := Recall{Excess: float64(size) / 3600}
		f.Sums.Each(sums.Key("planted", strconv.Itoa(size)), func(rest []string, row *sums.Row) {
			n := row[0].Int64()
			r.Planted += n
			// p is at most 10^(-tenths/10).
			if tenths, err := strconv.Atoi(rest[0]); err == nil && math.Pow(10, -float64(tenths)/10) <= limit {
				r.Found += n
			}
		})
		if r.Planted > 0 {
			all = append(all, r)
		}
	}
	return all
}

// plant measures how well bugs are found. It adds an artificial bug of each size to the samples of
// some clients, and stores the p-value that the bug gets. The app is not a hog, enough clients run
// it, and the client ran it only at times.
func (s *detailStage) plant(c *samples.Client, w *pairs.Work) {
	random := rand.New(rand.NewPCG(uint64(c.ID), 0x9e3779b97f4a7c15))
	if random.Float64()*s.clients > plantedClients {
		return
	}
	var apps []int
	for at, app := range w.Apps {
		if _, hog := s.hogs[app]; !hog && s.f.Ran(s.set.Names.Text(app)) {
			apps = append(apps, at)
		}
	}
	if len(apps) == 0 {
		return
	}
	// The random choice must not depend on the order of the apps.
	slices.SortFunc(apps, func(a, b int) int {
		if s.set.Names.Text(w.Apps[a]) < s.set.Names.Text(w.Apps[b]) {
			return -1
		}
		return 1
	})
	at := apps[random.IntN(len(apps))]
	ran := 0
	for i := range w.Pairs {
		if slices.Contains(w.Running(i), uint32(at)) {
			ran++
		}
	}
	if ran == len(w.Pairs) {
		return // There is no time without the app for comparison.
	}
	before := slices.Clone(w.Pairs)
	parts := make([]float64, len(w.Pairs))
	for i := range parts {
		parts[i] = random.Float64()
	}
	others := s.others
	defer func() { s.others = others }()
	effect := s.effects(w, at)
	for _, size := range plantedSizes {
		for i := range w.Pairs {
			n := slices.Index(w.Running(i), uint32(at))
			if n < 0 {
				continue
			}
			p := &w.Pairs[i]
			part := 1.0
			if w.Ends(i)[n] == 1 {
				part = parts[i] // Assume that the app started or stopped at a random time.
			}
			// The unit of drops is a millionth of a per cent, and of times a millisecond.
			more := int64(float64(size) / 3.6 * float64(p.Time) * part)
			p.Drop, p.Least, p.Most = p.Drop+more, p.Least+more, p.Most+more
		}
		// The bug also changes the mean effect of the app over all clients.
		s.others = slices.Clone(others)
		for i, n := range s.effects(w, at) {
			s.others[i] = others[i].With(w.Apps[at], n-effect[i])
		}
		s.table.Add(sums.Key("planted", strconv.Itoa(size), strconv.Itoa(s.tenths(c, w, w.Apps[at]))), 1)
		copy(w.Pairs, before)
	}
}

// effects returns the sum n of an app on the client, for each of effectFits. at is the app's index.
func (s *detailStage) effects(w *pairs.Work, at int) []float64 {
	s.series.Load(w, false, nil)
	s.whole.LoadWhole(w, &s.series)
	return []float64{float64(s.series.Effect(w, at)), float64(s.whole.Effect(w, at))}
}

// tenths returns −10·log₁₀ p of a bug in the app, rounded down. For example, 30 means p = 0.001. It
// is -1 if no bug is found, or if another app explains it.
func (s *detailStage) tenths(c *samples.Client, w *pairs.Work, app uint32) int {
	s.series.Load(w, false, s.drain)
	bugs, tested := s.series.Bugs(w, s.others[0], s.testable)
	is := func(b within.Bug) bool { return b.App == app || slices.Contains(b.Confounded, app) }
	// Later bugs do not change the result for an earlier one.
	for _, b := range s.unrivaled(c, w, s.judged(c, w, bugs[:slices.IndexFunc(bugs, is)+1], tested)) {
		if is(b.Bug) {
			return int(min(maxTenths, -10*math.Log10(max(b.P, math.SmallestNonzeroFloat64))))
		}
	}
	return -1
}

// A judgedBug is a possible bug with its excess in % per second.
type judgedBug struct {
	within.Bug
	excess, half float64
	rare         bool // rare means that an app that too few clients ran may be the cause.
}

// judged tests the possible bugs again and returns those that pass. The first test used logarithms
// of rates. judged compares Σdrop/Σtime with and without the app: within strata, and over the whole
// client, because the strata of the screen can hide an excess. P becomes the largest p of all
// tests. The interval also covers the excess of an app that starts and stops between samples.
//
// s.series must have loaded the same pairs.
func (s *detailStage) judged(c *samples.Client, w *pairs.Work, bugs []within.Bug, tested int) (all []judgedBug) {
	if len(bugs) == 0 {
		return nil
	}
	s.whole.LoadWhole(w, &s.series)
	var drop, time float64
	for i := range w.Pairs {
		drop, time = drop+float64(w.Pairs[i].Drop), time+float64(w.Pairs[i].Time)
	}
	drains := make([]float64, len(w.Apps))
	for place, app := range w.Apps {
		drains[place] = s.hogs[app]
	}
	begins := func(p *pairs.Pair) int64 { return c.Times[p.From] }
	for _, b := range bugs {
		place := slices.Index(w.Apps, b.App)
		strata := within.Alone(w, place, false, drains, begins)
		whole := within.Alone(w, place, true, drains, begins)
		if excess, half := smaller(strata, whole); !(excess > half) {
			continue // The excess of Σdrop/Σtime may be 0.
		}
		j := judgedBug{Bug: b}
		j.excess, j.half = covering(strata, whole, within.Switching(w, place, drains, begins))
		if !(j.excess > j.half && s.reference(j.excess, place, drop, time) > 0) {
			continue
		}
		drains[place] = j.excess
		p := max(s.whole.P(w, s.others[1], b.App), strata.P(), whole.P())
		j.P = max(b.P, min(1, p*float64(tested)))
		all = append(all, j)
	}
	return all
}

// reference returns the discharge rate of a client without the excess of an app.
func (s *detailStage) reference(excess float64, place int, drop, time float64) float64 {
	return (drop*1e-3 - excess*float64(s.times[place])) / time
}
