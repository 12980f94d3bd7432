package analysis

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// CountNoise is the relative standard deviation of numbers of API calls between two runs of one
// scenario, in addition to the Poisson variation of independent events. docs/repeats.md has
// examples.
const CountNoise = 0.05

// newCounts computes the noise of an input whose energy is numbers of calls times costs. Numbers of
// calls are exact, and errors of the costs are the same on both sides. So only the scenario varies.
// Calls are treated as independent events: the variance of n calls with the cost c is n·c².
func (m *measured) newCounts() {
	m.squares = make([]float64, len(m.Nodes))
	for v := len(m.Nodes) - 1; v >= 0; v-- {
		m.squares[v] += squares(m.Energy.Self(int32(v)), m.Calls.Self(int32(v)))
		if parent := m.Nodes[v].Parent; parent >= 0 {
			m.squares[parent] += m.squares[v]
		}
	}
	m.apis = make(map[string]*apiSum)
	for v := range m.Source.Nodes {
		e, id := m.Source.Energy.Self(int32(v)), m.Source.Nodes[v].Method
		if e == 0 || id == cct.NoMethod {
			continue
		}
		label := m.part(0, id).label
		if m.apis[label] == nil {
			m.apis[label] = &apiSum{}
		}
		a := m.apis[label]
		a.energy, a.calls = a.energy+e, a.calls+m.Source.Calls.Self(int32(v))
	}
}

// An apiSum is the energy of a called method in a run, and the number of its calls.
type apiSum struct {
	energy units.Energy
	calls  int64
}

// squares returns the variance of the energy e, if it comes from this many independent calls.
func squares(e units.Energy, calls int64) float64 {
	return float64(e) * float64(e) / float64(max(calls, 1))
}

// subtree returns the variance of a node and its callees.
func (m *measured) subtree(v int32) float64 {
	if m.kind != counts {
		return 0
	}
	return m.squares[v]
}

// exactCosts reports whether the energy of an input is exact numbers of calls times costs.
func exactCosts(in *Input) bool {
	return in.APICosts != nil && in.Tree.Source.Counted == trace.CountedCalls
}

// varying splits two totals into a fixed part and a part that varies. Methods with equal energies
// in both runs are fixed: repeated runs of one scenario have mostly equal numbers of calls, so
// equal numbers are no coincidence.
//
// against is the change of the methods that change in the direction opposite to the total. It has
// the sign of repeats.ReadingPair.Elsewhere.
func (c *Chance) varying(s, r *amount) (against units.Energy) {
	var rise, fall units.Energy
	s.squares, r.squares = 0, 0
	add := func(label string) {
		var here, there apiSum
		if a := c.subject.apis[label]; a != nil {
			here = *a
		}
		if a := c.reference.apis[label]; a != nil {
			there = *a
		}
		if here.energy == there.energy {
			s.fixed, r.fixed = s.fixed+here.energy, r.fixed+here.energy
			return
		}
		// The half call makes up for methods that vary, but have equal numbers of calls by chance.
		each := float64(here.energy+there.energy) / float64(max(here.calls+there.calls, 1))
		s.squares += each * each * (float64(here.calls) + 0.5)
		r.squares += each * each * (float64(there.calls) + 0.5)
		d := here.energy - there.energy
		rise, fall = rise+max(d, 0), fall+max(-d, 0)
	}
	for _, label := range slices.Sorted(maps.Keys(c.subject.apis)) {
		add(label)
	}
	for _, label := range slices.Sorted(maps.Keys(c.reference.apis)) {
		if c.subject.apis[label] == nil {
			add(label)
		}
	}
	// A total without varying calls takes the energy per call of the other total.
	s.each = r.squares / float64(max(r.energy-r.fixed, 1))
	r.each = s.squares / float64(max(s.energy-s.fixed, 1))
	if rise < fall {
		return rise
	}
	return -fall
}
