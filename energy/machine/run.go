package machine

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// next is the moment at which something happens next, never if nothing does.
func (m *Machine) next() int64 {
	return min(m.deadline, m.waiting.least(), m.timed.least(), m.due())
}

// due is the moment at which the first of jobs is done.
func (m *Machine) due() int64 {
	if len(m.jobs) == 0 || m.ramping() {
		return never
	}
	if left, n := m.jobs[0].key-m.progress, int64(len(m.jobs)); left <= (never-max(m.worked, 0))/n {
		return m.worked + left*n
	}
	return never
}

func (m *Machine) ramping() bool { return m.chart.states[m.state].Kind == model.Ramp }

// moment does all that happens at a moment.
func (m *Machine) moment(t int64) error {
	if m.deadline == t {
		if err := m.enter(m.chart.next[m.state], t); err != nil {
			return err
		}
	}
	for m.waiting.least() == t {
		if err := m.begin(m.waiting.pop(), t); err != nil {
			return err
		}
	}
	for m.timed.least() == t {
		if err := m.finish(m.timed.pop(), t); err != nil {
			return err
		}
	}
	for m.due() == t {
		m.work(t)
		if err := m.finish(m.jobs.pop(), t); err != nil {
			return err
		}
	}
	return m.rest(t)
}

// rest takes the transitions of a component at which nothing is active.
func (m *Machine) rest(t int64) error {
	for range m.chart.states {
		to := m.chart.idle[m.state]
		if m.crowd.n > 0 || to < 0 {
			break
		}
		if err := m.enter(to, t); err != nil {
			return err
		}
	}
	return nil
}

// begin makes an operation active, if the component notices it.
func (m *Machine) begin(a activity, t int64) error {
	defer m.owners.drop(a.Owner)
	if m.chart.keeps && slices.Contains(ends, a.Verb) {
		return m.release(a, t)
	}
	to, noticed := m.chart.step(m.state, &a.Operation)
	if !noticed {
		m.tally.Ignored++
		return nil
	}
	m.tally.Operations++
	if to != m.state {
		if m.state == 0 {
			m.remember(&m.first, &a, t)
		}
		if m.chart.states[to].Kind == model.Ramp {
			m.remember(&m.cause, &a, t)
		}
		if err := m.enter(to, t); err != nil {
			return err
		}
	} else if err := m.settle(t); err != nil {
		return err
	}
	done := m.chart.done[m.state]
	if err := m.begun(a.Operation, done, t); err != nil {
		return err
	}
	if err := m.move(&a.Operation, done, t); err != nil {
		return err
	}
	switch hold := m.chart.states[done].Kind == model.On && slices.Contains(begins, a.Verb); {
	case hold && a.Verb != trace.OpAcquire && a.Handle != 0 && m.holds.held(a.Handle):
		return nil // it is on
	case hold:
		a.at = t
		m.holds.push(a)
	case a.end != never:
		m.timed.push(a.end, a)
	default:
		m.work(t)
		m.jobs.push(m.progress+min(a.work, never-m.progress-1), a)
	}
	m.owners.add(a.Owner)
	m.crowd.add(a.Owner)
	m.arm(t)
	return nil
}

// release ends the latest hold of an operation's handle.
func (m *Machine) release(by activity, t int64) error {
	if !m.holds.held(by.Handle) {
		m.tally.Unheld++
		return nil
	}
	m.tally.Operations++
	if err := m.settle(t); err != nil {
		return err
	}
	if err := m.begun(by.Operation, m.chart.done[m.state], t); err != nil {
		return err
	}
	a := m.holds.pop(by.Handle)
	if err := m.held(Hold{a.Operation, t, true, by.Owner}); err != nil {
		return err
	}
	if err := m.finish(a, t); err != nil {
		return err
	}
	if to, _ := m.chart.step(m.state, &by.Operation); m.crowd.n == 0 && to != m.state {
		return m.enter(to, t)
	}
	return nil
}

// releaseAll ends all holds with the recording, in the order in which they began.
func (m *Machine) releaseAll(t int64) error {
	var open queue
	for handle := range m.holds.top {
		for m.holds.held(handle) {
			a := m.holds.pop(handle)
			open.push(a.at, a)
		}
	}
	for len(open) > 0 {
		a := open.pop()
		m.tally.Unreleased++
		if err := m.held(Hold{a.Operation, t, false, NoOwner}); err != nil {
			return err
		}
		if err := m.finish(a, t); err != nil {
			return err
		}
	}
	return m.rest(t)
}

// finish ends an active operation.
func (m *Machine) finish(a activity, t int64) error {
	if err := m.settle(t); err != nil {
		return err
	}
	m.crowd.remove(a.Owner)
	if m.last.at < t || m.last.order < a.order {
		m.remember(&m.last, &a, t)
	}
	m.owners.drop(a.Owner)
	m.arm(t)
	return nil
}

// enter takes the component to another state.
func (m *Machine) enter(to int, t int64) error {
	if err := m.settle(t); err != nil {
		return err
	}
	m.work(t)
	m.state, m.entered = to, t
	if to == 0 {
		for _, w := range [...]*mention{&m.first, &m.cause, &m.last} {
			m.owners.drop(w.owner)
			*w = nobody
		}
	}
	m.arm(t)
	return nil
}

// arm says when the state times out: a ramp so long after it began, other states so long
// after nothing is active any more.
func (m *Machine) arm(t int64) {
	after := m.chart.after[m.state]
	switch {
	case after == never:
		m.deadline = never
	case m.ramping():
		m.deadline = later(m.entered, after)
	case m.crowd.n > 0:
		m.deadline = never
	default:
		m.deadline = later(t, after)
	}
}

// later is a moment so long after another, but not never.
func later(t, ns int64) int64 {
	if t > 0 && ns > never-1-t {
		return never - 1
	}
	return t + ns
}

// work counts the progress of jobs up to a moment.
func (m *Machine) work(t int64) {
	if len(m.jobs) == 0 {
		m.progress = 0
	} else if !m.ramping() {
		m.progress += (t - m.worked) / int64(len(m.jobs))
	}
	m.worked = t
}

// A mention is an operation that is remembered.
type mention struct {
	owner     Owner
	at, order int64
}

var nobody = mention{owner: NoOwner, at: math.MinInt64}

func (m *Machine) remember(w *mention, a *activity, t int64) {
	m.owners.add(a.Owner)
	m.owners.drop(w.owner)
	*w = mention{a.Owner, t, a.order}
}

// settle emits the stay that lasts until a moment.
func (m *Machine) settle(t int64) error {
	since := m.since
	m.since = t
	if m.state == 0 || t <= since {
		return nil
	}
	s := &m.stay
	*s = Stay{Begin: since, End: t, State: m.state, Part: trace.Tail}
	if m.ramping() || m.crowd.n > 0 {
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
	s.Shares = m.shares(s)
	return m.emit(s)
}

// move emits what an operation drains with its bytes, in the state in which it is done.
func (m *Machine) move(op *Operation, state int, t int64) error {
	parts := m.chart.drained(op)
	if parts == 0 {
		return nil
	}
	e, err := m.meter.move(parts)
	if err != nil {
		return err
	}
	m.stay = Stay{Begin: t, End: t, State: state, Part: trace.Use, Energy: e}
	if m.policy != SplitTime {
		m.stay.Shares = m.meter.all(e, op.Owner)
	}
	return m.emit(&m.stay)
}

func (m *Machine) begun(op Operation, state int, t int64) error {
	if m.opts.Begun == nil {
		return nil
	}
	return m.opts.Begun(op, state, t)
}

func (m *Machine) held(h Hold) error {
	if m.opts.Held == nil {
		return nil
	}
	return m.opts.Held(h)
}

func (m *Machine) emit(s *Stay) error {
	if s.End > m.end {
		m.tally.Beyond += s.Energy
	}
	if m.opts.Emit == nil {
		return nil
	}
	return m.opts.Emit(s)
}

// power is what flows now.
func (m *Machine) power() (units.Power, error) {
	s := &m.chart.states[m.state]
	more := units.MulDiv(int64(s.PerLevel), m.level, 1)
	p, fits := units.Add(units.Energy(s.Power), units.Energy(more))
	if !fits {
		return 0, errRange
	}
	return units.Power(max(p, 0)), nil
}

// shares says whose a stay's energy is.
func (m *Machine) shares(s *Stay) []Share {
	switch {
	case m.policy == SplitTime:
		return nil
	case m.ramping():
		return m.meter.all(s.Energy, m.cause.owner)
	case m.crowd.n > 0:
		return m.meter.share(s.Energy, &m.crowd)
	case m.policy == FirstTrigger:
		return m.meter.all(s.Energy, m.first.owner)
	default:
		return m.meter.all(s.Energy, m.last.owner)
	}
}
