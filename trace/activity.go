package trace

import "time"

// Activity states what a thread did during elapsed time. Recordings with a thread clock need no
// activity, because a thread uses processor time only while it works.
type Activity uint8

// The activities.
const (
	// UnknownActivity means that the thread either worked or waited. Its time counts as work, so
	// its energy is an upper bound.
	UnknownActivity Activity = iota
	// Working means that the recording states that the thread ran.
	Working
	// Waiting means that the recording states that the thread waited, or that its innermost method
	// only waits. A waiting thread uses no energy.
	Waiting
	// Unrecorded means that the recording has no data about the thread, for example between the
	// slices of a system trace. Unrecorded time has no energy and belongs to no method.
	Unrecorded
)

// Costs reports whether a thread with this activity uses energy.
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

// Usage splits the elapsed time of all threads by activity. With a thread clock, processor time is
// Working or Unknown, and other elapsed time is Waiting.
type Usage struct{ Working, Waiting, Unknown, Unrecorded time.Duration }
