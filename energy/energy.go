// Package energy assigns energy to the events of a recording.
//
// # Processor
//
// The energy of an event is a processor time multiplied by the power of a running core ([Meter]).
// The processor time is the time since the previous event of the thread. The power comes from a
// power profile ([profile.Read]), a file in which the maker of a phone states the power of each
// component. Android's battery statistics use the same profile, and so does eprof for components
// without power states (Pathak et al., EuroSys 2012, Sections 3 and 4).
//
// If a recording has no thread clock, the elapsed time in which threads may have worked
// (trace.Activity) is used instead. The result gets a warning with the range of its energy.
//
// The energy is modelled. A method trace states neither the core nor its frequency, so the whole
// run uses one power ([profile.Profile.CPU]). Idle power does not count, because it is used whether
// the app runs or not.
//
// # Other components
//
// Other components need a model of the device ([Options].Device). Each component is a state machine
// that operations drive (package machine). An operation is recorded as such, or it is a call of a
// method in a table of triggers (package trigger). The energy of an operation, and of the tail
// after it, belongs to the call that caused the operation. Two kinds of inserted events say so: a
// Mark identifies the call, and a Charge gives it the energy when the machine has finished the
// operation.
//
// These rules decide what is an operation:
//
//   - If trigger calls of one component are nested, only the outermost call is an operation.
//   - If the outer call moves data, a nested call that moves data is a part of it.
//   - The operation of a slice, which is a named section of a trace, lasts as long as the slice. If
//     the slice acquires a component, it holds the component until the slice ends.
//
// Operations are sorted by time in a window of limited size.
//
// # Laws
//
// These laws hold exactly:
//
//   - Conservation: A thread's energy is its time multiplied by the power. It is rounded down to the
//     nanojoule once per thread, not once per event. The energies of a component's states add up to
//     its attributed and unattributed energy.
//   - Order independence: The interleaving of threads does not change the energy of any event.
//   - Bounded memory: Memory is bounded by the open calls, the operations that are open at the same
//     time, and the operations in the window.
//
// A Metered recording must not be scanned concurrently.
package energy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

// Options selects the power model. The zero Options charge nothing.
type Options struct {
	// CPU is the power of a running core. It must not be negative.
	CPU units.Power
	// ThreadClock explains to users how to record with a thread clock. The warning about a missing
	// clock quotes it. It may be empty.
	ThreadClock string
	// Device is the model of the other components. If it is nil, only the processor is charged.
	Device *model.Device
	// Triggers are the methods whose calls use components.
	Triggers *trigger.Table
	// Rails are the measured energies of the recording. If it is nil, nothing is scaled.
	Rails *Rails
	// Policy decides to which calls the energy of tails is charged.
	Policy machine.Policy
	// Bundles enables Metered.Bundles.
	Bundles bool
	// Intervals receives the power-state intervals of each component. component is an index in
	// Device.Components. The energies of the intervals are modelled, not scaled. Intervals must not
	// keep the Interval. It may be nil.
	Intervals func(component int, s *machine.Interval)
}

// Meter returns a recording that adds energy to the events and samples of rec. If rec already has
// energy, or has no clock, it stays unchanged. The returned Trace has the provenance CPUTime,
// WallTime or CycleTime. It has one account, for the use of the component "cpu". With WallTime, it
// has the warning wall-clock-energy.
//
// rec must call trace.Start before its first batch, as decoders do. This is not necessary if rec
// has a thread clock and no energy.
func Meter(rec trace.Recording, o Options) *Metered {
	return &Metered{rec: rec, opts: o}
}

// Metered is a recording that is charged while it is scanned. It must not be scanned
// concurrently.
type Metered struct {
	rec        trace.Recording
	opts       Options
	components []Component
	added      int64
	bundles    *bundle.Set
}

// Scan implements trace.Recording.
func (r *Metered) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	if r.opts.CPU < 0 {
		return nil, fmt.Errorf("computing energy: power of %d µW is negative", r.opts.CPU)
	}
	r.components, r.bundles = nil, nil
	if r.opts.Rails.scales() {
		// A first scan is needed, because the measured energy is known only at the next reading.
		r.opts.Rails.learn(true)
		_, err := r.ahead(ctx)
		r.opts.Rails.learn(false)
		if err != nil {
			return nil, err
		}
	}
	m := newMeter(sink, &r.opts)
	if r.opts.Device != nil && r.opts.Policy == machine.SplitTime {
		first, err := r.ahead(ctx)
		if err != nil {
			return nil, err
		}
		m.first = first.ledger
	}
	out, err := r.scan(ctx, m)
	if err != nil {
		return nil, err
	}
	recorded := out.Events
	switch {
	case m.splitter != nil:
		r.bundles = m.first.book
		r.components = m.first.report(out, m.splitter.threads, out.Marks+1)
	case m.ledger != nil:
		r.bundles = m.ledger.book
		r.components = m.ledger.report(out, m.ledger.calls.threads, len(m.ledger.owners.list))
	}
	r.added = out.Events - recorded
	return out, nil
}

// ahead does an extra scan before the main one. It discards the events, and returns the meter of
// the extra scan.
func (r *Metered) ahead(ctx context.Context) (*meter, error) {
	for {
		m := newMeter(discard{}, &r.opts)
		t, err := r.scan(ctx, m)
		if err != nil {
			return nil, err
		}
		if !t.Again {
			return m, nil
		}
	}
}

// scan scans the recording into a meter.
func (r *Metered) scan(ctx context.Context, m *meter) (*trace.Trace, error) {
	t, err := r.rec.Scan(ctx, m)
	if err != nil {
		return nil, err
	}
	switch {
	case m.splitter != nil:
		err = m.splitter.finish()
	case m.ledger != nil:
		m.ledger.processed = units.Energy(m.total)
		err = m.ledger.finish(int64(t.Elapsed))
	}
	if err != nil {
		return nil, err
	}
	return m.finish(t)
}

// discard is a sink that discards everything.
type discard struct{}

func (discard) Events([]trace.Event) error   { return nil }
func (discard) Samples([]trace.Sample) error { return nil }

// Components returns the components of Options.Device after the last scan, in the order of the
// model. It is nil if no components were charged.
func (r *Metered) Components() []Component { return r.components }

// Bundles returns the bundles of the components in the last scan. It is nil if no components were
// charged or Options.Bundles is not set. The energies of bundles are modelled. They are never
// scaled, although the energies of components may be.
func (r *Metered) Bundles() *bundle.Set { return r.bundles }

// InsertedEvents returns how many events the last scan inserted to identify calls and charge energy
// to them.
func (r *Metered) InsertedEvents() int64 { return r.added }

// source returns what kind of energy a meter adds to a recording that has this clock and this
// energy.
func source(clock trace.Clock, energy trace.Provenance) trace.Provenance {
	switch {
	case energy != trace.NoEnergy:
		return energy
	case clock&trace.Cycles != 0:
		return trace.CycleTime
	case clock&trace.ThreadCPU != 0:
		return trace.CPUTime
	case clock&trace.WallClock != 0:
		return trace.WallTime
	}
	return trace.NoEnergy
}

// A microwatt over perNanojoule nanoseconds is a nanojoule.
const perNanojoule = 1_000_000

// maxSpent bounds the energy of an event, and the energy accumulated before it, in µW·ns. The sum
// of both fits in 64 bits.
const maxSpent = 1 << 62

// A meter is a sink that adds energy to events and passes them on.
type meter struct {
	sink trace.Sink
	opts *Options
	// ledger computes the energy of the components. It is nil if no components are charged.
	ledger *ledger
	// splitter distributes the energies of the previous scan, whose ledger is the field first. Both
	// are nil unless the policy is split time.
	splitter *splitter
	first    *ledger
	// source is the provenance of the energy. charging means that this meter computes it.
	source   trace.Provenance
	charging bool
	power    uint64
	// Shorter events than quick nanoseconds use at most maxSpent, so they need no overflow check.
	quick   uint64
	threads []thread
	// total is the energy of the run. It is at most math.MaxInt64.
	total uint64
	// charged is the energy that this meter charged.
	charged uint64
	// batches counts batches. It is 0 as long as no batch has arrived.
	batches int
}

// thread is the state of a thread.
type thread struct {
	// rest is the fraction of a nanojoule in the thread's energy, in µW·ns. Let T be the thread's
	// time so far. The energy of an event is ⌊P·T⌋ after the event minus ⌊P·T⌋ before it.
	rest uint64
	// time is the moment of the latest event. The first event sets met, and takes no time.
	time int64
	met  bool
}

func newMeter(sink trace.Sink, o *Options) *meter {
	m := &meter{sink: sink, opts: o, source: trace.CPUTime, charging: true, power: uint64(o.CPU), quick: math.MaxInt64}
	if m.power > 0 {
		m.quick = min(m.quick, maxSpent/m.power)
	}
	return m
}

// Start implements trace.StartSink.
func (m *meter) Start(clock trace.Clock, energy trace.Provenance) {
	m.source = source(clock, energy)
	m.charging = energy == trace.NoEnergy && m.source != trace.NoEnergy
	trace.Start(m.sink, clock, m.source)
	if m.opts.Device != nil && m.source.Added() && clock&trace.WallClock != 0 {
		if m.first != nil {
			m.splitter = newSplitter(m.sink, m.first)
			m.splitter.elapsed = m.source == trace.WallTime
			return
		}
		m.ledger = newLedger(m.sink, m.opts, m.accounts())
		m.ledger.elapsed = m.source == trace.WallTime
	}
}

// accounts returns the number of accounts of the processor. The first account is its use. If the
// processor is charged by its frequencies, a second account has the unattributed energy.
func (m *meter) accounts() int {
	if m.charging {
		return 1
	}
	return 2
}

// TakeNames implements trace.NameTaker.
func (m *meter) TakeNames(names trace.Names) {
	if m.ledger != nil {
		m.ledger.calls.names = names
	}
	trace.GiveNames(m.sink, names)
}

// TakeSignals implements trace.SignalTaker.
func (m *meter) TakeSignals() trace.SignalSink {
	signals := trace.Signals(m.sink)
	if m.ledger == nil {
		return signals
	}
	m.ledger.signals, m.ledger.requested = signals, true
	return m.ledger
}

// Events implements trace.Sink.
func (m *meter) Events(batch []trace.Event) error {
	m.batches++
	if m.charging {
		for rest := batch; len(rest) > 0; {
			n, err := m.run(rest)
			if err != nil {
				return err
			}
			rest = rest[n:]
		}
	} else if m.opts.Rails.scales() {
		for i := range batch {
			m.total += uint64(batch[i].Energy)
		}
	}
	switch {
	case m.splitter != nil:
		return m.splitter.events(batch)
	case m.ledger != nil:
		return m.ledger.events(batch)
	}
	return m.sink.Events(batch)
}

// run charges the first events of batch that belong to one thread, and returns their number. It is
// on the hot path of reading a trace. It accumulates the energy over these events, so that an event
// waits only for an addition of the previous event, and not for a division.
func (m *meter) run(batch []trace.Event) (int, error) {
	id, wall := batch[0].Thread, m.source == trace.WallTime
	th, err := m.thread(id)
	if err != nil {
		return 0, err
	}
	if !th.met {
		th.met, th.time = true, batch[0].Time
	}
	power, quick, time := m.power, m.quick, th.time
	spent, before := th.rest, uint64(0) // energy of these events in µW·ns, and in whole nJ before the current event
	n := 0
	for ; n < len(batch) && batch[n].Thread == id && spent < maxSpent; n++ {
		e := &batch[n]
		ns := uint64(e.CPU)
		if wall {
			if ns = uint64(e.Time - time); !e.Activity.Costs() {
				ns = 0
			}
		}
		if ns >= quick {
			if n > 0 {
				break
			}
			th.time = e.Time
			e.Energy, err = m.chargeLong(th, ns)
			return 1, err
		}
		time = e.Time
		spent += power * ns
		after := spent / perNanojoule
		e.Energy = units.Energy(after - before)
		before = after
	}
	th.rest, th.time = spent-before*perNanojoule, time
	m.charged += before
	if m.total += before; m.total > math.MaxInt64 {
		return n, errRange
	}
	return n, nil
}

// Samples implements trace.Sink.
func (m *meter) Samples(batch []trace.Sample) error {
	m.batches++
	if m.charging {
		for i := range batch {
			s := &batch[i]
			ns := s.CPU
			if m.source == trace.WallTime {
				if ns = s.Wall; !s.Activity.Costs() {
					ns = 0
				}
			}
			th, err := m.thread(s.Thread)
			if err == nil {
				s.Energy, err = m.chargeLong(th, uint64(ns))
			}
			if err != nil {
				return err
			}
		}
	}
	switch {
	case m.splitter != nil:
		return m.splitter.samples(batch)
	case m.ledger != nil:
		if err := m.ledger.note(batch); err != nil {
			return err
		}
		if err := m.sink.Samples(batch); err != nil {
			return err
		}
		return m.ledger.proceed()
	}
	return m.sink.Samples(batch)
}

// These are reasons why a recording cannot be charged.
var (
	errRange = errors.New("computing energy: the run uses more than 9.2 GJ, which exceeds the range; " +
		"its times are damaged")
	errLaws = errors.New("computing energy: the recording has a negative time or thread")
)

// thread returns the state of a thread. It creates the state if necessary.
func (m *meter) thread(id trace.ThreadID) (*thread, error) {
	if id < 0 {
		return nil, errLaws
	}
	if n := int(id) + 1; n > len(m.threads) {
		m.threads = slices.Grow(m.threads, n-len(m.threads))[:n]
	}
	return &m.threads[id], nil
}

// chargeLong charges ns nanoseconds to a thread. Unlike run, it accepts any ns.
func (m *meter) chargeLong(th *thread, ns uint64) (units.Energy, error) {
	if ns > math.MaxInt64 {
		return 0, errLaws
	}
	hi, lo := bits.Mul64(m.power, ns)
	lo, carry := bits.Add64(lo, th.rest, 0)
	hi += carry
	if hi >= perNanojoule {
		return 0, errRange
	}
	drained, rest := bits.Div64(hi, lo, perNanojoule)
	if drained > math.MaxInt64-m.total {
		return 0, errRange
	}
	m.total += drained
	m.charged += drained
	th.rest = rest
	return units.Energy(drained), nil
}

// finish returns a charged copy of t.
func (m *meter) finish(t *trace.Trace) (*trace.Trace, error) {
	want := source(t.Clock, t.Energy)
	if want != m.source && m.batches > 0 {
		return nil, fmt.Errorf("computing energy: the energies of events come from %s, but the recording's clock is %s and its energy %s",
			m.source, t.Clock, t.Energy)
	}
	out := *t
	out.Energy = want
	if want != t.Energy {
		out.Accounts = []trace.Account{{Component: "cpu", Provenance: want}}
	}
	if want == trace.WallTime && t.Energy == trace.NoEnergy && m.batches > 0 {
		out.Uncertain = m.uncertain(t)
		out.Warnings = append(slices.Clip(t.Warnings), trace.Warning{Code: Unclocked, Message: m.unclocked(t, out.Uncertain)})
	} else if m.charging && t.Usage.Unknown > 0 {
		out.Uncertain = m.uncertain(t)
	}
	if m.opts.Device != nil && m.ledger == nil && m.splitter == nil {
		out.Warnings = append(slices.Clip(out.Warnings), trace.Warning{Code: "components-unplaced", Message: m.unplaced(t.Unstated)})
	}
	return &out, nil
}
