// Package words has the phrases and figures that all renderings and editors show
// people, so that the same thing has the same name everywhere.
package words

import "github.com/diffprof/diffprof/trace"

// Counts names the figures that say how often methods ran: "calls" where a
// recording counts calls, "samples" where none does and one was sampled, empty
// where there is no such figure. Beside counted calls no samples are shown: the
// two do not compare.
func Counts(recordings ...trace.Calls) string {
	name := ""
	for _, c := range recordings {
		switch c {
		case trace.CountedCalls:
			return "calls"
		case trace.EstimatedCalls:
			name = "samples"
		}
	}
	return name
}
