package bundle

import (
	"cmp"
	"slices"
	"time"

	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Log builds bundles from the machine of one component.
type Log struct {
	book      *Set
	component *model.Component
	owners    OwnerFunc

	// now is the current bundle, if open is set. state is the state of the latest interval.
	now   Bundle
	open  bool
	state int
	// drivers maps a state and a context to the index of the driver in State.Drivers of now.
	drivers map[place]int
	// waited is the time for which the component has waited since the last active operation.
	waited time.Duration
	// script has the operations of the current bundle, for the replay.
	script script
	// rested is the time at which the last bundle ended. It is -1 before the first bundle.
	rested int64

	groups map[string]*group
	order  []*group
	key    []byte
}

// A place is a context in a state.
type place struct {
	state   int
	context Context
}

// Begun implements machine.Options.Begun.
func (l *Log) Begun(op machine.Operation, state int, at int64) error {
	l.reach(at)
	l.wake()
	c, _ := l.owner(op.Owner)
	d := l.driver(state, c)
	d.Operations++
	d.Bytes += op.Bytes
	if !slices.Contains(d.Verbs, op.Verb) {
		d.Verbs = append(d.Verbs, op.Verb)
	}
	l.script.add(op, at)
	return nil
}

// Interval implements machine.Options.Emit.
func (l *Log) Interval(s *machine.Interval) error {
	l.reach(s.Begin)
	b, took := &l.now, time.Duration(s.End-s.Begin)
	state := &b.States[s.State]
	comes := took > 0 && l.state != s.State
	if comes {
		l.state = s.State
		state.Visits++
	}
	b.End = s.End
	b.Time += took
	b.Energy += s.Energy
	state.Time += took
	state.Energy += s.Energy
	for _, share := range s.Shares {
		c, _ := l.owner(share.Owner)
		l.driver(s.State, c).Energy += share.Energy
	}
	if s.Part == trace.Tail {
		b.Tail += s.Energy
		l.waited += took
		l.tail(state, s, comes)
		return nil
	}
	b.Use += s.Energy
	if state.Kind != model.Ramp {
		l.wake()
	}
	l.script.work(state.Kind, int64(took))
	return nil
}

// Held implements machine.Options.Held.
func (l *Log) Held(h machine.Hold) error {
	if len(l.book.holds) == maxHolds {
		l.book.unseen++
		return nil
	}
	by, thread := l.owner(h.Owner)
	releaser, _ := l.owner(h.By)
	l.book.holds = append(l.book.holds, Hold{
		Component: l.component.Name, By: by, Releaser: releaser, Thread: thread, Verb: h.Verb,
		Begin: h.Begin, End: h.Until, Released: h.Released, Timed: h.Timed,
	})
	return nil
}

func (l *Log) owner(o machine.Owner) (Context, trace.ThreadID) {
	if o == machine.NoOwner {
		return Unknown, trace.NoThread
	}
	return l.owners(o)
}

// driver returns the driver of the current bundle for a context in a state. It adds a new driver if
// necessary.
func (l *Log) driver(state int, c Context) *Driver {
	s := &l.now.States[state]
	i, ok := l.drivers[place{state, c}]
	if !ok {
		i = len(s.Drivers)
		s.Drivers = append(s.Drivers, Driver{Context: c})
		l.drivers[place{state, c}] = i
	}
	return &s.Drivers[i]
}

// wake is called when an operation is active. It counts the wait since the last active operation,
// if there was one.
func (l *Log) wake() {
	if l.waited > 0 {
		l.now.Waits++
		l.now.Waited += l.waited
	}
	l.waited = 0
}

// tail records a tail interval. If comes is true, the interval begins a tail. Otherwise it
// continues the last one.
func (l *Log) tail(state *State, s *machine.Interval, comes bool) {
	tails := l.book.tails
	if n := len(state.Tails); n > 0 && !comes && tails[state.Tails[n-1]].End == s.Begin {
		tails[state.Tails[n-1]].End = s.End
		return
	}
	if len(tails) == maxTails {
		l.book.unseen++
		return
	}
	state.Tails = append(state.Tails, int32(len(tails)))
	l.book.tails = append(tails, Tail{s.Begin, s.End})
}

// reach makes sure that a bundle is open at the given time. It opens one if the current bundle has
// ended.
func (l *Log) reach(at int64) {
	if l.open && at <= l.now.End {
		return
	}
	l.close()
	b := &l.now
	states := slices.Grow(b.States[:0], len(l.component.States))
	for i := range l.component.States {
		s := &l.component.States[i]
		states = append(states, State{Name: s.Name, Kind: s.Kind})
	}
	*b = Bundle{Component: l.component.Name, Count: 1, Begin: at, End: at, States: states}
	if l.rested >= 0 {
		rest := time.Duration(at - l.rested)
		b.Rests, b.Rested, b.ShortestRest, b.LongestRest = 1, rest, rest, rest
	}
	l.open, l.state, l.waited = true, 0, 0
	clear(l.drivers)
	l.script.begin()
}

// close ends the current bundle, and folds it into its group.
func (l *Log) close() {
	if !l.open {
		return
	}
	l.open, l.rested = false, l.now.End
	l.now.Longest = l.now.Time
	g := l.groups[string(l.computeKey())]
	if g == nil {
		if len(l.order) >= maxBundles {
			l.key = l.key[:0]
			g = l.groups[""]
		}
		if g == nil {
			g = &group{}
			g.States = make([]State, len(l.now.States))
			g.Begin, g.End, g.Others = l.now.Begin, l.now.End, len(l.key) == 0
			l.groups[string(l.key)] = g
			l.order = append(l.order, g)
		}
	}
	g.fold(&l.now)
	g.replay.play(&l.script, l.component)
}

// result ends the current bundle, and returns all bundles of the component.
func (l *Log) result() ([]Bundle, error) {
	l.close()
	bundles := make([]Bundle, 0, len(l.order))
	for _, g := range l.order {
		b := g.Bundle
		var err error
		if b.Drafted, b.Replayed, err = g.replay.finish(); err != nil {
			return nil, err
		}
		b.Replayed = b.Replayed && !b.Others
		b.States = slices.DeleteFunc(slices.Clone(b.States), func(s State) bool { return len(s.Drivers) == 0 && s.Visits == 0 })
		for _, s := range b.States {
			slices.SortStableFunc(s.Drivers, func(a, b Driver) int { return cmp.Compare(b.Energy, a.Energy) })
		}
		bundles = append(bundles, b)
	}
	return bundles, nil
}

// A script has the operations of a bundle for the replay. Its timeline leaves out the times in
// tails, and all ramps except for the first.
type script struct {
	operations []machine.Operation
	// now is the current time of the timeline. ramp is the duration of the first ramp. worked
	// is set once the component has worked.
	now, ramp int64
	worked    bool
	// more is set if there are too many operations to replay.
	more bool
}

func (s *script) begin() { *s = script{operations: s.operations[:0]} }

func (s *script) add(op machine.Operation, at int64) {
	if s.more = s.more || len(s.operations) == maxReplayed; s.more {
		return
	}
	if op.End >= 0 {
		op.End = s.now + max(op.End-at, 0)
	}
	op.Begin, op.Owner = s.now, machine.NoOwner
	s.operations = append(s.operations, op)
}

func (s *script) work(k model.Kind, ns int64) {
	switch {
	case k != model.Ramp:
		s.worked = s.worked || ns > 0
		s.now += ns
	case !s.worked:
		s.ramp += ns
		s.now += ns
	}
}

// A replay is a machine that carries out the operations of bundles one after the other.
type replay struct {
	machine *machine.Machine
	now     int64
	energy  units.Energy
	more    bool
	ended   bool
	err     error
}

// play carries out the operations of a bundle after those of earlier bundles. Only the first bundle
// has a ramp.
func (r *replay) play(s *script, c *model.Component) {
	if r.more = r.more || s.more || c.Levelled(); r.more || r.err != nil {
		return
	}
	ramp := s.ramp
	if r.machine == nil {
		r.machine = machine.New(c, machine.LastTrigger, machine.Options{Emit: func(s *machine.Interval) error {
			r.energy += s.Energy
			return nil
		}})
		ramp = 0
	}
	for _, op := range s.operations {
		if op.End >= 0 {
			op.End = r.now + max(op.End-ramp, 0)
		}
		op.Begin = r.now + max(op.Begin-ramp, 0)
		if r.err = r.machine.Do(op); r.err != nil {
			return
		}
	}
	r.now += s.now - ramp
}

// finish returns the total energy, and whether all operations were replayed.
func (r *replay) finish() (units.Energy, bool, error) {
	if r.more || r.err != nil || r.machine == nil {
		return 0, false, r.err
	}
	if !r.ended {
		r.ended, r.err = true, r.machine.Finish(r.now)
	}
	return r.energy, true, r.err
}
