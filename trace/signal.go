package trace

import "slices"

// A SignalSink receives data without a stack: state changes of components, and the requests of
// threads to components. A method may change its batch. After the method returns, the decoder
// reuses the batch. An error ends the scan.
//
// Signals and operations of all tracks and threads arrive in the order of their times, so one pass
// is enough. A track is defined before its first signal. A Mark or a stack arrives before the first
// operation that refers to it.
type SignalSink interface {
	// Track defines the next track. The first track is number 0.
	Track(t Track) error
	Signals(batch []Signal) error
	Operations(batch []Operation) error
	// Until promises that all later input of the scan, including events and samples, has this time
	// or a later one. The times of the promises never decrease. A sink may complete its accounting
	// up to the promised time.
	Until(time int64) error
}

// A SignalTaker is a Sink that can receive signals.
type SignalTaker interface {
	Sink
	// TakeSignals is called once per scan, after Start and before the first batch. It returns
	// nil if the sink does not want signals.
	TakeSignals() SignalSink
}

// Signals returns the sink for signals. It returns nil if sink does not want signals, so that a
// decoder need not decode them. A decoder calls Signals once per scan, unless its format has no
// signals. A sink that forwards batches to another sink also forwards this call.
func Signals(sink Sink) SignalSink {
	if s, ok := sink.(SignalTaker); ok {
		return s.TakeSignals()
	}
	return nil
}

// A TrackID is the index of a track in Trace.Tracks. Tracks are numbered in the order of their
// definitions.
type TrackID int32

// A Track is the source of signals: a core, a power rail, a component or an app's state.
type Track struct {
	// Name is the track's name in the recording, such as "cpu0" or "S2M_VDD_GPU".
	Name string
	// Component is the part of the device, named as in Account.Component. It may be empty.
	Component string
	// Unit is the unit of Signal.Value, for kinds of signals that have no fixed unit.
	Unit string
	// Core is the number of the core, and UID is the app's user id. Each is -1 if it does not
	// apply.
	Core int
	UID  int64
	// Resolution is the smallest difference between two values of the source. It is 0 if unknown.
	Resolution int64
}

// SignalKind is the kind of a Signal and defines its Value.
type SignalKind uint8

// The kinds of signal.
const (
	// Switch means that Thread runs on the track's core from this moment. NoThread means that no
	// thread of the recording runs there. Value is 0.
	Switch SignalKind = iota
	// Frequency means that the track has the frequency Value from this moment, in hertz.
	Frequency
	// Idle means that the track enters the idle state with the number Value. 0 is the lightest idle
	// state. -1 means that the track leaves idle.
	Idle
	// Drain is the total energy of the track since its counter began, in nanojoules. It never
	// decreases.
	Drain
	// Gauge is a reading in the track's own unit, such as a current, a temperature or a count.
	Gauge
	// State means that a component enters the state with the number Value. State 0 is the base
	// state, which has the lowest power.
	State
	// Suspend means that the device goes to sleep (Value 1) or wakes up (Value 0).
	Suspend
	// Level is the intensity of the track's component from this moment, in the track's unit.
	// Examples are a screen's brightness in percent, and a radio's signal bars. It is not negative.
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

// The verbs. OpClose ends what OpOpen begins. OpRelease ends what OpAcquire begins, and OpStop ends
// what OpStart begins. Both operations of such a pair have the same Operation.Handle.
const (
	OpSend Verb = iota
	OpReceive
	OpRead
	OpWrite
	OpOpen
	OpClose
	OpAcquire // Example: a wakelock is acquired.
	OpRelease
	OpStart // Example: a sensor is started.
	OpStop

	verbs // verbs is the number of verbs.
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

// Ending returns the verb that ends what v began. For example, it returns OpClose for OpOpen. For a
// verb that begins nothing it returns v.
func (v Verb) Ending() Verb {
	switch v {
	case OpOpen, OpAcquire, OpStart:
		return v + 1
	}
	return v
}

// VerbNames returns the names of the verbs in the order of the constants.
func VerbNames() []string { return slices.Clone(verbNames[:]) }

// VerbOf returns the verb whose [Verb.String] is name. It returns false if there is no such verb.
func VerbOf(name string) (Verb, bool) {
	i := slices.Index(verbNames[:], name)
	return Verb(max(i, 0)), i >= 0
}

// PacketBytes is the payload of a packet of the network: an Ethernet frame without the IP and TCP
// headers.
const PacketBytes = 1460

// An Operation is a request of a thread to a component. The component may use energy after the
// operation has ended. The recording does not state which call caused that energy.
type Operation struct {
	// Time is the start of the operation on the trace's timeline. Duration is the time that the
	// thread waited for the operation. Both are in nanoseconds.
	Time, Duration int64
	Thread         ThreadID
	// Mark is the number of the remembered call that made the request, or NoRef. Stack is the id of
	// the stack that made the request, or NoStack. At most one of Mark and Stack is set.
	Mark  Ref
	Stack StackID
	Verb  Verb
	// Component is the part of the device, named as in Account.Component.
	Component string
	// Bytes is the number of bytes moved. It is 0 if the operation moves no data.
	Bytes int64
	// Handle identifies an open file, socket or lock. It is 0 if there is none.
	Handle int64
	// Name identifies the object of the operation, for example a wakelock's tag or a file's path.
	// It may be empty.
	Name string
	// Whole means that the component is assumed to work for the whole Duration.
	Whole bool
}
