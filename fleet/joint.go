package fleet

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

const (
	// maxCandidates is the maximum number of apps in the joint fit. The number of sums grows with
	// the square of the number of apps.
	maxCandidates = 1000
	// maxCandidateP is the largest p of a candidate. The expected share of candidates without a
	// true excess is at most candidateRate. More candidates would only take time.
	maxCandidateP, candidateRate = 0.05, 0.5
	// maxRareCandidateP is the limit for apps that too few clients ran for judging them. It is
	// smaller because there are many such apps.
	maxRareCandidateP = 0.005
)

// A candidate is an app with a significant excess if the effects of other apps are ignored.
type candidate struct {
	app      string
	contrast within.Contrast
	alone    within.Estimate
	p        float64
	few      bool // few means that too few clients ran the app for judging it.
}

// candidates returns the apps that may be hogs, the smallest p first. Then follow apps that too few
// clients ran for judging them, because they may explain the excess of other apps. judged is the
// number of apps of the fleet that can be judged.
func (f *Fleet) candidates() (all []candidate, judged int) {
	if f.likely == nil {
		f.likely = &candidates{}
		f.likely.all, f.likely.judged = f.findCandidates()
	}
	return slices.Clone(f.likely.all), f.likely.judged
}

// candidates has the result of findCandidates.
type candidates struct {
	all    []candidate
	judged int
}

func (f *Fleet) findCandidates() (all []candidate, judged int) {
	f.Sums.EachUnsorted("app", func(rest []string, r *sums.Row) {
		c := candidate{app: rest[0], contrast: within.ContrastOf(*r)}
		clients := c.contrast.Clients.Int64()
		if clients < MinGroup {
			return
		}
		most := maxCandidateP
		if c.few = clients < int64(f.MinClients); c.few {
			most = maxRareCandidateP
		} else {
			judged++
		}
		c.alone = c.contrast.Estimate()
		if c.p = c.alone.P(); c.p < most {
			all = append(all, c)
		}
	})
	p := make([]float64, len(all))
	for i, c := range all {
		if p[i] = c.p; c.few {
			p[i] = 1
		}
	}
	var kept []candidate
	for i, keep := range within.Reject(p, max(judged, len(all)), candidateRate) {
		if keep || all[i].few {
			kept = append(kept, all[i])
		}
	}
	all = kept
	slices.SortFunc(all, func(a, b candidate) int {
		if a.few != b.few {
			if a.few {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(b.alone.Excess/b.alone.Error, a.alone.Excess/a.alone.Error), cmp.Compare(a.app, b.app))
	})
	return all[:min(len(all), maxCandidates)], judged
}

// places returns a function that returns the index of an app's candidate, or -1.
func places(all []candidate, set *samples.Set) func(app uint32) int {
	var index byName[int] // the index of each candidate, plus 1
	for i, c := range all {
		index.set(set.Names.ID(c.app), i+1)
	}
	return func(app uint32) int { return index.get(app) - 1 }
}

// A byName maps names to values. Names are small integers, so it is a slice. A name that is not set
// has the zero value.
type byName[T any] []T

func (b *byName[T]) set(name uint32, v T) {
	if samples.IsRare(name) {
		return // A name without samples needs no value.
	}
	*b.at(name) = v
}

// at returns a pointer to the value of a name, which must not be rare. The pointer is valid until
// the next call of at or set.
func (b *byName[T]) at(name uint32) *T {
	if int(name) >= len(*b) {
		*b = append(*b, make([]T, int(name)+1-len(*b))...)
	}
	return &(*b)[name]
}

// get returns the value of a name. It returns the zero value if the name has none.
func (b byName[T]) get(name uint32) (v T) {
	if int(name) < len(b) {
		v = b[name]
	}
	return v
}

// fits are the names of the three fits. Each fit estimates all candidates together.
//
//   - "strata" compares only pairs with equal conditions. It can hold few conditions constant.
//   - "additive" holds all conditions constant, in finer ranges. It assumes that their effects
//     add up.
//   - "whole" compares all pairs of a client.
var fits = []string{"strata", "additive", "whole"}

// The indices of fits.
const (
	byStrata = iota
	byAdditive
	byWhole
)

// effectFits lists the fits that the search for bugs uses.
var effectFits = []int{byStrata, byWhole}

// A gramStage runs twice. First it adds up the sums for the joint fits. Later it adds up the
// scores, from which the errors of the fits follow.
type gramStage struct {
	place  func(app uint32) int
	common func(app uint32) bool // common is nil while scores are added up.
	size   int
	grams  []*within.Gram // While scores are added up, grams has the sums of one client.
	scores []*within.Gram // scores is nil while grams are added up.
	joints []*within.Joint
	// spreads is indexed by fit and candidate. It describes how much an excess differs between
	// clients. spreads and halves are used while scores are added up. halves has the sums of two
	// halves of one client.
	spreads [][]within.Spread
	halves  [2]*within.Gram
	series  within.Series
	// undivided has the same rates as series, without strata.
	undivided within.Series
	follow    [][2]int64
	names     *samples.Names
	effects   byName[effect]
}

// An effect has the sums n and d for each of effectFits. The app multiplies the discharge rate by
// exp(n/d) (within.Series.Effects).
type effect [2][2]int64

func (f *Fleet) jointStage(set *samples.Set) func() stage {
	all, _ := f.candidates()
	place, common := places(all, set), f.commonApps(set)
	return func() stage {
		s := &gramStage{place: place, common: common, size: len(all), follow: make([][2]int64, len(fits)), names: set.Names}
		for range fits {
			s.grams = append(s.grams, within.NewGram(len(all)))
		}
		return s
	}
}

// scoreStage returns the constructor of a stage that adds up scores. The sums of jointStage must be
// complete.
func (f *Fleet) scoreStage(set *samples.Set) (func() stage, error) {
	all, _ := f.candidates()
	place := places(all, set)
	var joints []*within.Joint
	for _, fit := range fits {
		joint, err := f.gramOf("gram", fit, len(all)).Fit()
		if err != nil {
			return nil, err
		}
		joints = append(joints, joint)
	}
	return func() stage {
		s := &gramStage{place: place, size: len(all), joints: joints, halves: [2]*within.Gram{within.NewGram(0), within.NewGram(0)}}
		for range fits {
			s.grams = append(s.grams, within.NewGram(0))
			s.scores = append(s.scores, within.NewGram(len(all)))
			s.spreads = append(s.spreads, make([]within.Spread, len(all)))
		}
		return s
	}, nil
}

// selects reports whether the stage reads an app. The first run reads all common apps, for their
// effects. The second run reads only candidates.
func (s *gramStage) selects(app uint32) bool {
	if s.scores == nil {
		return s.common(app)
	}
	return s.place(app) >= 0
}

func (s *gramStage) add(c *samples.Client, w *pairs.Work) {
	if s.scores == nil && len(w.Pairs) > 1 {
		s.addEffects(w)
	}
	if s.size == 0 || s.grams[byStrata].Load(w, s.place) == 0 {
		return
	}
	s.grams[byAdditive].LoadAdditive(w, w.Factors(c), s.grams[byStrata])
	s.grams[byWhole].LoadWhole(s.grams[byStrata])
	for fit, gram := range s.grams {
		if s.scores == nil {
			gram.Add()
		} else {
			gram.Score(s.joints[fit].Drains, s.scores[fit], s.spreads[fit])
		}
	}
	if s.scores != nil {
		for half, gram := range s.halves {
			gram.LoadSome(w, s.place, func(p *pairs.Pair) bool { return halfOf(c, p) == half })
		}
		s.halves[0].AddHalves(s.halves[1], s.joints[byStrata].Drains, s.spreads[byStrata])
	}
}

// halfOf divides a client's pairs into two halves, and returns 0 or 1. It cuts the record into
// eight parts of equal length. They belong to the halves 0 1 1 0 1 0 0 1 (the Thue–Morse sequence).
// A trend then has about the same effect on both halves.
func halfOf(c *samples.Client, p *pairs.Pair) int {
	const parts = 8
	first, last := c.Times[0], c.Times[c.Len()-1]
	part := (c.Times[p.From] - first) * parts / max(1, last-first)
	return bits.OnesCount64(uint64(part)) & 1
}

// addEffects adds the effects of a client's apps on its rates. It also adds the serial correlation
// of the rates.
func (s *gramStage) addEffects(w *pairs.Work) {
	s.series.Load(w, false, nil)
	s.undivided.LoadWhole(w, &s.series)
	for i, series := range []*within.Series{&s.series, &s.undivided} {
		products, squares := series.Follow()
		s.follow[effectFits[i]][0] += products
		s.follow[effectFits[i]][1] += squares
	}
	s.series.Effects(w, &s.undivided, func(app uint32, strata, whole [2]int64) {
		if !samples.IsRare(app) {
			e := s.effects.at(app)
			e[0] = [2]int64{e[0][0] + strata[0], e[0][1] + strata[1]}
			e[1] = [2]int64{e[1][0] + whole[0], e[1][1] + whole[1]}
		}
	})
}

// join adds the sums of another stage over other clients.
func (s *gramStage) join(other stage) {
	o := other.(*gramStage)
	for fit := range fits {
		if s.scores == nil {
			s.grams[fit].AddGram(o.grams[fit])
		} else {
			s.scores[fit].AddGram(o.scores[fit])
			for i := range s.spreads[fit] {
				s.spreads[fit][i].Plus(o.spreads[fit][i])
			}
			continue
		}
		for i, n := range o.follow[fit] {
			s.follow[fit][i] += n
		}
	}
	for app, effect := range o.effects {
		own := s.effects.at(uint32(app))
		for i, e := range effect {
			own[i] = [2]int64{own[i][0] + e[0], own[i][1] + e[1]}
		}
	}
	o.effects = nil
}

// whole writes the sums over all clients. The effects of apps stay in the fleet, because rows would
// need far more memory.
func (s *gramStage) whole(f *Fleet, t *sums.Table) {
	if s.scores == nil {
		f.effects, s.effects = s.effects, nil
	}
	s.rows(t)
}

func (s *gramStage) rows(t *sums.Table) {
	kind, grams := "score", s.scores
	if s.scores == nil {
		kind, grams = "gram", s.grams
	}
	for n, fit := range fits {
		if s.scores == nil && slices.Contains(effectFits, n) {
			t.Add(sums.Key("follow", fit), s.follow[n][0], s.follow[n][1])
			for app, effect := range s.effects {
				if e := effect[slices.Index(effectFits, n)]; e[1] > 0 {
					t.Add(sums.Key("effect", fit, s.names.Text(uint32(app))), e[0], e[1])
				}
			}
		}
		if s.scores != nil {
			for i, spread := range s.spreads[n] {
				addFilled(t, spread.Weight, 0, "spread", fit, strconv.Itoa(i))
				addFilled(t, spread.HalfWeight, 1, "spread", fit, strconv.Itoa(i))
				addFilled(t, spread.Product, 2, "spread", fit, strconv.Itoa(i))
				addFilled(t, spread.ProductWeight, 3, "spread", fit, strconv.Itoa(i))
			}
		}
		for i := range s.size {
			addFilled(t, *grams[n].Sum(i), 0, kind, fit, strconv.Itoa(i))
			for j := range i + 1 {
				addFilled(t, *grams[n].Cell(i, j), j%sums.Width, kind, fit, strconv.Itoa(i), strconv.Itoa(j/sums.Width))
			}
		}
	}
}

// addFilled adds a sum to a column of a row. If the sum is 0, it does not create a row.
func addFilled(t *sums.Table, v sums.Int, column int, key ...string) {
	if v != (sums.Int{}) {
		t.Row(sums.Key(key...))[column].Plus(v)
	}
}

// spreadOf returns how much the excess of a candidate differs between clients, in one of the fits.
func (f *Fleet) spreadOf(candidate, fit int) within.Spread {
	r := f.Sums.Get(sums.Key("spread", fits[fit], strconv.Itoa(candidate)))
	return within.Spread{Weight: r[0], HalfWeight: r[1], Product: r[2], ProductWeight: r[3]}
}

// shared reports whether most clients of a candidate have its excess. Otherwise, the app is not a
// hog. Clients with more data have a larger weight.
func (f *Fleet) shared(candidate int) bool {
	var all within.Spread
	for _, fit := range []int{byStrata, byAdditive} {
		all.Plus(f.spreadOf(candidate, fit))
	}
	return all.Most() >= minHogShare
}

// minHogShare is the share of an app's clients that must have the excess of a hog.
const minHogShare = 0.5

// gramOf reads the sums that a gramStage wrote.
func (f *Fleet) gramOf(kind, fit string, size int) *within.Gram {
	g := within.NewGram(size)
	f.Sums.EachUnsorted(sums.Key(kind, fit), func(rest []string, r *sums.Row) {
		i, err := strconv.Atoi(rest[0])
		switch {
		case err != nil || i < 0 || i >= size:
		case len(rest) == 1:
			*g.Sum(i) = r[0]
		default:
			group, err := strconv.Atoi(rest[1])
			for column, v := range r {
				if j := group*sums.Width + column; err == nil && j >= 0 && j <= i {
					*g.Cell(i, j) = v
				}
			}
		}
	})
	return g
}

// others returns the mean effects of apps over all clients. A client with a bug differs from them.
// The serial correlation of rates is limited to 0.9. A higher correlation would leave hardly any
// data for a test.
func (f *Fleet) others(fit string, set *samples.Set) within.Fleet {
	r := f.Sums.Get(sums.Key("follow", fit))
	out := within.Fleet{}
	if squares := r[1].Float(); squares > 0 {
		out.Follow = max(0, min(0.9, r[0].Float()/squares))
	}
	if f.effects != nil {
		i := slices.Index(effectFits, slices.Index(fits, fit))
		out.Sums = func(app uint32) [2]float64 {
			e := f.effects.get(app)[i]
			return [2]float64{float64(e[0]), float64(e[1])}
		}
		return out
	}
	var effects byName[[2]float64]
	f.Sums.Each(sums.Key("effect", fit), func(rest []string, r *sums.Row) {
		effects.set(set.Names.ID(rest[0]), [2]float64{r[0].Float(), r[1].Float()})
	})
	out.Sums = effects.get
	return out
}
