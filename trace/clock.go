package trace

// Clock says which clocks a recording has.
type Clock uint8

// The clocks, as a set.
const (
	ThreadCPU Clock = 1 << iota
	WallClock
	// Cycles stands beside ThreadCPU where no clock was read: the processor time is cycles
	// divided by a frequency that somebody stated.
	Cycles
)

// String names the clock as a reader would: "thread-cpu", "wall", "dual",
// "cycles", "none".
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

// A Reading says what one of the machine's clocks read at a moment of the trace, so
// that recordings of the same run can be laid side by side.
type Reading struct {
	Clock SystemClock
	// Time is a moment on the trace's timeline, Value what the clock read at it;
	// both in nanoseconds.
	Time, Value int64
}

// SystemClock names a clock of the machine.
type SystemClock string

// The clocks of Linux and Android.
const (
	// Monotonic counts from the machine's start and stands still while it sleeps.
	Monotonic SystemClock = "monotonic"
	// Boottime is Monotonic and the time asleep.
	Boottime SystemClock = "boottime"
	// Realtime counts from 1970-01-01 00:00 UTC, and may be set.
	Realtime SystemClock = "realtime"
)

// Technique says how a recording's events came about.
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
