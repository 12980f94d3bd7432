// Package words has the phrases and figures that reports and editors show people, so
// that the same thing has the same name and the same quantity the same figure wherever
// it stands.
//
// Figures round to the nearest, halves away from zero, as the views in TypeScript and
// Lua do; testdata/figures.json holds them to each other. A share is rounded by itself:
// shares of one whole need not add up to 100%, and where they do not, [Rounded] says so.
//
// Texts hold names as they are. What marks them up for its medium, such as Markdown,
// does so itself.
package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

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

// Count writes a number with a comma every three digits.
func Count[N int | int64](n N) string {
	digits := fmt.Sprint(int64(n))
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Some writes a number with its noun, which is given in the singular.
func Some[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ss"):
		return Count(n) + " " + noun + "es"
	case strings.HasSuffix(noun, "y"):
		return Count(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	default:
		return Count(n) + " " + noun + "s"
	}
}

// Provenance says how far to trust the energy of a recording.
func Provenance(t *trace.Trace) string {
	processor := ofProcessor(t)
	for _, a := range t.Accounts {
		if a.Component != "" && a.Component != t.Accounts[0].Component && a.Provenance != trace.Measured {
			return processor + ", other components by a power model"
		}
	}
	return processor
}

// MeasuredToo says where the energy of a run is from that was measured, all of it or in part: what
// is measured is a sum, and a model says what calls caused of it.
func MeasuredToo(provenance string, all bool) string {
	measured := "measured in part"
	if all {
		measured = "measured"
	}
	return measured + "; what calls caused is " + provenance
}

// ofProcessor says where the energy of the first account comes from.
func ofProcessor(t *trace.Trace) string {
	switch t.Energy {
	case trace.Given:
		if t.Unstated {
			if t.Weight != "" {
				return "counts of " + t.Weight
			}
			return "unit not stated"
		}
		return "as the input gives it"
	case trace.CPUTime:
		return "modelled from CPU time"
	case trace.WallTime:
		return "modelled from wall time"
	case trace.CycleTime:
		return "modelled from cycles at a stated frequency"
	case trace.Measured:
		return "measured"
	case trace.Modelled:
		return "modelled by component"
	case trace.Scaled:
		return "modelled by component, scaled to what was measured"
	default:
		return "nothing known"
	}
}
