package trace

import "slices"

// A SignalSink takes what no stack explains: what the parts of a device did, and what
// threads asked of them. A batch is the sink's to change until the method returns, and
// the decoder's after. An error ends the scan.
//
// Signals and operations come in one order of time over all tracks and threads, so that
// one pass is enough: a track is defined before its first signal, a call is marked and a
// stack is seen before the first operation that names it.
type SignalSink interface {
	// Track defines the next track; the first one is number 0.
	Track(t Track) error
	Signals(batch []Signal) error
	Operations(batch []Operation) error
	// Until promises that nothing that follows in the scan, events and samples
	// included, is older than a moment of the timeline. The promises never go back. A
	// sink may then close its books up to that moment.
	Until(time int64) error
}

// A SignalTaker is a Sink that may want signals.
type SignalTaker interface {
	Sink
	// TakeSignals is called once a scan, after Start and before the first batch. It
	// returns nil if the sink wants none.
	TakeSignals() SignalSink
}

// Signals asks sink once a scan where signals go; nil means nowhere, so that a decoder
// need not read them. Decoders of formats without signals do not ask. A sink that hands
// batches on to another asks that one.
func Signals(sink Sink) SignalSink {
	if s, ok := sink.(SignalTaker); ok {
		return s.TakeSignals()
	}
	return nil
}

// A TrackID numbers the tracks of a scan in the order of their definitions, and so is an
// index into Trace.Tracks.
type TrackID int32

// A Track is what signals are about: a core, a power rail, a component, an app's state.
type Track struct {
	// Name is what the recording calls it, such as "cpu0" or "S2M_VDD_GPU".
	Name string
	// Component is the part of the device, in the words of Account.Component; it may be
	// empty.
	Component string
	// Unit is that of Signal.Value where the kind of signal leaves it open.
	Unit string
	// Core is the number of the core, UID the app's user; -1 where the track is of
	// none.
	Core int
	UID  int64
	// Resolution is the least difference between values that the source can tell, 0
	// if unknown.
	Resolution int64
}

// SignalKind says what a Signal is, and what its Value counts.
type SignalKind uint8

// The kinds of signal.
const (
	// Switch: Thread runs on the core of the track from now on, NoThread if none of the
	// recording's does. Value is 0.
	Switch SignalKind = iota
	// Frequency of the track from now on, in hertz.
	Frequency
	// Idle is the idle state that the track goes to, counted from 0, the lightest;
	// -1 ends it.
	Idle
	// Drain is what the track has drained in all, in nanojoules. It never falls.
	Drain
	// Gauge is a reading in the track's own unit: a current, a temperature, a count.
	Gauge
	// State is the state that a component goes to, by a number of its own; 0 is its
	// base state, in which it drains least.
	State
	// Suspend: the device goes to sleep with 1 and wakes with 0.
	Suspend
	// Level is how strongly the track's component works from now on, in the track's unit: a
	// screen's brightness in percent, the bars of a radio's signal. It is not negative.
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

// NoThread is the Thread of signals and operations that are of none.
const NoThread ThreadID = -1

// A Signal is one thing that a part of the device did.
type Signal struct {
	Time   int64 // on the trace's timeline, in nanoseconds
	Value  int64
	Track  TrackID
	Thread ThreadID // of a Switch, else NoThread
	Kind   SignalKind
}

// Verb says what an Operation does.
type Verb uint8

// The verbs. Of open and close, acquire and release, start and stop, the first begins
// what the second ends; Operation.Handle tells apart what is begun at one time.
const (
	OpSend Verb = iota
	OpReceive
	OpRead
	OpWrite
	OpOpen
	OpClose
	OpAcquire // a wakelock, say
	OpRelease
	OpStart // a sensor, say
	OpStop

	verbs // how many there are
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

// VerbNames returns the names of the verbs in their order.
func VerbNames() []string { return slices.Clone(verbNames[:]) }

// VerbOf returns the verb of a name that [Verb.String] gives, and false for others.
func VerbOf(name string) (Verb, bool) {
	i := slices.Index(verbNames[:], name)
	return Verb(max(i, 0)), i >= 0
}

// An Operation is what a thread asked of a component. Components go on draining after it;
// whose energy that is is not the recording's to say.
type Operation struct {
	// Time is the moment it began on the trace's timeline, and Duration how long the
	// thread waited for it; both in nanoseconds.
	Time, Duration int64
	Thread         ThreadID
	// Mark is the remembered call that asked, NoRef if there is none; Stack the stack
	// that did, NoStack if it is not known. An operation has one of them at most.
	Mark  Ref
	Stack StackID
	Verb  Verb
	// Component is the part of the device, in the words of Account.Component.
	Component string
	// Bytes were moved, 0 where that says nothing.
	Bytes int64
	// Handle tells apart what is open at one time: a file, a socket, a lock. 0 is none.
	Handle int64
	// Name may be empty: a wakelock's tag, a file's path.
	Name string
}
