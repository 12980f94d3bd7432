package machine

import (
	"math"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// next returns the moment of the next event. If there is none, it returns the constant never.
func (m *Machine) next() int64 {
	return min(m.deadline, m.rests, m.waiting.least(), m.timed.least(), m.due(), m.roundTrip.end)
}

// due returns the time when the first active job will be done.
func (m *Machine) due() int64 {
	if m.ramping() {
		return never
	}
	return m.jobs.due()
}

func (m *Machine) ramping() bool { return m.phase.kind == model.Ramp }

// busy reports whether any operation is active, or any round trip is in progress.
func (m *Machine) busy() bool { return m.active.n > 0 || m.roundTrip.end != never }

// moment processes all events at moment t.
func (m *Machine) moment(t int64) error {
	if err := m.wake(t); err != nil {
		return err
	}
	for m.timed.least() == t {
		if m.ramping() {
			m.served = m.order
		}
		if err := m.finish(m.timed.pop(), t, true); err != nil {
			return err
		}
	}
	for m.due() == t {
		if err := m.done(t); err != nil {
			return err
		}
	}
	if m.roundTrip.end == t {
		if err := m.settle(t); err != nil {
			return err
		}
		m.owners.drop(m.roundTrip.owner)
		m.roundTrip = roundTrip{end: never, owner: NoOwner}
		m.setDeadline(t)
	}
	return m.rest(t)
}

// wake processes the events that come first at a moment: the timeout of the state, and the
// operations that become active.
func (m *Machine) wake(t int64) error {
	if m.deadline == t {
		if err := m.enter(m.phase.next, t); err != nil {
			return err
		}
	}
	for m.waiting.least() == t {
		s := m.holds.take(m.waiting.pop().owner)
		if err := m.begin(&s.Operation, s.activity, t); err != nil {
			return err
		}
	}
	return nil
}

// rest makes the idle transitions of the component.
func (m *Machine) rest(t int64) error {
	for range m.chart.phases {
		if m.rests == never {
			break
		}
		if err := m.enter(m.phase.idle, t); err != nil {
			return err
		}
	}
	return nil
}

// begin makes an operation active if the component notices the operation.
func (m *Machine) begin(op *Operation, a activity, t int64) error {
	v := &m.chart.verbs[op.Verb]
	if m.chart.hasOn && v.role == endRole {
		return m.release(op, t)
	}
	to, noticed := m.chart.step(m.state, op)
	if !noticed {
		m.tally.Ignored++
		m.owners.drop(op.Owner)
		return nil
	}
	m.tally.Operations++
	if to != m.state {
		if m.state == 0 {
			m.setOwner(&m.first, op.Owner)
		}
		if m.chart.phases[to].kind == model.Ramp {
			m.setOwner(&m.cause, op.Owner)
		}
		if err := m.enter(to, t); err != nil {
			return err
		}
	} else if err := m.settle(t); err != nil {
		return err
	}
	if err := m.begun(op, t); err != nil {
		return err
	}
	if err := m.move(op, t); err != nil {
		return err
	}
	switch hold := v.role == beginRole && m.chart.phases[m.phase.done].kind == model.On; {
	case hold && op.Verb != trace.OpAcquire && op.Handle != 0 && m.holds.held(op.Handle):
		m.owners.drop(op.Owner) // The handle is already held.
		return nil
	case hold:
		a.at = t
		m.holds.push(op, a)
		if op.Timed {
			m.timeouts.begin(a.order)
		}
	case a.end != never:
		m.timed.push(entry{a.end, a.order, int32(op.Owner)})
	default:
		m.work(t)
		if !m.jobs.add(job{left: a.work, roundTrip: a.roundTrip, order: a.order, owner: op.Owner}) {
			m.line(op.Owner)
			return nil
		}
	}
	m.active.add(op.Owner)
	m.setDeadline(t)
	return nil
}

// line is called when an operation of owner o must wait in line. If it was merged into a waiting
// job, line drops the references of the owners that no longer have a job.
func (m *Machine) line(o Owner) {
	switch merged, lost := m.jobs.merged(); {
	case lost != nil:
		for _, owner := range lost {
			m.owners.drop(owner)
		}
		m.tally.Crowded += int64(len(lost))
	case merged:
		m.owners.drop(o)
	}
}

// done ends the first job that has no work left. It starts the round trip of this job, and makes
// the first waiting job active.
func (m *Machine) done(t int64) error {
	m.work(t)
	j := m.jobs.pop()
	end := addTime(t, j.roundTrip)
	if err := m.settle(t); err != nil {
		return err
	}
	m.active.remove(j.owner)
	if j.roundTrip > 0 && m.roundTrip.before(end, j.order) {
		m.owners.add(j.owner)
		m.owners.drop(m.roundTrip.owner)
		m.roundTrip = roundTrip{end, j.order, j.owner}
	}
	m.claim(j.owner, end, j.order, j.order > m.served)
	if next, ok := m.jobs.next(); ok {
		m.active.add(next)
	}
	m.setDeadline(t)
	return nil
}

// release ends the latest hold of a handle. The parameter by is the operation that releases it.
func (m *Machine) release(by *Operation, t int64) error {
	defer m.owners.drop(by.Owner)
	if !m.holds.held(by.Handle) {
		m.tally.Unheld++
		return nil
	}
	m.tally.Operations++
	if err := m.settle(t); err != nil {
		return err
	}
	if err := m.begun(by, t); err != nil {
		return err
	}
	a := m.holds.pop(by.Handle)
	if a.Timed {
		m.timeouts.release(a.order)
	}
	if err := m.held(Hold{a.Operation, t, true, by.Owner}); err != nil {
		return err
	}
	if err := m.finish(entry{t, a.order, int32(a.Owner)}, t, true); err != nil {
		return err
	}
	if to, _ := m.chart.step(m.state, by); !m.busy() && to != m.state {
		return m.enter(to, t)
	}
	return nil
}

// releaseAll ends all holds at the end of the recording, in the order in which they began.
func (m *Machine) releaseAll(t int64) error {
	var open queue
	for _, number := range m.holds.top {
		for ; number != 0; number = m.holds.slots[number-1].under {
			a := &m.holds.slots[number-1]
			open.push(entry{a.at, a.order, number})
		}
	}
	for len(open) > 0 {
		a := m.holds.take(open.pop().owner)
		m.tally.Unreleased++
		if a.Timed {
			m.tally.Timed++
		}
		if err := m.held(Hold{a.Operation, t, false, NoOwner}); err != nil {
			return err
		}
		if err := m.finish(entry{t, a.order, int32(a.Owner)}, t, true); err != nil {
			return err
		}
	}
	clear(m.holds.top)
	return m.rest(t)
}

// finish ends the active operation of a queue entry. If claims is set, the operation may become the
// one that owns the next tail.
func (m *Machine) finish(e entry, t int64, claims bool) error {
	if err := m.settle(t); err != nil {
		return err
	}
	owner := Owner(e.owner)
	m.active.remove(owner)
	m.claim(owner, t, e.order, claims)
	m.setDeadline(t)
	return nil
}

// claim is called when an operation ends. If claims is set and no other operation ended later, the
// operation becomes the last one, which owns the next tail. Otherwise its reference to the owner is
// dropped.
func (m *Machine) claim(owner Owner, end, order int64, claims bool) {
	if claims && (m.ended < end || m.ended == end && m.latest < order) {
		// The reference of the operation is kept for m.last.
		m.owners.drop(m.last)
		m.last, m.ended, m.latest = owner, end, order
	} else {
		m.owners.drop(owner)
	}
}

// enter changes the state of the component.
func (m *Machine) enter(to int, t int64) error {
	if err := m.settle(t); err != nil {
		return err
	}
	m.work(t)
	m.state, m.phase, m.entered = to, &m.chart.phases[to], t
	if to == 0 {
		for _, o := range [...]*Owner{&m.first, &m.cause, &m.last} {
			m.owners.drop(*o)
			*o = NoOwner
		}
		m.ended = math.MinInt64
	}
	m.setDeadline(t)
	return nil
}

// setDeadline sets the time at which the state ends by itself. A ramp ends after its duration.
// Other states end only while no operation is active: after their timeout, or at once if they have
// no timeout.
func (m *Machine) setDeadline(t int64) {
	m.deadline, m.rests = never, never
	if !m.busy() && m.phase.idle >= 0 {
		m.rests = t
	}
	switch {
	case m.phase.after == never:
	case m.ramping():
		m.deadline = addTime(m.entered, m.phase.after)
	case !m.busy():
		m.deadline = addTime(t, m.phase.after)
	}
}

// addTime returns t + ns, or the moment before the constant never if that is earlier.
func addTime(t, ns int64) int64 {
	if t > 0 && ns > never-1-t {
		return never - 1
	}
	return t + ns
}

// work updates the progress of jobs up to t.
func (m *Machine) work(t int64) {
	m.jobs.work(t, !m.ramping())
}

func (m *Machine) setOwner(as *Owner, o Owner) {
	m.owners.add(o)
	m.owners.drop(*as)
	*as = o
}

// settle emits the interval that ends at t.
func (m *Machine) settle(t int64) error {
	since := m.since
	m.since = t
	if m.state == 0 || t <= since {
		return nil
	}
	s := &m.interval
	s.Begin, s.End, s.State, s.Part, s.Energy = since, t, m.state, trace.Tail, 0
	if m.ramping() || m.busy() {
		s.Part = trace.Use
	}
	if m.policy != Utilisation || s.Part == trace.Use {
		p, err := m.power()
		if err != nil {
			return err
		}
		if s.Energy, err = m.meter.drain(p, t-since); err != nil {
			return err
		}
	}
	if n := int64(len(m.timeouts)); n > 0 && m.active.n == n && m.roundTrip.end == never && !m.ramping() {
		m.timeouts.use(s.Energy)
	}
	s.Shares = m.shares(s)
	return m.emit(s)
}

// move emits the energy of an operation's bytes in the state in which they are moved.
func (m *Machine) move(op *Operation, t int64) error {
	parts := m.chart.drained(op)
	if parts == 0 {
		return nil
	}
	e, err := m.meter.move(parts)
	if err != nil {
		return err
	}
	m.interval = Interval{Begin: t, End: t, State: m.phase.done, Part: trace.Use, Energy: e}
	if m.policy != SplitTime {
		m.interval.Shares = m.meter.all(e, op.Owner)
	}
	return m.emit(&m.interval)
}

func (m *Machine) begun(op *Operation, t int64) error {
	if m.opts.Begun == nil {
		return nil
	}
	return m.opts.Begun(*op, m.phase.done, t)
}

func (m *Machine) held(h Hold) error {
	if m.opts.Held == nil {
		return nil
	}
	return m.opts.Held(h)
}

func (m *Machine) emit(s *Interval) error {
	if s.End > m.end {
		m.tally.Beyond += s.Energy
	}
	if m.opts.Emit == nil {
		return nil
	}
	return m.opts.Emit(s)
}

// power returns the present power.
func (m *Machine) power() (units.Power, error) {
	if m.phase.perLevel == 0 {
		return m.phase.power, nil
	}
	more := units.MulDiv(int64(m.phase.perLevel), m.level, 1)
	p, fits := units.Add(units.Energy(m.phase.power), units.Energy(more))
	if !fits {
		return 0, errRange
	}
	return units.Power(max(p, 0)), nil
}

// shares divides the energy of an interval among owners, according to the policy.
func (m *Machine) shares(s *Interval) []Share {
	switch {
	case m.policy == SplitTime:
		return nil
	case m.ramping():
		return m.meter.all(s.Energy, m.cause)
	case m.active.n > 0:
		return m.meter.share(s.Energy, &m.active)
	case m.busy():
		return m.meter.all(s.Energy, m.roundTrip.owner)
	case m.policy == FirstTrigger:
		return m.meter.all(s.Energy, m.first)
	default:
		return m.meter.all(s.Energy, m.last)
	}
}
