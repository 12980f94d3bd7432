// Package trace is diffprof's format-independent model of a recorded run. Every format is decoded
// to it, and the later stages use only this model.
//
// A run is a set of threads, each a sequence of events in time order. A method trace has [Enter]
// and [Exit] events. The trace of a sampling profiler has stack samples. Events arrive in batches
// at a [Sink], so that a sink needs memory only for the tables of a run, and not for its length. The
// tables ([Trace]) are complete after the scan.
//
// Every event has a time on the trace's timeline, which starts with the recording. [Trace.Timeline]
// relates the timeline to the machine's clocks.
//
// Energy belongs to an [Account], and to the innermost call of a thread unless a [Charge]
// attributes it to another call. A component can go on using energy after the call that caused it
// has ended (the tail of Pathak et al., eprof, EuroSys 2012, Section 4.2). A [Mark] remembers such
// a call, and a later [Charge] attributes the energy to it.
//
// Data without a stack, such as the frequency of a core or the energy of a power rail, goes to a
// [SignalSink] if the sink has one.
//
// A [Recording] keeps these laws, and package tracetest checks them:
//
//   - The events of one thread arrive in the order in which they happened, so their times never
//     decrease. An event may arrive after a later event of another thread, by at most [Trace.Skew].
//   - An event's CPU is the processor time since the thread's previous event. It is never negative.
//     A thread's processor time is the sum over its events.
//   - A Charge follows a Mark with the same [Ref], or has NoRef.
//   - Signals and operations are in time order. A definition precedes its first use. Nothing is older
//     than an earlier promise of [SignalSink].Until.
//   - Two samples have the same stack id exactly if their stacks are equal.
//   - A method that [Names] returns is equal to the method in the table.
//   - A recording with [NoCalls] has no Enter and no sample with calls.
//   - Indices are within the tables that Scan returns.
//   - A second scan gives the same events, unless the first one set [Trace.Again].
//
// Enters and exits need not be paired, because recordings begin and end in mid-run. Package cct
// repairs the stacks.
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
	// Unlisted is the number of Methods that the recording refers to by id but does not define.
	Unlisted int
	// CodeUnits has, for each of Methods that ran in an interpreter, the length of its DEX code in
	// 16-bit units. The slice may be shorter than Methods. A length of 0 is unknown.
	CodeUnits []int32
	Threads   []Thread
	// Processes are indexed by Thread.Process. They are empty if the recording names no process.
	Processes []Process
	// Accounts are indexed by Event.Account and Sample.Account. They are empty if the events have
	// no energy. The Provenance of the first account equals Energy.
	Accounts []Account
	// Events counts the events, or the samples, of all threads.
	Events int64
	Clock  Clock
	// Timeline relates the trace's timeline to the machine's clocks, in time order. It is empty if
	// the recording does not state any clock value.
	Timeline []Reading
	// Tracks are the subjects of signals. They are empty in formats without signals.
	Tracks []Track
	// Skew limits the disorder between threads. An event may arrive after another thread's event,
	// although it happened earlier, by at most Skew.
	Skew time.Duration
	// Elapsed is the length of the run as the recording states it. It is 0 if the recording does
	// not.
	Elapsed time.Duration
	// Bound is an upper bound of the time that all threads together worked. It comes from data
	// other than the threads' times, such as the number of samples times the sampling interval. It
	// is 0 if the recording has no such data.
	Bound time.Duration
	// Unsampled is processor time that was measured but has no samples. It is divided among the
	// samples of the same threads, although other code may have used it.
	Unsampled time.Duration
	// Cores is the number of cores that the recording covers. It is 0 if unknown.
	Cores int
	// Unthreaded is set if one Thread may hold the events of several threads. An example is a
	// recording that does not state the threads of its samples.
	Unthreaded bool
	// Again is set if the scan found, at its end, that the recorded times are impossible. The
	// events of this scan must then be dropped. Later scans give corrected times.
	Again bool
	// Usage splits the time of the threads by activity. Package ingest/clock sets it. A decoder
	// sets Usage.Unknown itself for processor time that is perhaps not work.
	Usage Usage
	// Uncertain is the energy of the time in Usage.Unknown. The run's energy minus Uncertain is a
	// lower bound. Package energy sets it.
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
	// Frequency is the frequency by which cycles became processor times. It is 0 for other clocks.
	Frequency units.Frequency
	// Calls states how the call counts were obtained.
	Calls Calls
	// Paths is set if the recording has paths through methods (see PathSink).
	Paths bool
	// Bursts are times in which the recorder kept all cores busy, so that an external meter's
	// readings can be aligned. They are sorted and do not overlap.
	Bursts []Burst
	// Roots are the methods that represent a process. Entering one is not a call.
	Roots []MethodID
	// Overflow is set if the recorder's buffer was full and events were lost.
	Overflow bool
	// Energy states how the energies were obtained.
	Energy Provenance
	// Unstated is set if the file has numbers without a unit. They are stored as nanojoules, but
	// must not be reported as energy.
	Unstated bool
	// Flows is the number of hand-overs. The Ref of an Enqueue or a Dispatch is less than Flows.
	Flows int
	// Marks is the number of remembered calls. The Ref of a Mark or a Charge is less than Marks.
	Marks int
	// Mode is "user" or "kernel" if the recorder counted only in that mode of the processor, and ""
	// otherwise.
	Mode string
	// Weight is the unit of Sample.Weight, such as "cycles". It is empty if samples have no weight.
	Weight string
	// Dependencies maps packages of other modules than the program's own to the names of their
	// modules, as far as the recording shows it. Packages are scopes of methods.
	Dependencies map[string]string
	Warnings     []Warning
}

// A Burst is a time in which the recorder kept all cores busy. Begin and End are nanoseconds on the
// trace's timeline.
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
	// CPU and Wall are the last reading minus the first reading of the thread clock and of the wall
	// clock.
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
