package fleet

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

const (
	// maxTrees is the maximum number of trees of each kind: for hogs, for apps with an excess on
	// some clients, and for apps with bugs.
	maxTrees = 200
	// maxValues is the maximum number of values of a feature. Those with the most pairs are kept.
	maxValues = 12
	// growthShares is the number of points of a convergence curve. Each point has about twice as
	// many clients as the one before.
	growthShares = 7
	// Version is the feature for the version of the app.
	Version = "version"
	// otherValue replaces all values that are not kept.
	otherValue = "(other)"
)

// explainedApps returns the apps that get trees: the worst hogs, apps that the data cannot
// distinguish from them, apps with an excess on some clients, and the apps with the most bugs.
func (f *Fleet) explainedApps() ([]string, error) {
	hogs, err := f.Hogs()
	if err != nil {
		return nil, err
	}
	var apps []string
	for _, h := range hogs[:min(len(hogs), maxTrees)] {
		apps = append(append(apps, h.App), h.Confounded...)
	}
	some := f.PartialHogs()
	apps = append(apps, some[:min(len(some), maxTrees)]...)
	count := map[string]int{}
	bugs, _ := f.Bugs()
	for _, b := range bugs {
		count[b.App]++
	}
	var buggy []string
	for app := range count {
		buggy = append(buggy, app)
	}
	slices.SortFunc(buggy, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	for _, app := range buggy[:min(len(buggy), maxTrees)] {
		if !slices.Contains(apps, app) {
			apps = append(apps, app)
		}
	}
	return apps, nil
}

// splitFeatures returns the features by which trees are split. The screen and other features that
// are held constant are left out. With the screen, every hog would seem to use more energy while
// the screen is on: if samples are taken when the level changes, fast discharge makes it more
// likely that both samples of a pair see the screen on. The paper's method splits by all features.
func (f *Fleet) splitFeatures() []string {
	if f.Method == Paper || f.Sums.Get(sums.Key("total", ""))[1] == (sums.Int{}) {
		return f.Features // Rates without clients cannot be compared.
	}
	return slices.DeleteFunc(slices.Clone(f.Features), func(name string) bool { return slices.Contains(f.Within, name) })
}

// keptValues returns the values of each feature that trees can have. Enough clients must have them.
func (f *Fleet) keptValues() map[string]map[string]bool {
	type counted struct {
		value string
		pairs int64
	}
	all := map[string][]counted{}
	devices := f.Sums.Get(sums.Key("total", ""))[1] != (sums.Int{})
	f.Sums.Each("value", func(rest []string, r *sums.Row) {
		if devices && r[1].Int64() < leastClients(rest[0]) {
			return
		}
		all[rest[0]] = append(all[rest[0]], counted{rest[1], r[0].Int64()})
	})
	kept := map[string]map[string]bool{}
	for feature, values := range all {
		slices.SortStableFunc(values, func(a, b counted) int { return cmp.Compare(b.pairs, a.pairs) })
		kept[feature] = map[string]bool{}
		for _, v := range values[:min(len(values), maxValues)] {
			kept[feature][v.value] = true
		}
	}
	return kept
}

// A treeStage adds up the sums for the trees, rate histograms and convergence curves of the
// explained apps.
type treeStage struct {
	f       *Fleet
	set     *samples.Set
	apps    map[uint32]string
	kept    []map[string]bool // kept is indexed like in.
	in      []int             // in maps a splitting feature to its index in Client.Features.
	prior   *paper.Prior
	table   *sums.Table
	all     [paper.Classes]int64
	classes map[uint32]*[paper.Classes]int64
	texts   map[string]string // texts caches the results of cell, by key.
	key     []byte
}

func (f *Fleet) treeStage(set *samples.Set) (func() stage, error) {
	apps, err := f.explainedApps()
	if err != nil {
		return nil, err
	}
	byName := map[uint32]string{}
	for _, a := range apps {
		byName[set.Names.ID(a)] = a
	}
	kept := f.keptValues()
	var values []map[string]bool
	var in []int
	for _, feature := range f.splitFeatures() {
		values, in = append(values, kept[feature]), append(in, set.Feature(feature))
	}
	prior := f.prior()
	return func() stage {
		return &treeStage{f: f, set: set, apps: byName, kept: values, in: in, prior: prior, table: sums.New(), classes: map[uint32]*[paper.Classes]int64{}, texts: map[string]string{}}
	}, nil
}

// A stratumCell is a group of pairs that are compared with each other: those of one stratum, cell
// and era. An era ends when the app is updated. So a version is compared with pairs of its own time,
// since the discharge rate may change from week to week.
type stratumCell struct {
	stratum, era int
	cell         string
}

func (s *treeStage) selects(app uint32) bool { return s.apps[app] != "" }

func (s *treeStage) add(c *samples.Client, w *pairs.Work) {
	if len(c.Rates) > 0 && len(c.Entries) == 0 {
		s.rateCells(c, w)
	}
	var explained []int // explained has indices of Apps.
	for at, app := range w.Apps {
		if _, ok := s.apps[app]; ok {
			explained = append(explained, at)
		}
	}
	cells := make([]string, len(w.Pairs))
	for i := range w.Pairs {
		p := &w.Pairs[i]
		rate, _ := rateOf(s.prior, p)
		s.all[paper.Class(rate)]++
		if len(explained) == 0 {
			continue
		}
		cells[i] = s.cell(c, p)
		for _, a := range w.Running(i) {
			if app := w.Apps[a]; slices.Contains(explained, int(a)) {
				if s.classes[app] == nil {
					s.classes[app] = &[paper.Classes]int64{}
				}
				s.classes[app][paper.Class(rate)]++
			}
		}
	}
	share := min(growthShares-1, bits.LeadingZeros64(uint64(c.ID)*0x9e3779b97f4a7c15))
	for _, at := range explained {
		if s.f.Method == Paper {
			s.paperCells(c, w, at, cells, share)
		} else {
			s.withinCells(c, w, at, cells, share)
		}
	}
}

// versions returns the versions of an app at the ends of a pair, such as "1.2|1.3".
func (s *treeStage) versions(c *samples.Client, p *pairs.Pair, app uint32) string {
	var all []string
	for _, end := range []int{p.From, p.To} {
		for _, at := range c.Ran(end) {
			if e := c.Entries[at]; e.App == app && e.Version != 0 {
				all = append(all, s.set.Names.Text(e.Version))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// cell returns the conditions of a pair as text. A feature with different values at both ends has
// both values, such as "lte|wifi" (§2.3).
func (s *treeStage) cell(c *samples.Client, p *pairs.Pair) string {
	s.key = s.key[:0]
	for _, in := range s.in {
		values := c.Features[in]
		for _, v := range []uint32{values[p.From], values[p.To]} {
			s.key = append(s.key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	if text, ok := s.texts[string(s.key)]; ok {
		return text
	}
	var parts []string
	for f, in := range s.in {
		values := c.Features[in]
		var both []string
		for _, v := range []uint32{values[p.From], values[p.To]} {
			if v != 0 {
				text := s.set.Names.Text(v)
				if !s.kept[f][text] {
					text = otherValue
				}
				both = append(both, strings.ReplaceAll(text, "|", "/"))
			}
		}
		slices.Sort(both)
		parts = append(parts, strings.Join(slices.Compact(both), "|"))
	}
	text := strings.Join(parts, "\x1e")
	s.texts[string(s.key)] = text
	return text
}

// rateCells adds the rates of an input without apps to their cells.
func (s *treeStage) rateCells(c *samples.Client, w *pairs.Work) {
	for i := range w.Pairs {
		var d paper.Dist
		rate, _ := rateOf(s.prior, &w.Pairs[i])
		d.Add(rate)
		key := sums.Key("cell", "", s.cell(c, &w.Pairs[i]), "")
		addDist(s.table, key, d)
		mark(s.table.Row(key), c.ID)
	}
}

// countVersions counts the client once for each version that it ran.
func (s *treeStage) countVersions(app string, versions map[string]bool) {
	seen := map[string]bool{}
	for both := range versions {
		for _, v := range strings.Split(both, "|") {
			if v != "" && !seen[v] {
				seen[v] = true
				s.table.Add(sums.Key("version", app, v), 1)
			}
		}
	}
}

// paperCells adds a client's rates with an app to their cells, for the paper's method.
func (s *treeStage) paperCells(c *samples.Client, w *pairs.Work, at int, cells []string, share int) {
	app := s.apps[w.Apps[at]]
	var all paper.Dist
	versions := map[string]bool{}
	for i := range w.Pairs {
		if !slices.Contains(w.Running(i), uint32(at)) {
			continue
		}
		var d paper.Dist
		rate, _ := rateOf(s.prior, &w.Pairs[i])
		d.Add(rate)
		all.Plus(d)
		v := s.versions(c, &w.Pairs[i], w.Apps[at])
		versions[v] = true
		key := sums.Key("cell", app, cells[i], v)
		addDist(s.table, key, d)
		mark(s.table.Row(key), c.ID)
	}
	s.countVersions(app, versions)
	addDist(s.table, sums.Key("growth", app, strconv.Itoa(share)), all)
}

// withinCells compares the client's time with and without an app in each cell, for the default
// method. Time is compared only within a stratum.
func (s *treeStage) withinCells(c *samples.Client, w *pairs.Work, at int, cells []string, share int) {
	app := s.apps[w.Apps[at]]
	none := map[stratumCell]within.Stratum{}
	with := map[stratumCell]map[string]*within.Stratum{}
	era, current := 0, ""
	for i := range w.Pairs {
		p := &w.Pairs[i]
		n := slices.Index(w.Running(i), uint32(at))
		v := ""
		if n >= 0 {
			v = s.versions(c, p, w.Apps[at])
			if v != current && current != "" {
				era++
			}
			current = v
		}
		in := stratumCell{p.Base, era, cells[i]}
		if n < 0 {
			start := none[in]
			start.Add(p.Drop, p.Time, 0)
			none[in] = start
			continue
		}
		if with[in] == nil {
			with[in] = map[string]*within.Stratum{}
		}
		if with[in][v] == nil {
			with[in][v] = &within.Stratum{}
		}
		with[in][v].Add(p.Drop, p.Time, w.Ends(i)[n])
	}
	ran := map[string]bool{}
	for _, versions := range with {
		for v := range versions {
			ran[v] = true
		}
	}
	s.countVersions(app, ran)
	type sum struct{ n, d int64 }
	byCell := map[[2]string]sum{}
	for in, versions := range with {
		for version, counts := range versions {
			counts.Drop, counts.Time = counts.Drop+none[in].Drop, counts.Time+none[in].Time
			n, d := counts.Contrast()
			old := byCell[[2]string{in.cell, version}]
			byCell[[2]string{in.cell, version}] = sum{old.n + n, old.d + d}
		}
	}
	var whole sum
	for cell, cellSum := range byCell {
		if cellSum.d > 0 {
			within.AddGrouped(s.table.Row(sums.Key("cell", app, cell[0], cell[1])), group(c.ID), cellSum.n, cellSum.d)
			whole = sum{whole.n + cellSum.n, whole.d + cellSum.d}
		}
	}
	if whole.d > 0 {
		var contrast within.Contrast
		contrast.Add(whole.n, whole.d)
		contrast.Row(s.table.Row(sums.Key("growth", app, strconv.Itoa(share))))
	}
}

func (s *treeStage) rows(t *sums.Table) {
	t.Merge(s.table)
	for class, n := range s.all {
		if n > 0 {
			t.Add(sums.Key("rate", "", strconv.Itoa(class)), n)
		}
	}
	for app, classes := range s.classes {
		for class, n := range classes {
			if n > 0 {
				t.Add(sums.Key("rate", s.apps[app], strconv.Itoa(class)), n)
			}
		}
	}
}
