// Package energy puts energy on the events of a recording.
//
// The energy of an event is the processor time that its thread spent since the
// thread's previous event, times the power of a running core ([Meter]). The power
// comes from a power profile ([profile.Read]), the file in which a phone's maker
// states what each component draws: Android's own battery statistics rest on it,
// and so do eprof's figures for components without power states (Pathak et al.,
// EuroSys 2012, Sections 3 and 4). A recording without a thread clock is charged
// for the time that passed, waiting included, and says so.
//
// This is a model. A method trace tells neither the core a thread ran on nor its
// frequency, so that one figure stands for all of the run ([profile.Profile.CPU]). Idle power is not charged,
// because it flows whether the app runs or not.
//
// The other components are charged only by a model of the device ([Options].Device): each
// is a machine of states that operations drive (package machine), and operations are calls
// of methods that a table names (package trigger) or what the recording states itself.
// What an operation drained belongs to the call that asked, with the tail after it; a
// Mark remembers the call, and a Charge follows once the machine has forgotten the operation.
// Of calls of triggers that lie in each other the outermost of a component counts, and a
// call that moves data inside of one that does is a part of it. Operations wait for older
// ones in a window of so many, since the threads' events come in no common order.
//
// Laws that hold exactly:
//
//   - conservation: a thread's energy is its time times the power, rounded down to
//     the nanojoule once and not once an event; the energies of a component's states add
//     up to what its owners have and what is nobody's;
//   - order independence: how threads interleave changes no event's energy;
//   - memory is bounded by the open calls, the operations that are open at a time and those
//     in the window.
//
// Metered recordings may be scanned by one goroutine at a time.
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

// Options say what a device's components draw. The zero Options draw nothing.
type Options struct {
	// CPU is the power of a running core, which must not be negative.
	CPU units.Power
	// ThreadClock says how to record with a thread clock, for the warning where there is
	// none; it may be empty.
	ThreadClock string
	// Device says what the other components draw; nil charges the processor alone.
	Device *model.Device
	// Triggers are the methods that ask something of a component.
	Triggers *trigger.Table
	// Rails are what the recording's signals measured; nil scales nothing.
	Rails *Rails
	// Policy says whose the energy is that components drain while nobody uses them.
	Policy machine.Policy
	// Bundles asks for Metered.Bundles.
	Bundles bool
	// Stays hears what the components do, each by its place in the device, as the model has it; nil if
	// nobody wants to. A stay is the machine's again afterwards.
	Stays func(component int, s *machine.Stay)
}

// Meter returns a recording with the events and samples of rec and their energy. A
// recording that states its energy, and one without any clock, passes unchanged.
// The returned Trace says CPUTime, WallTime or CycleTime, and has one account, the use of the
// component "cpu"; WallTime comes with the warning wall-clock-energy.
//
// rec must call trace.Start before its first batch, as decoders do, unless it has
// a thread clock and no energy of its own.
func Meter(rec trace.Recording, o Options) *Metered {
	return &Metered{rec: rec, opts: o}
}

// Metered is a recording that is charged as it is scanned, by one goroutine at a time.
type Metered struct {
	rec        trace.Recording
	opts       Options
	components []Component
	added      int64
	bundles    *bundle.Book
}

// Scan implements trace.Recording.
func (r *Metered) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	if r.opts.CPU < 0 {
		return nil, fmt.Errorf("charging energy: power of %d µW is negative", r.opts.CPU)
	}
	r.components, r.bundles = nil, nil
	if r.opts.Rails.scales() {
		// What a component drained between two readings is known only behind them.
		r.opts.Rails.learn(true)
		_, err := r.scan(ctx, newMeter(nowhere{}, &r.opts))
		r.opts.Rails.learn(false)
		if err != nil {
			return nil, err
		}
	}
	m := newMeter(sink, &r.opts)
	if r.opts.Device != nil && r.opts.Policy == machine.SplitTime {
		first := newMeter(nowhere{}, &r.opts)
		if _, err := r.scan(ctx, first); err != nil {
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

// nowhere is a sink for what nobody wants.
type nowhere struct{}

func (nowhere) Events([]trace.Event) error   { return nil }
func (nowhere) Samples([]trace.Sample) error { return nil }

// Components returns what the components of Options.Device drained in the last scan, in the
// order of the model; nil if none were charged.
func (r *Metered) Components() []Component { return r.components }

// Bundles returns the bundles of the components in the last scan; nil if none were charged or
// Options.Bundles does not ask for them. Their energies are the model's, even if what was
// measured scales those of the components.
func (r *Metered) Bundles() *bundle.Book { return r.bundles }

// Added is how many of the events of the last scan are marks and charges that the meter put
// among those of the recording.
func (r *Metered) Added() int64 { return r.added }

// source is the provenance that charging gives to a recording with these clocks
// and this energy.
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

// A microwatt held for perNanojoule nanoseconds is a nanojoule.
const perNanojoule = 1_000_000

// maxSpent bounds, in µW·ns, what an event drains and what a run of events has
// drained before one more is added: two of them stay within 64 bits.
const maxSpent = 1 << 62

// A meter is a sink that charges what passes through it.
type meter struct {
	sink trace.Sink
	opts *Options
	// ledger accounts the components; nil if none are charged.
	ledger *ledger
	// splitter shares out what first, the ledger of a scan before, has found; both are nil
	// unless the policy is to split time.
	splitter *splitter
	first    *ledger
	// source is where the energy comes from; charging is set where that is here.
	source   trace.Provenance
	charging bool
	power    uint64
	// quick is a time whose product with power does not pass maxSpent.
	quick   uint64
	threads []thread
	// total is the energy of the run, at most math.MaxInt64.
	total uint64
	// batches counts batches, to tell an empty run.
	batches int
}

// thread is how far a thread has come.
type thread struct {
	// rest is what it has spent below a nanojoule, in units of µW·ns. With it, an
	// event's energy is ⌊P·T⌋ after the event less ⌊P·T⌋ before, T being the
	// thread's time so far.
	rest uint64
	// time is the moment of its latest event; met is set by the first one, which takes
	// no time.
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

// accounts is how many accounts the processor has: its use, and where it is charged by its
// frequencies, what is nobody's.
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
	m.ledger.signals, m.ledger.taken = signals, true
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

// run charges the events that the first one's thread has at the head of batch and
// returns how many they are. It is on the hot path of reading a trace: what is
// spent adds up over the run, so that an event waits for one addition of the event
// before and not for its division.
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
	spent, before := th.rest, uint64(0) // of the run, in µW·ns and in whole nanojoules
	n := 0
	for ; n < len(batch) && batch[n].Thread == id && spent < maxSpent; n++ {
		e := &batch[n]
		ns := uint64(e.CPU)
		if wall {
			ns = uint64(e.Time - time)
		}
		if ns >= quick {
			if n > 0 {
				break
			}
			th.time = e.Time
			e.Energy, err = m.slow(th, ns)
			return 1, err
		}
		time = e.Time
		spent += power * ns
		after := spent / perNanojoule
		e.Energy = units.Energy(after - before)
		before = after
	}
	th.rest, th.time = spent-before*perNanojoule, time
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
				ns = s.Wall
			}
			th, err := m.thread(s.Thread)
			if err == nil {
				s.Energy, err = m.slow(th, uint64(ns))
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
	}
	return m.sink.Samples(batch)
}

// What makes a recording impossible to charge.
var (
	errRange = errors.New("charging energy: the run drains more than 9.2 GJ, the most that can be counted; " +
		"its times are damaged")
	errLaws = errors.New("charging energy: the recording has a negative time or thread")
)

// thread returns what is known of a thread, and makes room for those not met before.
func (m *meter) thread(id trace.ThreadID) (*thread, error) {
	if id < 0 {
		return nil, errLaws
	}
	if n := int(id) + 1; n > len(m.threads) {
		m.threads = slices.Grow(m.threads, n-len(m.threads))[:n]
	}
	return &m.threads[id], nil
}

// slow charges ns nanoseconds to a thread, whatever their size.
func (m *meter) slow(th *thread, ns uint64) (units.Energy, error) {
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
	th.rest = rest
	return units.Energy(drained), nil
}

// finish returns t as charged, in a copy.
func (m *meter) finish(t *trace.Trace) (*trace.Trace, error) {
	want := source(t.Clock, t.Energy)
	if want != m.source && m.batches > 0 {
		return nil, fmt.Errorf("charging energy: the events were charged by %s, but the recording's clock is %s and its energy %s",
			m.source, t.Clock, t.Energy)
	}
	out := *t
	out.Energy = want
	if want != t.Energy {
		out.Accounts = []trace.Account{{Component: "cpu", Provenance: want}}
	}
	if want == trace.WallTime && t.Energy == trace.NoEnergy && m.batches > 0 {
		message := "the recording has no thread clock, so that energy is elapsed time times power, and what is not known as waiting counts as work"
		if m.opts.ThreadClock != "" {
			message += "; " + m.opts.ThreadClock
		}
		out.Warnings = append(slices.Clip(t.Warnings), trace.Warning{Code: "wall-clock-energy", Message: message})
	}
	if m.opts.Device != nil && m.ledger == nil && m.splitter == nil {
		out.Warnings = append(slices.Clip(out.Warnings), trace.Warning{Code: "components-unplaced", Message: m.unplaced(t.Unstated)})
	}
	return &out, nil
}

// unplaced says why no components are charged. Numbers that are unstated are no energy.
func (m *meter) unplaced(unstated bool) string {
	if unstated {
		return "the recording has numbers that are neither energy nor time, so that no component's energy can stand beside them: the power model is not used"
	}
	if !m.source.Added() && m.source != trace.NoEnergy {
		return "the recording states its energy, which may be that of all components, so that the power model is not used"
	}
	return "the recording has no wall clock, so that nobody knows when components were used: only the processor is charged; record with both clocks"
}
