package cct

import (
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Scaled returns the tree with its energies multiplied by p/q. p must not be negative, and q must
// be positive. Times and weights do not change. The result has no numbers of calls, because they do
// not scale with energy. The accounts of a node keep their proportions.
//
// Scaled rounds down prefix sums over the nodes and over the threads, so the error of a sum is
// below one nanojoule.
func (t *Tree) Scaled(p, q int64) *Tree {
	scale := func(sum sums) sums {
		sum.before = slices.Clone(sum.before)
		for i, x := range sum.before {
			sum.before[i] = units.MulDiv(x, p, q)
		}
		return sum
	}
	out := *t
	out.Counted = trace.NoCalls
	out.Energy = Column[units.Energy]{scale(t.Energy.sums)}
	out.parts = apportioned(t.parts, t.Energy.sums, out.Energy.sums)
	out.repeats = slices.Clone(t.repeats)
	for k := range out.repeats {
		out.repeats[k] = scale(out.repeats[k])
	}
	out.ThreadEnergy = slices.Clone(t.ThreadEnergy)
	out.threadAccounts = make([][]units.Energy, len(t.threadAccounts))
	before, given := int64(0), int64(0)
	for i, e := range t.ThreadEnergy {
		before += int64(e)
		upTo := units.MulDiv(before, p, q)
		out.ThreadEnergy[i] = units.Energy(upTo - given)
		given = upTo
		t.scaleThread(&out, int32(i))
	}
	return &out
}

// apportioned scales the parts of each node's energy from an old to a new energy of the node. The
// parts keep their proportions and add up exactly to the new energy.
func apportioned(parts []part, was, is sums) []part {
	out := slices.Clone(parts)
	selves := make([][]int64, len(out))
	for k := range out {
		if out[k].key.Quantity == Energy {
			selves[k] = make([]int64, len(was.ends))
		}
	}
	for i := range was.ends {
		whole, now, before, given := was.self(int32(i)), is.self(int32(i)), int64(0), int64(0)
		if whole <= 0 {
			continue
		}
		for k := range parts {
			if selves[k] != nil {
				before += parts[k].self(int32(i))
				upTo := units.MulDiv(now, before, whole)
				selves[k][i], given = upTo-given, upTo
			}
		}
	}
	for k := range out {
		if selves[k] != nil {
			out[k].sums = sum(was.ends, selves[k])
		}
	}
	return out
}

// scaleThread sets the energy of a thread on each account in a scaled tree. The accounts keep their
// proportions in t, and add up exactly.
func (t *Tree) scaleThread(scaled *Tree, thread int32) {
	before, whole, now := int64(t.EnergyOfThread(int(thread), 0)), int64(t.ThreadEnergy[thread]), int64(scaled.ThreadEnergy[thread])
	if whole <= 0 {
		return
	}
	given := units.MulDiv(now, before, whole)
	for a, energies := range t.threadAccounts {
		before += int64(at(energies, thread))
		upTo := units.MulDiv(now, before, whole)
		add(&scaled.threadAccounts[a], thread, units.Energy(upTo-given))
		given = upTo
	}
}
