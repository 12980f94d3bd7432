// Package machine runs the finite state machine of one component: operations go in, and
// out comes how long the component stayed in each state, what that drained, and whose
// energy it is (Pathak et al., "Where is the energy spent inside my app?", EuroSys 2012,
// which names its profiler eprof, Section 4).
//
// What an operation does:
//
//   - It is active for an interval. It may take the component to another state when its
//     interval begins. If the state is base or tail and the model has no transition for the
//     operation, the component does not notice it.
//   - A send or write hands over its data, so that its interval is as long as the model's
//     estimate of its work. A receive or read waits first, so that its interval is the end of
//     the recorded time, as long as the estimate, and longer where others receive or read
//     then: the component does one work at a time. Other operations begin with their work.
//     Without an estimate the recorded time is the interval. Work stands still in a ramp.
//   - A tail is of the operation that ended last before it: the last one that the component
//     served (Section 4.3). One that the recording knows to have ended in a ramp shows that
//     the component was up sooner than the model says. So it, and no estimate of what had
//     been asked before that moment, may have the tail.
//   - Operations that begin with estimated work make progress at one rate: each of n that
//     are active at a time takes n times as long (Section 4.3).
//   - An acquire, open or start that leads to a state of kind On is active until the release,
//     close or stop of the same handle, whoever does it. Operations without a handle, and
//     acquires of one lock, are counted; each release ends the latest of them.
//
// At one moment, times-out come first, then operations begin in the order of [Machine.Do],
// then operations end, and transitions for an idle component come last. So an operation that
// begins as another one ends keeps the component busy, and one that begins as a tail ends
// does not cut the tail short.
//
// Laws:
//
//   - conservation: a stay's energy is the sum of its shares and of nobody's part of it, and
//     the energy of all stays is power times time, rounded down once;
//   - order: operations that come in order of their moments give the same stays however
//     calls of [Machine.Advance] lie between them;
//   - memory is bounded by the operations that are open at a time.
//
// Imperfect operations are not errors: [Tally] counts them. A machine must be used by one
// goroutine at a time.
package machine

import (
	"errors"
	"math"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An Owner is who is charged: a number of the caller's own, which should be small.
type Owner int32

// NoOwner is the owner of what nobody is known to have done.
const NoOwner Owner = -1

// An Operation is what somebody asked of the component.
type Operation struct {
	// Begin and End are moments in nanoseconds. End is negative if it is not known.
	Begin, End int64
	Verb       trace.Verb
	// Bytes were moved, 0 where that says nothing.
	Bytes int64
	// Handle tells apart what is open at one time. 0 is none.
	Handle int64
	Owner  Owner
}

// A Stay is a while in one state with the same operations active. Nothing is said of the
// base state.
type Stay struct {
	// Begin and End are in nanoseconds. They are equal where the energy is that of an
	// operation's bytes or packets.
	Begin, End int64
	// State is an index of the component's states.
	State int
	// Part is trace.Use in a ramp and while any operation is active, else trace.Tail.
	Part   trace.Part
	Energy units.Energy
	// Shares are in the order of the owners, each at most once. What they lack to Energy is
	// nobody's.
	Shares []Share
}

// A Share is an owner's part of a stay.
type Share struct {
	Owner  Owner
	Energy units.Energy
}

// A Hold is how long something was acquired, opened or started.
type Hold struct {
	// Operation is the one that began it.
	Operation
	// Until is the moment of its release, or the end of the recording.
	Until int64
	// Released is false if the recording ended first.
	Released bool
	// By released it.
	By Owner
}

// Options say who hears what a machine does. All may be nil. An error ends the call of the
// machine that it happened in.
type Options struct {
	// Emit takes the stays, in order of time. A stay is the machine's after Emit returns.
	Emit func(*Stay) error
	// Begun takes each operation that the component notices, when it becomes active, with
	// the state in which it is done: where a ramp comes first, the one behind.
	Begun func(op Operation, state int, at int64) error
	// Held takes each hold once it has ended.
	Held func(Hold) error
	// Forget says that nothing that was done so far can be charged to an owner any more.
	Forget func(Owner)
}

// A Tally counts what a machine was given.
type Tally struct {
	// Operations are those that the component noticed, Ignored the others.
	Operations, Ignored int64
	// Late came after a moment that the machine had already passed, and were taken for that
	// moment. Reversed end before they begin, and were taken for operations without an end.
	Late, Reversed int64
	// Unheld released what nothing had acquired. Unreleased were held when the recording
	// ended.
	Unheld, Unreleased int64
	// Beyond is what was drained after the end of the recording.
	Beyond units.Energy
}

// A Machine is a component at work.
type Machine struct {
	chart  chart
	policy Policy
	opts   Options
	tally  Tally

	// state is the one that the component has been in since entered, which phase is of.
	// Stays are emitted up to since. Everything has happened that lies before horizon.
	state                   int
	phase                   *phase
	entered, since, horizon int64
	// end is the end of the recording once that is known.
	end int64
	// deadline is when the state times out, and rests when it ends because nothing is
	// active; never if it does not.
	deadline, rests int64
	level           int64

	waiting queue // operations that are not active yet, by the moment when they will be
	timed   queue // owners of active operations whose end is known, by it
	jobs    queue // owners of active operations whose work is estimated, by progress when it is done
	// progress is how far each of jobs would have come if it had been there all along. It
	// was counted at moment worked.
	progress, worked int64
	taken            taken
	holds            holds // with the operations that wait
	crowd            crowd
	order            int64

	// first took the component out of its base state, cause began its ramp, and last ended
	// last, at moment ended. Of those that ended then it came last, as number latest.
	first, cause, last Owner
	ended, latest      int64
	// served says that the operations up to this number had been done, whatever their
	// estimates say, when one that is known to have ended did so in a ramp.
	served int64
	owners census
	meter  meter
	// stay is the one that is being emitted.
	stay Stay
}

// never is later than every moment.
const never = math.MaxInt64

// errRange says that a machine drained more than fits into an Energy.
var errRange = errors.New("charging a component: its energy is more than 9.2 GJ; check the powers of its model and the times of its operations")

// New returns the machine of a component in its base state. The component must have been
// checked as package model checks what it reads.
func New(c *model.Component, p Policy, o Options) *Machine {
	m := &Machine{
		chart: newChart(c, p), policy: p, opts: o,
		horizon: math.MinInt64, end: never, deadline: never, rests: never,
		holds: holds{top: make(map[int64]int32)}, owners: census{forget: o.Forget},
		first: NoOwner, cause: NoOwner, last: NoOwner, ended: math.MinInt64,
	}
	m.phase = &m.chart.phases[0]
	return m
}

// Do adds an operation. Operations come in the order in which they begin. One whose interval
// does not begin before the moments that have passed is not late.
func (m *Machine) Do(op Operation) error {
	if err := m.Advance(op.Begin); err != nil {
		return err
	}
	if op.End >= 0 && op.End < op.Begin {
		m.tally.Reversed++
		op.End = -1
	}
	m.order++
	a := m.chart.activity(&op, m.order, &m.taken)
	if a.at < m.horizon {
		m.tally.Late++
		if a.end != never {
			a.end = max(a.end, m.horizon)
		}
		a.at = m.horizon
	}
	m.owners.add(op.Owner)
	if a.at > m.horizon {
		m.waiting.push(entry{a.at, a.order, m.holds.put(&op, a, 0)})
		return nil
	}
	if err := m.wake(a.at); err != nil {
		return err
	}
	return m.begin(&op, a, a.at)
}

// Advance says that nothing older than a moment comes any more. An earlier moment than
// before changes nothing.
func (m *Machine) Advance(to int64) error {
	if to <= m.horizon {
		return nil
	}
	for {
		t := m.next()
		if t >= to {
			break
		}
		if err := m.moment(t); err != nil {
			return err
		}
	}
	m.horizon = to
	m.taken.pass(to)
	return nil
}

// Level sets the level that a state's power may depend on, from a moment on. Moments come in
// the same order as those of operations.
func (m *Machine) Level(at, level int64) error {
	if err := m.Advance(at); err != nil {
		return err
	}
	if err := m.settle(max(at, m.since)); err != nil {
		return err
	}
	m.level = level
	return nil
}

// Finish ends the recording. What is still held counts until its end. Work that has begun
// and the tail after it count whole, since the device goes on after the recording;
// Tally.Beyond says how much that is. Nothing may follow.
func (m *Machine) Finish(end int64) error {
	end = max(end, m.horizon)
	if err := m.Advance(end); err != nil {
		return err
	}
	for m.next() == end {
		if err := m.moment(end); err != nil {
			return err
		}
	}
	if err := m.settle(end); err != nil {
		return err
	}
	m.end = end
	if err := m.releaseAll(end); err != nil {
		return err
	}
	// A component that no longer works passes each state once at most on its way to rest.
	for steps := 0; steps <= len(m.chart.phases); {
		t := m.next()
		if t == never {
			break
		}
		if m.crowd.n == 0 && len(m.waiting) == 0 {
			steps++
		}
		if err := m.moment(t); err != nil {
			return err
		}
	}
	return nil
}

// Tally returns the counts so far.
func (m *Machine) Tally() Tally { return m.tally }
