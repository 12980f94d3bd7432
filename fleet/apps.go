package fleet

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// total has the sums that every first stage needs: samples, clients, pairs, drop and time.
type total struct {
	samples, clients, pairs int64
	drop, time              sums.Int
	values                  [][]int64 // values has the number of pairs, by feature and name of the value.
}

func (t *total) add(c *samples.Client, w *pairs.Work) {
	t.samples += int64(c.Len())
	if len(c.Rates) == 0 {
		t.clients++ // In input with rates, each row counts as a client.
	}
	t.pairs += int64(len(w.Pairs))
	for len(t.values) < len(c.Features) {
		t.values = append(t.values, nil)
	}
	for i := range w.Pairs {
		p := &w.Pairs[i]
		t.drop.Add(p.Drop)
		t.time.Add(p.Time)
		for f, values := range c.Features {
			v := values[p.To]
			if int(v) >= len(t.values[f]) {
				t.values[f] = append(t.values[f], make([]int64, int(v)+1-len(t.values[f]))...)
			}
			t.values[f][v]++
		}
	}
}

func (t *total) rows(set *samples.Set, to *sums.Table) {
	row := to.Row(sums.Key("total", ""))
	for i, v := range []sums.Int{sums.Of(t.samples), sums.Of(t.clients), sums.Of(t.pairs), t.drop, t.time} {
		row[i].Plus(v)
	}
	for f, values := range t.values {
		for v, n := range values {
			if n > 0 && v > 0 {
				to.Add(sums.Key("value", set.Features[f], set.Names.Text(uint32(v))), n)
			}
		}
	}
}

// An appStage adds up the contrast of each app by itself.
type appStage struct {
	set   *samples.Set
	total total
	times within.Times
	apps  []*appSums // by the app's name; nil for an app that did not run
}

type appSums struct {
	contrast, clock, date  within.Contrast
	clients, always, pairs int64
	// timeOf and squares are sums over the strata that have a contrast: the time with the app, and
	// ΣTx².
	timeOf, squares sums.Int
	// drop, time and of are sums over the clients that have a contrast: the drop, the time, and the
	// time with the app.
	drop, time, of sums.Int
}

func (s *appStage) add(c *samples.Client, w *pairs.Work) {
	s.total.add(c, w)
	if len(w.Apps) == 0 {
		return
	}
	if most := int(slices.Max(w.Apps)); most >= len(s.apps) {
		s.apps = append(s.apps, make([]*appSums, most+1-len(s.apps))...)
	}
	s.times.Load(w)
	for place, app := range w.Apps {
		a := s.apps[app]
		if a == nil {
			a = &appSums{}
			s.apps[app] = a
		}
		n, d, timeOf, squares := s.times.Contrast(place)
		a.pairs += s.times.Ran(place)
		a.clients++
		if d == 0 {
			a.always++
			continue
		}
		a.contrast.Add(n, d)
		drop, time, of := s.times.Whole(place)
		a.of.Add(of)
		a.drop.Add(drop)
		a.time.Add(time)
		a.timeOf.Add(timeOf)
		a.squares.Add(squares)
	}
	w.SwapDate()
	s.times.Load(w)
	w.SwapDate()
	for place, app := range w.Apps {
		if n, d, _, _ := s.times.Contrast(place); d > 0 {
			s.apps[app].date.Add(n, d)
		}
	}
	w.Swap()
	s.times.Load(w)
	w.Swap()
	for place, app := range w.Apps {
		if n, d, _, _ := s.times.Contrast(place); d > 0 {
			s.apps[app].clock.Add(n, d)
		}
	}
}

func (s *appStage) rows(t *sums.Table) {
	s.total.rows(s.set, t)
	for name, a := range s.apps {
		if a == nil {
			continue
		}
		s.apps[name] = nil // Its memory is free again.
		text := s.set.Names.Text(uint32(name))
		a.contrast.Row(t.Row(sums.Key("app", text)))
		a.clock.Row(t.Row(sums.Key("clock", text)))
		a.date.Row(t.Row(sums.Key("date", text)))
		row := t.Row(sums.Key("ran", text))
		for i, v := range []sums.Int{sums.Of(a.clients), sums.Of(a.always), sums.Of(a.pairs), a.drop, a.time, a.timeOf, a.squares, a.of} {
			row[i].Plus(v)
		}
	}
}
