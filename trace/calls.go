package trace

// Calls states how a recording's call counts were obtained. Only CountedCalls may be reported as
// calls. A difference in energy is split into a change of the number of calls and a change of the
// energy per call only if both recordings have CountedCalls.
type Calls uint8

// The ways in which calls are counted.
const (
	// NoCalls means that the recording has no call counts. It has no Enter, and Sample.Calls is 0.
	NoCalls Calls = iota
	// EstimatedCalls means that calls are guessed from samples. A method that is new on a thread's
	// stack gets one Enter, but any number of calls may happen between two samples.
	EstimatedCalls
	// CountedCalls means that each Enter is one call, and that the recorder counted Sample.Calls.
	CountedCalls
)

// String returns "none", "estimated" or "counted".
func (c Calls) String() string {
	switch c {
	case EstimatedCalls:
		return "estimated"
	case CountedCalls:
		return "counted"
	}
	return "none"
}
