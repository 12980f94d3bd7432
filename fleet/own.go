package fleet

import (
	"math"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
)

// ownFeatures are the features of a client's own use of a hog. If too few clients have the same
// values, the last ones do not count.
var ownFeatures = []string{Version, samples.Network, samples.System, samples.Model}

// ownDrain returns the excess of a hog for the use of one client: with the version, the networks,
// the system and the model of this client. share is the share of the client's time with the app. Conditions
// that too few clients have do not count.
func (f *Fleet) ownDrain(client string, h *Hog, share float64) (Drain, float64) {
	cells := f.cells(h.App)
	if f.Method == Paper || len(cells) == 0 {
		return h.Drain, share
	}
	s := &split{f, f.grower(), cells, h.Reference}
	root := s.grower.Grow(cells)
	whole := s.excess(root.Drain)
	matters := map[string]bool{} // matters has the features of the tree.
	root.Walk(func(n *tree.Node) {
		for _, c := range n.Path {
			matters[c.Feature] = true
		}
	})
	if len(matters) == 0 {
		return h.Drain, share
	}
	var excess, half, time float64
	f.Sums.Each("own", func(rest []string, r *sums.Row) {
		if rest[0] != client || rest[1] != h.App || len(rest) != 2+len(ownFeatures) {
			return
		}
		var where []claim.Condition
		for i, feature := range ownFeatures {
			if value := rest[2+i]; value != "" && matters[feature] {
				where = append(where, claim.Condition{Feature: feature, Value: value})
			}
		}
		d := s.under(where)
		for math.IsNaN(d.Excess) && len(where) > 0 {
			where = where[:len(where)-1]
			d = s.under(where)
		}
		if math.IsNaN(d.Excess) || len(where) == 0 {
			d = h.whole
		} else {
			d = adjusted(d, whole, h.whole)
		}
		t := r[0].Float()
		excess, half, time = excess+t*d.Excess, half+t*d.Half, time+t
	})
	if time == 0 {
		return h.whole, share
	}
	return Drain{Excess: excess / time, Half: half / time, Reference: h.Reference}, share
}
