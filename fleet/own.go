package fleet

import (
	"math"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
)

// ownFeatures are the features by which a client's use of a hog is stored.
var ownFeatures = []string{Version, samples.Network, samples.System, samples.Model}

// An ownExcess is the excess of an app on one client, between least and most. The unit is % per
// second.
type ownExcess struct{ excess, least, most float64 }

// ownDrain returns the excess of a hog on one client. It uses the versions, networks, system and
// model with which this client ran the app. The interval also covers the differences between
// clients. ok is false if the app perhaps uses no additional energy on this client, or in its
// present version.
func (f *Fleet) ownDrain(client string, h *Hog) (own ownExcess, ok bool) {
	d, now := f.treeDrains(client, h)
	times := f.deviation(h)
	own = ownExcess{
		excess: d.Excess,
		least:  d.Excess - math.Hypot(d.Half, d.Excess-d.Excess/times),
		most:   d.Excess + math.Hypot(d.Half, d.Excess*times-d.Excess),
	}
	return own, now.Least() > 0 && own.least > 0
}

// An ownUse is how long a client ran a hog under some conditions. values maps each of ownFeatures
// to its value. present means that the version is the one in the client's last sample, or that this
// sample does not list the app.
type ownUse struct {
	values  map[string]string
	time    float64
	present bool
}

// An adviser has the data for advice to single clients.
type adviser struct {
	uses   map[[2]string][]ownUse // uses is indexed by client and app.
	splits map[string]*ownSplit   // splits is indexed by app.
}

// An ownSplit is a split together with the tree of the hog.
type ownSplit struct {
	*split
	root *tree.Node
}

// adviser returns the adviser of the fleet. It reads the sums once.
func (f *Fleet) adviser() *adviser {
	j := f.judge()
	if j.adviser != nil {
		return j.adviser
	}
	a := &adviser{uses: map[[2]string][]ownUse{}, splits: map[string]*ownSplit{}}
	for _, h := range j.hogs {
		cells := f.cells(h.App)
		if f.Method != Within || len(cells) == 0 {
			continue
		}
		s := &ownSplit{split: f.split(h.App, cells, h.Reference)}
		if s.root = s.grower.Grow(cells); s.root.With != nil && s.root.Drain.Known() {
			a.splits[h.App] = s
		}
	}
	f.Sums.Each("own", func(rest []string, r *sums.Row) {
		if len(rest) != 2+len(ownFeatures) {
			return
		}
		u := ownUse{values: map[string]string{}, time: r[0].Float(), present: r[1] != (sums.Int{})}
		for i, feature := range ownFeatures {
			u.values[feature] = rest[2+i]
		}
		key := [2]string{rest[0], rest[1]}
		a.uses[key] = append(a.uses[key], u)
	})
	j.adviser = a
	return a
}

// treeDrains returns the excess of a hog under the conditions of one client. The result all is the
// mean over the versions that the client ran. The result now is for its present version.
func (f *Fleet) treeDrains(client string, h *Hog) (all, now Drain) {
	a := f.adviser()
	s := a.splits[h.App]
	if s == nil {
		return h.Drain, h.Drain
	}
	whole := s.excess(s.root.Drain)
	var past, present meanDrain
	for _, u := range a.uses[[2]string{client, h.App}] {
		d := adjusted(s.follow(s.root, u.values), whole, h.whole)
		past.add(d, u.time)
		if u.present {
			present.add(d, u.time)
		}
	}
	return past.mean(h), present.mean(h)
}

// A meanDrain accumulates a mean of drains, weighted by time.
type meanDrain struct{ excess, half, time float64 }

func (m *meanDrain) add(d Drain, time float64) {
	m.excess, m.half, m.time = m.excess+time*d.Excess, m.half+time*d.Half, m.time+time
}

// mean returns the mean. If there is no time, the excess is 0.
func (m *meanDrain) mean(h *Hog) Drain {
	if m.time == 0 {
		return Drain{Reference: h.Reference}
	}
	return Drain{Excess: m.excess / m.time, Half: m.half / m.time, Reference: h.Reference}
}

// follow returns the excess of the leaf below n that matches the values. If a value is unknown, the
// interval covers both branches.
func (s *split) follow(n *tree.Node, values map[string]string) Drain {
	if n.With == nil {
		return s.excess(n.Drain)
	}
	c := n.With.Path[len(n.With.Path)-1]
	switch value := values[c.Feature]; {
	case value == "":
	case (value == c.Value) != c.Not:
		return s.follow(n.With, values)
	default:
		return s.follow(n.Without, values)
	}
	a, b := s.follow(n.With, values), s.follow(n.Without, values)
	least, most := min(a.Least(), b.Least()), max(a.Most(), b.Most())
	return Drain{Excess: (least + most) / 2, Half: (most - least) / 2, Reference: s.reference}
}
