// Package energy puts energy on the events of a recording.
//
// The energy of an event is the processor time that its thread spent since the
// thread's previous event, times the power of a running core ([Charge]). The power
// comes from a power profile ([ReadProfile]), the file in which a phone's maker
// states what each component draws: Android's own battery statistics rest on it,
// and so do eprof's figures for components without power states (Pathak et al.,
// EuroSys 2012, Sections 3 and 4). A recording without a thread clock is charged
// for the time that passed, waiting included, and says so.
//
// This is a model. It knows the processor only: what screen, radio, GPS and GPU draw
// is nobody's. A method trace tells neither the core a thread ran on nor its
// frequency, so that one figure stands for all of the run ([Profile.CPU]). Idle
// power is not charged, because it flows whether the app runs or not.
//
// Two laws hold exactly:
//
//   - conservation: a thread's energy is its time times the power, rounded down to
//     the nanojoule once and not once an event;
//   - order independence: how threads interleave changes no event's energy.
//
// Profiles are immutable and safe for concurrent use, and so are charged
// recordings where the recording below is.
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

// Charge returns a recording with the events and samples of rec, charged at power
// for a running core, which must not be negative. A recording that states its
// energy, and one without any clock, passes unchanged. The returned Trace says CPUTime or
// WallTime; the latter comes with the warning wall-clock-energy.
//
// rec must call trace.Start before its first batch, as decoders do, unless it has
// a thread clock and no energy of its own.
func Charge(rec trace.Recording, power units.Power) trace.Recording {
	return charged{rec, power}
}

type charged struct {
	rec   trace.Recording
	power units.Power
}

// Scan implements trace.Recording.
func (c charged) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	if c.power < 0 {
		return nil, fmt.Errorf("charging energy: power of %d µW is negative", c.power)
	}
	m := newMeter(sink, c.power)
	t, err := c.rec.Scan(ctx, m)
	if err != nil {
		return nil, err
	}
	return m.finish(t)
}

// source is the provenance that charging gives to a recording with these clocks
// and this energy.
func source(clock trace.Clock, energy trace.Provenance) trace.Provenance {
	switch {
	case energy != trace.NoEnergy:
		return energy
	case clock&trace.ThreadCPU != 0:
		return trace.CPUTime
	case clock&trace.WallClock != 0:
		return trace.WallTime
	}
	return trace.NoEnergy
}

// A microwatt held for perNanojoule nanoseconds is a nanojoule.
const perNanojoule = 1_000_000

// A meter is a sink that charges what passes through it.
type meter struct {
	sink trace.Sink
	// source is where the energy comes from; charging is set where that is here.
	source   trace.Provenance
	charging bool
	power    uint64
	// quick is the longest time whose product with power, and a rest added,
	// stays within 64 bits.
	quick uint64
	// rest is what each thread has spent below a nanojoule, in units of
	// µW·ns. With it, an event's energy is ⌊P·T⌋ after the event less ⌊P·T⌋ before,
	// T being the thread's time so far.
	rest []uint64
	// total is the energy of the run, at most math.MaxInt64.
	total uint64
	// batches counts batches, to tell an empty run.
	batches int
}

func newMeter(sink trace.Sink, power units.Power) *meter {
	m := &meter{sink: sink, source: trace.CPUTime, charging: true, power: uint64(power), quick: math.MaxInt64}
	if power > 0 {
		m.quick = min(m.quick, (math.MaxUint64-perNanojoule)/m.power)
	}
	return m
}

// Start implements trace.StartSink.
func (m *meter) Start(clock trace.Clock, energy trace.Provenance) {
	m.source = source(clock, energy)
	m.charging = energy == trace.NoEnergy && m.source != trace.NoEnergy
	trace.Start(m.sink, clock, m.source)
}

// Events implements trace.Sink. The loop is the hot path of reading a trace: it
// has one multiplication, one division by a constant, which compiles to another
// multiplication, and branches that are never taken but in absurd recordings.
func (m *meter) Events(batch []trace.Event) error {
	m.batches++
	if m.charging {
		wall := m.source == trace.WallTime
		power, quick, total, rest := m.power, m.quick, m.total, m.rest
		for i := range batch {
			e := &batch[i]
			ns := uint64(e.CPU)
			if wall {
				ns = uint64(e.Wall)
			}
			if uint(e.Thread) >= uint(len(rest)) || ns > quick {
				m.total = total
				drained, err := m.slow(e.Thread, ns)
				if err != nil {
					return err
				}
				e.Energy = drained
				rest, total = m.rest, m.total
				continue
			}
			spent := power*ns + rest[e.Thread]
			drained := spent / perNanojoule
			rest[e.Thread] = spent - drained*perNanojoule
			e.Energy = units.Energy(drained)
			if total += drained; total > math.MaxInt64 {
				return errRange
			}
		}
		m.total = total
	}
	return m.sink.Events(batch)
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
			var err error
			if s.Energy, err = m.slow(s.Thread, uint64(ns)); err != nil {
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

// slow charges ns nanoseconds to a thread, whatever their size. It makes room for
// threads that it has not met.
func (m *meter) slow(thread trace.ThreadID, ns uint64) (units.Energy, error) {
	if thread < 0 || ns > math.MaxInt64 {
		return 0, errLaws
	}
	if n := int(thread) + 1; n > len(m.rest) {
		m.rest = slices.Grow(m.rest, n-len(m.rest))[:n]
	}
	hi, lo := bits.Mul64(m.power, ns)
	lo, carry := bits.Add64(lo, m.rest[thread], 0)
	hi += carry
	if hi >= perNanojoule {
		return 0, errRange
	}
	drained, rest := bits.Div64(hi, lo, perNanojoule)
	if drained > math.MaxInt64-m.total {
		return 0, errRange
	}
	m.total += drained
	m.rest[thread] = rest
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
	if want == trace.WallTime && t.Energy == trace.NoEnergy {
		out.Warnings = append(slices.Clip(t.Warnings), trace.Warning{
			Code: "wall-clock-energy",
			Message: "the recording has no thread clock, so that energy is elapsed time times power and waiting counts as work; " +
				"record with a thread clock (clock=dual or clock=thread-cpu)",
		})
	}
	return &out, nil
}
