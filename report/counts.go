package report

import "github.com/diffprof/diffprof/trace"

// Counts is how often a method ran: in calls or in samples. At most one of its fields is set.
type Counts struct {
	// Calls is nil if the recording does not count calls, or has no call of this method.
	Calls *int64 `json:"calls"`
	// Samples counts the samples that show the beginning of a call. It is nil unless the recording
	// was sampled.
	Samples *int64 `json:"samples"`
}

// counts returns n as calls or as samples, depending on what the recording counts.
func counts(kind trace.Calls, n int64) Counts {
	switch {
	case n == 0:
	case kind == trace.CountedCalls:
		return Counts{Calls: &n}
	case kind == trace.EstimatedCalls:
		return Counts{Samples: &n}
	}
	return Counts{}
}

// Value returns Samples if name is "samples", and otherwise Calls. It returns 0 if the number is
// unknown. The parameter name is Report.Counts.
func (c Counts) Value(name string) int64 {
	figure := c.Calls
	if name == "samples" {
		figure = c.Samples
	}
	if figure == nil || name == "" {
		return 0
	}
	return *figure
}
