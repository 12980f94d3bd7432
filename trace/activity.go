package trace

import "time"

// Activity is what a thread did during elapsed time. Recordings with a thread clock need none:
// processor time is work.
type Activity uint8

// The activities.
const (
	// UnknownActivity: the thread may have worked or waited. The time costs as much as work, at most.
	UnknownActivity Activity = iota
	// Working: the recording states that the thread ran.
	Working
	// Waiting: the recording states that the thread waited, or its innermost method only waits.
	// The time costs nothing.
	Waiting
	// Unrecorded: the recording has no data about the thread, for example between the slices of
	// a system trace. The time costs nothing, and belongs to no method.
	Unrecorded
)

// Costs reports whether such time is charged.
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

// Usage divides the time of all threads by what they did. Processor time is Working. The rest of
// the elapsed time of a thread with both clocks is Waiting.
type Usage struct{ Working, Waiting, Unknown, Unrecorded time.Duration }
