package cct

import (
	"slices"

	"github.com/diffprof/diffprof/units"
)

// Mean merges several runs into one tree, like Merge, and divides each number by the number of
// runs. Measures.InRun has the energy of each run.
//
// The numbers are integers. Mean divides prefix sums over the nodes and rounds them down, so the
// error of a subtree is at most one. The accounts of a node add up to the node's mean energy. Mean
// returns the errors of Merge.
func Mean(trees ...*Tree) (*Tree, error) {
	merged, err := Merge(trees...)
	if err != nil {
		return nil, err
	}
	n := int64(len(trees))
	out := merged.Scaled(1, n)
	out.Counted = merged.Counted
	for what, field := range out.fields() {
		if Quantity(what) != Energy {
			*field = field.dividedBy(n)
		}
	}
	out.runs, out.parts, out.repeats = 0, nil, make([]sums, n)
	accounts := make(map[Key]sums)
	for _, p := range merged.parts {
		if p.key.Quantity != Energy {
			continue
		}
		out.repeats[p.key.Run], _ = out.repeats[p.key.Run].plus(p.sums) // Merge has checked the sum
		key := Key{Quantity: Energy, Account: p.key.Account}
		accounts[key], _ = accounts[key].plus(p.sums)
	}
	if _, first := accounts[Key{Quantity: Energy}]; !first || len(accounts) > 1 {
		for key, sums := range accounts {
			out.parts = append(out.parts, part{key, sums})
		}
		slices.SortFunc(out.parts, func(a, b part) int { return compareKeys(a.key, b.key) })
		out.parts = apportioned(out.parts, merged.Energy.sums, out.Energy.sums)
	}
	return out, nil
}

// dividedBy divides a column's sums by n.
func (c sums) dividedBy(n int64) sums {
	c.before = slices.Clone(c.before)
	for i := range c.before {
		c.before[i] /= n
	}
	return c
}

// Repeats returns the number of runs of a mean. It returns 0 for measures that Mean did not make.
func (m *Measures) Repeats() int { return len(m.repeats) }

// InRun returns each node's energy in one run of a mean, over all accounts. Runs count from 0.
func (m *Measures) InRun(run int) Column[units.Energy] { return Column[units.Energy]{m.repeats[run]} }
