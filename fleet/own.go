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
// false if the app may use nothing more under these conditions.
func (f *Fleet) ownDrain(client string, h *Hog) (d Drain, ok bool) {
	d = h.Drain
	if cells := f.cells(h.App); f.Method == Within && len(cells) > 0 {
		d = f.treeDrain(client, h, cells)
	}
	ok = d.Least() > 0
	if f.Method == Within {
		d.Half = max(d.Half, f.spread(h, d))
	}
	return d, ok
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

// treeDrain returns the excess of an app under the conditions of one client.
func (f *Fleet) treeDrain(client string, h *Hog, cells []tree.Cell) Drain {
	s := &split{f, f.grower(), cells, h.Reference}
	root := s.grower.Grow(cells)
	whole := s.excess(root.Drain)
	if root.With == nil || !root.Drain.Known() {
		return h.Drain
	}
	var excess, half, time float64
	f.Sums.Each("own", func(rest []string, r *sums.Row) {
		if rest[0] != client || rest[1] != h.App || len(rest) != 2+len(ownFeatures) {
			return
		}
		values := map[string]string{}
		for i, feature := range ownFeatures {
			values[feature] = rest[2+i]
		}
		d, t := adjusted(s.follow(root, values), whole, h.whole), r[0].Float()
		excess, half, time = excess+t*d.Excess, half+t*d.Half, time+t
	})
	if time == 0 {
		return h.whole
	}
	return Drain{Excess: excess / time, Half: half / time, Reference: h.Reference}
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
