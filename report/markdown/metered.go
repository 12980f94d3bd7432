package markdown

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// writeMetered writes the measured energy of lines.
func writeMetered(p *strings.Builder, l *report.Lines, m *report.Metered, o report.Options) {
	scale, names := words.ScalePerFigure(o.Unit, o.Voltage), apart(l.Methods)
	fmt.Fprintf(p, "\n**%s**; %s.", words.MeteredTitle, escaped(words.MeteredSource(m.Tracks, m.Window, m.Elapsed, m.Period, m.Periods)))
	if m.Reason == "" {
		fmt.Fprintf(p, " %s. %s.", escaped(words.MeteredFit(m.Way, m.Opcodes, m.Spread, m.R2, m.AEE, m.OffJoined, m.OffOpcodes, m.OffTimes)),
			escaped(words.MeteredPowers(m.Way, m.IdlePower, m.BusyPower, m.IdleKnown, m.PowersVary)))
	}
	p.WriteString("\n\n")
	rows := table{{"part", "energy", "share"}}
	for _, part := range words.MeteredParts(m.Lined, m.Unlined, m.Probes, m.Events, m.CallEnergy, m.Idle, m.Rest) {
		rows = append(rows, []string{part.Name, scale.Energy(part.Energy), words.Percent(units.Share(part.Energy, m.Metered))})
	}
	rows.write(p)
	write := func(what string, list []report.MeteredRow) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(p, "\n%s.\n\n", escaped(words.MeteredLegend))
		rows := table{{what, "energy", "95%", "share", "each", "executions"}}
		for _, r := range list {
			text := names[r.Method]
			if r.Line > 0 {
				text = l.Name(&report.LineRow{Method: r.Method, File: r.File, Line: r.Line, Lines: 1}, text)
			}
			rows = append(rows, []string{literal(text), scale.Energy(r.Energy), meteredRange(scale, &r), words.Percent(r.Share), scale.Energy(units.Energy(r.Each + 0.5)), words.Count(r.Executions)})
		}
		rows.write(p)
	}
	if m.Grade == "methods" {
		write("method", m.ByMethod)
	}
	write("line", m.Rows)
	if len(m.Calls) > 0 {
		fmt.Fprintf(p, "\n%s.\n\n", escaped(words.MeteredCallsTitle))
		rows := table{{"energy", "calls"}}
		for _, c := range m.ListedCalls() {
			rows = append(rows, []string{scale.Energy(c.Energy), literal(words.MeteredCall(names[c.Method], c.Count))})
		}
		rows.write(p)
		if text := m.OtherCalls(scale); text != "" {
			fmt.Fprintf(p, "\n%s.\n", escaped(text))
		}
	}
	for i, text := range words.MeteredDoubts(m.Halves, m.Scaled, m.Unjudged) {
		if i == 0 {
			p.WriteString("\n")
		}
		fmt.Fprintf(p, "- %s\n", escaped(text))
	}
}

// writeLineMeters writes how measured energy was divided among the samples.
func writeLineMeters(p *strings.Builder, l *report.Lines, o report.Options) {
	scale := words.ScalePerFigure(o.Unit, o.Voltage)
	for i, m := range []*report.LineMeter{l.Meter, l.MeterReference} {
		if m == nil {
			continue
		}
		side := ""
		if l.Reference != nil {
			side = []string{"Subject: ", "Reference: "}[i]
		}
		if m.Reason != "" {
			fmt.Fprintf(p, "\n%s%s.\n", side, escaped(m.Source()))
			continue
		}
		fmt.Fprintf(p, "\n**%s%s**; %s.\n\n", side, words.MeterTitle, escaped(m.Source()))
		rows := table{{"part", "energy", "share"}}
		for _, part := range m.Parts() {
			rows = append(rows, []string{part.Name, scale.Energy(part.Energy), words.Percent(units.Share(part.Energy, m.Metered))})
		}
		rows.write(p)
	}
}

// writeMeteredPairs writes the measured energy of two runs.
func writeMeteredPairs(p *strings.Builder, l *report.Lines, o report.Options) {
	scale, names, what := words.ScalePerFigure(o.Unit, o.Voltage), apart(l.Methods), "line"
	if l.ByMethod {
		what = "method"
	}
	fmt.Fprintf(p, "\n**%s**. %s.\n\n", words.MeteredPairsTitle(what), escaped(words.MeteredPairsLegend))
	if l.ByMethod {
		fmt.Fprintf(p, "%s.\n\n", escaped(words.MethodsNote))
	}
	for _, text := range l.MeteredPairDoubts() {
		fmt.Fprintf(p, "- %s\n", escaped(text))
	}
	each := func(u *report.MeteredUse) string {
		if u.Each == nil {
			return "–"
		}
		return scale.Energy(units.Energy(*u.Each + 0.5))
	}
	rows := table{{what, "difference", "95%", "each", "there", "ran", "there", ""}}
	for _, r := range l.MeteredPairs.Rows {
		rows = append(rows, []string{
			literal(l.PairName(&r, names[r.Method])), scale.Energy(r.Saving), scale.Energy(r.From) + " to " + scale.Energy(r.To), each(&r.Subject), each(&r.Reference),
			words.Count(r.Subject.Executions), words.Count(r.Reference.Executions), r.Why(),
		})
	}
	p.WriteString("\n")
	rows.write(p)
	if open := l.MeteredPairs.Open; open > 0 {
		fmt.Fprintf(p, "\n%s.\n", escaped(words.MeteredOpen(open, what)))
	}
}

// meteredRange formats an interval, "–" if there is none.
func meteredRange(scale words.Scale, r *report.MeteredRow) string {
	if r.Most == 0 {
		return "–"
	}
	return scale.Range(&r.Least, r.Most)
}
