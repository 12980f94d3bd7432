package fleet

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
	"github.com/diffprof/diffprof/fleet/tree"
	"github.com/diffprof/diffprof/fleet/within"
)

// minRatio is the smallest effect of a condition that is worth naming: the excess with the
// condition, divided by the excess without it. A smaller effect would hardly show in a recording.
const minRatio = 1.25

// Claim returns the fleet's claim about an app. It is nil if fewer than five clients ran the app.
func (f *Fleet) Claim(app string) (*claim.Claim, error) {
	c, _, err := f.claim(app)
	return c, err
}

// A split finds the excess of one app under conditions.
type split struct {
	f         *Fleet
	grower    *tree.Grower
	cells     []tree.Cell
	reference float64 // reference is the discharge rate without the app.
	seen      float64 // seen is the share of the excess that samples show (Hog.Seen).
}

// split returns the split of an app whose cells are given.
func (f *Fleet) split(app string, cells []tree.Cell, reference float64) *split {
	return &split{f, f.grower(), cells, reference, f.seen(app)}
}

// claim returns a claim, and the split that it was made from.
func (f *Fleet) claim(app string) (*claim.Claim, *split, error) {
	hogs, err := f.Hogs()
	if err != nil || !f.Ran(app) {
		return nil, nil, err
	}
	c := &claim.Claim{App: app, Clients: f.Sums.Get(sums.Key("ran", app))[0].Int64()}
	_, few, _ := f.Judged()
	c.Judged = !slices.Contains(few, app)
	var whole Drain
	for i := range hogs {
		if hogs[i].App == app || slices.Contains(hogs[i].Confounded, app) {
			c.Hog, c.Drain, whole = true, hogs[i].Drain, hogs[i].whole
			c.Confounded = slices.DeleteFunc(append([]string{hogs[i].App}, hogs[i].Confounded...), func(name string) bool { return name == app })
		}
	}
	bugs := f.bugsOf(app)
	c.Bugs = len(bugs)
	s := f.split(app, f.cells(app), c.Reference)
	if len(s.cells) == 0 {
		return c, s, nil
	}
	root := s.grower.Grow(s.cells)
	if c.Hog {
		c.Conditions, c.At = s.worst(root)
		for c.Versions = s.versions(root, c.Conditions); len(c.Versions) > 0 && newest(c) < 0; c.Versions = s.versions(root, c.Conditions) {
			// Too few clients are left for comparing versions. Drop the last condition.
			last := lastOther(c.Conditions, Version)
			if last < 0 {
				break
			}
			c.Conditions = slices.Delete(c.Conditions, last, last+1)
			c.At = s.under(c.Conditions)
		}
		c.At = adjusted(c.At, s.excess(root.Drain), whole)
	} else {
		// The app is not a hog. Its excess is the median of its bugs.
		c.Versions = s.versions(root, nil)
		if len(bugs) > 0 {
			c.At = bugs[len(bugs)/2].Drain
		}
	}
	return c, s, nil
}

// bugsOf returns the bugs of an app, the largest first.
func (f *Fleet) bugsOf(app string) []Bug {
	all, _ := f.Bugs()
	return slices.DeleteFunc(all, func(b Bug) bool { return b.App != app })
}

// newest returns the index of the newest version that the claim's conditions allow and that enough
// clients ran, or -1.
func newest(c *claim.Claim) int {
	return slices.IndexFunc(c.Versions, func(v claim.Version) bool {
		return v.Enough && holds(c.Conditions, claim.Condition{Feature: Version, Value: v.Name})
	})
}

// lastOther returns the index of the last condition on another feature, or -1.
func lastOther(all []claim.Condition, feature string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Feature != feature {
			return i
		}
	}
	return -1
}

// holds reports whether the conditions allow the given value of a feature.
func holds(where []claim.Condition, value claim.Condition) bool {
	return !slices.ContainsFunc(where, func(c claim.Condition) bool {
		return c.Feature == value.Feature && (c.Value == value.Value) == c.Not
	})
}

// excess converts the drain of a tree node to an excess over the rate without the app.
func (s *split) excess(d tree.Drain) Drain {
	if !d.Known() {
		return Drain{Excess: math.NaN(), Half: math.Inf(1)}
	}
	e := Drain{Excess: d.Mean, Half: d.Half, Reference: s.reference}
	if s.f.Method == Paper {
		e.Excess -= s.reference
		return e
	}
	e.Excess, e.Half = withUnseen(s.seen)(e.Excess, e.Half)
	return e
}

// worstNode follows the tree towards the largest excess. It stops when another condition would make
// little difference.
func (s *split) worstNode(root *tree.Node) *tree.Node {
	n := root
	for n.With != nil {
		more, less := n.With, n.Without
		if less.Drain.Mean > more.Drain.Mean {
			more, less = less, more
		}
		most, least := s.excess(more.Drain), s.excess(less.Drain)
		if most.Excess < minRatio*max(0, least.Excess) || most.Least() <= 0 {
			break
		}
		n = more
	}
	return n
}

// worst returns the conditions of worstNode, and the excess under them.
func (s *split) worst(root *tree.Node) ([]claim.Condition, Drain) {
	n := s.worstNode(root)
	var where []claim.Condition
	for _, c := range n.Path {
		if c.Not {
			c = positive(n, c)
		}
		if c.Value != otherValue && !slices.Contains(where, c) {
			where = append(where, c)
		}
	}
	return where, s.excess(n.Drain)
}

// adjusted corrects an excess under conditions, the parameter at, for the effects of other hogs.
// whole and jointly are the app's overall excess: whole ignores other hogs, and jointly does not.
// If jointly is smaller, the result is scaled by jointly/whole. Its interval covers the excess
// before and after.
func adjusted(at, whole, jointly Drain) Drain {
	part := jointly.Excess / whole.Excess
	if !(part > 0 && part < 1) {
		return at
	}
	smaller := at.Excess * part
	return Drain{Excess: smaller, Half: at.Excess - smaller + at.Half, Reference: at.Reference}
}

// positive names the only value that is left. For example, if all networks are "lte" or "wifi", it
// replaces "not lte" by "wifi".
func positive(n *tree.Node, c claim.Condition) claim.Condition {
	if values := n.Values(c.Feature); len(values) == 1 {
		return claim.Condition{Feature: c.Feature, Value: values[0]}
	}
	return c
}

// LastCondition returns the last condition of a node's path. If possible, it returns a positive
// condition, such as "wifi" for "not lte". The root has no condition.
func LastCondition(n *tree.Node) claim.Condition {
	c := n.Path[len(n.Path)-1]
	if other := positive(n, c); c.Not && other.Value != otherValue {
		return other
	}
	return c
}

// versions returns the excess of each version of an app under the worst conditions. The newest
// version is first.
func (s *split) versions(root *tree.Node, where []claim.Condition) (all []claim.Version) {
	for _, name := range root.Values(Version) {
		if name == otherValue {
			continue
		}
		d := s.under(append(scope(where, Version), claim.Condition{Feature: Version, Value: name}))
		all = append(all, claim.Version{Name: name, Drain: d, Enough: !math.IsNaN(d.Excess)})
	}
	slices.SortStableFunc(all, func(a, b claim.Version) int { return compareVersions(b.Name, a.Name) })
	return all
}

// under returns the excess of the app under all given conditions. It is NaN if too few clients have
// data.
func (s *split) under(all []claim.Condition) Drain { return s.excess(s.grower.Under(s.cells, all)) }

// scope returns a copy of the conditions that leaves out one feature.
func scope(all []claim.Condition, without string) []claim.Condition {
	return slices.DeleteFunc(slices.Clone(all), func(c claim.Condition) bool { return c.Feature == without })
}

// ownExcess returns the excess of an app. If the app is not a hog, the estimate ignores other apps.
// It is NaN if too few clients have data.
func (f *Fleet) ownExcess(app string) Drain {
	for _, h := range f.judge().hogs {
		if h.App == app {
			return h.Drain
		}
	}
	if f.Method == Paper && f.Sums.Get(sums.Key("ran", app))[0].Int64() >= MinGroup {
		d := distOf(f.Sums.Get(sums.Key("dist", app)))
		all := distOf(f.Sums.Get(sums.Key("dist", "")))
		return Drain{Excess: d.Mean() - all.Mean(), Half: d.Error(f.H), Reference: all.Mean()}
	}
	c := within.ContrastOf(f.Sums.Get(sums.Key("app", app)))
	if c.Clients.Int64() < int64(f.MinClients) {
		return Drain{Excess: math.NaN(), Half: math.Inf(1)}
	}
	e := c.Estimate()
	return Drain{Excess: e.Excess, Half: e.Half(0.95)}
}
