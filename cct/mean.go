package cct

import (
	"slices"

	"github.com/diffprof/diffprof/units"
)

// Mean is the mean run of several: it has the shape that Merge gives them, and of each
// figure the sum over the runs divided by their number. The sums before each node are
// divided and rounded down, so that what a subtree has is at most one off. Accounts share what
// each node has then. What each run
// drained stands beside it: see Measures.InRun. Errors are those of Merge.
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
		out.repeats[p.key.Run], _ = out.repeats[p.key.Run].plus(p.sums) // Merge has added up more.
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

// Repeats is of how many runs the figures are the mean, 0 where they are those of runs.
func (m *Measures) Repeats() int { return len(m.repeats) }

// InRun is what the nodes drained in one of the runs that the figures are the mean of,
// from 0, on all accounts.
func (m *Measures) InRun(run int) Column[units.Energy] { return Column[units.Energy]{m.repeats[run]} }
