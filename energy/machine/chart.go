package machine

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A chart is a component's model, laid out for looking things up.
type chart struct {
	component *model.Component
	states    []model.State
	// steps are what operations do in each state, by verb, in the model's order.
	steps [][][]step
	// after is when each state times out, never if it does not, and next where it then goes.
	after []int64
	next  []int
	// idle is where each state goes once nothing is active, -1 if it stays.
	idle []int
	// done is where work is done that begins in each state: the state behind a ramp, else
	// the state itself.
	done []int
	// noticed are the verbs that lead from any state to another.
	noticed []bool
	// keeps is set if there is a state of kind On.
	keeps bool
}

// A step takes operations of at least so many bytes to a state.
type step struct {
	least int64
	to    int
}

func newChart(c *model.Component, p Policy) chart {
	verbs, n := len(trace.VerbNames()), len(c.States)
	ch := chart{
		component: c, states: c.States, steps: make([][][]step, n), after: make([]int64, n), next: make([]int, n),
		idle: make([]int, n), done: make([]int, n), noticed: make([]bool, verbs),
	}
	for s := range c.States {
		ch.steps[s], ch.after[s], ch.idle[s] = make([][]step, verbs), never, -1
		ch.keeps = ch.keeps || c.States[s].Kind == model.On
	}
	for i := range c.Transitions {
		t := &c.Transitions[i]
		switch {
		case len(t.On) > 0:
			for _, v := range t.On {
				ch.steps[t.From][v] = append(ch.steps[t.From][v], step{t.MinBytes, t.To})
				ch.noticed[v] = true
			}
		case t.Idle:
			ch.idle[t.From] = t.To
		default:
			// A moment is a nanosecond at least, so that time goes on.
			ch.after[t.From], ch.next[t.From] = max(int64(t.After), 1), t.To
		}
	}
	for s := range ch.done {
		ch.done[s] = ch.behind(s)
	}
	if p == Utilisation {
		ch.skipRamps()
	}
	return ch
}

// behind is the state behind a ramp, or behind several in a row.
func (c *chart) behind(s int) int {
	for range c.states {
		if c.states[s].Kind != model.Ramp || c.after[s] == never {
			break
		}
		s = c.next[s]
	}
	return s
}

// skipRamps makes transitions to a ramp lead to the state behind it.
func (c *chart) skipRamps() {
	for s := range c.states {
		for _, steps := range c.steps[s] {
			for i := range steps {
				steps[i].to = c.done[steps[i].to]
			}
		}
		c.next[s] = c.done[c.next[s]]
		if c.idle[s] >= 0 {
			c.idle[s] = c.done[c.idle[s]]
		}
	}
}

// step is where an operation takes the component that is in state s: to s where it only
// joins those that are active. It is false if the component does not notice the operation.
func (c *chart) step(s int, op *Operation) (int, bool) {
	for _, step := range c.steps[s][op.Verb] {
		if op.Bytes >= step.least {
			return step.to, true
		}
	}
	working := c.states[s].Kind != model.Base && c.states[s].Kind != model.Tail
	return s, working && c.noticed[op.Verb]
}

// drained is what an operation drains with its bytes and packets, in 1/1024 of a nanojoule.
func (c *chart) drained(op *Operation) int64 {
	w := c.component.WorkOf(op.Verb)
	if w == nil {
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

// An activity is an operation with the interval in which it is active.
type activity struct {
	Operation
	// at is when it begins. It lasts until end, or if that is never until it has worked for
	// so many nanoseconds.
	at, end, work int64
	// order numbers the operations as they came.
	order int64
}

// interval says when an operation is active. One that waits ends with it, and begins when
// wait says.
func (c *chart) interval(op Operation, wait func(begin, end, work int64) int64) activity {
	a := activity{Operation: op, at: op.Begin, end: never}
	busy, estimated := c.component.Busy(op.Verb, op.Bytes)
	work, measured := int64(busy), op.End >= 0
	switch {
	case !estimated && measured:
		a.end = op.End
	case !estimated:
	case !measured || slices.Contains(handsOver, op.Verb):
		a.work = work
	case slices.Contains(waits, op.Verb):
		a.at, a.end = wait(op.Begin, op.End, work), op.End
	default:
		a.work = min(op.End-op.Begin, work)
	}
	return a
}

// What is known of verbs: a call that hands over returns before its work is done, a call that
// waits does so before its work begins; what begins a hold, and what ends it.
var (
	handsOver = []trace.Verb{trace.OpSend, trace.OpWrite}
	waits     = []trace.Verb{trace.OpReceive, trace.OpRead}
	begins    = []trace.Verb{trace.OpOpen, trace.OpAcquire, trace.OpStart}
	ends      = []trace.Verb{trace.OpClose, trace.OpRelease, trace.OpStop}
)
