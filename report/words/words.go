// Package words writes the sentences and figures of reports and editors. All of them use the same
// words and the same rounding.
//
// Figures round to the nearest, halves away from zero. The views in TypeScript and Lua round in the
// same way: testdata/figures.json tests all implementations. Each share is rounded separately, so
// shares of one total may not add up to 100%. [Rounded] then writes a note.
//
// Names in texts have no markup. The renderer of a format such as Markdown adds it.
package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/trace"
)

// Counts says what recordings count: "calls", "samples", or "" for nothing. If one counts calls,
// the samples of others are not shown, because they are not comparable.
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

// Count formats a number with a comma every three digits.
func Count[N int | int64](n N) string {
	digits := fmt.Sprint(int64(n))
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Some formats a number with its noun. noun is singular.
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

// Provenance states the source of a recording's energy.
func Provenance(t *trace.Trace) string {
	processor := firstSource(t)
	for _, a := range t.Accounts {
		if a.Component != "" && a.Component != t.Accounts[0].Component && a.Provenance != trace.Measured {
			return processor + ", other components by a power model"
		}
	}
	return processor
}

// MeasuredToo says that energy was measured, all or in part. A measurement is only a total;
// provenance says where the energy of calls comes from.
func MeasuredToo(provenance string, all bool) string {
	measured := "measured in part"
	if all {
		measured = "measured"
	}
	return measured + "; the energy of calls is " + provenance
}

// firstSource says where a recording's energy comes from, apart from further components.
func firstSource(t *trace.Trace) string {
	switch t.Energy {
	case trace.Given:
		if t.Unstated {
			if t.Weight != "" {
				return t.Weight
			}
			return "unit not stated"
		}
		return "as given in the input"
	case trace.CPUTime:
		return "modelled from CPU time"
	case trace.WallTime:
		return "modelled from wall time"
	case trace.CycleTime:
		return "modelled from cycles at a stated frequency"
	case trace.Fitted:
		return "measured, split by a fit"
	case trace.Measured:
		return "measured"
	case trace.Modelled:
		return "modelled by component"
	case trace.Scaled:
		return "modelled by component, scaled to the measurement"
	case trace.APICost:
		return "costs of API calls, measured elsewhere"
	default:
		return "unknown"
	}
}
