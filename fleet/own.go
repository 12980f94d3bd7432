package fleet

import (
	"math"

	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/fleet/within"
)

// ownFeatures are the features of a client's own use of a hog.
var ownFeatures = []string{Version, samples.Network, samples.System, samples.Model}

// ownDrain returns the excess of a hog for the use of one client: with the version, the networks,
// the system and the model of this client. The interval is for one client, and not for the mean of all. ok is
// false if the app may use nothing more in its present version.
func (f *Fleet) ownDrain(client string, h *Hog) (own Drain, ok bool) {
	d, now := h.Drain, h.Drain
	if cells := f.cells(h.App); f.Method == Within && len(cells) > 0 {
		d, now = f.treeDrains(client, h, cells)
	}
	if f.Method == Within {
		d.Half = max(d.Half, f.spread(h, d))
	}
	return d, now.Least() > 0 && d.Excess > 0
}

// spread returns half the width of the interval that has the excess of most single clients. Clients
// have batteries of different capacity and age, so an app uses a different share of each.
func (f *Fleet) spread(h *Hog, d Drain) float64 {
	c := within.ContrastOf(f.Sums.Get(sums.Key("app", h.App)))
	e := c.Estimate()
	between := c.Between()
	if !(between > 0) || !(e.Excess > 0) || e.Freedom <= 0 {
		return d.Half
	}
	e.Error = d.Excess * between / e.Excess
	return math.Hypot(d.Half, e.Half(0.95))
}

// treeDrains returns the excess of an app under the conditions of one client, over all versions that
// it ran, and in its present version.
func (f *Fleet) treeDrains(client string, h *Hog, cells []tree.Cell) (all, now Drain) {
	s := &split{f, f.grower(), cells, h.Reference}
	root := s.grower.Grow(cells)
	whole := s.excess(root.Drain)
	if root.With == nil || !root.Drain.Known() {
		return h.Drain, h.Drain
	}
	var past, present meanDrain
	f.Sums.Each("own", func(rest []string, r *sums.Row) {
		if rest[0] != client || rest[1] != h.App || len(rest) != 2+len(ownFeatures) {
			return
		}
		values := map[string]string{}
		for i, feature := range ownFeatures {
			values[feature] = rest[2+i]
		}
		d := adjusted(s.follow(root, values), whole, h.whole)
		past.add(d, r[0].Float())
		if r[1] != (sums.Int{}) {
			present.add(d, r[0].Float())
		}
	})
	return past.mean(h), present.mean(h)
}

// A meanDrain is a mean of drains by time.
type meanDrain struct{ excess, half, time float64 }

func (m *meanDrain) add(d Drain, time float64) {
	m.excess, m.half, m.time = m.excess+time*d.Excess, m.half+time*d.Half, m.time+time
}

// mean returns the mean. Without time, it is no excess.
func (m *meanDrain) mean(h *Hog) Drain {
	if m.time == 0 {
		return Drain{Reference: h.Reference}
	}
	return Drain{Excess: m.excess / m.time, Half: m.half / m.time, Reference: h.Reference}
}

// follow returns the excess of the leaf with some values of features. If a value is unknown, the
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
