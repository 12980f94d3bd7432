// Package tree divides the energy use of an anomaly by conditions such as the network or the
// version of the system. It finds what a user can do about the anomaly. The result is the MCAD, the
// minimal complete actionable diagnosis (Carat, SenSys 2013, §2.5 and 2.6).
//
// These are the terms. A cell has the sums of all rates with the same values of all features. A
// node of a tree is a condition c. It has the cells that satisfy c. A value f splits the node into
// c∧f and c∧¬f if the gap d′ between them is positive. The paper does not state which feature comes
// first. This package takes the feature with the largest d′. On ties, the name of the feature
// decides.
//
// The following laws hold. The same cells, in any order, give the same tree. A cell may have
// several values of a feature, one from each end of its pairs. The network may be "lte" and "wifi",
// for example.
package tree

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A Cell has the sums of rates that have the same values.
type Cell struct {
	// Values are by feature. A feature may have several values, or none.
	Values [][]string
	Sums   sums.Row
}

// A Drain is the energy use of a node in % per second. Half is half the width of its interval.
type Drain struct{ Mean, Half float64 }

// Known reports whether there were enough data for a Drain.
func (d Drain) Known() bool {
	return !math.IsNaN(d.Mean) && !math.IsNaN(d.Half) && !math.IsInf(d.Half, 0)
}

// gap returns d′ of two drains, which is the distance between their intervals. The order of the two
// drains does not matter.
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
	// Path has the conditions from the root to the node.
	Path []Condition
	// Drain is the node's drain. Sums are the sums from which it was computed.
	Drain Drain
	Sums  sums.Row
	// Gap is d′ between the children. It is zero if there are none.
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
	// Features are the names of the features whose values the cells have.
	Features []string
	// Drain computes the drain from sums.
	Drain func(sums.Row) Drain
	// Gap returns the distance between the drains of the two parts of a node. tries is the number
	// of splits that are tried. It returns NaN if there are too few data. If it is nil, d′ is used
	// (§2.4). d′ does not depend on the number of tries.
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

// Diagnose returns the MCAD of the subject at the root of a tree. This is a list of conditions that
// a user can bring about and that have a significantly lower drain. can reports whether a user can
// bring a condition about. A step counts only if the tree shows that it helps. This means that the
// node uses less than its sibling. Other conditions are a scope. They may hold, but a user cannot
// or should not bring them about.
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

// Helpful returns a function for nodes. For each condition of a node's path, the function reports
// whether the tree shows that the condition helps.
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

// reachable reports whether a user can reach a node. The user must be able to bring about at least
// one of its conditions, and the other conditions must be a scope that has a name.
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
