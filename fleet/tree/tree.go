// Package tree splits what an anomaly drains by conditions such as the network or the version of
// the system, and finds what a user could do about it: the MCAD, the minimal complete
// actionable diagnosis (Carat, SenSys 2013, §2.5 and 2.6).
//
// Terms. A cell is the sums of all rates with the same values of all features. A node of a tree
// is a condition c: the cells that satisfy it. It is split by a value f into c∧f and c∧¬f if
// their gap d′ is positive. The paper leaves open which feature is taken first; here it is the
// one with the largest d′, of equal ones the first by name.
//
// Laws: the same cells give the same tree, in any order. The values of a cell at both ends of
// its pairs hold together: the network may be "lte" and "wifi".
package tree

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A Cell is sums of rates with the same values.
type Cell struct {
	// Values are by feature; a feature may have several, or none.
	Values [][]string
	Sums   sums.Row
}

// A Drain is what a node drains, in % a second, with half of its interval.
type Drain struct{ Mean, Half float64 }

// Known says whether there is enough data to tell.
func (d Drain) Known() bool {
	return !math.IsNaN(d.Mean) && !math.IsNaN(d.Half) && !math.IsInf(d.Half, 0)
}

// gap is d′ of two drains: what lies between their intervals, whichever is larger.
func (d Drain) gap(other Drain) float64 {
	if !d.Known() || !other.Known() {
		return math.NaN()
	}
	return math.Abs(d.Mean-other.Mean) - d.Half - other.Half
}

// A Condition is that a feature has a value, or that it has not.
type Condition = claim.Condition

// A Node is a condition with what it drains.
type Node struct {
	// Path are the conditions from the root on.
	Path []Condition
	// Drain is what the node drains, Sums of what.
	Drain Drain
	Sums  sums.Row
	// Gap is d′ between the children; zero without them.
	Gap float64
	// With and Without are the children; nil where nothing splits the node.
	With, Without *Node
	cells         []Cell
	features      []string
}

// Walk calls f for a node and all below it.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	if n.With != nil {
		n.With.Walk(f)
		n.Without.Walk(f)
	}
}

// Values are the values that a feature has in a node's cells, in order.
func (n *Node) Values(feature string) []string {
	if f := slices.Index(n.features, feature); f >= 0 {
		return values(n.cells, f)
	}
	return nil
}

const (
	// maxDepth is how many conditions a path may have.
	maxDepth = 6
)

// A Grower grows trees.
type Grower struct {
	// Features are the names of the cells' values.
	Features []string
	// Drain tells what sums drain.
	Drain func(sums.Row) Drain
	// Gap tells what lies between the drains of the two parts of a node, if it is tried to be split in so
	// many ways; NaN where too little is known. Nil is d′ (§2.4), which no number of tries makes less.
	Gap func(with, without sums.Row, tries int) float64
}

// Grow grows a tree of cells.
func (g *Grower) Grow(cells []Cell) *Node {
	root := &Node{cells: cells, features: g.Features}
	level := []*Node{root}
	g.sum(root)
	for len(level) > 0 {
		var next []*Node
		for _, n := range level {
			if len(n.Path) < maxDepth && g.split(n) {
				next = append(next, n.With, n.Without)
			}
		}
		level = next
	}
	return root
}

// Under returns what the cells drain that satisfy all of some conditions.
func (g *Grower) Under(cells []Cell, all []Condition) Drain {
	n := &Node{cells: slices.DeleteFunc(slices.Clone(cells), func(cell Cell) bool {
		return slices.ContainsFunc(all, func(c Condition) bool {
			f := slices.Index(g.Features, c.Feature)
			return f < 0 || slices.Contains(cell.Values[f], c.Value) == c.Not
		})
	})}
	g.sum(n)
	return n.Drain
}

func (g *Grower) sum(n *Node) {
	n.Sums = sums.Row{}
	for i := range n.cells {
		for k := range n.Sums {
			n.Sums[k].Plus(n.cells[i].Sums[k])
		}
	}
	n.Drain = g.Drain(n.Sums)
}

// split splits a node by the value with the largest gap.
func (g *Grower) split(n *Node) bool {
	var tries []*Node
	for f, feature := range g.Features {
		for _, value := range values(n.cells, f) {
			c := Condition{Feature: feature, Value: value}
			if slices.Contains(n.Path, c) || slices.Contains(n.Path, Condition{Feature: feature, Value: value, Not: true}) {
				continue
			}
			if s := g.try(n, f, c); s.With.Drain.Known() && s.Without.Drain.Known() {
				tries = append(tries, s)
			}
		}
	}
	var best *Node
	for _, s := range tries {
		if g.Gap == nil {
			s.Gap = s.With.Drain.gap(s.Without.Drain)
		} else {
			s.Gap = g.Gap(s.With.Sums, s.Without.Sums, len(tries))
		}
		if s.Gap > 0 && (best == nil || s.Gap > best.Gap) {
			best = s
		}
	}
	if best == nil {
		return false
	}
	n.With, n.Without, n.Gap = best.With, best.Without, best.Gap
	return true
}

// try splits a node by a condition.
func (g *Grower) try(n *Node, feature int, c Condition) *Node {
	not := c
	not.Not = true
	s := &Node{
		With:    &Node{Path: append(slices.Clone(n.Path), c), features: g.Features},
		Without: &Node{Path: append(slices.Clone(n.Path), not), features: g.Features},
	}
	for _, cell := range n.cells {
		to := s.Without
		if slices.Contains(cell.Values[feature], c.Value) {
			to = s.With
		}
		to.cells = append(to.cells, cell)
	}
	g.sum(s.With)
	g.sum(s.Without)
	return s
}

// values are the values of a feature in cells, in order.
func values(cells []Cell, feature int) []string {
	var all []string
	for _, c := range cells {
		all = append(all, c.Values[feature]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Diagnose returns the MCAD of the subject at the root of a tree: the conditions under which it
// drains significantly less, that a user can bring about, each subtree as its root. can says
// whether a user can bring a condition about. A path that a device only has by being what it
// is, such as its model, is a scope: it may hold, but nobody can leave it.
func Diagnose(root *Node, can func(Condition) bool) []*Node {
	var complete func(n *Node) ([]*Node, bool)
	complete = func(n *Node) ([]*Node, bool) {
		less := n != root && lower(n.Drain, root.Drain)
		if n.With == nil {
			if less {
				return []*Node{n}, true
			}
			return nil, false
		}
		with, allWith := complete(n.With)
		without, allWithout := complete(n.Without)
		if less && allWith && allWithout {
			return []*Node{n}, true
		}
		found := slices.Concat(with, without)
		if less {
			found = append(found, n)
		}
		return found, false
	}
	found, _ := complete(root)
	found = slices.DeleteFunc(found, func(n *Node) bool { return !reachable(n, can) })
	slices.SortStableFunc(found, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Drain.Mean, b.Drain.Mean), cmp.Compare(len(a.Path), len(b.Path)))
	})
	return found
}

// lower says whether one drain is significantly lower than another.
func lower(d, than Drain) bool { return d.Mean < than.Mean && d.gap(than) > 0 }

// reachable says whether a user can come to a node: at least one of its conditions can be brought
// about, and the others are what the device is.
func reachable(n *Node, can func(Condition) bool) bool {
	some := false
	for _, c := range n.Path {
		switch {
		case can(c):
			some = true
		case c.Not:
			return false
		}
	}
	return some
}
