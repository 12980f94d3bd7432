// Package trace is diffprof's neutral model of a recorded run: what every
// format is decoded to, and all that the later stages know of it.
//
// A run is a set of threads, each a sequence of events in time order. A method
// trace has [Enter] and [Exit] events; a sampling profiler's has stack samples.
// Either comes in batches to a [Sink], so that a run of any length needs memory
// for its tables only; the tables ([Trace]) are complete once the scan is over.
//
// Every event has a moment on the trace's timeline, which begins with the recording;
// [Trace.Timeline] says what the machine's clocks read then. Energy belongs to an
// [Account], and to the call that was innermost, unless a [Charge] says whose it is:
// a component goes on draining after the call that caused it has ended (the tail of
// Pathak et al., eprof, EuroSys 2012, Section 4.2), so that the call is remembered by
// a [Mark] and charged later. What no stack explains, such as the frequency of a core or
// the drain of a rail, goes to a [SignalSink] if there is one.
//
// Laws that a [Recording] keeps, and that package tracetest tests:
//
//   - events of one thread are in the order they happened: their moments never
//     run backwards. Between threads, an event may come after a later one of
//     another thread, by no more than [Trace.Skew];
//   - an event's CPU is the time since the thread's previous event and never
//     negative, so that a thread's processor time is the sum over its events;
//   - a Charge comes after a Mark of the same [Ref], or has none;
//   - signals and operations are in one order of time, a definition comes before its
//     first use, and nothing is older than a promise of [SignalSink].Until;
//   - samples with equal stack ids have equal stacks, samples with different ids
//     different ones;
//   - what [Names] says of a method, once it knows it, is what the table says;
//   - a recording without calls has no Enter and no sample with calls;
//   - indices lie within the tables that Scan returns;
//   - scanning twice gives the same events.
//
// Whether enters and exits pair up is not a law: recordings begin and end in
// mid-run. Package cct restores what it can.
package trace

import (
	"context"
	"time"

	"github.com/diffprof/diffprof/code/name"
)

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
	// Processes are what Thread.Process points into; empty if the recording names
	// none.
	Processes []Process
	// Accounts are what Event.Account and Sample.Account point into; empty where
	// nothing has charged the events. The first is of the provenance Energy.
	Accounts []Account
	// Events counts the events, or the samples, of all threads.
	Events int64
	Clock  Clock
	// Timeline pairs moments of the trace with what the machine's clocks read then,
	// in the order of the moments; empty if the recording does not say.
	Timeline []Reading
	// Tracks are what signals are about; empty in formats without signals.
	Tracks []Track
	// Skew is the most by which an event comes after a later one of another thread.
	Skew time.Duration
	// Elapsed is the length of the run as the recording states it, 0 if it does
	// not.
	Elapsed time.Duration
	// Device is what was recorded, as the recording calls it, such as "Google Pixel 4"; empty
	// if it does not say.
	Device string
	// VM is the virtual machine, "art" or "dalvik", empty if unknown.
	VM string
	// Technique says how the events came about.
	Technique Technique
	// Interval is the median time between samples; 0 where none were taken or nobody
	// knows.
	Interval time.Duration
	// Calls says what the numbers of calls are that the events add up to.
	Calls Calls
	// Overflow is set where the recorder ran out of buffer and lost events.
	Overflow bool
	// Energy says where energy comes from.
	Energy Provenance
	// Unstated is set where the file states numbers and not their unit. They are taken
	// for nanojoules, and are no energy to anybody who reads of them.
	Unstated bool
	// Flows counts the hand-overs that Enqueue and Dispatch number.
	Flows int
	// Marks counts the refs that Mark and Charge number.
	Marks int
	// Weight is the unit of Sample.Weight, such as "cycles"; empty if samples have
	// none.
	Weight   string
	Warnings []Warning
}

// A Thread is a thread of the run.
type Thread struct {
	// ID is the id that the recording gives it: the system's, or a number of the
	// recorder's own.
	ID int64
	// Name may be empty.
	Name string
	// Process is an index into Trace.Processes, and 0 where that is empty.
	Process int
	// Events counts its events or samples. Threads without any may be listed.
	Events int64
	// CPU is its last thread-clock reading minus its first, Wall the same of the
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
