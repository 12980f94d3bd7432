package cct

import (
	"slices"

	"github.com/diffprof/diffprof/units"
)

// Mean returns the mean of several runs. It has the shape that Merge returns; each figure is
// the sum over the runs divided by their number. The prefix sums before each node are divided
// and rounded down, so the figure of a subtree is at most one off. Accounts divide the
// resulting figure of each node. Measures.InRun has the energy of each run. Errors are those
// that Merge returns.
func Mean(trees ...*Tree) (*Tree, error) {
	merged, err := Merge(trees...)
	if err != nil {
		return nil, err
	}
	n := int64(len(trees))
	out := merged.Scaled(1, n)
	out.Counted = merged.Counted
	for what, of := range out.fields() {
		if What(what) != Energy {
			*of = of.dividedBy(n)
		}
	}
	out.runs, out.parts, out.repeats = 0, nil, make([]sums, n)
	accounts := make(map[Key]sums)
	for _, p := range merged.parts {
		if p.key.What != Energy {
			continue
		}
		out.repeats[p.key.Run], _ = out.repeats[p.key.Run].plus(p.sums) // Merge has checked the sum
		key := Key{What: Energy, Account: p.key.Account}
		accounts[key], _ = accounts[key].plus(p.sums)
	}
	if _, first := accounts[Key{What: Energy}]; !first || len(accounts) > 1 {
		for key, of := range accounts {
			out.parts = append(out.parts, part{key, of})
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

// Repeats returns the number of runs that the figures are the mean of, 0 if they are not a
// mean.
func (m *Measures) Repeats() int { return len(m.repeats) }

// InRun returns the energy of the nodes in one of the runs, counted from 0, that the figures
// are the mean of. It covers all accounts.
func (m *Measures) InRun(run int) Column[units.Energy] { return Column[units.Energy]{m.repeats[run]} }
