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
// This is a model. It knows the processor only: what screen, radio, GPS and GPU draw
// is nobody's. A method trace tells neither the core a thread ran on nor its
// frequency, so that one figure stands for all of the run ([profile.Profile.CPU]). Idle
// power is not charged, because it flows whether the app runs or not.
//
// Two laws hold exactly:
//
//   - conservation: a thread's energy is its time times the power, rounded down to
//     the nanojoule once and not once an event;
//   - order independence: how threads interleave changes no event's energy.
//
// Metered recordings are safe for concurrent use where the recording below is.
package energy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Options say what a device's components draw. The zero Options draw nothing.
type Options struct {
	// CPU is the power of a running core, which must not be negative.
	CPU units.Power
	// ThreadClock says how to record with a thread clock, for the warning where there is
	// none; it may be empty.
	ThreadClock string
}

// Meter returns a recording with the events and samples of rec and their energy. A
// recording that states its energy, and one without any clock, passes unchanged.
// The returned Trace says CPUTime, WallTime or CycleTime, and has one account, the use of the
// component "cpu"; WallTime comes with the warning wall-clock-energy.
//
// rec must call trace.Start before its first batch, as decoders do, unless it has
// a thread clock and no energy of its own.
func Meter(rec trace.Recording, o Options) trace.Recording {
	return metered{rec, o}
}

type metered struct {
	rec  trace.Recording
	opts Options
}

// Scan implements trace.Recording.
func (r metered) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	if r.opts.CPU < 0 {
		return nil, fmt.Errorf("charging energy: power of %d µW is negative", r.opts.CPU)
	}
	m := newMeter(sink, r.opts.CPU)
	t, err := r.rec.Scan(ctx, m)
	if err != nil {
		return nil, err
	}
	return m.finish(t, r.opts.ThreadClock)
}

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

func newMeter(sink trace.Sink, power units.Power) *meter {
	m := &meter{sink: sink, source: trace.CPUTime, charging: true, power: uint64(power), quick: math.MaxInt64}
	if power > 0 {
		m.quick = min(m.quick, maxSpent/m.power)
	}
	return m
}

// Start implements trace.StartSink.
func (m *meter) Start(clock trace.Clock, energy trace.Provenance) {
	m.source = source(clock, energy)
	m.charging = energy == trace.NoEnergy && m.source != trace.NoEnergy
	trace.Start(m.sink, clock, m.source)
}

// TakeNames implements trace.NameTaker.
func (m *meter) TakeNames(names trace.Names) { trace.GiveNames(m.sink, names) }

// TakeSignals implements trace.SignalTaker: signals pass unchanged.
func (m *meter) TakeSignals() trace.SignalSink { return trace.Signals(m.sink) }

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

// finish returns t as charged, in a copy; advice says how to record with a thread clock.
func (m *meter) finish(t *trace.Trace, advice string) (*trace.Trace, error) {
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
		if advice != "" {
			message += "; " + advice
		}
		out.Warnings = append(slices.Clip(t.Warnings), trace.Warning{Code: "wall-clock-energy", Message: message})
	}
	return &out, nil
}
