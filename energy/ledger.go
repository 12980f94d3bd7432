package energy

import (
	"iter"
	"slices"

	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A ledger computes the energy of a device's components in one scan. It is a sink that passes on
// the events that it receives. At each trigger call, it inserts a mark, which identifies the call.
// The operation goes to the component's machine as soon as no older operation can arrive. Its
// energy is then charged to the call.
type ledger struct {
	sink  trace.Sink
	opts  *Options
	parts []*part
	// partIndex maps the name of a component to its index in parts. The index is -1 if the device
	// lacks the component.
	partIndex map[string]int32
	calls     calls
	owners    owners
	queue     queue
	// signals is the sink that signals are passed on to, or nil. taken is set after it was
	// requested.
	signals   trace.SignalSink
	requested bool
	// stacks has the stacks to which operations may refer, by number.
	stacks []seen
	// levels maps each track to the component whose level it states, or to noPart.
	levels []int32
	// placing counts the operations that wait until the events of their thread reach their time.
	placing int
	// out has the events to pass on. charges has the charges to calls, and sampled has the charges
	// to stacks.
	out, charges []trace.Event
	sampled      []trace.Sample
	// slots records the energy and running time of each time slot, for the split-time policy. It is
	// nil for other policies. elapsed means that elapsed time counts as running time.
	slots   *slots
	elapsed bool
	// book holds the bundles. It is nil if Options.Bundles is not set.
	book *bundle.Set
	// unserved counts operations by the name of a component that the device does not have.
	unserved map[string]int64
	// held counts the holds of slices.
	held int64
	// stray counts the operations for which neither a call nor a stack is known.
	stray int64
	// unmet is set at the end if no thread had an event. Nothing can be charged then.
	unmet bool
	// newest is the latest moment in any thread.
	newest int64
	// others is the account of the first component. After the components come the accounts of the
	// measured parts in left, which have no model.
	others trace.AccountID
	left   []Unmodelled
	// processed is the energy charged to the processor.
	processed units.Energy
}

// seen is the stack of a sample, with its thread.
type seen struct {
	stack  []trace.MethodID
	thread trace.ThreadID
}

// newLedger returns the ledger of a scan. others is the account of the first component.
func newLedger(sink trace.Sink, o *Options, others int) *ledger {
	l := &ledger{sink: sink, opts: o, others: trace.AccountID(others), partIndex: make(map[string]int32), unserved: make(map[string]int64)}
	l.calls.table = o.Triggers
	if o.Bundles {
		l.book = bundle.New()
	}
	if o.Policy == machine.SplitTime {
		l.slots = newSlots(len(o.Device.Components))
	}
	for i := range o.Device.Components {
		account := trace.AccountID(others + accounts*i)
		l.parts = append(l.parts, newPart(&o.Device.Components[i], account, o.Policy, o.Rails, l.log(&o.Device.Components[i]), l.listen(i), l.forget, l.credit))
		l.parts[i].slots, l.parts[i].number = l.slots, i
	}
	return l
}

// listen returns a function that receives the intervals of a component. It returns nil if
// Options.Intervals is nil.
func (l *ledger) listen(component int) func(*machine.Interval) {
	if l.opts.Intervals == nil {
		return nil
	}
	return func(s *machine.Interval) { l.opts.Intervals(component, s) }
}

// log returns the log for the bundles of a component. It returns nil if bundles are not enabled.
func (l *ledger) log(c *model.Component) *bundle.Log {
	if l.book == nil {
		return nil
	}
	return l.book.Log(c, func(o machine.Owner) (bundle.Context, trace.ThreadID) {
		w := &l.owners.list[o]
		return w.context, w.thread
	})
}

// context returns the number of a call path in the book of bundles. It returns Unknown if bundles
// are not enabled.
func (l *ledger) context(stack []trace.MethodID) bundle.Context {
	if l.book == nil {
		return bundle.Unknown
	}
	return l.book.Context(stack)
}

// part returns the index of a component in parts. It returns -1 if the device lacks the component.
func (l *ledger) part(component string) int32 {
	i, ok := l.partIndex[component]
	if !ok {
		i = -1
		if c := l.opts.Device.Serving(component); c != nil {
			i = int32(slices.IndexFunc(l.parts, func(p *part) bool { return p.Name == c.Name }))
			if c.Name != component {
				l.parts[i].Served = component
			}
		}
		l.partIndex[component] = i
	}
	return i
}

// credit adds energy to an owner.
func (l *ledger) credit(o machine.Owner, p trace.Part, e units.Energy) {
	l.owners.list[o].drained[p] += e
}

// forget charges the energy of an owner and frees its number.
func (l *ledger) forget(o machine.Owner) {
	w := &l.owners.list[o]
	for p, e := range w.drained {
		if e != 0 {
			l.charge(w, l.parts[w.part].Account+trace.AccountID(p), e)
		}
	}
	if w.stack != trace.NoStack {
		delete(l.owners.stacks, asker{w.stack, w.part})
	}
	w.part = -1
	if mark := w.mark; mark != nobody && mark != int32(o) {
		l.owners.drop(mark)
	}
	l.owners.drop(int32(o))
}

// charge emits an event that charges energy to an owner. Its time is the time of the latest event of
// the thread, so no time passes.
func (l *ledger) charge(w *owner, account trace.AccountID, e units.Energy) {
	th := &l.calls.threads[w.thread]
	th.added++
	if w.stack != trace.NoStack {
		l.sampled = append(l.sampled, trace.Sample{
			Time: th.time, Thread: w.thread, ID: w.stack, Stack: slices.Clone(l.stacks[w.stack].stack), Energy: e, Account: account,
		})
		return
	}
	l.charges = append(l.charges, trace.Event{})
	c := &l.charges[len(l.charges)-1]
	c.Time, c.Energy, c.Ref, c.Thread, c.Account, c.Kind = th.time, e, trace.Ref(w.mark), w.thread, account, trace.Charge
}

// events inserts marks into a batch and passes it on.
func (l *ledger) events(batch []trace.Event) error {
	sent, th, id := 0, (*caller)(nil), trace.NoThread
	for i := range batch {
		e := &batch[i]
		if e.Thread != id {
			var err error
			if th, err = l.calls.thread(e.Thread); err != nil {
				return err
			}
			id = e.Thread
		}
		if l.placing > 0 && len(th.asked) > 0 {
			l.out = append(l.out, batch[sent:i]...)
			sent = i
			l.place(th, id, e.Time)
		}
		if l.slots != nil {
			if ran := e.CPU; !l.elapsed {
				l.slots.run(e.Time, ran)
			} else if th.met && e.Activity.Costs() {
				l.slots.run(e.Time, e.Time-th.time)
			}
		}
		th.time, th.met = e.Time, true
		switch e.Kind {
		case trace.Enter:
			m := trace.MethodID(e.Ref)
			th.enter(m)
			kind := int32(0)
			if int(m) < len(l.calls.kinds) {
				kind = l.calls.kinds[m]
			}
			if kind == 0 {
				kind = l.calls.kind(m, l.part)
			}
			if kind > 0 && l.ask(th, id, kind-1) {
				l.out = append(l.out, batch[sent:i+1]...)
				sent = i + 1
				l.mark(th, id, th.asks[len(th.asks)-1].owner)
			}
		case trace.Exit:
			// In the usual case, the innermost call ends, and is not a call of a trigger.
			if last := len(th.stack) - 1; last >= 0 && th.open == nil && th.stack[last] == trace.MethodID(e.Ref) {
				th.stack = th.stack[:last]
			} else {
				th.exit(trace.MethodID(e.Ref))
			}
			if len(th.asks) > 0 {
				l.answer(th, id, e.Time, len(th.stack))
			}
		case trace.Mark:
			e.Ref = trace.Ref(l.owners.mark(e.Ref, id, l.context(th.stack)))
		case trace.Charge:
			e.Ref = trace.Ref(l.owners.marked(e.Ref))
		}
	}
	if len(l.out) > 0 {
		batch = append(l.out, batch[sent:]...)
		l.out = batch[:0]
	}
	if err := l.sink.Events(batch); err != nil {
		return err
	}
	return l.proceed()
}

// proceed carries out the oldest operations if too many wait. It passes on the charges.
func (l *ledger) proceed() error {
	for l.queue.full() {
		if err := l.perform(l.queue.pop()); err != nil {
			return err
		}
	}
	return l.send()
}

// mark emits an event that gives the thread's innermost call the number n. Later charges refer to
// the call by that number.
func (l *ledger) mark(th *caller, id trace.ThreadID, n int32) {
	th.added++
	l.out = append(l.out, trace.Event{})
	e := &l.out[len(l.out)-1]
	e.Time, e.Ref, e.Thread, e.Kind = th.time, trace.Ref(n), id, trace.Mark
}

// ask records a trigger call. It returns false if the call is not an operation of its own, or if
// the device lacks the component.
func (l *ledger) ask(th *caller, id trace.ThreadID, n int32) bool {
	t := &l.calls.triggers[n]
	if !l.calls.begins(th, t) {
		return false
	}
	th.asks = append(th.asks, ask{})
	a := &th.asks[len(th.asks)-1]
	a.depth, a.begin, a.trigger, a.owner = len(th.stack), th.time, n, nobody
	if t.part < 0 {
		l.unserved[t.Component]++
	} else {
		a.owner = l.owners.call(id, t.part, l.context(th.stack))
		if l.parts[t.part].pairs.keeps {
			a.class = l.calls.class(th)
			if t.Holds() {
				l.hold(th, id, a)
			}
		}
	}
	return t.part >= 0
}

// answer ends the trigger calls of a thread that are deeper on the stack than depth, and queues
// their operations.
func (l *ledger) answer(th *caller, id trace.ThreadID, end int64, depth int) {
	for len(th.asks) > 0 {
		a := &th.asks[len(th.asks)-1]
		if a.depth <= depth {
			break
		}
		th.asks = th.asks[:len(th.asks)-1]
		if t := &l.calls.triggers[a.trigger]; t.part >= 0 {
			t.operations++
			if a.handle != 0 {
				l.release(id, a, end)
				continue
			}
			// A call trace does not state the amount of data, so one packet is assumed.
			o := l.queue.push(a.begin, id)
			o.end, o.bytes, o.part, o.owner, o.class, o.verb = end, trace.PacketBytes, t.part, a.owner, a.class, t.Verb
			o.timed, o.whole = t.Timed, t.Slice
		}
	}
}

// perform passes an operation to the machine of its component.
func (l *ledger) perform(o *operation) error {
	p := l.parts[o.part]
	if o.level {
		return p.set(o.begin, o.bytes)
	}
	p.pairs.pair(o)
	if o.stack != trace.NoStack {
		// Advance first, because the machine may then forget the owner of the stack.
		if err := p.machine.Advance(o.begin); err != nil {
			return err
		}
		s := &l.stacks[o.stack]
		o.owner = l.owners.stack(o.stack, s.thread, o.part, func() bundle.Context { return l.context(s.stack) })
	}
	op := machine.Operation{
		Begin: o.begin, End: o.end, Verb: o.verb, Bytes: o.bytes, Handle: o.handle, Owner: machine.Owner(o.owner),
		Whole: o.whole, Timed: o.timed,
	}
	if err := p.do(op); err != nil {
		return err
	}
	return p.machine.Do(op)
}

// send passes on the pending charges.
func (l *ledger) send() error {
	if len(l.charges) > 0 {
		if err := l.sink.Events(l.charges); err != nil {
			return err
		}
		l.charges = l.charges[:0]
	}
	if len(l.sampled) > 0 {
		if err := l.sink.Samples(l.sampled); err != nil {
			return err
		}
		l.sampled = l.sampled[:0]
	}
	return nil
}

// finish ends the run at end or, if that is later, at the latest event of the run.
func (l *ledger) finish(end int64) error {
	first := trace.NoThread
	for i := range l.calls.threads {
		if th := &l.calls.threads[i]; th.met {
			l.newest = max(l.newest, th.time)
			if first < 0 {
				first = trace.ThreadID(i)
			}
		}
	}
	end = max(end, l.newest)
	if l.unmet = first < 0; l.unmet {
		if l.opts.Intervals == nil {
			return nil // There is no thread that can be charged.
		}
		return l.rest(end)
	}
	for i := range l.calls.threads {
		th, id := &l.calls.threads[i], trace.ThreadID(i)
		l.place(th, id, never)
		th.keep()
		l.answer(th, id, end, -1)
	}
	if len(l.out) > 0 {
		if err := l.sink.Events(l.out); err != nil {
			return err
		}
	}
	if err := l.rest(end); err != nil {
		return err
	}
	for i := range l.owners.list {
		if l.owners.list[i].part >= 0 {
			l.forget(machine.Owner(i))
		}
	}
	for _, p := range l.parts {
		p.unknown()
	}
	if l.opts.Rails != nil {
		l.left = l.opts.Rails.left(l.processed)
	}
	nobody := &owner{mark: nobody, thread: first}
	for account, e := range l.unattributed() {
		l.charge(nobody, account, e)
	}
	return l.send()
}

// rest carries out the remaining operations. Then it advances the machines until all components are
// in their base states.
func (l *ledger) rest(end int64) error {
	for l.queue.n > 0 {
		if err := l.perform(l.queue.pop()); err != nil {
			return err
		}
	}
	for _, p := range l.parts {
		if err := p.machine.Finish(end); err != nil {
			return err
		}
		for _, e := range p.ends {
			if err := e.machine.Finish(end); err != nil {
				return err
			}
		}
	}
	return nil
}

// unattributed yields the unattributed energy of each account.
func (l *ledger) unattributed() iter.Seq2[trace.AccountID, units.Energy] {
	return func(yield func(trace.AccountID, units.Energy) bool) {
		for _, p := range l.parts {
			if p.rest != 0 && !yield(p.Account+trace.AccountID(trace.Rest), p.rest) {
				return
			}
		}
		for i, u := range l.left {
			if u.Energy != 0 && !yield(l.others+trace.AccountID(len(l.parts)*accounts+i), u.Energy) {
				return
			}
		}
	}
}
