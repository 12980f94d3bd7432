// Package tree divides the energy use of an anomaly by conditions, such as the network or the
// version of the system. It finds what a user can do about the anomaly. The result is the MCAD, the
// minimal complete actionable diagnosis (Carat, SenSys 2013, §2.5 and 2.6).
//
// These are the terms. A cell has the sums of all rates for which all features have the same
// values. A node of a tree is a condition c, with the cells that satisfy c. A value f splits the
// node into c∧f and c∧¬f if the gap d′ between them is positive. The paper does not state which
// feature comes first. This package takes the feature with the largest d′. On ties, the name of the
// feature decides.
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

// A Cell has the sums of rates for which all features have the same values.
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
	// Gap is d′ between the two children. It is zero if there are no children.
	Gap float64
	// With and Without are the children. They are nil if no condition splits the node.
	With, Without *Node
	all           *cells
	in            []int32 // in has the indices of the node's cells.
}

// cells has the cells of a tree. The values of each feature have numbers, in the order of their
// texts.
type cells struct {
	features []string
	values   [][]string  // values is indexed by feature.
	numbers  [][][]int32 // numbers has the numbers of a cell's values, by feature and by cell.
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

// A division is a way to split a node: by a value of a feature.
type division struct {
	feature, value int
	with, without  sums.Row
}

// split splits a node by the value with the largest gap.
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

// sumsBy returns the sums of a node's cells, by the values of a feature. For a value without cells,
// the element is nil.
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

// Diagnose returns the MCAD of the subject at the root of a tree. This is a list of nodes that a
// user can reach and that have a significantly lower drain. can reports whether a user can bring
// about a condition. A condition of a node's path counts as a step only if the tree shows that it
// helps, which means that its node uses less energy than the sibling. All other conditions of the
// path are the scope, which a user does not need to bring about.
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
// shows that the condition helps.
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
