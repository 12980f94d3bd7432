package trace

import "slices"

// A SignalSink receives data without a stack: state changes of components, and the requests of
// threads to components. It may change a batch until the method returns. Afterwards the decoder
// reuses the batch. An error ends the scan.
//
// Signals and operations arrive in one order of time over all tracks and threads, so one pass is
// enough. A track is defined before its first signal. A mark or a stack arrives before the first
// operation that refers to it.
type SignalSink interface {
	// Track defines the next track. The first track is number 0.
	Track(t Track) error
	Signals(batch []Signal) error
	Operations(batch []Operation) error
	// Until promises that all later input of the scan, including events and samples, has time or a
	// later moment. The moments of promises never decrease. A sink may finish its accounting up to
	// that moment.
	Until(time int64) error
}

// A SignalTaker is a Sink that can receive signals.
type SignalTaker interface {
	Sink
	// TakeSignals is called once per scan, after Start and before the first batch. It returns
	// nil if the sink does not want signals.
	TakeSignals() SignalSink
}

// Signals returns the sink for signals. It returns nil if sink does not want signals, and a decoder
// then need not decode them. A decoder calls Signals once per scan, unless its format has no
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

// A Track is the subject of signals: a core, a power rail, a component or an app's state.
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
	// Switch means that Thread runs on the track's core from now on. With NoThread, no thread of
	// the recording runs there. Value is 0.
	Switch SignalKind = iota
	// Frequency means that the track has this frequency from now on, in hertz.
	Frequency
	// Idle means that the track enters the idle state with this number. The lightest state is 0,
	// and -1 leaves idle.
	Idle
	// Drain is the total energy of the track since its counter began, in nanojoules. It never
	// decreases.
	Drain
	// Gauge is a reading in the track's own unit, such as a current, a temperature or a count.
	Gauge
	// State means that a component enters the state with this number. State 0 is the base state,
	// which has the lowest power.
	State
	// Suspend means that the device goes to sleep (1) or wakes up (0).
	Suspend
	// Level is the intensity of the track's component from now on, in the track's unit. Examples
	// are the brightness of a screen in percent, and the bars of a radio's signal. It is not
	// negative.
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

// The verbs. OpClose ends what OpOpen begins. OpAcquire and OpRelease, and OpStart and OpStop, are
// such pairs too. Operation.Handle identifies the two operations of a pair.
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

// Ending returns the verb that ends what v opens, acquires or starts. It returns v if v begins
// nothing.
func (v Verb) Ending() Verb {
	switch v {
	case OpOpen, OpAcquire, OpStart:
		return v + 1
	}
	return v
}

// VerbNames returns the names of the verbs in the order of the constants.
func VerbNames() []string { return slices.Clone(verbNames[:]) }

// VerbOf returns the verb with the given name, as returned by [Verb.String]. It returns false if no
// verb has the name.
func VerbOf(name string) (Verb, bool) {
	i := slices.Index(verbNames[:], name)
	return Verb(max(i, 0)), i >= 0
}

// An Operation is a request of a thread to a component. The component may use energy after the
// operation has ended. The recording does not state which call caused that energy.
type Operation struct {
	// Time is the start of the operation on the trace's timeline. Duration is the time that the
	// thread waited for the operation. Both are in nanoseconds.
	Time, Duration int64
	Thread         ThreadID
	// Mark is the remembered call that made the request. It is NoRef if there is none. Stack is the
	// stack that made the request. It is NoStack if the stack is unknown. At most one of Mark and
	// Stack is set.
	Mark  Ref
	Stack StackID
	Verb  Verb
	// Component is the part of the device, named as in Account.Component.
	Component string
	// Bytes is the number of bytes moved. It is 0 if the operation moves no data.
	Bytes int64
	// Handle identifies an open file, socket or lock. It is 0 if there is none.
	Handle int64
	// Name is, for example, a wakelock's tag or a file's path. It may be empty.
	Name string
	// Whole means that the component is assumed to work for the whole Duration.
	Whole bool
}
