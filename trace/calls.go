package trace

// Calls is the meaning of a recording's numbers of calls. Only counted calls may be reported as
// calls. A difference in energy is split into more calls and more energy per call only if both
// recordings count calls.
type Calls uint8

// The meanings of a number of calls.
const (
	// NoCalls means that the recording has no numbers of calls. The recording has no Enter, and
	// Sample.Calls is 0.
	NoCalls Calls = iota
	// EstimatedCalls means that an Enter is a sample with a method that the previous sample did not
	// have. Between two samples there may be any number of calls.
	EstimatedCalls
	// CountedCalls means that each Enter is a call, and that Sample.Calls was counted.
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
