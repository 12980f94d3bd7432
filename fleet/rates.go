package fleet

import (
	"slices"
	"strconv"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/paper"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A priorStage computes the a-priori distribution (§2.3). It uses the pairs whose rates are exact.
type priorStage struct {
	counts [paper.Classes]int64
	rates  [paper.Classes]sums.Int
}

func (s *priorStage) add(_ *samples.Client, w *pairs.Work) {
	for i := range w.Pairs {
		if p := &w.Pairs[i]; p.Exact() {
			rate := p.Rate(p.Drop)
			s.counts[paper.Class(rate)]++
			s.rates[paper.Class(rate)].Add(rate)
		}
	}
}

func (s *priorStage) rows(t *sums.Table) {
	for class, n := range s.counts {
		if n > 0 {
			row := t.Row(sums.Key("prior", strconv.Itoa(class)))
			row[0].Add(n)
			row[1].Plus(s.rates[class])
		}
	}
}

// prior returns the a-priori distribution.
func (f *Fleet) prior() *paper.Prior {
	p := &paper.Prior{}
	f.Sums.Each("prior", func(rest []string, r *sums.Row) {
		if class, err := strconv.Atoi(rest[0]); err == nil {
			p.Add(class, r[0].Float(), r[1].Float())
		}
	})
	return p
}

// rateOf returns the expected rate of a pair, in 10⁻⁹ % per second. If the pair is not exact, it
// uses the a-priori distribution between the pair's bounds. empty means no rate in
// between.
func rateOf(prior *paper.Prior, p *pairs.Pair) (rate int64, empty bool) {
	if p.Exact() {
		return p.Rate(p.Drop), false
	}
	rate, found := prior.Expect(p.Rate(p.Least), p.Rate(p.Most))
	return rate, !found
}

// A rateStage computes the distribution of all rates, and of the rates with each app (§3.3.1).
type rateStage struct {
	set     *samples.Set
	prior   *paper.Prior
	total   total
	all     paper.Dist
	empty   int64
	apps    []paper.Dist // apps is indexed by name.
	clients []int64
}

func (f *Fleet) rateStage(set *samples.Set) func() stage {
	prior := f.prior()
	return func() stage { return &rateStage{set: set, prior: prior} }
}

func (s *rateStage) add(c *samples.Client, w *pairs.Work) {
	s.total.add(c, w)
	if len(w.Apps) > 0 {
		if most := int(slices.Max(w.Apps)); most >= len(s.apps) {
			s.apps = append(s.apps, make([]paper.Dist, most+1-len(s.apps))...)
			s.clients = append(s.clients, make([]int64, most+1-len(s.clients))...)
		}
	}
	for _, app := range w.Apps {
		s.clients[app]++
	}
	for i := range w.Pairs {
		rate, empty := rateOf(s.prior, &w.Pairs[i])
		if empty {
			s.empty++
		}
		s.all.Add(rate)
		for _, a := range w.Running(i) {
			s.apps[w.Apps[a]].Add(rate)
		}
	}
}

func (s *rateStage) rows(t *sums.Table) {
	s.total.rows(s.set, t)
	addDist(t, sums.Key("dist", ""), s.all)
	if s.empty > 0 {
		t.Add(sums.Key("left", "rates without a similar exact rate; the middle of their bounds is used"), s.empty)
	}
	for name, d := range s.apps {
		if s.clients[name] > 0 {
			text := s.set.Names.Text(uint32(name))
			addDist(t, sums.Key("dist", text), d)
			t.Add(sums.Key("ran", text), s.clients[name])
		}
	}
}

// addDist writes a distribution into the first sums of a row. distOf reads it.
func addDist(t *sums.Table, key string, d paper.Dist) {
	row := t.Row(key)
	row[0].Plus(d.N)
	row[1].Plus(d.Sum)
	row[2].Plus(d.Squares)
}

func distOf(r sums.Row) paper.Dist { return paper.Dist{N: r[0], Sum: r[1], Squares: r[2]} }
