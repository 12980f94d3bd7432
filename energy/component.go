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

// A Component is the energy of a part of the device in a run. The total is Use + Tail + Rest.
// Operations caused Use and Tail. The energies of all states plus Unknown have the same total.
type Component struct {
	// Name is one of the component names that trace.Account lists.
	Name string
	// Account is the account of the component's use. The following two accounts are for its tail
	// and for its unattributed energy.
	Account    trace.AccountID
	Provenance trace.Provenance
	// Use and Tail are attributed to calls and stacks. Rest is unattributed.
	Use, Tail, Rest units.Energy
	// Unknown is the measured part of Rest that no state of the model explains.
	Unknown units.Energy
	// Operations counts the operations that the component carried out.
	Operations int64
	// Served is the name by which recorded operations refer to the component, if it differs from
	// Name. For example, a socket shows "network" but not which radio carried the data.
	Served string
	// Range is the range of the component's energy. It is nil if the model states no ranges, or if
	// a meter measured the component.
	Range *Range
	// States are the model's states except for the base state. Lane shows when the component was in
	// which state.
	States []State
	Lane   Lane
}

// Energy returns the total energy of the component.
func (c *Component) Energy() units.Energy { return c.Use + c.Tail + c.Rest }

// With returns a copy of the component with other energies. It scales Unknown and the energies of
// states and spans in proportion, and rounds them so that all sums stay exact.
func (c Component) With(use, tail, rest units.Energy) Component {
	before := c.Energy()
	c.Use, c.Tail, c.Rest = use, tail, rest
	c.Range = c.Range.scaled(before, c.Energy())
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

// Mean averages the components of several runs, which must have the same model. Energies and ranges
// are sums over the runs. Operations and times are means.
func Mean(runs ...[]Component) []Component {
	out := slices.Clone(runs[0])
	n := int64(len(runs))
	for i := range out {
		c := &out[i]
		c.States, c.Lane = slices.Clone(c.States), Lane{}
		c.Range = sumOf(runs, i)
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

// sumOf adds up the ranges of component i over all runs. It returns nil if no run has a range. The
// sum has the cause of the first range.
func sumOf(runs [][]Component, i int) *Range {
	var cause *Range
	least, most := units.Energy(0), units.Energy(0)
	var parts Parts
	var cases []Parts
	for _, run := range runs {
		r := run[i].Range
		if r == nil {
			least, most = least+run[i].Energy(), most+run[i].Energy()
			continue
		}
		if cause == nil {
			cause = r
		}
		least, most = least+r.Least, most+r.Most
		parts = parts.plus(r.Parts)
		for k, o := range r.Cases {
			if k == len(cases) {
				cases = append(cases, Parts{})
			}
			cases[k] = cases[k].plus(o)
		}
	}
	if cause == nil {
		return nil
	}
	sum := *cause
	sum.Least, sum.Most, sum.Parts, sum.Cases = least, most, parts, cases
	return &sum
}

// A State is the time and energy that a component spent in one state.
type State struct {
	Name   string
	Kind   model.Kind
	Time   time.Duration
	Energy units.Energy
}

// accounts is the number of accounts of a component: use, tail and unattributed.
const accounts = 3

// A part is the state of a component during a scan.
type part struct {
	Component
	states  []model.State
	machine *machine.Machine
	// rail measures the component. It is nil if the component is not measured.
	rail  *rail
	pairs pairs
	// stated counts the operations that are in the recording, as opposed to calls of triggers.
	stated int64
	// rest is the part of Rest that has not been charged yet.
	rest units.Energy
	// known means that the component's level is known. unlit is the time in which the level was
	// unknown although the power depended on it.
	known          bool
	unlevelledTime time.Duration
	// slots has the energy per time slot for the split-time policy, and is nil for other policies.
	// number is the index of the component.
	slots  *slots
	number int
	// parts is the modelled energy by trace.Use and trace.Tail, including unattributed energy.
	parts Parts
	// ends are two copies of the component that give the range of its energy. One has all figures
	// at the lower ends of their ranges, and one at the upper ends. ends may be nil.
	ends []*end
}

// newPart returns the part of a component whose accounts begin at account. measured scales its
// energies. log and listen observe the machine and may be nil.
func newPart(c *model.Component, account trace.AccountID, p machine.Policy, measured *Rails, log *bundle.Log, listen func(*machine.Interval), forget func(machine.Owner), give creditFunc) *part {
	out := &part{states: c.States, rail: measured.rail(c.Name)}
	out.Component = Component{Name: c.Name, Account: account, Provenance: trace.Modelled, States: make([]State, len(c.States))}
	for i := range c.States {
		s := &c.States[i]
		out.States[i] = State{Name: s.Name, Kind: s.Kind}
		out.pairs.keeps = out.pairs.keeps || s.Kind == model.On
	}
	emit := func(s *machine.Interval) error { out.share(s, give); return nil }
	if out.rail != nil && measured.learning {
		emit = func(s *machine.Interval) error { out.rail.add(s.Begin, s.End, picojoules(s.Energy)); return nil }
	}
	if listen != nil {
		share := emit
		emit = func(s *machine.Interval) error { listen(s); return share(s) }
	}
	o := machine.Options{Forget: forget, Emit: emit}
	if log != nil {
		o.Begun, o.Held = log.Begun, log.Held
		o.Emit = func(s *machine.Interval) error { return errors.Join(emit(s), log.Interval(s)) }
	}
	out.machine = machine.New(c, p, o)
	if out.rail == nil {
		out.ends = newEnds(c, p)
	}
	return out
}

// A creditFunc is a function that adds energy to an owner's account.
type creditFunc func(machine.Owner, trace.Part, units.Energy)

// share divides the energy of an interval among its owners.
func (p *part) share(s *machine.Interval, give creditFunc) {
	state := &p.States[s.State]
	state.Time += time.Duration(s.End - s.Begin)
	p.addUnlevelled(s.State, time.Duration(s.End-s.Begin))
	p.parts[s.Part] += s.Energy
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

// scaled returns energy e of an interval, scaled to the measured energy.
func (p *part) scaled(s *machine.Interval, e units.Energy) units.Energy {
	if p.rail == nil {
		return e
	}
	return p.rail.scale(s.Begin, s.End, picojoules(e))
}

// unknown adds the measured energy that no state explains to Rest, if a meter measures only this
// component.
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

// result returns the finished component.
func (p *part) result() Component {
	out := p.Component
	out.Operations = p.machine.Tally().Operations
	out.Range = p.ranged()
	out.States = nil
	place := make([]int, len(p.states)) // from states of the model to states of out
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

// pairs decides which acquire a release ends, if operations have no handles. A call trace shows the
// calling class and thread, but not the object. These rules apply:
//
//   - A release ends the latest acquire of the same class. If the class has no acquire, it ends the
//     latest acquire of the same thread, or else of any thread.
//   - A class that starts or opens something keeps it until the class stops or closes something. A
//     second start changes nothing.
//   - If a class stops something without having started anything, the stop ends the latest start of
//     the same thread, or else of any thread.
type pairs struct {
	// keeps is set if the component has a state that lasts until a release.
	keeps bool
	held  []hold
	last  int64
	// Counts for warnings: starts by a class that had already started something (again), releases
	// and stops with several candidates (guessed), and releases without an acquire (lost).
	again, guessed, lost int64
}

// A hold is an acquired resource.
type hold struct {
	handle int64
	class  int32
	thread trace.ThreadID
}

// firstOwnHandle is the first handle that pairs assigns. Handles in recordings are smaller.
const firstOwnHandle = 1 << 62

// pair sets the handle of an operation that begins or ends a hold.
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
	o.handle = firstOwnHandle + p.last
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
