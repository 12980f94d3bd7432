// Package trace is diffprof's neutral model of a recorded run. Every format is decoded to it, and
// the later stages use only this model.
//
// A run is a set of threads, each a sequence of events in time order. A method trace has [Enter]
// and [Exit] events. The trace of a sampling profiler has stack samples. Events arrive in batches
// at a [Sink], so memory is needed only for the tables of a run, and not for its length. The tables
// ([Trace]) are complete after the scan.
//
// Every event has a moment on the trace's timeline, which starts with the recording.
// [Trace.Timeline] relates it to the machine's clocks. Energy belongs to an [Account] and to the
// innermost call, unless a [Charge] assigns it to another call. A component goes on using energy
// after the call that caused it has ended (the tail of Pathak et al., eprof, EuroSys 2012, Section
// 4.2). A [Mark] remembers such a call, and a [Charge] charges the energy to it later. Data without
// a stack, such as the frequency of a core or the energy of a rail, goes to a [SignalSink], if
// there is one.
//
// A [Recording] keeps these laws, and package tracetest checks them:
//
//   - The events of one thread are in the order in which they happened, so their moments never
//     decrease. An event may arrive after a later event of another thread, by at most [Trace.Skew].
//   - An event's CPU is the processor time since the thread's previous event. It is never negative.
//     A thread's processor time is the sum over its events.
//   - A Charge follows a Mark of the same [Ref], or has NoRef.
//   - Signals and operations are in one order of time. A definition precedes its first use. Nothing
//     is older than a promise of [SignalSink].Until.
//   - Two samples have the same stack id exactly if their stacks are equal.
//   - A method that [Names] returns is equal to the method in the table.
//   - A recording without calls has no Enter and no sample with calls.
//   - Indices are within the tables that Scan returns.
//   - A second scan gives the same events, unless the first one set [Trace.Again].
//
// It is not a law that enters and exits are paired, because recordings begin and end in mid-run.
// Package cct repairs the stacks.
package trace

import (
	"context"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A Recording is a run that can be scanned any number of times. Each scan gives the same events and
// tables, unless the first scan sets [Trace.Again]. Scan blocks until the run is over, the sink
// returns an error or ctx is cancelled. For damaged but usable data it returns a Trace with
// warnings. For unusable data it returns an error.
type Recording interface {
	Scan(ctx context.Context, sink Sink) (*Trace, error)
}

// A Trace describes a run without its events.
type Trace struct {
	// Format is the name of the file format, such as "art".
	Format  string
	Methods []name.Method
	// Unlisted is the number of Methods that stand for undefined ids: the recording uses these ids
	// and does not define them.
	Unlisted int
	// CodeUnits has the lengths of the DEX code of Methods that ran in an interpreter, in units of 16
	// bits. Its indices are indices of Methods, and it may be shorter. A length of 0 is unknown.
	CodeUnits []int32
	Threads   []Thread
	// Processes are indexed by Thread.Process. They are empty if the recording names no process.
	Processes []Process
	// Accounts are indexed by Event.Account and Sample.Account. They are empty if the events have
	// no energy. The first account has the provenance Energy.
	Accounts []Account
	// Events counts the events, or the samples, of all threads.
	Events int64
	Clock  Clock
	// Timeline relates moments of the trace to the machine's clocks, in the order of the
	// moments. It is empty if the recording does not state any.
	Timeline []Reading
	// Tracks are the subjects of signals. They are empty in formats without signals.
	Tracks []Track
	// Skew is the longest time by which an event is earlier than an event of another thread that
	// arrived before it.
	Skew time.Duration
	// Elapsed is the length of the run that the recording states. It is 0 if the recording states
	// none.
	Elapsed time.Duration
	// Bound is the longest time that all threads together can have worked, according to data of the
	// recording other than the threads' times. An example is the number of samples, each for one
	// interval. It is 0 if there are no such records.
	Bound time.Duration
	// Cores is the number of cores that the recording covers. It is 0 if unknown.
	Cores int
	// Unthreaded is set if one Thread may hold the events of several threads. An example is a
	// recording that does not state the threads of its samples.
	Unthreaded bool
	// Again is set if the scan found, at its end, that the times are impossible. Later scans give
	// possible times, so the events of this scan must be dropped.
	Again bool
	// Usage divides the time of the threads by their activity. Package ingest/clock sets it. A
	// decoder of processor time sets Usage.Unknown if any part of that time may be work.
	Usage Usage
	// Uncertain is the energy charged for Usage.Unknown. Without it, the run's energy is a lower
	// bound. Package energy sets it.
	Uncertain units.Energy
	// Device is the recording's name for the device, such as "Google Pixel 4". It may be empty.
	Device string
	// VM is the virtual machine, "art" or "dalvik". It is empty if unknown.
	VM string
	// Technique is the way in which the events were obtained.
	Technique Technique
	// Interval is the median time between samples. It is 0 if there are no samples, or if the time
	// is unknown.
	Interval time.Duration
	// Calls is the meaning of the recording's numbers of calls.
	Calls Calls
	// Paths is set if the recording has paths through methods (see PathSink).
	Paths bool
	// Bursts are times in which the recorder kept all cores busy, so that an external meter can be aligned. They are
	// sorted, on the timeline, and without overlap.
	Bursts []Burst
	// Roots are the methods that represent a process. Entering one is not a call.
	Roots []MethodID
	// Overflow is set if the recorder's buffer was full, so that events were lost.
	Overflow bool
	// Energy is the source of the energies.
	Energy Provenance
	// Unstated is set if the file states numbers without a unit. The numbers are then counted as
	// nanojoules, and must not be reported as energy.
	Unstated bool
	// Flows is the number of hand-overs that Enqueue and Dispatch refer to.
	Flows int
	// Marks is the number of refs that Mark and Charge use.
	Marks int
	// Weight is the unit of Sample.Weight, such as "cycles". It is empty if samples have no weight.
	Weight   string
	Warnings []Warning
}

// A Burst is a time in which the recorder kept all cores busy.
type Burst struct{ Begin, End int64 }

// A Thread is a thread of the run.
type Thread struct {
	// ID is the thread's id in the recording: the system's id, or a number that the recorder chose.
	ID int64
	// Name may be empty.
	Name string
	// Process is an index into Trace.Processes. It is 0 if Processes is empty.
	Process int
	// Events is the number of events or samples of the thread. A thread without events may be
	// listed.
	Events int64
	// CPU is the last thread-clock reading of the thread minus the first. Wall is the same for the
	// wall clock.
	CPU, Wall time.Duration
}

// A Process is a process of the run.
type Process struct {
	// ID is the system's id.
	ID int64
	// Name may be empty.
	Name string
}

// CPU returns the sum of the threads' processor time.
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
