package report

import "github.com/diffprof/diffprof/trace"

// Counts say how often a method ran. At most one of the two is there.
type Counts struct {
	// Calls is nil unless the recording counts calls and some of the method's.
	Calls *int64 `json:"calls"`
	// Samples counts the samples that showed the method anew; nil unless the
	// recording was sampled.
	Samples *int64 `json:"samples"`
}

// counts makes the Counts of a number of calls in a tree.
func counts(of trace.Calls, n int64) Counts {
	switch {
	case n == 0:
	case of == trace.CountedCalls:
		return Counts{Calls: &n}
	case of == trace.EstimatedCalls:
		return Counts{Samples: &n}
	}
	return Counts{}
}

// Of returns the figure that a Report's Counts name, 0 if there is none.
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
