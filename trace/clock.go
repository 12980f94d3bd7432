package trace

// Clock is the set of clocks that a recording has.
type Clock uint8

// The clocks.
const (
	ThreadCPU Clock = 1 << iota
	WallClock
	// Cycles is set together with ThreadCPU if the recorder counted cycles instead of processor
	// time. Processor time is then cycles divided by a frequency that the user stated.
	Cycles
)

// String returns "thread-cpu", "wall", "dual", "cycles" or "none".
func (c Clock) String() string {
	switch c {
	case ThreadCPU:
		return "thread-cpu"
	case WallClock:
		return "wall"
	case ThreadCPU | WallClock:
		return "dual"
	case ThreadCPU | Cycles:
		return "cycles"
	}
	return "none"
}

// A Reading is the value of a system clock at one moment of the trace. Readings are used to align
// recordings of the same run.
type Reading struct {
	Clock SystemClock
	// Time is a moment on the trace's timeline, and Value is the clock's value at that moment. Both
	// are in nanoseconds.
	Time, Value int64
}

// SystemClock names a clock of the machine.
type SystemClock string

// The clocks of Linux and Android.
const (
	// Monotonic counts from the start of the machine. It stops while the machine sleeps.
	Monotonic SystemClock = "monotonic"
	// Boottime is Monotonic plus the time for which the machine slept.
	Boottime SystemClock = "boottime"
	// Realtime counts from 1970-01-01 00:00 UTC. Users and programs can set it.
	Realtime SystemClock = "realtime"
)

// Technique is the way in which a recorder obtained events.
type Technique uint8

// The techniques. Sampled recordings miss short calls.
const (
	UnknownTechnique Technique = iota
	Instrumented
	Sampled
)

// String names the technique: "instrumented", "sampled", "unknown".
func (t Technique) String() string {
	switch t {
	case Instrumented:
		return "instrumented"
	case Sampled:
		return "sampled"
	}
	return "unknown"
}
