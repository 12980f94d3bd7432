package fleet

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

const (
	// mostCandidates is how many apps are fitted together: the sums that this takes grow with the
	// square.
	mostCandidates = 1000
	// doubt is the p from which on an app is no candidate.
	doubt = 0.05
	// doubtOfFew is that of an app that too few clients ran to be judged, of which there are many.
	doubtOfFew = 0.005
)

// A candidate is an app that, by itself, seems to drain.
type candidate struct {
	app      string
	contrast within.Contrast
	alone    within.Estimate
	p        float64
	few      bool // too few clients ran it for it to be judged
}

// candidates are the apps that seem to drain, the surest first, and how many apps were judged. Last come
// those that too few clients ran to be judged, but which may be why others seem to drain.
func (f *Fleet) candidates() (all []candidate, judged int) {
	f.Sums.Each("app", func(rest []string, r *sums.Row) {
		c := candidate{app: rest[0], contrast: within.ContrastOf(*r)}
		clients := c.contrast.Clients.Int64()
		if clients < MinGroup {
			return
		}
		most := doubt
		if c.few = clients < int64(f.MinClients); c.few {
			most = doubtOfFew
		} else {
			judged++
		}
		c.alone = c.contrast.Estimate()
		if c.p = c.alone.P(); c.p < most {
			all = append(all, c)
		}
	})
	slices.SortStableFunc(all, func(a, b candidate) int {
		if a.few != b.few {
			if a.few {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(b.alone.Excess/b.alone.Error, a.alone.Excess/a.alone.Error))
	})
	return all[:min(len(all), mostCandidates)], judged
}

// places returns the place of each candidate by its name in a set.
func places(all []candidate, set *samples.Set) func(app uint32) int {
	var of byName[int] // plus 1
	for i, c := range all {
		of.set(set.Names.ID(c.app), i+1)
	}
	return func(app uint32) int { return of.get(app) - 1 }
}

// byName has values by the numbers of names; most names have none.
type byName[T any] []T

func (b *byName[T]) set(name uint32, v T) {
	if int(name) >= len(*b) {
		*b = append(*b, make([]T, int(name)+1-len(*b))...)
	}
	(*b)[name] = v
}

// get returns the value of a name, zero if it has none.
func (b byName[T]) get(name uint32) (v T) {
	if int(name) < len(b) {
		v = b[name]
	}
	return v
}

// The fits: within strata, and within whole clients.
var fits = []string{"strata", "whole"}

// A gramStage sums up what fits the candidates together, or their scores, for each of the fits.
type gramStage struct {
	place  func(app uint32) int
	size   int
	grams  []*within.Gram // of the client alone where there are scores
	scores []*within.Gram // nil where the grams are summed up
	joints []*within.Joint
	series within.Series
	follow [][2]int64
	names  *samples.Names
	// effects are by fit and by name: what apps drain, in logarithms.
	effects [][][2]int64
}

func (f *Fleet) jointStage(set *samples.Set) func() stage {
	all, _ := f.candidates()
	place := places(all, set)
	return func() stage {
		s := &gramStage{place: place, size: len(all), follow: make([][2]int64, len(fits)), effects: make([][][2]int64, len(fits)), names: set.Names}
		for range fits {
			s.grams = append(s.grams, within.NewGram(len(all)))
		}
		return s
	}
}

// scoreStage needs the sums of jointStage.
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
		s := &gramStage{place: place, size: len(all), joints: joints}
		for range fits {
			s.grams = append(s.grams, within.NewGram(0))
			s.scores = append(s.scores, within.NewGram(len(all)))
		}
		return s
	}, nil
}

// wants looks at all apps where their effects are summed up, and else at the candidates.
func (s *gramStage) wants(app uint32) bool { return s.scores == nil || s.place(app) >= 0 }

func (s *gramStage) add(_ *samples.Client, w *pairs.Work) {
	if s.scores == nil && len(w.Pairs) > 1 {
		for fit := range fits {
			s.effectsOf(w, fit)
		}
	}
	if s.size == 0 || s.grams[0].Load(w, s.place) == 0 {
		return
	}
	s.grams[1].LoadWhole(s.grams[0])
	for fit, gram := range s.grams {
		if s.scores == nil {
			gram.Add()
		} else {
			gram.Score(s.joints[fit].Drains, s.scores[fit])
		}
	}
}

// effectsOf adds up what the apps of a client drain, and how its rates follow each other, in a fit.
func (s *gramStage) effectsOf(w *pairs.Work, fit int) {
	s.series.Load(w, fit > 0, nil)
	products, squares := s.series.Follow()
	s.follow[fit][0] += products
	s.follow[fit][1] += squares
	s.series.Effects(w, func(app uint32, n, d int64) {
		if int(app) >= len(s.effects[fit]) {
			s.effects[fit] = append(s.effects[fit], make([][2]int64, int(app)+1-len(s.effects[fit]))...)
		}
		s.effects[fit][app][0] += n
		s.effects[fit][app][1] += d
	})
}

func (s *gramStage) rows(t *sums.Table) {
	kind, grams := "score", s.scores
	if s.scores == nil {
		kind, grams = "gram", s.grams
	}
	for n, fit := range fits {
		if s.scores == nil {
			t.Add(sums.Key("follow", fit), s.follow[n][0], s.follow[n][1])
			for app, e := range s.effects[n] {
				if e[1] > 0 {
					t.Add(sums.Key("effect", fit, s.names.Text(uint32(app))), e[0], e[1])
				}
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

// addFilled adds a sum to a column of a row, which it makes for nothing but 0.
func addFilled(t *sums.Table, v sums.Int, column int, key ...string) {
	if v != (sums.Int{}) {
		t.Row(sums.Key(key...))[column].Plus(v)
	}
}

// gramOf reads the sums of a gramStage.
func (f *Fleet) gramOf(kind, fit string, size int) *within.Gram {
	g := within.NewGram(size)
	f.Sums.Each(kind, func(rest []string, r *sums.Row) {
		if rest[0] != fit {
			return
		}
		i, err := strconv.Atoi(rest[1])
		switch {
		case err != nil || i < 0 || i >= size:
		case len(rest) == 2:
			*g.Sum(i) = r[0]
		default:
			group, err := strconv.Atoi(rest[2])
			for column, v := range r {
				if j := group*sums.Width + column; err == nil && j >= 0 && j <= i {
					*g.Cell(i, j) = v
				}
			}
		}
	})
	return g
}

// others is what bugs are compared with, in one of the fits. The correlation of rates is cut at 0.9,
// where hardly anything would be left to test with.
func (f *Fleet) others(fit string, set *samples.Set) within.Fleet {
	r := f.Sums.Get(sums.Key("follow", fit))
	of := within.Fleet{}
	if squares := r[1].Float(); squares > 0 {
		of.Follow = max(0, min(0.9, r[0].Float()/squares))
	}
	var effects byName[float64]
	f.Sums.Each("effect", func(rest []string, r *sums.Row) {
		if rest[0] == fit {
			effects.set(set.Names.ID(rest[1]), r[0].Float()/r[1].Float())
		}
	})
	of.Effect = effects.get
	return of
}
