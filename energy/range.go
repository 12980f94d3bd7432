package energy

import (
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/units"
)

// A Range is the energy of a component with all figures of its model at the ends of their
// ranges.
type Range struct {
	Least, Most units.Energy
	// State is the state whose energy has the widest range. Kind is the kind of this state.
	State string
	Kind  model.Kind
}

// An end is a copy of a component with all figures at one end of their ranges. It executes the
// operations of the component a second time, and attributes no energy.
type end struct {
	machine *machine.Machine
	states  []units.Energy
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
			return nil
		}})
		ends = append(ends, e)
	}
	return ends
}

// do executes an operation at both ends of the ranges, or sets the level.
func (p *part) do(op machine.Operation) error {
	op.Owner = machine.NoOwner
	for _, e := range p.ends {
		if err := e.machine.Do(op); err != nil {
			return err
		}
	}
	return nil
}

// ranged returns the range of the component's energy. It returns nil if the model states no ranges,
// or if a meter measured the component.
func (p *part) ranged() *Range {
	if p.ends == nil || p.rail != nil {
		return nil
	}
	r, widest := &Range{}, units.Energy(-1)
	for i := range p.states {
		energy := p.States[i].Energy
		least := min(p.ends[0].states[i], p.ends[1].states[i], energy)
		most := max(p.ends[0].states[i], p.ends[1].states[i], energy)
		if most-least > widest {
			widest, r.State, r.Kind = most-least, p.states[i].Name, p.states[i].Kind
		}
	}
	r.Least, r.Most = p.Energy(), p.Energy()
	for _, e := range p.ends {
		sum := units.Energy(0)
		for _, energy := range e.states {
			sum += energy
		}
		r.Least, r.Most = min(r.Least, sum), max(r.Most, sum)
	}
	return r
}

// scaled returns the range in proportion to a change of the component's energy.
func (r *Range) scaled(before, after units.Energy) *Range {
	if r == nil || before == 0 {
		return nil
	}
	out := *r
	out.Least = units.Energy(units.MulDiv(int64(r.Least), int64(after), int64(before)))
	out.Most = units.Energy(units.MulDiv(int64(r.Most), int64(after), int64(before)))
	return &out
}
