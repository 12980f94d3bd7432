// Package clock decides which time of a recording uses energy. No other package makes this
// decision. [Rule.Scan] applies it to the recordings of all formats.
//
// # The rule
//
//   - Processor time is work. If a recording has processor time, no other time uses energy.
//   - Otherwise it depends on what the thread did ([trace.Activity]). Time that the recording marks as
//     waiting uses no energy. Time that the recording does not cover, such as the time between the
//     slices of a system trace, uses no energy and belongs to no method.
//   - If the recording does not state what a thread did, the thread's innermost method decides. A
//     method that only waits ([platform.Platform.Waits]) uses no energy. Nor do native functions that
//     such a method calls.
//   - The remaining time is unknown. The thread worked for all, some or none of it, so its energy is
//     a range.
//   - A thread cannot work longer than the elapsed time. All threads together cannot work longer than
//     the cores allow, or than other data of the recording allows ([trace.Trace.Bound]). A recording
//     with more work is damaged. Its times are lowered to possible times, count as unknown, and get a
//     warning.
//
// # Repeated scans
//
// Some formats name methods only at the end of a recording. If such a recording has only elapsed
// time, its first scan reads it twice. Other formats give the names first ([trace.GiveFirstNames]).
//
// Whether the times are possible is known at the end of a scan. If they are not, the scan sets
// [trace.Trace.Again], and all later scans give the lowered times.
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

// A Rule applies the package's rule to all scans of one recording. It may be used concurrently.
type Rule struct {
	// kinds has the kind of each method, by method id. It is nil until a scan needs it.
	kinds atomic.Pointer[[]kind]
	// bound lowers impossible times. It is nil until a scan finds such times.
	bound atomic.Pointer[bound]
}

// A Decode sends the events or samples of a recording to a sink.
type Decode func(ctx context.Context, sink trace.Sink) (*trace.Trace, error)

// Scan decodes a recording for sink. It sets what the threads did at each time (Activity) and the
// totals (Trace.Usage). It may call decode twice.
func (r *Rule) Scan(ctx context.Context, decode Decode, sink trace.Sink) (*trace.Trace, error) {
	bound := r.bound.Load()
	m := newMarker(sink, r.kinds.Load(), bound)
	t, err := decode(ctx, m)
	if err == nil && m.unnamed {
		kinds := kindsOf(t)
		r.kinds.Store(&kinds)
		m = newMarker(sink, &kinds, bound)
		t, err = decode(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	if t.Usage = divide(t); m.elapsed {
		t.Usage = m.usage
	}
	if bound != nil {
		bound.finish(t)
		return t, nil
	}
	if bound = newBound(t, m.worked(t)); bound != nil {
		r.bound.Store(bound)
		t.Warnings, t.Again = append(t.Warnings, bound.warning), true
	}
	return t, nil
}

// worked returns the time in which each thread used energy. For calls with only elapsed time, it
// returns zeros: their times are differences of timestamps and so cannot exceed the recording's
// length.
func (m *marker) worked(t *trace.Trace) []time.Duration {
	worked := make([]time.Duration, len(t.Threads))
	for i := range worked {
		switch {
		case !m.elapsed:
			worked[i] = t.Threads[i].CPU
		case i < len(m.charged):
			worked[i] = time.Duration(m.charged[i])
		}
	}
	return worked
}

// A kind states what a thread does while a method is innermost on its stack.
type kind uint8

// The kinds of methods. A native function may be the implementation of a managed method that only
// waits, so its callers decide.
const (
	works kind = iota
	native
	waits
)

// kindsOf returns the kinds of the methods of a recording.
func kindsOf(t *trace.Trace) []kind {
	kinds := make([]kind, len(t.Methods))
	for i, m := range t.Methods {
		kinds[i] = kindOf(m)
	}
	return kinds
}

// kindOf returns the kind of a method.
func kindOf(m name.Method) kind {
	switch {
	case new(platform.Platform).Waits(m):
		return waits
	case m.Lang == name.Native || m.Lang == name.CPP || m.Lang == name.Unknown:
		return native
	}
	return works
}

// divide returns the Usage of a recording with processor times. The decoder has set t.Usage.Unknown
// to the processor time that it could not classify.
func divide(t *trace.Trace) trace.Usage {
	u := trace.Usage{Unknown: min(t.Usage.Unknown, t.CPU())}
	u.Working = t.CPU() - u.Unknown
	if t.Clock&trace.WallClock != 0 {
		for _, th := range t.Threads {
			if th.Wall > th.CPU {
				u.Waiting = add(u.Waiting, int64(th.Wall-th.CPU))
			}
		}
	}
	return u
}

// add adds ns nanoseconds to a duration. If the sum overflows, it returns the largest duration.
func add(d time.Duration, ns int64) time.Duration {
	ns = max(ns, 0)
	return d + time.Duration(min(ns, math.MaxInt64-int64(d)))
}

// A marker sets the activities of elapsed time, such as working or waiting. It forwards all input
// to another sink.
type marker struct {
	sink  trace.Sink
	kinds *[]kind
	// names looks up methods that are not in kinds. It is nil unless the recording gave names
	// before its events.
	names trace.Names
	// elapsed is set if elapsed time uses energy. unnamed is set while it is not known which
	// methods wait. The marker then forwards nothing, and the scan must be repeated.
	elapsed, unnamed bool
	usage            trace.Usage
	threads          []thread
	// charged sums, for each thread, the elapsed time of the samples that use energy.
	charged []int64
	// bound lowers impossible times. It is nil if there are none. stated has each thread's time so
	// far, before it is lowered.
	bound  *bound
	stated []int64
}

// A thread is the state of a thread in a recording of calls.
type thread struct {
	open []trace.MethodID
	time int64
	met  bool
}

func newMarker(sink trace.Sink, kinds *[]kind, bound *bound) *marker {
	m := &marker{sink: sink, kinds: kinds, bound: bound}
	if bound != nil {
		m.stated = make([]int64, len(bound.threads))
	}
	return m
}

// TakeFirstNames implements trace.FirstNameTaker.
func (m *marker) TakeFirstNames(names trace.Names) {
	if m.kinds == nil {
		m.kinds, m.names = new([]kind), names
	}
	trace.GiveFirstNames(m.sink, names)
}

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

// TakePaths implements trace.PathTaker.
func (m *marker) TakePaths() trace.PathSink {
	if m.unnamed {
		return nil
	}
	return trace.Paths(m.sink)
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
	case m.bound != nil:
		for i := range batch {
			e := &batch[i]
			if s, ok := m.bound.thread(e.Thread); ok {
				e.CPU = s.lower(&m.stated[e.Thread], e.CPU)
			}
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
			m.sample(s)
		}
	case m.bound != nil:
		for i := range batch {
			s := &batch[i]
			if lower, ok := m.bound.thread(s.Thread); ok {
				s.CPU = lower.lower(&m.stated[s.Thread], s.CPU)
			}
		}
	}
	return m.sink.Samples(batch)
}

// sample counts the elapsed time of a sample. If the thread's time is impossible, it lowers the
// sample's time.
func (m *marker) sample(s *trace.Sample) {
	if s.Activity.Costs() && s.Thread >= 0 {
		if lower, ok := m.bound.thread(s.Thread); ok {
			s.Wall, s.Activity = lower.lower(&m.stated[s.Thread], s.Wall), trace.UnknownActivity
		}
		for int(s.Thread) >= len(m.charged) {
			m.charged = append(m.charged, 0)
		}
		m.charged[s.Thread] = int64(add(time.Duration(m.charged[s.Thread]), s.Wall))
	}
	m.count(s.Activity, s.Wall)
}

// event sets the activity of an event. It tracks the open calls of the event's thread by the same
// rules as package cct.
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

// isWaiting reports whether a thread with this stack, outermost first, only waits. It looks at the
// innermost method that is not native.
func (m *marker) isWaiting(stack []trace.MethodID) bool {
	for _, id := range slices.Backward(stack) {
		if k := m.kind(id); k != native {
			return k == waits
		}
	}
	return false
}

// kind returns the kind of a method.
func (m *marker) kind(id trace.MethodID) kind {
	if id < 0 {
		return works
	}
	for m.names != nil && int(id) >= len(*m.kinds) {
		method, known := m.names(trace.MethodID(len(*m.kinds)))
		if !known {
			return works
		}
		*m.kinds = append(*m.kinds, kindOf(method))
	}
	if int(id) >= len(*m.kinds) {
		return works
	}
	return (*m.kinds)[id]
}

// count adds elapsed time to the total of its activity.
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
