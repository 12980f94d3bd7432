package trace

import (
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/units"
)

// A MethodID is an index into Trace.Methods.
type MethodID int32

// A ThreadID is an index into Trace.Threads. It is not the system's thread id.
type ThreadID int32

// A Ref is the object of an event: a method, a hand-over or a remembered call. The event's Kind
// decides which.
type Ref int32

// NoRef is the Ref of a Charge whose energy no call caused.
const NoRef Ref = -1

// Kind is the kind of an Event.
type Kind uint8

// The kinds of event.
const (
	// Enter is a call of the method Ref.
	Enter Kind = iota
	// Exit is a return from the method Ref, ordinary or by an exception.
	Exit
	// Enqueue hands work over to another thread. Ref is the number of the flow.
	Enqueue
	// Dispatch marks the innermost open call of the thread as the call that carries out the flow
	// Ref. It follows that call's Enter. Calls before the Dispatch do not become part of the
	// hand-over.
	Dispatch
	// Mark remembers the innermost open call of the thread under Ref. Refs of marks count up from
	// 0, separately from flows. A later Mark of the same Ref replaces it.
	Mark
	// Charge charges Energy to the call remembered under Ref, and not to the thread's innermost
	// call. The remembered call may have ended. With NoRef the energy belongs to the run as a
	// whole. The time since the thread's previous event belongs to the innermost call, as with all
	// events.
	Charge
)

// An Event is one thing that a thread did.
type Event struct {
	// Time is the moment on the trace's timeline, in nanoseconds and not negative. It is 0 if
	// the recording has no wall clock.
	Time int64
	// CPU is the processor time of the thread since its previous event, in nanoseconds. It is 0
	// if the recording has no thread clock.
	CPU int64
	// Energy is the energy of the thread since its previous event, or the energy of a Charge. A
	// decoder leaves it 0 unless its format states energy. Package energy sets it.
	Energy  units.Energy
	Ref     Ref
	Thread  ThreadID
	Account AccountID
	Kind    Kind
	// Activity is the activity of the thread since its previous event. It is set if the recording
	// has only elapsed time.
	Activity Activity
}

// A StackID identifies a stack within one scan. Two stacks have the same id exactly if they are
// equal, so a sink processes each stack once. Ids count up from 1.
type StackID int32

// NoStack is the id of samples whose decoder does not number their stacks.
const NoStack StackID = 0

// A Sample is an observed stack, and the cost charged to its innermost frame.
type Sample struct {
	// Time is the moment on the trace's timeline, in nanoseconds and not negative. It is 0 if
	// the recording does not state it.
	Time   int64
	Thread ThreadID
	// ID numbers Stack.
	ID StackID
	// Stack has the outermost frame first. The decoder reuses it after the Sink returns.
	Stack []MethodID
	// Lines are the source lines of the frames of Stack. An unknown line is 0. A negative number is
	// the complement of a position in the frame's DEX code, in units of 16 bits. Lines is empty if
	// all lines are unknown. The decoder reuses Lines after the Sink returns. Stacks that differ
	// only in Lines have one ID.
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

// A Sink receives a run's events. It may change a batch until the method returns. Afterwards the
// decoder reuses the batch. An error ends the scan.
type Sink interface {
	Events(batch []Event) error
	Samples(batch []Sample) error
}

// A StartSink is a Sink that needs facts about the whole recording before the first batch. Package
// energy is an example. It charges elapsed time if there is no thread clock, and nothing if the
// input states its energy.
type StartSink interface {
	Sink
	// Start is called once per scan, before the first batch.
	Start(clock Clock, energy Provenance)
}

// Start passes clock and energy to sink if it is a StartSink. Every decoder calls Start once per
// scan, with the values that the Trace will have. It calls Start as soon as it knows its clocks,
// and before its first batch. A sink that forwards batches to another sink also forwards Start.
func Start(sink Sink, clock Clock, energy Provenance) {
	if s, ok := sink.(StartSink); ok {
		s.Start(clock, energy)
	}
}

// Names returns the method that has an id. known is false until the recording has described the
// method fully. A known method is equal to the method in the table that Scan returns.
type Names func(id MethodID) (m name.Method, known bool)

// A NameTaker is a Sink that needs the names of methods while events arrive. Package energy uses
// them to find calls that switch a component on.
type NameTaker interface {
	Sink
	// TakeNames is called once per scan, after Start and before the first batch. The sink may call
	// names until the scan ends, on the goroutine that calls the sink.
	TakeNames(names Names)
}

// A FirstNameTaker is a Sink that needs the name of each method no later than the first batch with
// the method. Package clock uses them to find methods that wait.
type FirstNameTaker interface {
	Sink
	// TakeFirstNames is called once per scan, before Start. names knows each method of a batch when
	// the batch arrives.
	TakeFirstNames(names Names)
}

// GiveFirstNames passes names to sink if it is a FirstNameTaker. A decoder calls it before Start if
// it knows each method when the method first occurs. Without it, some sinks need a second scan.
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
