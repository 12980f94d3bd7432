package machine

import (
	"math"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A chart is a component's model with indexes for lookup.
type chart struct {
	phases []phase // phases is indexed by state.
	verbs  []verb
	// hasOn reports whether the component has a state of kind On.
	hasOn bool
}

// A phase is an indexed state.
type phase struct {
	kind            model.Kind
	power, perLevel units.Power
	// The state ends after this timeout, and next follows. Without a timeout, after is the constant
	// never.
	after int64
	next  int
	// idle is the next state when no operation is active. It is -1 if there is none.
	idle int
	// done is the state in which the component works. For a ramp, it is the state after the ramp.
	// For other states, it is the state itself.
	done int
	// steps has the transitions on operations by verb, in the order of the model.
	steps [][]step
}

// A step is a possible transition: its target state, and the least bytes that an operation needs to
// take it.
type step struct {
	least int64
	to    int
}

// A verb has what the model says about one kind of operation, such as sending.
type verb struct {
	role role
	// known reports whether the component has a transition for the verb.
	known bool
	// work is the time and energy that an operation needs. It is nil if the model states none.
	work *model.Work
}

// A role describes when the component is active for an operation.
type role uint8

const (
	// asyncRole is the role of a call that hands over data and returns before the work is done.
	asyncRole role = iota
	// waitRole is the role of a call that waits before the work begins.
	waitRole
	// beginRole and ends are the roles of calls that begin and end a hold.
	beginRole
	endRole
)

// roles has the role of each verb.
var roles = [...]role{
	trace.OpSend: asyncRole, trace.OpWrite: asyncRole, trace.OpReceive: waitRole, trace.OpRead: waitRole,
	trace.OpOpen: beginRole, trace.OpAcquire: beginRole, trace.OpStart: beginRole,
	trace.OpClose: endRole, trace.OpRelease: endRole, trace.OpStop: endRole,
}

func newChart(c *model.Component, p Policy) chart {
	ch := chart{phases: make([]phase, len(c.States)), verbs: make([]verb, len(roles))}
	for i := range ch.verbs {
		ch.verbs[i] = verb{role: roles[i], work: c.WorkOf(trace.Verb(i))}
	}
	for i := range c.States {
		s := &c.States[i]
		ch.phases[i] = phase{
			kind: s.Kind, power: s.Power, perLevel: s.PerLevel, after: never, idle: -1, steps: make([][]step, len(roles)),
		}
		ch.hasOn = ch.hasOn || s.Kind == model.On
	}
	for i := range c.Transitions {
		t := &c.Transitions[i]
		from := &ch.phases[t.From]
		switch {
		case len(t.On) > 0:
			for _, v := range t.On {
				from.steps[v] = append(from.steps[v], step{t.MinBytes, t.To})
				ch.verbs[v].known = true
			}
		case t.Idle:
			from.idle = t.To
		default:
			// A timeout is at least a nanosecond, so that time advances.
			from.after, from.next = max(int64(t.After), 1), t.To
		}
	}
	for s := range ch.phases {
		ch.phases[s].done = ch.afterRamps(s)
	}
	if p == Utilisation {
		ch.skipRamps()
	}
	return ch
}

// afterRamps returns the first state after s that is not a ramp.
func (c *chart) afterRamps(s int) int {
	for range c.phases {
		if c.phases[s].kind != model.Ramp || c.phases[s].after == never {
			break
		}
		s = c.phases[s].next
	}
	return s
}

// skipRamps redirects each transition to a ramp to the first state after the ramp.
func (c *chart) skipRamps() {
	for s := range c.phases {
		at := &c.phases[s]
		for _, steps := range at.steps {
			for i := range steps {
				steps[i].to = c.phases[steps[i].to].done
			}
		}
		at.next = c.phases[at.next].done
		if at.idle >= 0 {
			at.idle = c.phases[at.idle].done
		}
	}
}

// step returns the next state after operation op in state s. If op only joins the active
// operations, the next state is s. step returns false if the component does not notice op.
func (c *chart) step(s int, op *Operation) (int, bool) {
	at := &c.phases[s]
	for i := range at.steps[op.Verb] {
		if step := &at.steps[op.Verb][i]; op.Bytes >= step.least {
			return step.to, true
		}
	}
	working := at.kind != model.Base && at.kind != model.Tail
	return s, working && c.verbs[op.Verb].known
}

// drained returns the energy of the operation's bytes and packets, in 1/1024 nJ.
func (c *chart) drained(op *Operation) int64 {
	w := c.verbs[op.Verb].work
	if w == nil || w.Energy|w.EnergyPerKiB|w.EnergyPerPacket == 0 {
		return 0
	}
	bytes := max(op.Bytes, 0)
	packets := bytes / trace.PacketBytes
	if bytes%trace.PacketBytes > 0 {
		packets++
	}
	// Each of the three parts has an upper limit, so their sum does not overflow.
	const most = math.MaxInt64 / 3
	return min(units.MulDiv(int64(w.Energy), kibibyte, 1), most) +
		min(units.MulDiv(int64(w.EnergyPerKiB), bytes, 1), most) +
		min(units.MulDiv(units.MulDiv(int64(w.EnergyPerPacket), packets, 1), kibibyte, 1), most)
}

const kibibyte = 1024

// An activity is the interval in which an operation is active.
type activity struct {
	// The operation is active from time at to time end. If end is the constant never, it ends after
	// work nanoseconds of work and trip nanoseconds of round trip.
	at, end, work, roundTrip int64
	// order is the number of the operation in the order of arrival.
	order int64
}

// activity returns the time during which an operation is active. An operation that waits for data
// ends at its recorded end. It begins early enough for its work to be done, outside of the periods
// in which the component works for other operations.
func (c *chart) activity(op *Operation, order int64, others *waitWork) activity {
	v := &c.verbs[op.Verb]
	busy, estimated := v.work.Busy(op.Bytes)
	work, measured := int64(busy), op.End >= 0
	a := activity{at: op.Begin, end: never, order: order}
	switch {
	case measured && (op.Whole || !estimated):
		a.end = op.End
	case !estimated:
	case !measured || v.role == asyncRole:
		a.work = work
		if v.role != waitRole {
			a.roundTrip = int64(v.work.Latency)
		}
	case v.role == waitRole:
		a.at, a.end = others.wait(op.Begin, op.End, work), op.End
	default:
		a.work = min(op.End-op.Begin, work)
		a.roundTrip = min(op.End-op.Begin-a.work, int64(v.work.Latency))
	}
	return a
}
