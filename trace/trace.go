// Package trace is diffprof's neutral model of a recorded run: what every
// format is decoded to, and all that the later stages know of it.
//
// A run is a set of threads, each a sequence of events in time order. A method
// trace has [Enter] and [Exit] events; a sampling profiler's has stack samples.
// Either comes in batches to a [Sink], so that a run of any length needs memory
// for its tables only; the tables ([Trace]) are complete once the scan is over.
//
// Laws that a [Recording] keeps, and that [Check] tests:
//
//   - events of one thread are in the order they happened; nothing is said of the
//     order across threads;
//   - an event's CPU and Wall are the time since the thread's previous event,
//     never negative, so that a thread's time is the sum over its events;
//   - method and thread indices lie within the tables that Scan returns;
//   - scanning twice gives the same events.
//
// Whether enters and exits pair up is not a law: recordings begin and end in
// mid-run. Package cct restores what it can.
package trace

import (
	"context"
	"time"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/units"
)

// A MethodID is an index into Trace.Methods.
type MethodID int32

// A ThreadID is an index into Trace.Threads. It is not the system's thread id.
type ThreadID int32

// Kind says what an Event is.
type Kind uint8

// The kinds of event.
const (
	// Enter is a call of Method.
	Enter Kind = iota
	// Exit is a return from Method, ordinary or by an exception.
	Exit
	// Enqueue hands work over: Method holds the number of the Flow.
	Enqueue
	// Dispatch marks that the innermost open call of the thread is the one that
	// carries out the Flow numbered by Method.
	Dispatch
)

// An Event is one thing that a thread did.
type Event struct {
	// CPU is the processor time the thread spent since its previous event, in
	// nanoseconds; 0 where the recording has no thread clock.
	CPU int64
	// Wall is the time that passed since the thread's previous event, in
	// nanoseconds; 0 where the recording has no wall clock.
	Wall int64
	// Energy is what the thread drained since its previous event. A decoder
	// leaves it 0 unless its format carries energy; package energy fills it in.
	Energy units.Energy
	Method MethodID
	Thread ThreadID
	Kind   Kind
}

// A Sample is a stack that was seen, and what is charged to its innermost frame.
type Sample struct {
	Thread ThreadID
	// Stack is outermost first. It belongs to the decoder after the Sink returns.
	Stack  []MethodID
	CPU    int64 // nanoseconds
	Wall   int64 // nanoseconds
	Energy units.Energy
	// Calls is how many calls of the innermost frame the sample stands for; 0
	// where the format counts samples and not calls.
	Calls int64
}

// A Sink takes a run's events. A batch is the sink's to change until the method
// returns, and the decoder's after. An error ends the scan.
type Sink interface {
	Events(batch []Event) error
	Samples(batch []Sample) error
}

// A StartSink is a Sink that has to know before the first batch what no single
// event tells: package energy charges elapsed time where there is no thread
// clock, and nothing where the input states its energy.
type StartSink interface {
	Sink
	// Start is called once a scan, before the first batch.
	Start(clock Clock, energy Provenance)
}

// Start tells sink what the coming events carry, if it asks. Every decoder calls
// it once a scan, as soon as it knows its clocks and before its first batch, with
// the values that the Trace will have. A sink that hands batches on to another
// calls it for that one.
func Start(sink Sink, clock Clock, energy Provenance) {
	if s, ok := sink.(StartSink); ok {
		s.Start(clock, energy)
	}
}

// A Recording is a run that can be scanned any number of times, each time with
// the same events and tables. Scan blocks until the run is over, the sink returns
// an error or ctx is cancelled. It returns a Trace for damaged but usable data,
// with warnings, and an error where nothing can be told.
type Recording interface {
	Scan(ctx context.Context, sink Sink) (*Trace, error)
}

// A Trace is what is known of a run beside its events.
type Trace struct {
	// Format names the format it was read from, such as "art".
	Format  string
	Methods []name.Method
	// Unlisted is how many of Methods stand for ids that the recording uses and
	// does not explain.
	Unlisted int
	Threads  []Thread
	// Events counts the events, or the samples, of all threads.
	Events int64
	Clock  Clock
	// Elapsed is the length of the run as the recording states it, 0 if it does
	// not.
	Elapsed time.Duration
	// VM is the virtual machine, "art" or "dalvik", empty if unknown.
	VM string
	// Technique says how the events came about.
	Technique Technique
	// Overflow is set where the recorder ran out of buffer and lost events.
	Overflow bool
	// Energy says where energy comes from.
	Energy Provenance
	// Flows counts the hand-overs that Enqueue and Dispatch number.
	Flows    int
	Warnings []Warning
}

// A Thread is a thread of the run.
type Thread struct {
	// ID is the id that the recording gives it: the system's, or a number of the
	// recorder's own.
	ID int64
	// Name may be empty.
	Name string
	// Events counts its events or samples. Threads without any may be listed.
	Events int64
	// CPU is its last thread-clock reading minus its first, Wall the same of the
	// wall clock.
	CPU, Wall time.Duration
}

// CPU is the sum of the threads' processor time.
func (t *Trace) CPU() time.Duration {
	var sum time.Duration
	for _, th := range t.Threads {
		sum += th.CPU
	}
	return sum
}

// Active counts the threads that have events.
func (t *Trace) Active() int {
	n := 0
	for _, th := range t.Threads {
		if th.Events > 0 {
			n++
		}
	}
	return n
}

// Clock says which clocks a recording has.
type Clock uint8

// The clocks, as a set.
const (
	ThreadCPU Clock = 1 << iota
	WallClock
)

// String names the clock as a reader would: "thread-cpu", "wall", "dual", "none".
func (c Clock) String() string {
	switch c {
	case ThreadCPU:
		return "thread-cpu"
	case WallClock:
		return "wall"
	case ThreadCPU | WallClock:
		return "dual"
	}
	return "none"
}

// Technique says how a recording's events came about.
type Technique uint8

// The techniques. Sampled recordings miss short calls, and their call counts
// count samples in a row rather than calls.
const (
	UnknownTechnique Technique = iota
	Instrumented
	Sampled
)

// String names the technique: "instrumented", "sampled", "unknown".
func (t Technique) String() string {
	switch t {
	case Instrumented:
		return "instrumented"
	case Sampled:
		return "sampled"
	}
	return "unknown"
}

// Provenance says where a figure of energy comes from, so that a modelled figure
// is never shown as a measured one.
type Provenance uint8

// The provenances.
const (
	// NoEnergy: nothing has charged the events yet.
	NoEnergy Provenance = iota
	// Given: the input states energy, as folded stacks do; how it was got is
	// the input's affair.
	Given
	// CPUTime: processor time times the active power of a power profile.
	CPUTime
	// WallTime: as CPUTime with elapsed time in place of processor time, since
	// the recording has no thread clock. Waiting counts as work.
	WallTime
)

// String names the provenance: "none", "given", "cpu-time", "wall-time".
func (p Provenance) String() string {
	switch p {
	case Given:
		return "given"
	case CPUTime:
		return "cpu-time"
	case WallTime:
		return "wall-time"
	}
	return "none"
}

// A Warning tells of data that is imperfect but usable.
type Warning struct {
	// Code is stable and made for programs: lower case, words joined by '-'.
	Code string
	// Message is one sentence made for people, with counts.
	Message string
}
