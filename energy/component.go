package energy

import (
	"errors"
	"slices"
	"time"

	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Component is what a part of the device drained in a run. Its energy is Use and Tail,
// which calls, stacks and nobody's operations caused, and Rest; the energies of its
// states and Unknown add up to the same.
type Component struct {
	// Name is in the words of trace.Account.Component.
	Name string
	// Account is the number of the account of its use. Those of its tail and of what is
	// nobody's follow.
	Account    trace.AccountID
	Provenance trace.Provenance
	// Use and Tail belong to calls and stacks, Rest to nobody.
	Use, Tail, Rest units.Energy
	// Unknown is what of Rest was measured, and drained in no state of the model.
	Unknown units.Energy
	// Operations are those that the component noticed.
	Operations int64
	// States are those of the model but its base state, Lane says when it was in them.
	States []State
	Lane   Lane
}

// Energy is all that the component drained.
func (c *Component) Energy() units.Energy { return c.Use + c.Tail + c.Rest }

// With returns the component with other energies. Its states, what is Unknown and what is
// drawn have the same shares of them as before, rounded so that they add up.
func (c Component) With(use, tail, rest units.Energy) Component {
	before := c.Energy()
	c.Use, c.Tail, c.Rest = use, tail, rest
	c.States, c.Lane.Spans = slices.Clone(c.States), slices.Clone(c.Lane.Spans)
	after, upTo, given := c.Energy(), units.Energy(0), units.Energy(0)
	scale := func(e *units.Energy) {
		now := units.Energy(0)
		if upTo += *e; before > 0 {
			now = units.Energy(units.MulDiv(int64(upTo), int64(after), int64(before)))
		}
		*e, given = now-given, now
	}
	for i := range c.States {
		scale(&c.States[i].Energy)
	}
	c.Unknown, upTo, given = after-given, 0, 0
	for i := range c.Lane.Spans {
		scale(&c.Lane.Spans[i].Energy)
	}
	return c
}

// Mean returns the means of the components of several runs by one model, but for their
// energies, which are sums.
func Mean(runs ...[]Component) []Component {
	out := slices.Clone(runs[0])
	n := int64(len(runs))
	for i := range out {
		c := &out[i]
		c.States, c.Lane = slices.Clone(c.States), Lane{}
		for _, run := range runs[1:] {
			o := &run[i]
			c.Use, c.Tail, c.Rest, c.Unknown = c.Use+o.Use, c.Tail+o.Tail, c.Rest+o.Rest, c.Unknown+o.Unknown
			c.Operations += o.Operations
			for k := range c.States {
				c.States[k].Time += o.States[k].Time
				c.States[k].Energy += o.States[k].Energy
			}
		}
		c.Operations /= n
		for k := range c.States {
			c.States[k].Time /= time.Duration(n)
		}
	}
	return out
}

// A State is how long a component was in a state, and what it drained there.
type State struct {
	Name   string
	Kind   model.Kind
	Time   time.Duration
	Energy units.Energy
}

// accounts are how many accounts a component has: its use, its tail, and what is nobody's.
const accounts = 3

// A part is a component at work.
type part struct {
	Component
	states  []model.State
	machine *machine.Machine
	// rail is what measures it, nil if nothing does.
	rail  *rail
	pairs pairs
	// stated counts the operations that the recording states, beside those of triggers.
	stated int64
	// rest is what of Rest has not been charged yet.
	rest units.Energy
	// known says that the component's level is known, unlit how long it was not while a state's
	// power depended on it.
	known bool
	unlit time.Duration
	// slots takes the stays of the split-time policy, as those of component number; nil for
	// other policies.
	slots  *slots
	number int
}

// newPart makes the part of a component, which has the accounts from a number on. What
// measures it scales its energies. log and hear are told what the machine does; they may be nil.
func newPart(c *model.Component, account trace.AccountID, p machine.Policy, measured *Rails, log *bundle.Log, hear func(*machine.Stay), forget func(machine.Owner), give giver) *part {
	out := &part{states: c.States, rail: measured.of(c.Name)}
	out.Component = Component{Name: c.Name, Account: account, Provenance: trace.Modelled, States: make([]State, len(c.States))}
	for i := range c.States {
		s := &c.States[i]
		out.States[i] = State{Name: s.Name, Kind: s.Kind}
		out.pairs.keeps = out.pairs.keeps || s.Kind == model.On
	}
	emit := func(s *machine.Stay) error { out.share(s, give); return nil }
	if out.rail != nil && measured.learning {
		emit = func(s *machine.Stay) error { out.rail.add(s.Begin, s.End, picojoules(s.Energy)); return nil }
	}
	if hear != nil {
		share := emit
		emit = func(s *machine.Stay) error { hear(s); return share(s) }
	}
	o := machine.Options{Forget: forget, Emit: emit}
	if log != nil {
		o.Begun, o.Held = log.Begun, log.Held
		o.Emit = func(s *machine.Stay) error { return errors.Join(emit(s), log.Stay(s)) }
	}
	out.machine = machine.New(c, p, o)
	return out
}

// A giver takes what an owner drained.
type giver func(machine.Owner, trace.Part, units.Energy)

// share gives the owners of a stay what they drained.
func (p *part) share(s *machine.Stay, give giver) {
	state := &p.States[s.State]
	state.Time += time.Duration(s.End - s.Begin)
	p.dark(s.State, time.Duration(s.End-s.Begin))
	left, before := s.Energy, state.Energy
	for _, share := range s.Shares {
		left -= share.Energy
		e := p.scaled(s, share.Energy)
		state.Energy += e
		give(share.Owner, s.Part, e)
		if s.Part == trace.Use {
			p.Use += e
		} else {
			p.Tail += e
		}
	}
	left = p.scaled(s, left)
	state.Energy += left
	if p.slots != nil {
		p.slots.drain(p.number, s, left)
	}
	p.Rest += left
	p.rest += left
	p.Lane.add(Span{Begin: s.Begin, End: s.End, State: s.State, Part: s.Part, Energy: state.Energy - before})
}

// scaled is what a part of a stay's energy comes to by what was measured.
func (p *part) scaled(s *machine.Stay, e units.Energy) units.Energy {
	if p.rail == nil {
		return e
	}
	return p.rail.scale(s.Begin, s.End, picojoules(e))
}

// unknown gives nobody what a meter of the component alone measured beyond its states.
func (p *part) unknown() {
	if p.rail != nil && p.rail.name == p.Name {
		p.Provenance = trace.Scaled
		p.Unknown = p.rail.rest()
		p.Rest += p.Unknown
		p.rest += p.Unknown
	} else if p.rail != nil && p.rail.cuts() {
		p.Provenance = trace.Scaled
	}
}

// result is what the part did.
func (p *part) result() Component {
	out := p.Component
	out.Operations = p.machine.Tally().Operations
	out.States = nil
	place := make([]int, len(p.states)) // of the model's states in out.States
	for i := range p.states {
		if p.states[i].Kind != model.Base {
			place[i] = len(out.States)
			out.States = append(out.States, p.States[i])
		}
	}
	out.Lane.Spans = slices.Clone(p.Lane.Spans)
	for i := range out.Lane.Spans {
		s := &out.Lane.Spans[i]
		s.State = place[s.State]
	}
	return out
}

// pairs finds for a release what it releases, where operations have no handles. A trace of
// calls says which class called and on which thread, and not on which object.
//
// A release ends the latest acquire of the class that releases, else of the thread, else the
// latest of all. What a class starts or opens is on until that class stops or closes
// anything, since a second start changes nothing; of a class that has started nothing, a stop
// ends the latest start of the thread, else the latest of all.
type pairs struct {
	// keeps is set for components that something keeps on.
	keeps bool
	held  []hold
	last  int64
	// again counts what a class started that had started it, guessed ends that might have
	// been of another, lost releases of what nobody was seen to acquire.
	again, guessed, lost int64
}

// A hold is what is on.
type hold struct {
	handle int64
	class  int32
	thread trace.ThreadID
}

// ownHandles is where the handles begin that are given to pairs, beyond those of recordings.
const ownHandles = 1 << 62

// pair gives an operation the handle of what it begins or ends.
func (p *pairs) pair(o *operation) {
	if !p.keeps || o.handle != 0 {
		return
	}
	switch o.verb {
	case trace.OpAcquire:
		p.begin(o)
	case trace.OpStart, trace.OpOpen:
		for _, h := range p.held {
			if h.class == o.class && (o.class != 0 || h.thread == o.thread) {
				o.handle = h.handle
				p.again++
				return
			}
		}
		p.begin(o)
	case trace.OpRelease, trace.OpStop, trace.OpClose:
		p.end(o)
	}
}

func (p *pairs) begin(o *operation) {
	p.last++
	o.handle = ownHandles + p.last
	p.held = append(p.held, hold{o.handle, o.class, o.thread})
}

func (p *pairs) end(o *operation) {
	if len(p.held) == 0 {
		if o.verb == trace.OpRelease {
			p.lost++
		}
		return
	}
	at, rank, equals := 0, -1, 0
	for i, h := range p.held {
		r := 0
		switch {
		case h.class == o.class && o.class != 0:
			r = 2
		case h.thread == o.thread:
			r = 1
		}
		switch {
		case r > rank:
			at, rank, equals = i, r, 1
		case r == rank:
			at = i
			equals++
		}
	}
	if equals > 1 || rank < 2 && len(p.held) > 1 {
		p.guessed++
	}
	o.handle = p.held[at].handle
	p.held = append(p.held[:at], p.held[at+1:]...)
}
