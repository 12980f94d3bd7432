package energy

import (
	"slices"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Range is the range of a component's energy. It has the energies when all figures of the model
// are at the lower or at the upper ends of their ranges. At the lower end, a hold that ends after
// an unknown timeout uses no energy beyond what the recording proves.
type Range struct {
	Least, Most units.Energy
	// Parts are the energies of trace.Use and trace.Tail, including unattributed energy. Cases are
	// the same energies for other figures within the ranges. Least and Most are the smallest and
	// the largest sum of the two energies.
	Parts Parts
	Cases []Parts
	// Timeout means that holds with an unknown timeout cause the range, because they widen it more
	// than any state does.
	Timeout bool
	// State is the state whose energy has the widest range, and Kind is the kind of that state.
	State string
	Kind  model.Kind
}

// Parts are the energies of the parts trace.Use and trace.Tail.
type Parts [2]units.Energy

// plus returns the sum of p and o.
func (p Parts) plus(o Parts) Parts { return Parts{p[0] + o[0], p[1] + o[1]} }

// An end is a copy of a component with all figures at the lower or all at the upper ends of their
// ranges. It repeats the operations of the component, and attributes no energy.
type end struct {
	machine *machine.Machine
	states  []units.Energy
	parts   Parts
}

// newEnds returns the two ends of a component, or nil if its model states no ranges.
func newEnds(c *model.Component, p machine.Policy) []*end {
	if !c.Ranged() {
		return nil
	}
	var ends []*end
	for _, most := range [...]bool{false, true} {
		e := &end{states: make([]units.Energy, len(c.States))}
		e.machine = machine.New(c.End(most), p, machine.Options{Emit: func(s *machine.Interval) error {
			e.states[s.State] += s.Energy
			e.parts[s.Part] += s.Energy
			return nil
		}})
		ends = append(ends, e)
	}
	return ends
}

// do carries out an operation, or sets the level, at both ends of the ranges.
func (p *part) do(op machine.Operation) error {
	op.Owner = machine.NoOwner
	for _, e := range p.ends {
		if err := e.machine.Do(op); err != nil {
			return err
		}
	}
	return nil
}

// ranged returns the range of the component's energy. It is nil if neither the model nor the
// operations have ranges, or if a meter measured the component.
func (p *part) ranged() *Range {
	unproven := p.machine.Tally().Unproven
	switch {
	case p.rail != nil || p.ends == nil && unproven == 0:
		return nil
	case p.ends == nil:
		return p.timedOut(p.extent(), unproven, 0)
	}
	r, widest := p.extent(), units.Energy(-1)
	for i := range p.states {
		energy := p.States[i].Energy
		least := min(p.ends[0].states[i], p.ends[1].states[i], energy)
		most := max(p.ends[0].states[i], p.ends[1].states[i], energy)
		if most-least > widest {
			widest, r.State, r.Kind = most-least, p.states[i].Name, p.states[i].Kind
		}
	}
	return p.timedOut(r, unproven, widest)
}

// extent returns the range without its cause.
func (p *part) extent() *Range {
	r := &Range{Least: p.Energy(), Most: p.Energy(), Parts: p.parts, Cases: p.cases()}
	for _, c := range r.Cases {
		sum := c[trace.Use] + c[trace.Tail]
		r.Least, r.Most = min(r.Least, sum), max(r.Most, sum)
	}
	return r
}

// cases returns the energies at the ends of the ranges. Each case counts twice: with and without
// the energy of holds that may have ended earlier.
func (p *part) cases() (out []Parts) {
	add := func(parts Parts, unproven units.Energy) {
		proven := parts
		proven[trace.Use] -= unproven
		out = append(out, proven, parts)
	}
	add(p.parts, p.machine.Tally().Unproven)
	for _, e := range p.ends {
		add(e.parts, e.machine.Tally().Unproven)
	}
	return out
}

// timedOut sets holds with an unknown timeout as the cause of a range if they cause most of it.
func (p *part) timedOut(r *Range, unproven, widest units.Energy) *Range {
	if unproven <= widest {
		return r
	}
	for i := range p.states {
		if p.states[i].Kind == model.On {
			r.State, r.Kind, r.Timeout = p.states[i].Name, model.On, true
			break
		}
	}
	return r
}

// scaled returns the range multiplied by after/before.
func (r *Range) scaled(before, after units.Energy) *Range {
	if r == nil || before == 0 {
		return nil
	}
	out := *r
	scale := func(e *units.Energy) { *e = units.Energy(units.MulDiv(int64(*e), int64(after), int64(before))) }
	scale(&out.Least)
	scale(&out.Most)
	out.Cases = slices.Clone(r.Cases)
	for i := range out.Parts {
		scale(&out.Parts[i])
		for k := range out.Cases {
			scale(&out.Cases[k][i])
		}
	}
	return &out
}
