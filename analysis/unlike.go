package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// differences returns a warning for each property that makes two recordings hard to compare. Other
// programs may rely on the codes.
func differences(s, r *trace.Trace) []trace.Warning {
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
	if s.Weight != r.Weight {
		add("unit", "the subject's numbers are %s, the reference's %s", counted(s), counted(r))
	}
	if s.Mode != r.Mode {
		add("mode", "the subject counts in %s, the reference in %s", modes(s.Mode), modes(r.Mode))
	}
	if s.Technique != r.Technique && s.Technique != trace.UnknownTechnique && r.Technique != trace.UnknownTechnique {
		add("sampled-vs-instrumented", "the subject is %s, the reference %s: only one of them counts calls, and instrumentation adds energy that the app does not use", s.Technique, r.Technique)
	}
	if s.Overflow != r.Overflow {
		add("overflow", "%s recording ran out of buffer and lost its end", sideName(s.Overflow))
	}
	for _, side := range []struct {
		subject bool
		run     *trace.Trace
	}{{true, s}, {false, r}} {
		if cut := warned(side.run, "truncated"); cut != nil {
			add("partial", "%s recording is cut short, and what the run did later is missing: %s", sideName(side.subject), cut.Message)
		}
	}
	if a, b := s.Interval, r.Interval; a > 0 && b > 0 && (2*a > 3*b || 2*b > 3*a) {
		add("interval", "the subject was sampled every %s, the reference every %s: numbers of samples are not comparable, and the longer interval misses more calls",
			units.FormatTime(int64(a)), units.FormatTime(int64(b)))
	}
	if a, b := int64(Length(s)), int64(Length(r)); a > 2*b && b > 0 || b > 2*a && a > 0 {
		add("length", "the recordings last %s and %s: longer runs use more", units.FormatTime(a), units.FormatTime(b))
	}
	if a, b := midRun(s), midRun(r); a != b {
		add("mid-run", "%s recording began in the middle of its run, the other at the app's start", sideName(a))
	}
	return out
}

// modes describes the modes of the processor in which a recorder counted.
func modes(mode string) string {
	if mode == "" {
		return "all modes of the processor"
	}
	return mode + " mode alone"
}

// TwoKinds reports whether the two runs measure different quantities, such as joules and cycles. A
// difference between their numbers is then meaningless.
func (r *Result) TwoKinds() bool {
	a, b := r.Subject.Trace, r.Reference.Trace
	return a.Weight != b.Weight || a.Mode != b.Mode || a.Unstated != b.Unstated
}

// overloads returns a warning if only one of the two runs has the parameters of JVM methods, and
// nil otherwise. joined is true if the comparison ignores parameters for this reason.
func overloads(subject, reference *cct.Tree, s, r *trace.Trace, joined bool) *trace.Warning {
	here, there := omitsDescriptors(subject), omitsDescriptors(reference)
	if here == nil || there == nil || *here == *there {
		return nil
	}
	format := r.Format
	if *here {
		format = s.Format
	}
	so := "overloads are compared as one method"
	if !joined {
		so = "without the step detail, few methods have a counterpart"
	}
	return &trace.Warning{Code: "descriptors", Message: fmt.Sprintf("%s names %s methods without their parameters: %s", format, sideName(*here), so)}
}

// omitsDescriptors reports whether most JVM methods that ran have no descriptor. It returns nil if
// no JVM method ran.
func omitsDescriptors(t *cct.Tree) *bool {
	with, without := 0, 0
	for i := range t.Methods {
		switch m := &t.Methods[i]; {
		case m.Lang != name.JVM || m.Type == "":
		case m.Signature == "":
			without++
		default:
			with++
		}
	}
	if with+without == 0 {
		return nil
	}
	most := without > with
	return &most
}

func sideName(subject bool) string {
	if subject {
		return "the subject's"
	}
	return "the reference's"
}

// count formats a number with its noun, given in the singular.
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// clocks describes the clocks of a recording.
func clocks(c trace.Clock) string {
	switch c {
	case trace.ThreadCPU:
		return "a clock of processor time"
	case trace.ThreadCPU | trace.Cycles:
		return "cycles and a frequency"
	case trace.WallClock:
		return "a clock of elapsed time"
	case trace.ThreadCPU | trace.WallClock:
		return "clocks of processor time and of elapsed time"
	}
	return "no clock"
}

// counted describes the unit of a recording's numbers.
func counted(t *trace.Trace) string {
	if t.Weight == "" {
		return "of another kind"
	}
	return "counts of " + t.Weight
}

// origin describes the origin of energy.
func origin(p trace.Provenance) string {
	switch p {
	case trace.NoEnergy:
		return "unknown"
	case trace.Given:
		return "stated by its file"
	case trace.Measured:
		return "measured"
	case trace.Modelled, trace.Scaled:
		return "modelled by component"
	case trace.APICost:
		return "computed from API costs"
	case trace.Fitted:
		return "measured, and split by a fit"
	}
	return "modelled from " + strings.ReplaceAll(p.String(), "-", " ")
}

// Length returns how long a recording lasts, or 0 if it is unknown.
func Length(t *trace.Trace) time.Duration {
	longest := t.Elapsed
	if longest > 0 {
		return longest
	}
	for _, th := range t.Threads {
		longest = max(longest, th.Wall)
	}
	return longest
}

func midRun(t *trace.Trace) bool { return warned(t, "open-at-start") != nil }

// warned returns the warning of a trace with a code, nil if there is none.
func warned(t *trace.Trace, code string) *trace.Warning {
	i := slices.IndexFunc(t.Warnings, func(w trace.Warning) bool { return w.Code == code })
	if i < 0 {
		return nil
	}
	return &t.Warnings[i]
}
