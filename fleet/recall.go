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

// plantedSizes are the excesses of the bugs that are added to the samples, in %/h.
var plantedSizes = []int{2, 4, 8, 16}

const (
	// plantedClients is the approximate number of clients in which bugs are planted.
	plantedClients = 300
	// mostTenths is the largest stored value of -10·log₁₀ p.
	mostTenths = 180
)

// A Recall is the share of bugs of one size that the analysis finds in the fleet's samples.
type Recall struct {
	// Excess is the size of the bugs, in % per second.
	Excess float64
	// Planted is the number of bugs that were added to the samples. Each of them is on another
	// client, and in an app that this client did not always run. Found is the number of these bugs
	// that the analysis found.
	Planted, Found int64
}

// Recall returns the shares of bugs that the analysis finds, by size. It is measured by adding bugs
// to the samples of some clients. It is empty for the paper's method, and without a screen column.
func (f *Fleet) Recall() (all []Recall) {
	if f.Method == Paper || f.Unscreened() {
		return nil
	}
	// In the procedure of Benjamini and Hochberg, one more client with a bug would have this limit.
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
			// p is at most 10 to the power of -tenths/10.
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

// plant adds bugs of each size to the samples of some clients, and stores the p that each bug then
// has. The bug is in an app that is not a hog, that enough clients run, and that the client ran
// only at times.
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
	// The choice does not depend on the order of the apps.
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
		return // A bug can only be found by comparison with time without the app.
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
				part = parts[i] // The app started or stopped at a random time of the pair.
			}
			// A drop is in millionths of a per cent, and a time in milliseconds.
			more := int64(float64(size) / 3.6 * float64(p.Time) * part)
			p.Drop, p.Least, p.Most = p.Drop+more, p.Least+more, p.Most+more
		}
		// The client is compared with the effect of the app on all clients, so this effect must
		// include the added bug.
		s.others = slices.Clone(others)
		for i, n := range s.effects(w, at) {
			s.others[i] = others[i].With(w.Apps[at], n-effect[i])
		}
		s.table.Add(sums.Key("planted", strconv.Itoa(size), strconv.Itoa(s.tenths(c, w, w.Apps[at]))), 1)
		copy(w.Pairs, before)
	}
}

// effects returns the n of an app on a client (within.Series.Effect), for each of effectFits. at is
// the index of the app.
func (s *detailStage) effects(w *pairs.Work, at int) (all []float64) {
	for _, whole := range []bool{false, true} {
		s.series.Load(w, whole, nil)
		all = append(all, float64(s.series.Effect(w, at)))
	}
	return all
}

// tenths returns -10·log₁₀ p of an app, rounded down. It is -1 if the app is not a possible bug, or
// if another app of the client explains the excess.
func (s *detailStage) tenths(c *samples.Client, w *pairs.Work, app uint32) int {
	s.series.Load(w, false, s.drain)
	bugs, tested := s.series.Bugs(w, s.others[0], s.isHog)
	is := func(b within.Bug) bool { return b.App == app || slices.Contains(b.Like, app) }
	// Whether a bug is kept depends only on the bugs before it, so the others are left out.
	for _, b := range s.unrivaled(c, w, s.judged(c, w, bugs[:slices.IndexFunc(bugs, is)+1], tested)) {
		if is(b.Bug) {
			return int(min(mostTenths, -10*math.Log10(max(b.P, math.SmallestNonzeroFloat64))))
		}
	}
	return -1
}

// A judgedBug is a possible bug with its excess, computed as drop over time.
type judgedBug struct {
	within.Bug
	excess, half float64
	rare         bool // rare means that the cause may be an app that is not shown because too few clients ran it.
}

// judged returns the possible bugs that also have an excess if it is computed as drop over time. P
// is the largest p of the given bug and of three tests: within the whole client, because the strata
// of the screen may hide the excess, and as drop over time, within strata and within the whole
// client. The interval covers two excesses: the excess that samples show, and the excess if the app
// starts and stops between samples.
func (s *detailStage) judged(c *samples.Client, w *pairs.Work, bugs []within.Bug, tested int) (all []judgedBug) {
	if len(bugs) == 0 {
		return nil
	}
	s.whole.Load(w, true, s.drain)
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
			continue // This bug may have no excess as drop over time.
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
