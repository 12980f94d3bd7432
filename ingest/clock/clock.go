// Package clock decides which time of a recording costs energy. It is the one place for this
// decision: [Scan] applies it to the recordings of all formats.
//
// # The rule
//
//   - Processor time is work. A recording that has it is charged for nothing else.
//   - Otherwise elapsed time is divided by [trace.Activity]. Time that the recording marks as
//     waiting costs nothing. Time that it does not cover, such as the time between the slices
//     of a system trace, costs nothing either and belongs to no method.
//   - If the recording does not state what a thread did, its innermost method decides: a method
//     that only waits ([platform.Platform.Waits]) costs nothing. So do the native functions that
//     it consists of.
//   - The remaining time is unknown. It costs as much as work at most, and nothing at least, so
//     its energy is a range.
//   - No recording works longer than its cores allow within its elapsed time. More is damage,
//     and gets a warning ([Impossible]).
//
// Names of methods may be known only at the end of a recording. A recording with elapsed time
// alone is therefore read twice on its first scan.
package clock

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A Rule applies the rule to the scans of one recording. It may be used concurrently.
type Rule struct {
	// kinds are the kinds of the methods. It is nil until they are needed.
	kinds atomic.Pointer[[]kind]
}

// A Decode sends the events of a recording to sink.
type Decode func(ctx context.Context, sink trace.Sink) (*trace.Trace, error)

// Scan decodes a recording, sets the states of its events, and divides its time in Trace.Usage.
// decode may be called twice.
func (r *Rule) Scan(ctx context.Context, decode Decode, sink trace.Sink) (*trace.Trace, error) {
	m := newMarker(sink, r.kinds.Load())
	t, err := decode(ctx, m)
	if err == nil && m.unnamed {
		kinds := kindsOf(t)
		r.kinds.Store(&kinds)
		m = newMarker(sink, &kinds)
		t, err = decode(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	t.Usage = m.usage
	if !m.elapsed {
		t.Usage = divide(t)
	}
	if w := Impossible(t); w != nil {
		t.Warnings = append(t.Warnings, *w)
	}
	return t, nil
}

// A kind is what the presence of a method on a stack says about the thread.
type kind uint8

// The kinds. Native functions may be the inner part of a managed method that waits.
const (
	works kind = iota
	native
	waits
)

// kindsOf returns the kinds of the methods of a recording.
func kindsOf(t *trace.Trace) []kind {
	kinds := make([]kind, len(t.Methods))
	for i, m := range t.Methods {
		switch {
		case new(platform.Platform).Waits(m):
			kinds[i] = waits
		case m.Lang == name.Native || m.Lang == name.CPP || m.Lang == name.Unknown:
			kinds[i] = native
		}
	}
	return kinds
}

// divide divides the time of a recording with a thread clock.
func divide(t *trace.Trace) trace.Usage {
	u := trace.Usage{Working: t.CPU()}
	if t.Clock&trace.WallClock != 0 {
		for _, th := range t.Threads {
			if th.Wall > th.CPU {
				u.Waiting = add(u.Waiting, int64(th.Wall-th.CPU))
			}
		}
	}
	return u
}

// add adds ns nanoseconds to a duration, up to the largest duration.
func add(d time.Duration, ns int64) time.Duration {
	ns = max(ns, 0)
	return d + time.Duration(min(ns, math.MaxInt64-int64(d)))
}

// A marker is a sink that sets the states of elapsed time, and passes everything on.
type marker struct {
	sink  trace.Sink
	kinds *[]kind
	// elapsed is set if elapsed time is charged. unnamed is set if the scan must be repeated
	// because the waiting methods are unknown; nothing is passed on then.
	elapsed, unnamed bool
	usage            trace.Usage
	threads          []thread
}

// A thread is the state of a thread of calls.
type thread struct {
	open []trace.MethodID
	time int64
	met  bool
}

func newMarker(sink trace.Sink, kinds *[]kind) *marker { return &marker{sink: sink, kinds: kinds} }

// Start implements trace.StartSink.
func (m *marker) Start(clock trace.Clock, energy trace.Provenance) {
	m.elapsed = clock == trace.WallClock && energy == trace.NoEnergy
	if m.unnamed = m.elapsed && m.kinds == nil; !m.unnamed {
		trace.Start(m.sink, clock, energy)
	}
}

// TakeNames implements trace.NameTaker.
func (m *marker) TakeNames(names trace.Names) {
	if !m.unnamed {
		trace.GiveNames(m.sink, names)
	}
}

// TakeSignals implements trace.SignalTaker.
func (m *marker) TakeSignals() trace.SignalSink {
	if m.unnamed {
		return nil
	}
	return trace.Signals(m.sink)
}

// Events implements trace.Sink.
func (m *marker) Events(batch []trace.Event) error {
	switch {
	case m.unnamed:
		return nil
	case m.elapsed:
		for i := range batch {
			m.event(&batch[i])
		}
	}
	return m.sink.Events(batch)
}

// Samples implements trace.Sink.
func (m *marker) Samples(batch []trace.Sample) error {
	switch {
	case m.unnamed:
		return nil
	case m.elapsed:
		for i := range batch {
			s := &batch[i]
			if s.Activity == trace.UnknownActivity && m.isWaiting(s.Stack) {
				s.Activity = trace.Waiting
			}
			m.count(s.Activity, s.Wall)
		}
	}
	return m.sink.Samples(batch)
}

// event sets the state of an event, and follows the calls of its thread by the rules of package
// cct.
func (m *marker) event(e *trace.Event) {
	if e.Thread < 0 {
		return
	}
	for int(e.Thread) >= len(m.threads) {
		m.threads = append(m.threads, thread{})
	}
	th := &m.threads[e.Thread]
	if !th.met {
		th.met, th.time = true, e.Time
	}
	if e.Activity == trace.UnknownActivity && m.isWaiting(th.open) {
		e.Activity = trace.Waiting
	}
	m.count(e.Activity, e.Time-th.time)
	th.time = e.Time
	switch method := trace.MethodID(e.Ref); e.Kind {
	case trace.Enter:
		th.open = append(th.open, method)
	case trace.Exit:
		for i := len(th.open) - 1; i >= 0; i-- {
			if th.open[i] == method {
				th.open = th.open[:i]
				break
			}
		}
	}
}

// isWaiting reports whether a stack, outermost first, only waits: its innermost method does, or a
// method that called nothing except native functions.
func (m *marker) isWaiting(stack []trace.MethodID) bool {
	for _, id := range slices.Backward(stack) {
		if id < 0 || int(id) >= len(*m.kinds) {
			return false
		}
		if k := (*m.kinds)[id]; k != native {
			return k == waits
		}
	}
	return false
}

// count adds elapsed time in a state.
func (m *marker) count(s trace.Activity, ns int64) {
	u := &m.usage
	switch s {
	case trace.Working:
		u.Working = add(u.Working, ns)
	case trace.Waiting:
		u.Waiting = add(u.Waiting, ns)
	case trace.Unrecorded:
		u.Unrecorded = add(u.Unrecorded, ns)
	default:
		u.Unknown = add(u.Unknown, ns)
	}
}
