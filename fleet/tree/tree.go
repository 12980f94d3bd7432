// Package tree divides the energy use of an app by conditions, such as the network or the version
// of the system. It finds what a user can do about the app. The result is called the MCAD, the
// minimal complete actionable diagnosis (Carat, SenSys 2013, §2.5 and 2.6).
//
//   - A cell has the sums of all rates under the same values of all features.
//   - A node of the tree has all cells that satisfy a list of conditions.
//   - A node is split by one value: its children are the cells with and without the value. The
//     gap d′ between the children must be positive.
//
// The paper does not state which value comes first. This package takes the one with the largest d′.
// Ties are broken by the name of the feature.
//
// The following laws hold. The same cells, in any order, give the same tree. A cell may have
// several values of a feature, because the two ends of a pair may differ. For example, the network
// may be "lte" at one end and "wifi" at the other.
package tree

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/sums"
)

// A Cell has the sums of all rates under the same values of all features.
type Cell struct {
	// Values are indexed by feature. A feature may have several values, or none.
	Values [][]string
	Sums   sums.Row
}

// A Drain is the energy use of a node in % per second. Half is half the width of its interval.
type Drain struct{ Mean, Half float64 }

// Known reports whether there were enough data for a Drain.
func (d Drain) Known() bool {
	return !math.IsNaN(d.Mean) && !math.IsNaN(d.Half) && !math.IsInf(d.Half, 0)
}

// gap returns the distance d′ between the intervals of two drains, in any order.
func (d Drain) gap(other Drain) float64 {
	if !d.Known() || !other.Known() {
		return math.NaN()
	}
	return math.Abs(d.Mean-other.Mean) - d.Half - other.Half
}

// A Condition is a requirement such as "network lte" or "network not lte".
type Condition = claim.Condition

// A Node has the drain under a list of conditions.
type Node struct {
	// Path has the conditions from the root to the node.
	Path []Condition
	// Drain is the drain under these conditions. It is computed from Sums.
	Drain Drain
	Sums  sums.Row
	// Gap is the distance between the drains of the two children, or 0 without children.
	Gap float64
	// With and Without are the children, or nil if the node is not split.
	With, Without *Node
	all           *cells
	in            []int32 // in lists the node's cells, as indices.
}

// cells has the cells of a tree. The values of a feature are numbered in alphabetical order.
type cells struct {
	features []string
	values   [][]string  // values is indexed by feature.
	numbers  [][][]int32 // numbers[f][c] has the values of feature f in cell c.
	sums     []sums.Row
}

// cellsOf numbers the values of cells.
func (g *Grower) cellsOf(from []Cell) *cells {
	all := &cells{features: g.Features}
	for i := range from {
		all.sums = append(all.sums, from[i].Sums)
	}
	for f := range g.Features {
		known := map[string]int32{}
		for i := range from {
			for _, v := range from[i].Values[f] {
				known[v] = 0
			}
		}
		values := slices.Sorted(maps.Keys(known))
		for n, v := range values {
			known[v] = int32(n)
		}
		numbers := make([][]int32, len(from))
		for i := range from {
			for _, v := range from[i].Values[f] {
				if n := known[v]; !slices.Contains(numbers[i], n) {
					numbers[i] = append(numbers[i], n)
				}
			}
		}
		all.values, all.numbers = append(all.values, values), append(all.numbers, numbers)
	}
	return all
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
	f := slices.Index(n.all.features, feature)
	if f < 0 {
		return nil
	}
	seen := make([]bool, len(n.all.values[f]))
	for _, cell := range n.in {
		for _, v := range n.all.numbers[f][cell] {
			seen[v] = true
		}
	}
	var all []string
	for v, in := range seen {
		if in {
			all = append(all, n.all.values[f][v])
		}
	}
	return all
}

const (
	// maxDepth is the maximum number of conditions of a path.
	maxDepth = 6
)

// A Grower grows trees.
type Grower struct {
	// Features are the names of the features. Cell.Values has the same order.
	Features []string
	// Drain computes the drain from sums.
	Drain func(sums.Row) Drain
	// Gap returns a positive number if the parts of a node differ significantly. tries is the
	// number of splits that are tried. The result is NaN if there are too few data. If Gap is nil,
	// the paper's d′ is used (§2.4), which does not depend on tries.
	Gap func(with, without sums.Row, tries int) float64
}

// Grow returns the tree for the given cells.
func (g *Grower) Grow(from []Cell) *Node {
	root := &Node{all: g.cellsOf(from)}
	for i := range from {
		root.in = append(root.in, int32(i))
		plus(&root.Sums, &from[i].Sums)
	}
	root.Drain = g.Drain(root.Sums)
	level := []*Node{root}
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
func (g *Grower) Under(from []Cell, all []Condition) Drain {
	var sum sums.Row
	for i := range from {
		if !slices.ContainsFunc(all, func(c Condition) bool {
			f := slices.Index(g.Features, c.Feature)
			return f < 0 || slices.Contains(from[i].Values[f], c.Value) == c.Not
		}) {
			plus(&sum, &from[i].Sums)
		}
	}
	return g.Drain(sum)
}

// plus adds the sums of one row to another.
func plus(to, from *sums.Row) {
	for k := range to {
		to[k].Plus(from[k])
	}
}

// A division is one possible split of a node: the cells with a value, and those without it.
type division struct {
	feature, value int
	with, without  sums.Row
}

// split splits a node by the value with the largest gap, if a gap is positive.
func (g *Grower) split(n *Node) bool {
	var tries []division
	for f, feature := range g.Features {
		for value, with := range n.sumsBy(f) {
			c := Condition{Feature: feature, Value: n.all.values[f][value]}
			if with == nil || slices.Contains(n.Path, c) || slices.Contains(n.Path, Condition{Feature: c.Feature, Value: c.Value, Not: true}) {
				continue
			}
			d := division{feature: f, value: value, with: *with}
			for k := range d.without {
				d.without[k] = n.Sums[k].Minus(with[k])
			}
			if g.Drain(d.with).Known() && g.Drain(d.without).Known() {
				tries = append(tries, d)
			}
		}
	}
	var best *division
	for i := range tries {
		d, gap := &tries[i], 0.0
		if g.Gap == nil {
			gap = g.Drain(d.with).gap(g.Drain(d.without))
		} else {
			gap = g.Gap(d.with, d.without, len(tries))
		}
		if gap > 0 && (best == nil || gap > n.Gap) {
			best, n.Gap = d, gap
		}
	}
	if best == nil {
		return false
	}
	n.divide(best)
	n.With.Drain, n.Without.Drain = g.Drain(n.With.Sums), g.Drain(n.Without.Sums)
	return true
}

// sumsBy returns the sums of a node's cells for each value of a feature, or nil for a value without
// cells.
func (n *Node) sumsBy(feature int) []*sums.Row {
	all := make([]*sums.Row, len(n.all.values[feature]))
	for _, cell := range n.in {
		for _, v := range n.all.numbers[feature][cell] {
			if all[v] == nil {
				all[v] = &sums.Row{}
			}
			plus(all[v], &n.all.sums[cell])
		}
	}
	return all
}

// divide makes the children of a node.
func (n *Node) divide(d *division) {
	c := Condition{Feature: n.all.features[d.feature], Value: n.all.values[d.feature][d.value]}
	not := c
	not.Not = true
	n.With = &Node{Path: append(slices.Clone(n.Path), c), Sums: d.with, all: n.all}
	n.Without = &Node{Path: append(slices.Clone(n.Path), not), Sums: d.without, all: n.all}
	for _, cell := range n.in {
		to := n.Without
		if slices.Contains(n.all.numbers[d.feature][cell], int32(d.value)) {
			to = n.With
		}
		to.in = append(to.in, cell)
	}
}

// Diagnose returns the MCAD of a tree: what a user can do to save energy. The result is a list of
// nodes with a significantly lower drain than the root.
//
// can reports whether a user can bring about a condition. Each node has at least one such condition
// that helps: energy use is lower with it than without it. The node's other conditions only say for
// whom the diagnosis holds.
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

// Helpful returns a function that reports which conditions of a node's path help: the drain is
// lower under the condition than under its opposite.
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

// reachable reports whether a user can bring about a helpful condition of the node. It rejects a
// node with a condition such as "model not X" that a user cannot bring about.
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
