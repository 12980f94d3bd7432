package fleet

import (
	"github.com/diffprof/diffprof/fleet/pairs"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/within"
)

// total adds up samples, clients, pairs, drop and time. The first stage of each method has it.
type total struct {
	samples, clients, pairs int64
	drop, time              sums.Int
	// values[f][v] has the counts of value v of feature f.
	values [][]valueCount
}

// A valueCount counts the pairs and the clients with one value of a feature. It remembers the last
// client, so that it counts each client once.
type valueCount struct {
	pairs, clients int64
	last           samples.ID
}

func (t *total) add(c *samples.Client, w *pairs.Work) {
	t.samples += int64(c.Len())
	if len(c.Rates) == 0 {
		t.clients++ // If the input has rates, each row is a client, and clients are not counted.
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
			if samples.IsRare(v) {
				continue // Values that few clients have are not kept.
			}
			if int(v) >= len(t.values[f]) {
				t.values[f] = append(t.values[f], make([]valueCount, int(v)+1-len(t.values[f]))...)
			}
			n := &t.values[f][v]
			n.pairs++
			if n.last != c.ID {
				n.clients, n.last = n.clients+1, c.ID
			}
		}
	}
}

// plus adds the sums of other clients.
func (t *total) plus(o *total) {
	t.samples, t.clients, t.pairs = t.samples+o.samples, t.clients+o.clients, t.pairs+o.pairs
	t.drop.Plus(o.drop)
	t.time.Plus(o.time)
	for f, values := range o.values {
		if f == len(t.values) {
			t.values = append(t.values, nil)
		}
		for v, n := range values {
			if v == len(t.values[f]) {
				t.values[f] = append(t.values[f], valueCount{})
			}
			t.values[f][v].pairs += n.pairs
			t.values[f][v].clients += n.clients
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
			if n.pairs > 0 && v > 0 {
				to.Add(sums.Key("value", set.Features[f], set.Names.Text(uint32(v))), n.pairs, n.clients)
			}
		}
	}
}

// An appStage compares the discharge with and without each app. It ignores the effects of other
// apps.
type appStage struct {
	set   *samples.Set
	total total
	times within.Times
	apps  byName[appSums] // If an app did not run, its element has no clients.
}

// An appClient has the sums of one app on one client.
type appClient struct {
	pairs int64
	n, d  int64 // n/d is the excess on this client (package within).
	// contrasted is the time with the app, and squares is ΣTx² (package within). They count only
	// strata that have time both with and without the app. drop, time and with are over all strata.
	// with is the time with the app.
	contrasted, squares, drop, time, with int64
}

// appSums has the sums of one app over its clients. Most apps of large fleets run on few clients.
// To save memory, up to two clients are kept one by one.
type appSums struct {
	few []appClient
	all *appTotal // all is nil as long as there are at most two clients.
}

// An appTotal has the sums of one app over all of its clients.
type appTotal struct {
	contrast               within.Contrast
	clients, always, pairs int64
	// These are sums of the same fields of appClient. Clients with d = 0 are left out.
	contrasted, squares, drop, time, with sums.Int
}

func (a *appSums) add(c *appClient) {
	const most = 2
	if a.all == nil && len(a.few) < most {
		a.few = append(a.few, *c)
		return
	}
	if a.all == nil {
		a.all, a.few = a.whole(), nil
	}
	a.all.add(c)
}

func (a *appSums) clients() int64 {
	if a.all == nil {
		return int64(len(a.few))
	}
	return a.all.clients
}

// whole returns the sums over all clients.
func (a *appSums) whole() *appTotal {
	if a.all != nil {
		return a.all
	}
	t := &appTotal{}
	for i := range a.few {
		t.add(&a.few[i])
	}
	return t
}

// plus adds the sums of other clients.
func (a *appSums) plus(o *appSums) {
	if a.clients() == 0 {
		*a = *o
		return
	}
	if o.all == nil {
		for i := range o.few {
			a.add(&o.few[i])
		}
		return
	}
	t := a.whole()
	t.plus(o.all)
	a.all, a.few = t, nil
}

func (t *appTotal) add(c *appClient) {
	t.pairs += c.pairs
	t.clients++
	if c.d == 0 {
		t.always++
	} else {
		t.contrast.Add(c.n, c.d)
		t.with.Add(c.with)
		t.drop.Add(c.drop)
		t.time.Add(c.time)
		t.contrasted.Add(c.contrasted)
		t.squares.Add(c.squares)
	}
}

func (t *appTotal) plus(o *appTotal) {
	t.contrast.Plus(o.contrast)
	t.clients, t.always, t.pairs = t.clients+o.clients, t.always+o.always, t.pairs+o.pairs
	t.with.Plus(o.with)
	t.drop.Plus(o.drop)
	t.time.Plus(o.time)
	t.contrasted.Plus(o.contrasted)
	t.squares.Plus(o.squares)
}

func (s *appStage) add(c *samples.Client, w *pairs.Work) {
	s.total.add(c, w)
	if len(w.Apps) == 0 {
		return
	}
	s.times.Load(w)
	for place, app := range w.Apps {
		if samples.IsRare(app) {
			continue
		}
		var own appClient
		own.n, own.d, own.contrasted, own.squares = s.times.Contrast(place)
		own.drop, own.time, own.with = s.times.Whole(place)
		own.pairs = s.times.Ran(place)
		s.apps.at(app).add(&own)
	}
}

// join adds the sums of another stage over other clients.
func (s *appStage) join(other stage) {
	o := other.(*appStage)
	s.total.plus(&o.total)
	for app := range o.apps {
		s.apps.at(uint32(app)).plus(&o.apps[app])
		o.apps[app] = appSums{} // Its memory is free again.
	}
}

func (s *appStage) rows(t *sums.Table) { s.write(t, false) }

// whole writes the sums over all clients. An app that fewer than MinGroup clients ran is only
// counted, because the fleet does not show it.
func (s *appStage) whole(_ *Fleet, t *sums.Table) { s.write(t, true) }

func (s *appStage) write(t *sums.Table, whole bool) {
	s.total.rows(s.set, t)
	hidden := int64(0)
	for name, a := range s.apps {
		if a.clients() == 0 {
			continue
		}
		s.apps[name] = appSums{} // Its memory is free again.
		if whole && a.clients() < MinGroup {
			hidden++
			continue
		}
		sum := a.whole()
		text := s.set.Names.Text(uint32(name))
		sum.contrast.Row(t.Row(sums.Key("app", text)))
		row := t.Row(sums.Key("ran", text))
		for i, v := range []sums.Int{sums.Of(sum.clients), sums.Of(sum.always), sums.Of(sum.pairs), sum.drop, sum.time, sum.contrasted, sum.squares, sum.with} {
			row[i].Plus(v)
		}
	}
	if hidden > 0 {
		t.Add(sums.Key("hidden", ""), hidden)
	}
}
