package machine

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An oracle simulates a component one nanosecond at a time, by the model and the rules of the
// package comment. It visits all operations in each nanosecond.
type oracle struct {
	c       *model.Component
	policy  Policy
	waiting []*oracleOp
	active  []*oracleOp
	// taken has the nanoseconds in which the component works for a waiting operation.
	taken map[int64]bool
	state int
	// quiet is the time that the component has spent in its ramp, or without an active operation in
	// its state.
	quiet int64
	// trips are the operations on their round trips.
	trips        []*oracleOp
	first, cause Owner
	last         *oracleOp
	ended        int64 // ended is the time at which last ended.
	account      map[string]units.Energy
	tally        Tally
}

type oracleOp struct {
	Operation
	order int
	// The operation is active from at to end. If end is -1, it is active until left is 0, or until
	// its release if hold is set. left is in parts of a nanosecond. Their number is divisible by
	// the number of active operations. A round trip of trip nanoseconds follows, and ends at back.
	at, end, left, trip, back int64
	hold                      bool
	// served is set if another operation was known to end during a ramp after this operation began.
	served bool
}

func (o *oracle) kind(s int) model.Kind { return o.c.States[s].Kind }

// out returns the first transition of a state that pick accepts, or nil.
func (o *oracle) out(s int, pick func(*model.Transition) bool) *model.Transition {
	for i := range o.c.Transitions {
		if t := &o.c.Transitions[i]; t.From == s && pick(t) {
			return t
		}
	}
	return nil
}

func timesOut(t *model.Transition) bool { return len(t.On) == 0 && !t.Idle }
func idles(t *model.Transition) bool    { return t.Idle }

// behind returns the first state from s on that is not a ramp.
func (o *oracle) behind(s int) int {
	for o.kind(s) == model.Ramp {
		s = o.out(s, timesOut).To
	}
	return s
}

func (o *oracle) enter(s int) {
	if o.policy == Utilisation {
		s = o.behind(s)
	}
	o.state, o.quiet = s, 0
}

func (o *oracle) charge(s int, part trace.Part, owner Owner, e units.Energy) {
	if o.policy == SplitTime {
		owner = NoOwner
	}
	if e != 0 {
		o.account[fmt.Sprint(o.c.States[s].Name, " ", part, " ", owner)] += e
	}
}

// end ends an active operation.
func (o *oracle) end(op *oracleOp, t int64) {
	o.active = slices.DeleteFunc(o.active, func(a *oracleOp) bool { return a == op })
	if o.kind(o.state) == model.Ramp && !op.hold && op.end >= 0 {
		for _, other := range o.waiting {
			other.served = other.served || other.Begin <= t
		}
	}
	if op.served && op.end < 0 && !op.hold {
		// The estimated end of the operation is too late.
	} else if back := t + op.trip; o.last == nil || o.ended < back || o.ended == back && op.order > o.last.order {
		o.last, o.ended = op, back
	}
	if op.trip > 0 {
		op.back = t + op.trip
		o.trips = append(o.trips, op)
	}
	if o.kind(o.state) != model.Ramp {
		o.quiet = 0
	}
}

func (o *oracle) rest() {
	for len(o.active)+len(o.trips) == 0 && o.out(o.state, idles) != nil {
		o.enter(o.out(o.state, idles).To)
	}
}

// held returns the latest hold of a handle.
func (o *oracle) held(handle int64) *oracleOp {
	for _, a := range slices.Backward(o.active) {
		if a.hold && a.Handle == handle {
			return a
		}
	}
	return nil
}

func (o *oracle) begin(op *oracleOp, t int64) {
	takes := func(t *model.Transition) bool { return slices.Contains(t.On, op.Verb) && op.Bytes >= t.MinBytes }
	knows := func(t model.Transition) bool { return slices.Contains(t.On, op.Verb) }
	keeps := slices.ContainsFunc(o.c.States, func(s model.State) bool { return s.Kind == model.On })
	step := o.out(o.state, takes)
	if slices.Contains([]trace.Verb{trace.OpClose, trace.OpRelease, trace.OpStop}, op.Verb) && keeps {
		if a := o.held(op.Handle); a == nil {
			o.tally.Unheld++
		} else if o.tally.Operations++; true {
			o.end(a, t)
			if step != nil && len(o.active)+len(o.trips) == 0 {
				o.enter(step.To)
			}
		}
		return
	}
	if step == nil && (!slices.ContainsFunc(o.c.Transitions, knows) || o.kind(o.state) == model.Base || o.kind(o.state) == model.Tail) {
		o.tally.Ignored++
		return
	}
	o.tally.Operations++
	if step != nil && step.To != o.state {
		if o.state == 0 {
			o.first = op.Owner
		}
		if o.kind(step.To) == model.Ramp {
			o.cause = op.Owner
		}
		o.enter(step.To)
	}
	done := o.behind(o.state)
	if w := o.c.WorkOf(op.Verb); w != nil {
		packets := (op.Bytes + trace.PacketBytes - 1) / trace.PacketBytes
		o.charge(done, trace.Use, op.Owner, w.Energy+units.Energy(op.Bytes)*w.EnergyPerKiB/1024+units.Energy(packets)*w.EnergyPerPacket)
	}
	if slices.Contains([]trace.Verb{trace.OpOpen, trace.OpAcquire, trace.OpStart}, op.Verb) && o.kind(done) == model.On {
		if op.Verb != trace.OpAcquire && op.Handle != 0 && o.held(op.Handle) != nil {
			return
		}
		op.hold, op.trip = true, 0
	}
	o.active = append(o.active, op)
}

// wait adds an operation with its active interval.
func (o *oracle) wait(op Operation, order int) {
	busy, estimated := o.c.Busy(op.Verb, op.Bytes)
	a := &oracleOp{Operation: op, order: order, at: op.Begin, end: -1, left: int64(busy)}
	if w := o.c.WorkOf(op.Verb); w != nil && op.Verb != trace.OpReceive && op.Verb != trace.OpRead {
		a.trip = int64(w.Latency)
	}
	if op.End >= 0 {
		switch {
		case !estimated || op.Whole:
			a.end, a.trip = op.End, 0
		case op.Verb == trace.OpReceive || op.Verb == trace.OpRead:
			// These are the last nanoseconds in which the component does not work for other waiting
			// operations.
			a.at, a.end = op.End, op.End
			for t, left := op.End-1, a.left; t >= op.Begin && left > 0; t-- {
				if !o.taken[t] {
					o.taken[t] = true
					left--
				}
				a.at = t
			}
		case op.Verb != trace.OpSend && op.Verb != trace.OpWrite:
			a.left = min(op.End-op.Begin, a.left)
			a.trip = min(op.End-op.Begin-a.left, a.trip)
		}
	}
	a.left *= shareable / 1_000_000
	o.waiting = append(o.waiting, a)
}

// happen processes the events of a moment.
func (o *oracle) happen(t int64) {
	if out := o.out(o.state, timesOut); out != nil && o.quiet >= int64(out.After) {
		o.enter(out.To)
	}
	for _, op := range o.waiting {
		if op.at == t {
			o.begin(op, t)
		}
	}
	for _, a := range slices.Clone(o.active) {
		if !a.hold && (a.end == t || a.end < 0 && a.left <= 0 && o.kind(o.state) != model.Ramp) {
			o.end(a, t)
		}
	}
	for _, a := range slices.Clone(o.trips) {
		if a.back == t {
			o.trips = slices.DeleteFunc(o.trips, func(b *oracleOp) bool { return a == b })
			if o.kind(o.state) != model.Ramp {
				o.quiet = 0
			}
		}
	}
	o.rest()
	if o.state == 0 {
		o.first, o.cause, o.last = NoOwner, NoOwner, nil
	}
}

// latest returns the operation whose round trip ends last.
func (o *oracle) latest() *oracleOp {
	return slices.MaxFunc(o.trips, func(a, b *oracleOp) int {
		return cmp.Or(cmp.Compare(a.back, b.back), cmp.Compare(a.order, b.order))
	})
}

// pass simulates one nanosecond.
func (o *oracle) pass() {
	ramp, energy := o.kind(o.state) == model.Ramp, units.Energy(o.c.States[o.state].Power/1e6)
	switch n := units.Energy(len(o.active)); {
	case ramp:
		o.charge(o.state, trace.Use, o.cause, energy)
	case n > 0:
		for _, a := range o.active {
			o.charge(o.state, trace.Use, a.Owner, energy/n)
		}
	case len(o.trips) > 0:
		o.charge(o.state, trace.Use, o.latest().Owner, energy)
	case o.policy == FirstTrigger:
		o.charge(o.state, trace.Tail, o.first, energy)
	case o.policy != Utilisation && o.last != nil:
		o.charge(o.state, trace.Tail, o.last.Owner, energy)
	case o.policy != Utilisation:
		o.charge(o.state, trace.Tail, NoOwner, energy)
	}
	if o.quiet++; len(o.active)+len(o.trips) > 0 && !ramp {
		o.quiet = 0
	}
	var jobs []*oracleOp
	for _, a := range o.active {
		if !a.hold && a.end < 0 {
			jobs = append(jobs, a)
		}
	}
	if ramp {
		return
	}
	for _, a := range jobs {
		a.left -= shareable / 1_000_000 / int64(len(jobs))
	}
}

// consult returns energy by state, part and owner.
func consult(c *model.Component, p Policy, end int64, ops []Operation) (map[string]units.Energy, Tally) {
	o := &oracle{c: c, policy: p, taken: map[int64]bool{}, account: map[string]units.Energy{}, first: NoOwner, cause: NoOwner}
	for i, op := range ops {
		o.wait(op, i)
	}
	for t := int64(0); t < end+5000; t++ {
		o.happen(t)
		if t == end { // Holds end after all other events of the same moment.
			for _, a := range slices.Clone(o.active) {
				if a.hold {
					o.tally.Unreleased++
					o.end(a, t)
				}
			}
			o.rest()
			if o.state == 0 {
				o.first, o.cause, o.last = NoOwner, NoOwner, nil
			}
		}
		later := func(op *oracleOp) bool { return op.at > t }
		if t >= end && o.tally.Unreleased > 0 && len(o.active)+len(o.trips) == 0 && !slices.ContainsFunc(o.waiting, later) {
			break // The recording does not show when the tail of a hold begins.
		}
		o.pass()
	}
	return o.account, o.tally
}

// With these powers, energy is divisible by the number of operations in any sequence.
const (
	mostOperations = 12
	shareable      = 27720 * 1_000_000 // the least common multiple of 1 to 12, in W·ns
)

// anyComponent returns a random component. Timeouts and idle transitions lead to states of
// smaller numbers.
func anyComponent(r *rand.Rand) *model.Component {
	c := &model.Component{States: []model.State{{Name: "base"}}}
	kinds := [][]model.Kind{
		{model.Tail, model.Productive}, {model.Tail, model.Productive, model.Ramp}, {model.Tail, model.Tail, model.Productive, model.Productive, model.Ramp},
		{model.Productive}, {model.On}, {model.Tail, model.On}, {model.Tail, model.On, model.Ramp}, {model.Tail, model.On, model.Productive, model.Ramp},
	}[r.IntN(8)]
	for i, k := range kinds {
		c.States = append(c.States, model.State{Name: fmt.Sprint(k, i), Kind: k, Power: units.Power(r.Int64N(4) * shareable)})
		s := i + 1
		if down := r.IntN(s); k == model.Tail || k == model.Ramp || k == model.Productive && r.IntN(3) == 0 {
			if k == model.Ramp {
				down = s - 1
			}
			c.Transitions = append(c.Transitions, model.Transition{From: s, To: down, After: time.Duration(1 + r.IntN(60))})
		} else {
			c.Transitions = append(c.Transitions, model.Transition{From: s, To: down, Idle: true})
		}
	}
	for range 1 + r.IntN(8) {
		t := model.Transition{From: r.IntN(len(c.States)), To: 1 + r.IntN(len(c.States)-1), On: anyVerbs(r)}
		if r.IntN(3) == 0 {
			t.MinBytes = r.Int64N(3000)
		}
		if c.States[t.From].Kind != model.Ramp || c.States[t.To].Kind != model.Ramp {
			c.Transitions = append(c.Transitions, t)
		}
	}
	c.Transitions = append(c.Transitions, model.Transition{From: 0, To: len(c.States) - 1, On: anyVerbs(r)})
	for range r.IntN(3) {
		c.Work = append(c.Work, model.Work{
			On: anyVerbs(r), Fixed: time.Duration(r.IntN(30)), PerKiB: time.Duration(r.IntN(10)), Energy: units.Energy(r.Int64N(3)),
			EnergyPerKiB: units.Energy(r.Int64N(2)) * 1024, EnergyPerPacket: units.Energy(r.Int64N(2)),
		})
		if r.IntN(2) == 0 {
			c.Work[len(c.Work)-1].Latency = time.Duration(r.IntN(40))
		}
	}
	return c
}

func anyVerbs(r *rand.Rand) []trace.Verb {
	var verbs []trace.Verb
	for v := trace.OpSend; v <= trace.OpStop; v++ {
		if r.IntN(2) == 0 {
			verbs = append(verbs, v)
		}
	}
	return append(verbs, trace.OpAcquire)
}

// anyOperations returns random operations in order of Begin.
func anyOperations(r *rand.Rand, end int64) []Operation {
	ops := make([]Operation, 1+r.IntN(mostOperations))
	for i := range ops {
		op := Operation{
			Begin: r.Int64N(end/10) * 10, Verb: trace.Verb(r.IntN(10)), Handle: r.Int64N(3), Owner: Owner(r.IntN(5)) - 1,
			Bytes: r.Int64N(3) * r.Int64N(2000),
		}
		op.Whole = i%7 == 3
		if op.End = op.Begin + r.Int64N(100); r.IntN(4) == 0 {
			op.End = -1
		}
		ops[i] = op
	}
	slices.SortStableFunc(ops, func(a, b Operation) int { return int(a.Begin - b.Begin) })
	return ops
}

// TestOracle compares machines of random components with the oracle.
func TestOracle(t *testing.T) {
	const end = 800
	tails, holds, ignored := 0, 0, 0
	for seed := range uint64(shorten.Count(3000)) {
		r := rand.New(rand.NewPCG(seed, 14))
		c, ops := anyComponent(r), anyOperations(r, end)
		for p := LastTrigger; p <= Utilisation; p++ {
			want, tally := consult(c, p, end, ops)
			got := map[string]units.Energy{}
			add := func(s *Interval, o Owner, e units.Energy) {
				if e != 0 {
					got[fmt.Sprint(c.States[s.State].Name, " ", s.Part, " ", o)] += e
				}
			}
			m := New(c, p, Options{Emit: func(s *Interval) error {
				rest := s.Energy
				for _, share := range s.Shares {
					add(s, share.Owner, share.Energy)
					rest -= share.Energy
				}
				add(s, NoOwner, rest)
				return nil
			}})
			for _, op := range ops {
				if r.IntN(3) == 0 {
					if err := m.Advance(op.Begin - r.Int64N(50)); err != nil {
						t.Fatal(err)
					}
				}
				if err := m.Do(op); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.Finish(end); err != nil {
				t.Fatal(err)
			}
			had := m.Tally()
			had.Beyond = 0
			if !maps.Equal(got, want) || had != tally {
				t.Fatalf("seed %d, %v: the machine has\n%v %+v\nthe oracle\n%v %+v\ncomponent %+v\noperations %+v", seed, p, got, had, want, tally, c, ops)
			}
			for key := range got {
				if p == LastTrigger && key[:4] == "tail" {
					tails++
				}
			}
			holds, ignored = holds+int(had.Unreleased), ignored+int(had.Ignored)
		}
	}
	if enough := shorten.Count(500); tails < enough || holds < enough || ignored < enough {
		t.Errorf("the sequences had %d tails, %d held to the end and %d ignored: too few to tell", tails, holds, ignored)
	}
}
