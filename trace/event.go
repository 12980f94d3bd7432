package trace

import (
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A MethodID is an index into Trace.Methods.
type MethodID int32

// A ThreadID is an index into Trace.Threads. It is not the system's thread id.
type ThreadID int32

// A Ref is what an event refers to: a method, a hand-over (work given to another thread), or a
// remembered call (see Mark). The event's Kind decides which.
type Ref int32

// NoRef is the Ref of a Charge whose energy was not caused by a call.
const NoRef Ref = -1

// Kind is the kind of an Event.
type Kind uint8

// The kinds of event.
const (
	// Enter is a call of the method Ref.
	Enter Kind = iota
	// Exit is the end of a call of the method Ref, by a return or by an exception.
	Exit
	// Enqueue hands work over to another thread. For example, the thread posts a Runnable. Ref is
	// the number of the hand-over.
	Enqueue
	// Dispatch is the start of the work that an Enqueue with the same Ref handed over. From here
	// on, the thread's innermost open call is that work. Its earlier calls are not part of it.
	Dispatch
	// Mark remembers the thread's innermost open call for a later Charge. Ref is the number of the
	// remembered call, counted from 0. A later Mark with the same Ref replaces the call.
	Mark
	// Charge attributes Energy to the call that a Mark remembered under Ref. That call may have
	// ended. With NoRef, the energy belongs to the run as a whole. Only the energy goes there: the
	// time since the thread's previous event belongs to the innermost call, as for all events.
	Charge
)

// An Event is a call, a return or another event of a thread (see Kind).
type Event struct {
	// Time is the moment on the trace's timeline, in nanoseconds and not negative. It is 0 if
	// the recording has no wall clock.
	Time int64
	// CPU is the processor time of the thread since its previous event, in nanoseconds. It is 0
	// if the recording has no thread clock.
	CPU int64
	// Energy is the thread's energy since its previous event. For a Charge it is the energy to
	// attribute. Package energy sets it. A decoder sets it only if its format states energy.
	Energy  units.Energy
	Ref     Ref
	Thread  ThreadID
	Account AccountID
	Kind    Kind
	// Activity is the activity of the thread since its previous event. It is set if the recording
	// has only elapsed time.
	Activity Activity
}

// A StackID identifies a stack within one scan. Two samples have the same id exactly if their
// stacks are equal, so a sink needs to process each stack only once. Ids count up from 1.
type StackID int32

// NoStack is the id of samples whose decoder does not number their stacks.
const NoStack StackID = 0

// A Sample is a stack that a profiler observed. Its time and energy belong to the innermost frame.
type Sample struct {
	// Time is the moment on the trace's timeline, in nanoseconds and not negative. It is 0 if
	// the recording does not state it.
	Time   int64
	Thread ThreadID
	// ID identifies Stack.
	ID StackID
	// Stack has the outermost frame first. The decoder reuses it after the Sink returns.
	Stack []MethodID
	// Lines are the source lines of the frames of Stack. A line of 0 is unknown. A negative value
	// is ^pc, where pc is a position in the frame's DEX code, in 16-bit code units. Lines is empty
	// if all lines are unknown. The decoder reuses Lines after the Sink returns. Samples whose
	// stacks differ only in Lines have the same ID.
	Lines   []int32
	CPU     int64 // nanoseconds
	Wall    int64 // nanoseconds
	Energy  units.Energy
	Account AccountID
	// Activity is the activity of the thread during Wall. It is set if the recording has only
	// elapsed time.
	Activity Activity
	// Weight is the value of the sample in the unit Trace.Weight.
	Weight int64
	// Count is the number of times that the stack was seen. It is 0 if the format does not state
	// it.
	Count int64
	// Calls is the number of calls of the innermost frame that the sample represents. It is 0
	// if the recording does not state it.
	Calls int64
}

// A Sink receives a run's events. A method may change its batch. After the method returns, the
// decoder reuses the batch. An error ends the scan.
type Sink interface {
	Events(batch []Event) error
	Samples(batch []Sample) error
}

// A StartSink is a Sink that must know the recording's clocks and source of energy before the first
// batch. For example, package energy computes energy from elapsed time if there is no thread clock.
type StartSink interface {
	Sink
	// Start is called once per scan, before the first batch.
	Start(clock Clock, energy Provenance)
}

// Start calls sink.Start if sink is a StartSink. A decoder calls Start once per scan, before its
// first batch. Scan returns the same values in its Trace. A sink that forwards batches to another
// sink also forwards Start.
func Start(sink Sink, clock Clock, energy Provenance) {
	if s, ok := sink.(StartSink); ok {
		s.Start(clock, energy)
	}
}

// Names returns the method with the given id. While the recording has not yet fully described the
// method, known is false. Once known is true, the method equals the one in Trace.Methods.
type Names func(id MethodID) (m name.Method, known bool)

// A NameTaker is a Sink that needs the names of methods while events arrive. Package energy uses
// them to find calls that switch a component on.
type NameTaker interface {
	Sink
	// TakeNames is called once per scan, after Start and before the first batch. The sink may call
	// names until the scan ends, on the goroutine that calls the sink.
	TakeNames(names Names)
}

// A FirstNameTaker is a Sink that needs the names of all methods of a batch when the batch arrives.
// Package clock uses the names to find methods that wait.
type FirstNameTaker interface {
	Sink
	// TakeFirstNames is called once per scan, before Start. When a batch arrives, names knows all
	// of its methods.
	TakeFirstNames(names Names)
}

// GiveFirstNames passes names to sink if it is a FirstNameTaker. A decoder calls it before Start if
// its format describes each method before the method's first event. Without these names, some sinks
// need a second scan.
func GiveFirstNames(sink Sink, names Names) {
	if s, ok := sink.(FirstNameTaker); ok {
		s.TakeFirstNames(names)
	}
}

// GiveNames passes names to sink if it is a NameTaker. Decoders of events call GiveNames once
// per scan. A sink that forwards batches to another sink also forwards the names.
func GiveNames(sink Sink, names Names) {
	if s, ok := sink.(NameTaker); ok {
		s.TakeNames(names)
	}
}
