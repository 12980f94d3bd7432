package fleet

import (
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
)

// heed compares the hogs with their trees. In two cases, the hog is restricted to the worst
// conditions of its tree: the tree does not show an overall excess, or the app may use no
// additional energy under the opposite of a condition. If there is no overall excess and no excess
// under the worst conditions, the app is not a hog. An app that uses more energy on some clients
// only becomes a hog under the worst conditions, if most clients under these conditions have the
// excess.
func (f *Fleet) heed(j *judgement) {
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
			j.doubtful = append(append(j.doubtful, h.App), h.Like...)
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

// A condition describes the conditions under which an app has an excess. It is computed from the
// app's tree.
type condition struct {
	root Drain // root is the overall excess.
	// where has the conditions with the largest excess, and at is the excess under these
	// conditions.
	where []claim.Condition
	at    Drain
	// opposite reports whether the app saves energy under the opposite of a condition.
	opposite bool
	// free reports whether the app may use no additional energy under the opposite of a condition.
	free bool
}

// holds reports whether there is an excess under the conditions in where.
func (c *condition) holds() bool { return len(c.where) > 0 && c.at.Least() > 0 }

// applied returns the hog h restricted to the conditions in where.
func (c *condition) applied(h Hog) Hog {
	h.Where, h.Drain = c.where, c.at
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
