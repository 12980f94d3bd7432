package trace

import "time"

// Activity states what a thread did during elapsed time. Recordings with a thread clock need no
// activity, because processor time is work.
type Activity uint8

// The activities.
const (
	// UnknownActivity means that the thread may have worked or waited. Its time is charged as work,
	// which is an upper bound.
	UnknownActivity Activity = iota
	// Working means that the recording states that the thread ran.
	Working
	// Waiting means that the recording states that the thread waited, or that its innermost method
	// only waits. Waiting costs nothing.
	Waiting
	// Unrecorded means that the recording has no data about the thread, for example between the
	// slices of a system trace. Unrecorded time costs nothing, and belongs to no method.
	Unrecorded
)

// Costs reports whether time with this activity is charged.
func (s Activity) Costs() bool { return s <= Working }

// String names the activity: "unknown", "working", "waiting", "unrecorded".
func (s Activity) String() string {
	switch s {
	case Working:
		return "working"
	case Waiting:
		return "waiting"
	case Unrecorded:
		return "unrecorded"
	}
	return "unknown"
}

// Usage divides the time of all threads by their activity. Processor time is Working. If a thread
// has both clocks, the rest of its elapsed time is Waiting.
type Usage struct{ Working, Waiting, Unknown, Unrecorded time.Duration }
