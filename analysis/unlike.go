package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// unlike names what makes two recordings hard to compare. The codes are part of
// the contract with other programs.
func unlike(s, r *trace.Trace) []trace.Warning {
	var out []trace.Warning
	add := func(code, format string, args ...any) {
		out = append(out, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if s.Format != r.Format {
		add("format", "the subject is %s, the reference %s", s.Format, r.Format)
	}
	if s.VM != "" && r.VM != "" && s.VM != r.VM {
		add("vm", "the subject ran on %s, the reference on %s", s.VM, r.VM)
	}
	if s.Clock != r.Clock {
		add("clock", "the subject has %s, the reference %s", clocks(s.Clock), clocks(r.Clock))
	}
	if s.Energy != r.Energy {
		add("energy", "the subject's energy is %s, the reference's %s", origin(s.Energy), origin(r.Energy))
	}
	if s.Technique != r.Technique && s.Technique != trace.UnknownTechnique && r.Technique != trace.UnknownTechnique {
		add("sampled-vs-instrumented", "the subject is %s, the reference %s: only one of them counts calls, and instrumentation costs energy that the app does not", s.Technique, r.Technique)
	}
	if s.Overflow != r.Overflow {
		add("overflow", "%s recording ran out of buffer and lost its end", whose(s.Overflow))
	}
	if a, b := length(s), length(r); a > 2*b && b > 0 || b > 2*a && a > 0 {
		add("length", "the recordings last %s and %s: longer ones drain more", units.FormatTime(a), units.FormatTime(b))
	}
	if a, b := midRun(s), midRun(r); a != b {
		add("mid-run", "%s recording began in mid-run, the other with the app", whose(a))
	}
	return out
}

func whose(subject bool) string {
	if subject {
		return "the subject's"
	}
	return "the reference's"
}

// clocks says which clocks a recording has.
func clocks(c trace.Clock) string {
	switch c {
	case trace.ThreadCPU:
		return "a clock of processor time"
	case trace.WallClock:
		return "a clock of elapsed time"
	case trace.ThreadCPU | trace.WallClock:
		return "clocks of processor time and of elapsed time"
	}
	return "no clock"
}

// origin says where energy is from.
func origin(p trace.Provenance) string {
	switch p {
	case trace.NoEnergy:
		return "unknown"
	case trace.Given:
		return "what its file gives"
	case trace.Measured:
		return "measured"
	case trace.Modelled, trace.Scaled:
		return "modelled by component"
	}
	return "modelled from " + strings.ReplaceAll(p.String(), "-", " ")
}

// length is how long a recording lasted, in nanoseconds.
func length(t *trace.Trace) int64 {
	if t.Elapsed > 0 {
		return int64(t.Elapsed)
	}
	var longest int64
	for _, th := range t.Threads {
		longest = max(longest, int64(th.Wall))
	}
	return longest
}

func midRun(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Warnings, func(w trace.Warning) bool { return w.Code == "open-at-start" })
}
