package trace

import "slices"

// A SignalSink receives data without a stack: state changes of components, and the requests
// that threads made to them. It may change a batch until the method returns; afterwards the
// decoder reuses it. An error ends the scan.
//
// Signals and operations arrive in one order of time over all tracks and threads, so one pass
// is enough. A track is defined before its first signal. A call is marked and a stack is seen
// before the first operation that refers to it.
type SignalSink interface {
	// Track defines the next track; the first one is number 0.
	Track(t Track) error
	Signals(batch []Signal) error
	Operations(batch []Operation) error
	// Until promises that nothing later in the scan, events and samples included, is older than
	// time. Promises never decrease. A sink may finish its accounting up to that moment.
	Until(time int64) error
}

// A SignalTaker is a Sink that can receive signals.
type SignalTaker interface {
	Sink
	// TakeSignals is called once per scan, after Start and before the first batch. It returns
	// nil if the sink does not want signals.
	TakeSignals() SignalSink
}

// Signals returns the sink for signals, nil if sink wants none; a decoder then need not decode
// them. A decoder calls Signals once per scan, unless its format has no signals. A sink that
// forwards batches to another sink also forwards this call.
func Signals(sink Sink) SignalSink {
	if s, ok := sink.(SignalTaker); ok {
		return s.TakeSignals()
	}
	return nil
}

// A TrackID is the index of a track in Trace.Tracks. Tracks are numbered in the order of their
// definitions.
type TrackID int32

// A Track is the subject of signals: a core, a power rail, a component or an app's state.
type Track struct {
	// Name is the name in the recording, such as "cpu0" or "S2M_VDD_GPU".
	Name string
	// Component is the part of the device, named as in Account.Component. It may be empty.
	Component string
	// Unit is the unit of Signal.Value, for kinds of signals that have no fixed unit.
	Unit string
	// Core is the number of the core and UID is the app's user id; -1 if not applicable.
	Core int
	UID  int64
	// Resolution is the smallest difference between two values of the source, 0 if unknown.
	Resolution int64
}

// SignalKind is the kind of a Signal and defines its Value.
type SignalKind uint8

// The kinds of signal.
const (
	// Switch: Thread runs on the track's core from now on; NoThread means that no thread of the
	// recording does. Value is 0.
	Switch SignalKind = iota
	// Frequency is the track's frequency from now on, in hertz.
	Frequency
	// Idle is the idle state that the track enters, counted from 0, the lightest; -1 leaves
	// idle.
	Idle
	// Drain is the total energy of the track so far, in nanojoules. It never decreases.
	Drain
	// Gauge is a reading in the track's own unit: a current, a temperature, a count.
	Gauge
	// State is the state that a component enters, as a number. 0 is its base state, which has
	// the lowest power.
	State
	// Suspend: the device goes to sleep (1) or wakes up (0).
	Suspend
	// Level is the intensity of the track's component from now on, in the track's unit: a
	// screen's brightness in percent, or the bars of a radio's signal. It is not negative.
	Level
)

// String names the kind: "switch", "frequency", "idle", "drain", "gauge", "state",
// "suspend", "level".
func (k SignalKind) String() string {
	names := [...]string{"switch", "frequency", "idle", "drain", "gauge", "state", "suspend", "level"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// NoThread is the Thread of signals and operations without a thread.
const NoThread ThreadID = -1

// A Signal is one state change or reading of a part of the device.
type Signal struct {
	Time   int64 // on the trace's timeline, in nanoseconds
	Value  int64
	Track  TrackID
	Thread ThreadID // of a Switch, else NoThread
	Kind   SignalKind
}

// Verb is the kind of an Operation.
type Verb uint8

// The verbs. OpOpen begins what OpClose ends; OpAcquire and OpRelease, and OpStart and OpStop,
// are pairs too. Operation.Handle identifies the pair.
const (
	OpSend Verb = iota
	OpReceive
	OpRead
	OpWrite
	OpOpen
	OpClose
	OpAcquire // such as a wakelock
	OpRelease
	OpStart // such as a sensor
	OpStop

	verbs // the number of verbs
)

// verbNames are the names of the verbs in files.
var verbNames = [verbs]string{"send", "receive", "read", "write", "open", "close", "acquire", "release", "start", "stop"}

// String names the verb: "send", "receive", "read", "write", "open", "close", "acquire",
// "release", "start", "stop".
func (v Verb) String() string {
	if v >= verbs {
		return "unknown"
	}
	return verbNames[v]
}

// Ending returns the verb that ends what v opens, acquires or starts, else v.
func (v Verb) Ending() Verb {
	switch v {
	case OpOpen, OpAcquire, OpStart:
		return v + 1
	}
	return v
}

// VerbNames returns the names of the verbs in their order.
func VerbNames() []string { return slices.Clone(verbNames[:]) }

// VerbOf returns the verb with a name that [Verb.String] returns. It returns false for other
// names.
func VerbOf(name string) (Verb, bool) {
	i := slices.Index(verbNames[:], name)
	return Verb(max(i, 0)), i >= 0
}

// An Operation is a request of a thread to a component. The component may use energy after the
// operation has ended; the recording does not state which call pays for it.
type Operation struct {
	// Time is the start of the operation on the trace's timeline. Duration is how long the
	// thread waited for it. Both are in nanoseconds.
	Time, Duration int64
	Thread         ThreadID
	// Mark is the remembered call that made the request, NoRef if there is none. Stack is the
	// stack that made it, NoStack if it is unknown. At most one of them is set.
	Mark  Ref
	Stack StackID
	Verb  Verb
	// Component is the part of the device, named as in Account.Component.
	Component string
	// Bytes is the number of bytes moved, 0 if that does not apply.
	Bytes int64
	// Handle identifies an open file, socket or lock. 0 means none.
	Handle int64
	// Name may be empty: a wakelock's tag, a file's path.
	Name string
}
