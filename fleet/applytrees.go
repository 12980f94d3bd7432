package fleet

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
)

// applyTrees compares each hog with its tree. The first of these cases applies:
//
//  1. The tree shows an excess with and without each condition. The hog does not change.
//  2. The tree shows an excess under the worst conditions. The hog is restricted to them.
//  3. The tree shows an overall excess. The hog does not change.
//  4. The tree shows no excess. The app is not a hog, but doubtful.
//
// An app with an excess on only some clients can become a hog here. Most clients under the worst
// conditions must then have the excess.
func (f *Fleet) applyTrees(j *judgement) {
	apps := map[string][]tree.Cell{}
	for _, h := range slices.Concat(j.hogs, j.some) {
		apps[h.App] = nil
	}
	f.Sums.Each("cell", func(rest []string, r *sums.Row) {
		if cells, hog := apps[rest[0]]; hog {
			apps[rest[0]] = f.appendCell(cells, rest[1:], r)
		}
	})
	var kept, some []Hog
	for _, h := range j.hogs {
		switch c := f.conditional(&h, apps[h.App]); {
		case c == nil:
			kept = append(kept, h)
		case c.root.Least() > 0 && !c.opposite && !c.free:
			kept = append(kept, h)
		case c.holds():
			kept = append(kept, c.applied(h))
		case c.root.Least() > 0:
			kept = append(kept, h)
		default:
			j.doubtful = append(append(j.doubtful, h.App), h.Confounded...)
		}
	}
	for _, h := range j.some {
		if c := f.conditional(&h, apps[h.App]); c != nil && c.holds() {
			if under := c.applied(h); !under.spread.onFew() {
				kept = append(kept, under)
				continue
			}
		}
		some = append(some, h)
	}
	j.hogs, j.some = kept, some
	slices.Sort(j.doubtful)
}

// A condition describes the conditions under which an app has an excess, according to its tree.
type condition struct {
	root Drain // root is the overall excess.
	// where has the conditions with the largest excess. at is the excess under them.
	where []claim.Condition
	at    Drain
	// opposite means that the app saves energy without one of the conditions.
	opposite bool
	// free means that the app perhaps uses no more energy without one of the conditions.
	free bool
}

// holds reports whether the app certainly has an excess under its worst conditions.
func (c *condition) holds() bool { return len(c.where) > 0 && c.at.Least() > 0 }

// applied returns the hog restricted to its worst conditions.
func (c *condition) applied(h Hog) Hog {
	h.Conditions, h.Drain = c.where, c.at
	h.spread = h.spread.under(c.at.Excess / c.root.Excess)
	return h
}

// conditional compares an app with its tree. It returns nil if the tree has too few data.
func (f *Fleet) conditional(h *Hog, cells []tree.Cell) *condition {
	if len(cells) == 0 {
		return nil
	}
	s := f.split(h.App, cells, h.Reference)
	root := s.grower.Grow(s.cells)
	if !root.Drain.Known() {
		return nil
	}
	c := &condition{root: s.excess(root.Drain)}
	c.where, c.at = s.worst(root)
	c.at = adjusted(c.at, c.root, h.Drain)
	for n := root; n.With != nil && !c.opposite; {
		more, less := n.With, n.Without
		if less.Drain.Mean > more.Drain.Mean {
			more, less = less, more
		}
		c.opposite = less.Drain.Known() && s.excess(less.Drain).Most() < 0
		c.free = c.free || less.Drain.Known() && s.excess(less.Drain).Least() <= 0
		n = more
	}
	return c
}
