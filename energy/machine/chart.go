package machine

import (
	"math"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A chart is a component's model, laid out for looking things up.
type chart struct {
	phases []phase // by state
	verbs  []verb
	// keeps is set if there is a state of kind On.
	keeps bool
}

// A phase is what is known of a state.
type phase struct {
	kind            model.Kind
	power, perLevel units.Power
	// after is when it times out, never if it does not, and next where it then goes.
	after int64
	next  int
	// idle is where it goes once nothing is active, -1 if it stays.
	idle int
	// done is where work is done that begins in it: the state behind a ramp, else the
	// state itself.
	done int
	// steps are what operations do in it, by verb, in the model's order.
	steps [][]step
}

// A step takes operations of at least so many bytes to a state.
type step struct {
	least int64
	to    int
}

// A verb is what is known of the operations of one verb.
type verb struct {
	role role
	// noticed is set if they lead from any state to another.
	noticed bool
	// work is what they cost; nil if the model does not say.
	work *model.Work
}

// A role is what operations do.
type role uint8

const (
	// A call that hands over returns before its work is done.
	handsOver role = iota
	// A call that waits does so before its work begins.
	waits
	// What begins a hold, and what ends it.
	begins
	ends
)

// roles are those of all verbs.
var roles = [...]role{
	trace.OpSend: handsOver, trace.OpWrite: handsOver, trace.OpReceive: waits, trace.OpRead: waits,
	trace.OpOpen: begins, trace.OpAcquire: begins, trace.OpStart: begins,
	trace.OpClose: ends, trace.OpRelease: ends, trace.OpStop: ends,
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
		ch.keeps = ch.keeps || s.Kind == model.On
	}
	for i := range c.Transitions {
		t := &c.Transitions[i]
		from := &ch.phases[t.From]
		switch {
		case len(t.On) > 0:
			for _, v := range t.On {
				from.steps[v] = append(from.steps[v], step{t.MinBytes, t.To})
				ch.verbs[v].noticed = true
			}
		case t.Idle:
			from.idle = t.To
		default:
			// A moment is a nanosecond at least, so that time goes on.
			from.after, from.next = max(int64(t.After), 1), t.To
		}
	}
	for s := range ch.phases {
		ch.phases[s].done = ch.behind(s)
	}
	if p == Utilisation {
		ch.skipRamps()
	}
	return ch
}

// behind is the state behind a ramp, or behind several in a row.
func (c *chart) behind(s int) int {
	for range c.phases {
		if c.phases[s].kind != model.Ramp || c.phases[s].after == never {
			break
		}
		s = c.phases[s].next
	}
	return s
}

// skipRamps makes transitions to a ramp lead to the state behind it.
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

// step is where an operation takes the component that is in state s: to s where it only
// joins those that are active. It is false if the component does not notice the operation.
func (c *chart) step(s int, op *Operation) (int, bool) {
	at := &c.phases[s]
	for i := range at.steps[op.Verb] {
		if step := &at.steps[op.Verb][i]; op.Bytes >= step.least {
			return step.to, true
		}
	}
	working := at.kind != model.Base && at.kind != model.Tail
	return s, working && c.verbs[op.Verb].noticed
}

// drained is what an operation drains with its bytes and packets, in 1/1024 of a nanojoule.
func (c *chart) drained(op *Operation) int64 {
	w := c.verbs[op.Verb].work
	if w == nil || w.Energy|w.EnergyPerKiB|w.EnergyPerPacket == 0 {
		return 0
	}
	bytes := max(op.Bytes, 0)
	packets := bytes / model.PacketBytes
	if bytes%model.PacketBytes > 0 {
		packets++
	}
	// Each part is cut to what three of them can be added up of.
	const most = math.MaxInt64 / 3
	return min(units.MulDiv(int64(w.Energy), kibibyte, 1), most) +
		min(units.MulDiv(int64(w.EnergyPerKiB), bytes, 1), most) +
		min(units.MulDiv(units.MulDiv(int64(w.EnergyPerPacket), packets, 1), kibibyte, 1), most)
}

const kibibyte = 1024

// An activity is when an operation is active.
type activity struct {
	// at is when it begins. It lasts until end, or if that is never until it has worked for
	// so many nanoseconds.
	at, end, work int64
	// order numbers the operations as they came.
	order int64
}

// activity says when an operation is active. One that waits ends with it, and begins when
// the times that others have taken let it.
func (c *chart) activity(op *Operation, order int64, others *taken) activity {
	v := &c.verbs[op.Verb]
	busy, estimated := v.work.Busy(op.Bytes)
	work, measured := int64(busy), op.End >= 0
	a := activity{at: op.Begin, end: never, order: order}
	switch {
	case !estimated && measured:
		a.end = op.End
	case !estimated:
	case !measured || v.role == handsOver:
		a.work = work
	case v.role == waits:
		a.at, a.end = others.wait(op.Begin, op.End, work), op.End
	default:
		a.work = min(op.End-op.Begin, work)
	}
	return a
}
