// Package machine runs the finite state machine of one component. Its input is operations. Its
// output is the time and energy in each power state, and the owner of the energy (Pathak et al.,
// "Where is the energy spent inside my app?", EuroSys 2012, Section 4; their profiler is eprof).
//
// # Rules
//
// An operation is active for an interval, and may change the state of the component when the
// interval begins. In a base or tail state, the component ignores an operation for which the state
// has no transition.
//
// When the interval begins and ends depends on the kind of the operation:
//
//   - A send or write returns after it has handed over its data. Its interval begins with the call,
//     and is as long as the model's estimate of its work.
//   - A receive or read first waits for data. Its interval ends at the recorded end, and is as long
//     as the estimate. The component does one piece of work at a time. If several operations receive
//     or read at the same time, their intervals are longer.
//   - An acquire, open or start may have a transition to a state of kind On. It is then active
//     until the release, close or stop of the same handle, which any call may make. Operations
//     without a handle, and repeated acquires of one lock, are counted. Each release ends the
//     latest acquire.
//   - All other operations begin with their work.
//
// An operation without an estimate, or with Operation.Whole, is active for its recorded time.
//
// These rules apply to work:
//
//   - In a ramp, the component does no work.
//   - Operations that begin with estimated work progress at the same rate. If n operations are
//     active, each takes n times as long (Section 4.3). At most [parallel] operations progress at
//     once. Other operations wait in line in the order of their arrival.
//   - A round trip is latency, not work. It follows the work of its operation, and keeps the
//     component in its state. It may overlap with all other operations. If no operation is active,
//     the state belongs to the operation whose round trip ends last.
//
// A tail belongs to the last operation that the component served before it (Section 4.3). If the
// recording shows that an operation ended during a ramp, the component was up earlier than the
// model says. This operation may then own the tail. Operations with estimated work that began
// before its end may not own the tail.
//
// At one moment, the order is: timeouts, then new operations in the order of [Machine.Do], then
// ends of operations, then the transitions of an idle component. The component therefore stays busy
// if an operation begins when another operation ends. An operation that begins when a tail ends
// does not shorten the tail.
//
// # Laws
//
//   - Conservation: The energy of an interval is the sum of its shares and its unattributed part.
//     The energy of all intervals is power times time, rounded down once.
//   - Order: Operations in order of time give the same intervals, wherever calls of
//     [Machine.Advance] come between them.
//   - Memory is bounded by the number of operations that are open at the same time.
//   - Time is linear in the number of operations with estimated work, however many of them wait.
//
// Imperfect operations are not errors, but [Tally] counts them. A Machine is not safe for
// concurrent use.
package machine

import (
	"errors"
	"math"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An Owner is the number of something that uses energy, such as a call. The caller chooses the
// numbers, which should be small.
type Owner int32

// NoOwner is the owner of unattributed operations.
const NoOwner Owner = -1

// An Operation is a request to the component, such as sending data.
type Operation struct {
	// Begin and End are moments in nanoseconds. End is negative if unknown.
	Begin, End int64
	Verb       trace.Verb
	// Bytes is the amount of data that was moved. It is 0 for operations that move no data.
	Bytes int64
	// Handle identifies an open object. It is 0 for operations without one.
	Handle int64
	Owner  Owner
	// Whole means that the operation is active for its whole recorded interval. The model's
	// estimate of its work is not used.
	Whole bool
	// Timed means that the operation begins a hold that ends after a timeout, and that the
	// recording does not show this end.
	Timed bool
}

// An Interval is a period in one state with a constant set of active operations. Base states
// have no intervals.
type Interval struct {
	// Begin and End are in nanoseconds. They are equal if the energy is for an operation's bytes or
	// packets.
	Begin, End int64
	// State is an index in the component's states.
	State int
	// Part is trace.Use in a ramp, and while any operation is active. Otherwise it is trace.Tail.
	Part   trace.Part
	Energy units.Energy
	// Shares are sorted by owner. Each owner has at most one share. The rest of Energy is
	// unattributed.
	Shares []Share
}

// A Share is an owner's part of an interval.
type Share struct {
	Owner  Owner
	Energy units.Energy
}

// A Hold is the period for which something was acquired, opened or started.
type Hold struct {
	// Operation is the operation that began the hold.
	Operation
	// Until is the moment of the release, or the end of the recording.
	Until int64
	// Released is false if the recording ended before the release.
	Released bool
	// By is the owner of the operation that released the hold.
	By Owner
}

// Options are the callbacks of a machine. Each may be nil. If a callback returns an error, the
// method of the machine that called it returns the error.
type Options struct {
	// Emit receives the intervals in order of time. It must not keep the Interval.
	Emit func(*Interval) error
	// Begun receives each operation that the component notices, at the time when it becomes active.
	// state is the state in which the component works for it. If there is a ramp, state is the
	// state after the ramp.
	Begun func(op Operation, state int, at int64) error
	// Held receives each hold once it has ended.
	Held func(Hold) error
	// Forget is called for an owner when no further energy of its operations can follow.
	Forget func(Owner)
}

// A Tally counts the operations of a machine.
type Tally struct {
	// Operations counts the operations that the component noticed. Ignored counts the other
	// operations.
	Operations, Ignored int64
	// Late counts operations that were added after the machine had passed their beginning. They
	// begin at the current time instead. Reversed counts operations that ended before they began.
	// Their end is ignored.
	Late, Reversed int64
	// Crowded counts operations that were merged in a full line with operations of other owners.
	// Their energy is unattributed.
	Crowded int64
	// Unheld counts the releases without a hold. Unreleased counts the holds that were open when
	// the recording ended. Timed counts those of them whose operations are Timed.
	Unheld, Unreleased, Timed int64
	// Unproven is the energy that was used while only Timed holds kept the component on, during the
	// recording. These holds may have ended earlier.
	Unproven units.Energy
	// Beyond is the energy after the end of the recording.
	Beyond units.Energy
}

// A Machine is the state machine of a component.
type Machine struct {
	chart  chart
	policy Policy
	opts   Options
	tally  Tally

	// state is the index of the current state. phase is the state itself. The component has been in
	// the state since entered. since is the end of the last emitted interval. All events before
	// horizon were processed.
	state                   int
	phase                   *phase
	entered, since, horizon int64
	// end is the end of the recording, once it is known.
	end int64
	// deadline is the time at which the state times out. rests is the time at which the state ends
	// because nothing is active. The constant never means that there is no such time.
	deadline, rests int64
	level           int64

	waiting   queue     // operations that are not active yet, by the moment at which they become active
	timed     queue     // owners of active operations whose end is known, by that end
	jobs      jobs      // operations with estimated work
	roundTrip roundTrip // the round trip that ends last
	waitWork  waitWork
	holds     holds // includes the waiting operations
	active    ownerOperations
	order     int64
	// timeouts has the open holds that will end after a timeout.
	timeouts timeouts

	// These owners may get the energy of tails and ramps:
	//   - first took the component out of its base state;
	//   - cause began the current ramp;
	//   - last has the operation that ended last, at the time ended. During its round trip, ended is
	//     in the future. If several operations ended then, last has the one that arrived last, with
	//     number latest.
	first, cause, last Owner
	ended, latest      int64
	// If the recording shows that an operation ended during a ramp, the component was already up.
	// served is the number of the latest operation that had arrived by then. Operations up to
	// served count as ended then, whatever their estimates are.
	served int64
	owners ownerCounts
	meter  meter
	// interval is the interval that is being emitted.
	interval Interval
}

// never is later than every other moment.
const never = math.MaxInt64

// errRange means that the energy of a machine is too large for a units.Energy.
var errRange = errors.New("computing the energy of a component: it is more than 9.2 GJ; check the powers of its model and the times of its operations")

// New returns the machine of a component, in its base state. The component must have passed the
// checks of package model.
func New(c *model.Component, p Policy, o Options) *Machine {
	m := &Machine{
		chart: newChart(c, p), policy: p, opts: o,
		horizon: math.MinInt64, end: never, deadline: never, rests: never,
		holds: holds{top: make(map[int64]int32)}, owners: ownerCounts{forget: o.Forget}, roundTrip: roundTrip{end: never, owner: NoOwner},
		first: NoOwner, cause: NoOwner, last: NoOwner, ended: math.MinInt64,
	}
	m.phase = &m.chart.phases[0]
	return m
}

// Do adds an operation. Operations must be added in the order of Begin. An operation counts as late
// if its interval begins before a time that the machine has already processed.
func (m *Machine) Do(op Operation) error {
	if err := m.Advance(op.Begin); err != nil {
		return err
	}
	if op.End >= 0 && op.End < op.Begin {
		m.tally.Reversed++
		op.End = -1
	}
	m.order++
	a := m.chart.activity(&op, m.order, &m.waitWork)
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

// Advance promises that no operation before moment will be added. It does nothing if moment is
// earlier than in a previous call.
func (m *Machine) Advance(moment int64) error {
	if moment <= m.horizon {
		return nil
	}
	for {
		t := m.next()
		if t >= moment {
			break
		}
		if err := m.moment(t); err != nil {
			return err
		}
	}
	m.horizon = moment
	m.waitWork.pass(moment)
	return nil
}

// Level sets the level of the component from a moment on. Calls of Level and Do together must be in
// order of time.
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

// Finish ends the recording, and with it all holds. Work that has begun counts completely, and so
// does the tail after it, because the device continues after the recording. Tally.Beyond has the
// energy after end. If a hold was open at the end, it has no tail, because the recording does not
// show when the tail begins. After Finish, only Tally may be called.
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
	m.end, m.tally.Unproven = end, m.timeouts.sum()
	m.timeouts = nil
	if err := m.releaseAll(end); err != nil {
		return err
	}
	// On its way to the base state, an idle component passes each state at most once.
	for steps := 0; steps <= len(m.chart.phases); {
		t := m.next()
		if t == never {
			break
		}
		if !m.busy() && len(m.waiting) == 0 {
			if m.tally.Unreleased > 0 {
				return m.settle(end)
			}
			steps++
		}
		end = t
		if err := m.moment(t); err != nil {
			return err
		}
	}
	return nil
}

// Tally returns the counts so far.
func (m *Machine) Tally() Tally { return m.tally }
