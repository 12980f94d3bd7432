package trace

// Calls is the meaning of a recording's numbers of calls. Only counted calls may be reported as
// calls. A difference in energy can be split into more calls and more energy per call only
// between two recordings that count calls.
type Calls uint8

// The meanings of a number of calls.
const (
	// NoCalls: the recording has none. It has no Enter, and Sample.Calls is 0.
	NoCalls Calls = iota
	// EstimatedCalls: an Enter is a sample with a method that the previous sample did not have.
	// There may be several calls between two samples, or none.
	EstimatedCalls
	// CountedCalls: each Enter is a call, and Sample.Calls was counted.
	CountedCalls
)

// String names the meaning: "none", "estimated", "counted".
func (c Calls) String() string {
	switch c {
	case EstimatedCalls:
		return "estimated"
	case CountedCalls:
		return "counted"
	}
	return "none"
}
