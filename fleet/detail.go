package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// A detailStage runs after the hogs are known. It finds bugs, and the data about single clients,
// such as their discharge rates and the hogs that they run.
type detailStage struct {
	f    *Fleet
	set  *samples.Set
	hogs map[uint32]float64 // hogs maps the name of each hog to its excess.
	// common reports whether enough clients ran an app. Other apps are neither tested nor written.
	common func(app uint32) bool
	some   map[uint32]bool // some has the names of the apps that use more energy on some clients only.
	table  *sums.Table

	// The following fields are for the default method.
	series, whole within.Series
	testable      []within.Testable // testable has the current client's apps that are tested.
	// every has the pairs of the current client with all of its apps, even apps that few clients
	// ran. It is loaded only for a client with a possible bug. rival has the rates of these pairs.
	every   pairs.Work
	loaded  bool // loaded means that every has the current client.
	rival   within.Series
	rivals  *within.Rivals
	others  []within.Fleet // others[i] belongs to effectFits[i].
	clients float64        // clients is the number of clients of the fleet.

	// The following fields are for the paper's method.
	prior *paper.Prior
	rates map[uint32]paper.Dist // rates has the rates with each app on all clients.
	dists []paper.Dist          // dists has the rates with each app on the current client. It is indexed like Work.Apps.

	model, screen int
	on            uint32  // on is the name "on", a value of the feature screen.
	times         []int64 // times has how long each app ran on the client. It is indexed like Work.Apps.
}

func (f *Fleet) detailStage(set *samples.Set) (func() stage, error) {
	hogs, err := f.Hogs()
	if err != nil {
		return nil, err
	}
	drains := map[uint32]float64{}
	for _, h := range hogs {
		drains[set.Names.ID(h.App)] = h.Excess
		for _, like := range h.Confounded {
			drains[set.Names.ID(like)] = 0
		}
	}
	some := map[uint32]bool{}
	for _, app := range f.PartialHogs() {
		some[set.Names.ID(app)] = true
	}
	rates := map[uint32]paper.Dist{}
	if f.Method == Paper {
		f.Sums.Each("dist", func(rest []string, r *sums.Row) { rates[set.Names.ID(rest[0])] = distOf(*r) })
	}
	prior := f.prior()
	var others []within.Fleet
	for _, fit := range effectFits {
		others = append(others, f.others(fits[fit], set))
	}
	clients := f.Sums.Get(sums.Key("total", ""))[1].Float()
	common := f.commonApps(set)
	return func() stage {
		return &detailStage{
			f: f, set: set, hogs: drains, some: some, common: common, table: sums.New(), others: others, clients: clients, prior: prior, rates: rates,
			model: set.Feature(samples.Model), screen: set.Feature(samples.Screen), on: set.Names.ID("on"),
		}
	}, nil
}

func (s *detailStage) selects(app uint32) bool { return s.common(app) }

// ClientKey returns the hash of a client as text.
func ClientKey(id samples.ID) string { return fmt.Sprintf("%016x", uint64(id)) }

func (s *detailStage) add(c *samples.Client, w *pairs.Work) {
	if len(w.Pairs) == 0 {
		return
	}
	s.loaded = false
	drop, time := s.client(c, w)
	if s.f.Method == Paper {
		s.paperBugs(c, w, time)
		return
	}
	s.series.Load(w, false, s.drain)
	s.testable = s.series.Testable(w, s.isHog)
	bugs, tested := s.series.Bugs(w, s.others[0], s.testable)
	if tested > 0 {
		s.table.Add(sums.Key("bugs", ""), 1, int64(tested))
	}
	for order, b := range s.unrivaled(c, w, s.judged(c, w, bugs, tested)) {
		parts := []string{"bug", ClientKey(c.ID), s.set.Names.Text(b.App)}
		for _, like := range b.Confounded {
			parts = append(parts, s.set.Names.Text(like))
		}
		place := slices.Index(w.Apps, b.App)
		s.table.Add(sums.Key(parts...), int64(b.P*1e18), int64(b.excess*bugUnit), int64(b.half*bugUnit),
			int64(s.reference(b.excess, place, float64(drop), float64(time))*bugUnit), s.times[place], time, bugFlags(order, b.rare, runs(c, b.App)), int64(b.With))
	}
	s.plant(c, w)
}

func (s *detailStage) isHog(app uint32) bool {
	_, hog := s.hogs[app]
	return hog
}

// drain returns the excess of a hog, or 0.
func (s *detailStage) drain(app uint32) float64 { return s.hogs[app] }

// bugUnit scales the sums of bugs: 1 % per second is stored as 1e12.
const bugUnit = 1e12

// bugFlags packs the data about a bug into one number. order is 0 for the first bug of the client.
// rare means that an app that too few clients ran may be the cause. runs is 1 if the app runs in
// the last sample.
func bugFlags(order int, rare bool, runs int64) int64 {
	flags := 4*int64(order) + runs
	if rare {
		flags += 2
	}
	return flags
}

// unrivaled returns the possible bugs, without those that another app of the client explains. Apps
// that too few clients ran can also explain a bug. If the samples cannot distinguish such an app
// from the bug, rare is set.
func (s *detailStage) unrivaled(c *samples.Client, w *pairs.Work, bugs []judgedBug) (all []judgedBug) {
	if len(bugs) == 0 {
		return nil
	}
	isNew := !s.loaded
	if isNew {
		s.every.Options, s.loaded = w.Options, true
		s.every.OnlyWithin = true
		s.every.Load(c)
	}
	copy(s.every.Pairs, w.Pairs) // plant may have changed the drops.
	for i := range s.every.Pairs {
		p := &s.every.Pairs[i]
		p.Stratum = p.Base
	}
	s.rival.Load(&s.every, false, s.drain)
	if isNew {
		s.rivals = s.rival.Rivals(&s.every, s.others[0].Follow, s.isHog, func(app uint32) bool { return !s.common(app) })
	}
	for _, b := range bugs {
		switch s.rivals.Compare(&b.Bug) {
		case within.Explained:
			continue
		case within.Indistinct:
			b.rare = true
		}
		all = append(all, b)
	}
	return all
}

// runs returns 1 if the client's last sample lists an app, and 0 otherwise.
func runs(c *samples.Client, app uint32) int64 {
	for _, at := range c.Ran(c.Len() - 1) {
		if c.Entries[at].App == app {
			return 1
		}
	}
	return 0
}

// paperBugs implements the second half of Algorithm 3.1 as it was meant. An app that is not a hog
// is a bug if the client's rates with the app are significantly higher than the rates of all other
// clients with the app. The printed algorithm instead repeats the comparison of its first loop.
// time is the sum over all pairs.
func (s *detailStage) paperBugs(c *samples.Client, w *pairs.Work, time int64) {
	s.dists = append(s.dists[:0], make([]paper.Dist, len(w.Apps))...)
	for i := range w.Pairs {
		rate, _ := rateOf(s.prior, &w.Pairs[i])
		for _, a := range w.Running(i) {
			s.dists[a].Add(rate)
		}
	}
	tested := 0
	for place, app := range w.Apps {
		if _, hog := s.hogs[app]; hog {
			continue
		}
		tested++
		own := s.dists[place]
		others := s.rates[app].Without(own)
		if paper.Compare(own, others, s.f.H).Significant() {
			key := sums.Key("bug", ClientKey(c.ID), s.set.Names.Text(app))
			addDist(s.table, key, own)
			row := s.table.Row(key)
			row[3].Add(runs(c, app))
			row[4].Add(s.times[place])
			row[5].Add(time)
		}
	}
	if tested > 0 {
		s.table.Add(sums.Key("bugs", ""), 1, int64(tested))
	}
}

// client writes the discharge of a client. It also writes how long the client runs each hog, and
// each app with an excess on only some clients. It returns the drop and the time over all pairs.
func (s *detailStage) client(c *samples.Client, w *pairs.Work) (drop, time int64) {
	var onDrop, onTime int64
	s.times = append(s.times[:0], make([]int64, len(w.Apps))...)
	for i := range w.Pairs {
		p := &w.Pairs[i]
		drop, time = drop+p.Drop, time+p.Time
		if s.screen >= 0 {
			if c.Features[s.screen][p.From] == s.on && c.Features[s.screen][p.To] == s.on {
				onDrop, onTime = onDrop+p.Drop, onTime+p.Time
			}
		}
		ends := w.Ends(i)
		for n, a := range w.Running(i) {
			if s.f.Method == Paper || ends[n] == 2 {
				s.times[a] += p.Time
			} else {
				s.times[a] += p.Time / 2
			}
		}
	}
	model := ""
	last := c.Len() - 1
	if s.model >= 0 {
		model = s.set.Names.Text(c.Features[s.model][last])
	}
	s.table.Add(sums.Key("client", ClientKey(c.ID), model), int64(len(w.Pairs)), drop, time, onDrop, onTime)
	for place, app := range w.Apps {
		if _, hog := s.hogs[app]; !hog && !s.some[app] {
			continue
		}
		s.table.Add(sums.Key("uses", ClientKey(c.ID), s.set.Names.Text(app)), s.times[place], time, runs(c, app))
		s.ownUse(c, w, place)
	}
	return drop, time
}

// ownUse writes how long a client runs a hog, by version and network. The key also has the system
// and the model of the client's last sample. The second sum is 1 for the version in the last
// sample, or for all versions if that sample does not list the app.
func (s *detailStage) ownUse(c *samples.Client, w *pairs.Work, place int) {
	app := w.Apps[place]
	version := func(sample int) string {
		for _, at := range c.Ran(sample) {
			if e := c.Entries[at]; e.App == app {
				return s.set.Names.Text(e.Version)
			}
		}
		return ""
	}
	value := func(feature string, sample int) string {
		if i := s.set.Feature(feature); i >= 0 {
			return s.set.Names.Text(c.Features[i][sample])
		}
		return ""
	}
	times := map[[2]string]int64{}
	for i := range w.Pairs {
		if n := slices.Index(w.Running(i), uint32(place)); n >= 0 {
			p := &w.Pairs[i]
			key := [2]string{cmp.Or(version(p.To), version(p.From)), value(samples.Network, p.To)}
			times[key] += p.Time * int64(w.Ends(i)[n]) / 2
		}
	}
	last := c.Len() - 1
	now := version(last)
	for key, time := range times {
		current := int64(0)
		if now == "" || key[0] == now {
			current = 1
		}
		s.table.Add(sums.Key("own", ClientKey(c.ID), s.set.Names.Text(app), key[0], key[1], value(samples.System, last), value(samples.Model, last)), time, current)
	}
}

func (s *detailStage) rows(t *sums.Table) { t.Merge(s.table) }

// half returns half the width of a 95 % interval. The parameter e is a standard error, and freedom
// its degrees of freedom.
func half(e, freedom float64) float64 {
	return within.Estimate{Error: e, Freedom: freedom}.Half(0.95)
}

// isNumber reports whether x is neither NaN nor infinite.
func isNumber(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
