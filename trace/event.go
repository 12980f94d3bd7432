package trace

import (
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/units"
)

// A MethodID is an index into Trace.Methods.
type MethodID int32

// A ThreadID is an index into Trace.Threads. It is not the system's thread id.
type ThreadID int32

// A Ref is what an event is about: a method, a hand-over or a remembered call. The
// event's Kind says which.
type Ref int32

// NoRef is the Ref of a Charge for what nobody caused.
const NoRef Ref = -1

// Kind says what an Event is.
type Kind uint8

// The kinds of event.
const (
	// Enter is a call of the method Ref.
	Enter Kind = iota
	// Exit is a return from the method Ref, ordinary or by an exception.
	Exit
	// Enqueue hands work over: Ref is the number of the flow.
	Enqueue
	// Dispatch says that the innermost open call of the thread is the one that
	// carries out the flow Ref. It follows that call's Enter: what the call did
	// before does not become part of the hand-over.
	Dispatch
	// Mark remembers the innermost open call of the thread under Ref. Refs count up
	// from 0, apart from flows; a later Mark of the same Ref takes its place.
	Mark
	// Charge says that Energy belongs to the call that is remembered under Ref,
	// whether it still runs or not, and not to what the thread runs now. With NoRef it
	// belongs to the run as a whole. The time since the thread's previous event
	// is the innermost call's, as with all events.
	Charge
)

// An Event is one thing that a thread did.
type Event struct {
	// Time is the moment on the trace's timeline, in nanoseconds and not negative; 0
	// where the recording has no wall clock.
	Time int64
	// CPU is the processor time the thread spent since its previous event, in
	// nanoseconds; 0 where the recording has no thread clock.
	CPU int64
	// Energy is what the thread drained since its previous event, or what a Charge
	// charges. A decoder leaves it 0 unless its format carries energy; package
	// energy fills it in.
	Energy  units.Energy
	Ref     Ref
	Thread  ThreadID
	Account AccountID
	Kind    Kind
}

// A StackID stands for a stack within one scan: equal ids are equal stacks, and
// different ids different ones, so that a sink looks at each stack once. They count
// up from 1.
type StackID int32

// NoStack is the id of samples whose decoder does not number their stacks.
const NoStack StackID = 0

// A Sample is a stack that was seen, and what is charged to its innermost frame.
type Sample struct {
	// Time is the moment on the trace's timeline, in nanoseconds and not negative; 0
	// where the recording does not say when it saw the stack.
	Time   int64
	Thread ThreadID
	// ID numbers Stack.
	ID StackID
	// Stack is outermost first. It belongs to the decoder after the Sink returns.
	Stack []MethodID
	// Lines are the source lines that the frames of Stack were at, 0 where one is
	// unknown; empty if all are. They belong to the decoder, too. Stacks that differ
	// in nothing but Lines have one ID.
	Lines   []int32
	CPU     int64 // nanoseconds
	Wall    int64 // nanoseconds
	Energy  units.Energy
	Account AccountID
	// Weight is what the sample stands for in the unit Trace.Weight.
	Weight int64
	// Count is how many times the stack was seen, where the format says so.
	Count int64
	// Calls is how many calls of the innermost frame the sample stands for; 0
	// where the recording does not say.
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

// Names returns the method of a number, and false while the recording has not said all of
// it. Once a name is known it is that of the table that Scan returns.
type Names func(id MethodID) (m name.Method, known bool)

// A NameTaker is a Sink that wants to know of methods while events name them, and not
// only at the end: package energy finds the calls that set a component going.
type NameTaker interface {
	Sink
	// TakeNames is called once a scan, after Start and before the first batch. names may
	// be called until the scan ends, by the goroutine that calls the sink.
	TakeNames(names Names)
}

// GiveNames gives sink the names of methods, if it takes them. Decoders of events call it
// once a scan; a sink that hands batches on to another calls it for that one.
func GiveNames(sink Sink, names Names) {
	if s, ok := sink.(NameTaker); ok {
		s.TakeNames(names)
	}
}
