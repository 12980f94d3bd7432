package cct

import (
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Scaled returns the tree with p/q of its energies; p is not negative, and q is positive.
// The sums before each node are scaled and rounded down, so that a sum over nodes is p/q
// of the sum less at most a nanojoule, and so is the sum over threads. Columns of accounts
// are scaled each by itself. Times and weights stay. The tree counts no calls any more: a
// part of its energy has no number of calls.
func (t *Tree) Scaled(p, q int64) *Tree {
	scale := func(of sums) sums {
		of.before = slices.Clone(of.before)
		for i, x := range of.before {
			of.before[i] = units.MulDiv(x, p, q)
		}
		return of
	}
	out := *t
	out.Counted = trace.NoCalls
	out.Energy = Column[units.Energy]{scale(t.Energy.sums)}
	out.parts = slices.Clone(t.parts)
	for i := range out.parts {
		if out.parts[i].key.What == Energy {
			out.parts[i].sums = scale(out.parts[i].sums)
		}
	}
	out.ThreadEnergy = slices.Clone(t.ThreadEnergy)
	before, given := int64(0), int64(0)
	for i, e := range t.ThreadEnergy {
		before += int64(e)
		upTo := units.MulDiv(before, p, q)
		out.ThreadEnergy[i] = units.Energy(upTo - given)
		given = upTo
	}
	return &out
}
