package report

import "github.com/diffprof/diffprof/trace"

// Counts has the number of times that a method ran. At most one of its fields is set.
type Counts struct {
	// Calls is nil if the recording does not count calls, or counts none of this method.
	Calls *int64 `json:"calls"`
	// Samples counts the samples in which a new call of the method appeared. It is nil if the
	// recording was not sampled.
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

// Of returns the calls or the samples, as name states, or 0. name is the value of Report.Counts.
func (c Counts) Of(name string) int64 {
	figure := c.Calls
	if name == "samples" {
		figure = c.Samples
	}
	if figure == nil || name == "" {
		return 0
	}
	return *figure
}
