// Package tree splits the energy use of an anomaly by conditions such as the network or the version
// of the system, and finds what a user can do about it: the MCAD, the minimal complete actionable
// diagnosis (Carat, SenSys 2013, §2.5 and 2.6).
//
// Terms. A cell has the sums of all rates with the same values of all features. A node of a tree is
// a condition c: the cells that satisfy it. A value f splits it into c∧f and c∧¬f if their gap d′
// is positive. The paper leaves open which feature is taken first. This package takes the feature
// with the largest d′. Ties are broken by name.
//
// Laws: the same cells give the same tree, in any order. A cell may have several values of a
// feature, one from each end of its pairs: the network may be "lte" and "wifi".
package tree

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A Cell is the sums of rates with the same values.
type Cell struct {
	// Values are by feature. A feature may have several values, or none.
	Values [][]string
	Sums   sums.Row
}

// A Drain is the energy use of a node, in % per second, with half the width of its interval.
type Drain struct{ Mean, Half float64 }

// Known reports whether there is enough data.
func (d Drain) Known() bool {
	return !math.IsNaN(d.Mean) && !math.IsNaN(d.Half) && !math.IsInf(d.Half, 0)
}

// gap returns d′ of two drains: the distance between their intervals. It does not matter which one
// is larger.
func (d Drain) gap(other Drain) float64 {
	if !d.Known() || !other.Known() {
		return math.NaN()
	}
	return math.Abs(d.Mean-other.Mean) - d.Half - other.Half
}

// A Condition requires that a feature has a value, or that it does not have it.
type Condition = claim.Condition

// A Node is a condition and the drain under it.
type Node struct {
	// Path are the conditions from the root to the node.
	Path []Condition
	// Drain is the node's drain. Sums are the sums that it is computed from.
	Drain Drain
	Sums  sums.Row
	// Gap is d′ between the children, or zero without children.
	Gap float64
	// With and Without are the children. They are nil if no condition splits the node.
	With, Without *Node
	cells         []Cell
	features      []string
}

// Walk calls f for a node and all of its descendants.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	if n.With != nil {
		n.With.Walk(f)
		n.Without.Walk(f)
	}
}

// Values returns the values of a feature in a node's cells, sorted.
func (n *Node) Values(feature string) []string {
	if f := slices.Index(n.features, feature); f >= 0 {
		return values(n.cells, f)
	}
	return nil
}

const (
	// maxDepth is the maximum number of conditions of a path.
	maxDepth = 6
)

// A Grower grows trees.
type Grower struct {
	// Features are the names of the cells' values.
	Features []string
	// Drain computes the drain from sums.
	Drain func(sums.Row) Drain
	// Gap returns the distance between the drains of the two parts of a node. tries is the number
	// of splits that are tried. It returns NaN if there is too little data. Nil means d′ (§2.4),
	// which does not depend on the number of tries.
	Gap func(with, without sums.Row, tries int) float64
}

// Grow returns the tree of cells.
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

// Under returns the drain of the cells that satisfy all conditions.
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

// try splits a node by a condition. It returns nil if that is not possible.
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

// values returns the values of a feature in cells, sorted.
func values(cells []Cell, feature int) []string {
	var all []string
	for _, c := range cells {
		all = append(all, c.Values[feature]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Diagnose returns the MCAD of the subject at the root of a tree: the conditions with a
// significantly lower drain that a user can bring about, each subtree as its root. can reports
// whether a user can bring a condition about. A step counts only if the tree shows that it helps:
// the node uses less than its sibling. Other conditions are a scope: they may hold, but a user
// cannot or should not bring them about.
func Diagnose(root *Node, can func(Condition) bool) []*Node {
	helpful := Helpful(root)
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
	found = slices.DeleteFunc(found, func(n *Node) bool { return !reachable(n, can, helpful(n)) })
	slices.SortStableFunc(found, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Drain.Mean, b.Drain.Mean), cmp.Compare(len(a.Path), len(b.Path)))
	})
	return found
}

// lower reports whether one drain is significantly lower than another.
func lower(d, than Drain) bool { return d.Mean < than.Mean && d.gap(than) > 0 }

// Helpful returns a function that reports, for each condition of a node's path, whether the tree
// shows that it helps.
func Helpful(root *Node) func(n *Node) []bool {
	return func(n *Node) []bool {
		var all []bool
		at := root
		for _, c := range n.Path {
			next, other := at.With, at.Without
			if c.Not {
				next, other = other, next
			}
			all = append(all, next.Drain.Mean < other.Drain.Mean)
			at = next
		}
		return all
	}
}

// reachable reports whether a user can reach a node: a user can bring about at least one of its
// conditions, and the others are a scope that can be named.
func reachable(n *Node, can func(Condition) bool, helpful []bool) bool {
	some := false
	for i, c := range n.Path {
		switch {
		case can(c) && helpful[i]:
			some = true
		case c.Not && !can(c):
			return false
		}
	}
	return some
}
