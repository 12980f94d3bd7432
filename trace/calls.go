package trace

// Calls says what a recording's numbers of calls are. Only counted calls may be
// called calls, and only between two recordings that count them can a difference
// in energy be split into more calls and dearer calls.
type Calls uint8

// The meanings of a number of calls.
const (
	// NoCalls: the recording has none. It has no Enter, and Sample.Calls is 0.
	NoCalls Calls = iota
	// EstimatedCalls: an Enter is a sample that shows a method which the sample
	// before did not show. Several calls may lie between two samples, or none.
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
