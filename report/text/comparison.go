package text

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// Comparison writes what two runs differ in.
func Comparison(w io.Writer, r *report.Report, o Options) error {
	if o.Voltage == 0 {
		o.Voltage = r.Voltage
	}
	p := newPage(o, r.Subject.Energy)
	p.inputs(r)
	p.notes("unlike", r.Comparability)
	p.notes("warning", r.Warnings)
	p.linef("")
	if len(r.Tasks) == 0 {
		p.linef("No tasks: no framework method is called by a method of the app. If the app's own")
		p.linef("packages were taken for framework, say --app-package; diffprof packages lists them.")
	} else {
		p.tasks(r)
	}
	p.totals(r)
	return p.flush(w)
}

// inputs writes what is known of the two runs, side by side.
func (p *page) inputs(r *report.Report) {
	const label = 11
	column := (p.width - label) / 2
	row := func(name, subject, reference string) {
		p.linef("%s%s%s", p.faint(pad(name, label)), pad(cutLeft(subject, column-2), column), cutLeft(reference, column))
	}
	both := func(name string, of func(report.Input) string) {
		row(name, of(r.Subject), of(r.Reference))
	}
	p.linef("%s%s%s", pad("", label), p.bold(pad("subject", column)), p.bold("reference"))
	both("file", func(in report.Input) string { return clean(in.Path) })
	both("recording", recording)
	both("size", func(in report.Input) string {
		return some(in.Events, "event") + ", " + some(in.Threads, "thread")
	})
	both("contexts", func(in report.Input) string {
		return fmt.Sprintf("%s, %s merged", count(in.CCTNodes), count(in.TreeNodes))
	})
	both("CPU time", func(in report.Input) string {
		if in.WallTime > 0 {
			return fmt.Sprintf("%s in %s", duration(in.CPUTime), duration(in.WallTime))
		}
		return duration(in.CPUTime)
	})
	both("energy", func(in report.Input) string {
		return p.energy(in.Energy) + " " + provenance(in.Provenance)
	})
	p.powerSources(r)
	alpha := fmt.Sprintf("α = %d", r.Alpha.Used)
	if r.Alpha.Requested == "auto" {
		alpha += ", chosen by --alpha auto"
	}
	p.linef("%s%s; %s paired, %s of them equal", p.faint(pad("matching", label)),
		alpha, some(r.Matching.Pairs, "context"), count(r.Matching.Size))
}

// powerSources writes where the power of modelled energy came from, once if both
// inputs agree.
func (p *page) powerSources(r *report.Report) {
	subject, reference := clean(r.Subject.PowerSource), clean(r.Reference.PowerSource)
	name := p.faint(pad("power", 11))
	switch {
	case subject == "" && reference == "":
	case subject == reference:
		p.linef("%s%s", name, subject)
	default:
		p.linef("%ssubject: %s", name, subject)
		p.linef("%sreference: %s", name, reference)
	}
}

// recording says how a run was recorded: "art, instrumented, dual clock".
func recording(in report.Input) string {
	words := []string{clean(in.Format)}
	if in.VM != "" && in.VM != in.Format {
		words = append(words, clean(in.VM))
	}
	if in.Technique != "unknown" {
		words = append(words, in.Technique)
	}
	if in.Clock != "none" {
		words = append(words, in.Clock+" clock")
	}
	return strings.Join(words, ", ")
}

// provenance says how far to trust an energy.
func provenance(code string) string {
	switch code {
	case "given":
		return "(as the input gives it)"
	case "cpu-time":
		return "(modelled from CPU time)"
	case "wall-time":
		return "(modelled from wall time)"
	default:
		return "(nothing known)"
	}
}

// duration writes nanoseconds with three digits or so.
func duration(ns int64) string {
	d := time.Duration(ns)
	for unit := time.Nanosecond; unit <= time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(10 * time.Millisecond).String()
}

// notes writes notes under their kind, wrapped.
func (p *page) notes(kind string, notes []report.Note) {
	for _, n := range notes {
		for i, line := range wrap(clean(n.Message), p.width-11) {
			if i > 0 {
				kind = ""
			}
			p.linef("%s%s", p.note(pad(kind, 11)), line)
		}
	}
}

// wrap breaks prose into lines of at most n cells where it has blanks.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// totals says where the subject's energy went, and what was not shown.
func (p *page) totals(r *report.Report) {
	s := r.Summary
	parts := []units.Energy{s.UnmatchedEnergy, s.MatchedEnergy, s.OutsideTasksEnergy}
	shares := percents(parts)
	names := []string{
		some(s.Unmatched, "task") + " only here",
		some(s.Matched, "task") + " in both",
		"outside of tasks",
	}
	amounts := make([]string, len(parts))
	wide := len(p.amount(r.Subject.Energy))
	for i, e := range parts {
		amounts[i] = p.amount(e)
		wide = max(wide, len(amounts[i]))
	}
	p.linef("")
	p.linef("%s", p.bold("Where the subject's energy went, each part counted once, in "+p.unit.String()))
	for i := range parts {
		p.linef("  %s %*s  %6s", pad(names[i], 24), wide, amounts[i], shares[i])
	}
	whole := "100.0%"
	if r.Subject.Energy == 0 {
		whole = "–"
	}
	p.linef("  %s %*s  %6s", pad("total", 24), wide, p.amount(r.Subject.Energy), whole)

	if hidden := s.Tasks - len(r.Tasks); hidden > 0 {
		var shown units.Energy
		for _, t := range r.Tasks {
			shown += t.Own
		}
		rest := s.MatchedEnergy + s.UnmatchedEnergy - shown
		p.linef("")
		p.linef("%s", p.faint(fmt.Sprintf("%s more, %s between them: --top 0 shows all.", some(hidden, "task"), p.energy(rest))))
	}
}
