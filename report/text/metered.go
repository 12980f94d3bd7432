package text

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// metered writes the measured energy of lines.
func (p *page) metered(l *report.Lines, o report.Options) {
	m := l.Metered
	scale := words.ScalePerFigure(o.Unit, o.Voltage)
	p.linef("")
	p.paragraph(p.faint, words.MeteredTitle+"; "+words.MeteredSource(m.Tracks, m.Window, m.Elapsed, m.Period, m.Periods))
	if m.Reason == "" {
		p.paragraph(p.faint, words.MeteredFit(m.Way, m.Opcodes, m.Spread, m.R2, m.AEE, m.OffJoined, m.OffOpcodes, m.OffTimes))
		p.paragraph(p.faint, words.MeteredPowers(m.Way, m.IdlePower, m.BusyPower, m.IdleKnown, m.PowersVary))
	}
	for _, text := range words.MeteredDoubts(m.Halves, m.Scaled, m.Unjudged) {
		p.paragraph(p.note, text)
	}
	p.linef("")
	p.meteredParts(scale, m, nil)
	p.meteredRows(l, scale, m.ByMethod, "method", m.MethodsTotal, m.Grade == "methods")
	p.meteredRows(l, scale, m.Rows, "line", m.Total, true)
	if m.Others > 0 {
		p.linef("")
		p.paragraph(p.faint, words.MeteredOthers(m.Others, scale.Energy(m.OthersEnergy)))
	}
	if len(m.Outliers) > 0 {
		p.linef("")
		p.paragraph(p.faint, words.MeteredEventsTitle)
		apart := p.apart()
		for _, e := range m.Outliers {
			place := ""
			if e.Method != "" {
				place = fmt.Sprintf("%s:%d", clean(apart[e.Method]), e.Line)
			}
			p.linef("  %s  %s", scale.Energy(e.Energy), words.MeteredEvent(place, e.Count, scale.Energy(m.LeastEvent)))
		}
	}
	if len(m.Calls) > 0 {
		p.linef("")
		p.paragraph(p.faint, words.MeteredCallsTitle)
		apart := p.apart()
		for _, c := range m.ListedCalls() {
			p.linef("  %s  %s", scale.Energy(c.Energy), words.MeteredCall(clean(apart[c.Method]), c.Count))
		}
		if text := m.OtherCalls(scale); text != "" {
			p.linef("  %s", text)
		}
	}
	if len(m.Undivided) > 0 {
		var names []string
		for _, a := range m.Undivided {
			names = append(names, clean(a.Name)+" "+scale.Energy(a.Energy))
		}
		p.linef("")
		p.paragraph(p.faint, words.UndividedParts(names))
	}
}

// lineMeters writes the meters whose energy is divided among samples.
func (p *page) lineMeters(l *report.Lines, o report.Options) {
	scale := words.ScalePerFigure(o.Unit, o.Voltage)
	for i, m := range []*report.LineMeter{l.Meter, l.MeterReference} {
		switch {
		case m == nil:
			continue
		case m.Reason != "":
			p.paragraph(p.note, m.Source())
			continue
		}
		p.linef("")
		title := words.MeterTitle
		if l.Reference != nil {
			title = []string{"Subject: ", "Reference: "}[i] + title
		}
		p.paragraph(p.faint, title+"; "+m.Source())
		rows := []table.Row(nil)
		for _, part := range m.Parts() {
			rows = append(rows, table.Row{scale.Energy(part.Energy), words.Percent(units.Share(part.Energy, m.Metered))})
		}
		figures := aligned(table.Row{"energy", "share"}, rows)
		p.linef("%s", p.head(figures[0]+"part"))
		for i, part := range m.Parts() {
			p.linef("%s%s", figures[i+1], part.Name)
		}
	}
}

// meteredParts writes the parts of the measured energy for one run or two.
func (p *page) meteredParts(scale words.Scale, m, there *report.Metered) {
	parts := func(m *report.Metered) []words.MeteredPart {
		return append(words.MeteredParts(m.Lined, m.Unlined, m.Probes, m.Events, m.CallEnergy, m.Idle, m.Rest), words.MeteredPart{Name: "measured", Energy: m.Metered})
	}
	heading, here, rows := table.Row{"energy", "share"}, parts(m), []table.Row(nil)
	if there != nil {
		heading = append(heading, "there", "share")
	}
	for i, part := range here {
		row := table.Row{scale.Energy(part.Energy), words.Percent(units.Share(part.Energy, m.Metered))}
		if there != nil {
			e := parts(there)[i].Energy
			row = append(row, scale.Energy(e), words.Percent(units.Share(e, there.Metered)))
		}
		rows = append(rows, row)
	}
	figures := aligned(heading, rows)
	p.linef("%s", p.head(figures[0]+"part"))
	for i, part := range here {
		p.linef("%s%s", figures[i+1], part.Name)
	}
}

// meteredPairs compares the measured energy of two runs by line.
func (p *page) meteredPairs(l *report.Lines, o report.Options) {
	scale, pairs := words.ScalePerFigure(o.Unit, o.Voltage), l.MeteredPairs
	p.linef("")
	what := "line"
	if l.ByMethod {
		what = "method"
	}
	p.paragraph(p.faint, words.MeteredPairsTitle(what)+"; "+p.measure())
	p.paragraph(p.faint, words.MeteredPairsLegend)
	if l.ByMethod {
		p.paragraph(p.faint, words.MethodsNote)
	}
	for _, text := range l.MeteredPairDoubts() {
		p.paragraph(p.note, text)
	}
	p.linef("")
	p.meteredParts(scale, l.Metered, l.MeteredReference)
	if len(pairs.Rows) > 0 {
		p.linef("")
	}
	rows := make([]table.Row, len(pairs.Rows))
	for i, r := range pairs.Rows {
		saving := p.faint(p.amount(r.Saving))
		if r.Verdict != report.LineUnclear {
			saving = p.saving(r.Saving)
		}
		rows[i] = table.Row{saving, p.between(&r.From, &r.To), meteredEach(scale, &r.Subject), meteredEach(scale, &r.Reference)}
		if p.width >= wideEnough {
			rows[i] = append(rows[i], words.Count(r.Subject.Executions), words.Count(r.Reference.Executions))
		}
		rows[i] = append(rows[i], r.Why())
	}
	if len(rows) > 0 {
		heading := table.Row{"difference", "95%", "each", "there"}
		if p.width >= wideEnough {
			heading = append(heading, "ran", "there")
		}
		figures := aligned(append(heading, ""), rows)
		p.linef("%s", p.head(figures[0]+what))
		apart := p.apart()
		for i, r := range pairs.Rows {
			text := cutName(l.PairName(&r, clean(apart[r.Method])), p.width-cells(figures[i+1]))
			if r.Own {
				text = p.bold(text)
			}
			p.linef("%s%s", figures[i+1], text)
		}
	}
	if n := pairs.Total - len(pairs.Rows); n > 0 {
		p.linef("")
		p.paragraph(p.faint, words.Some(n, "more "+what)+": --top 0 lists all")
	}
	if pairs.Open > 0 {
		p.linef("")
		p.paragraph(p.faint, words.MeteredOpen(pairs.Open, what))
	}
}

// meteredEach formats the energy of one execution, "–" if there is none.
func meteredEach(scale words.Scale, u *report.MeteredUse) string {
	if u.Each == nil {
		return "–"
	}
	return scale.Energy(units.Energy(*u.Each + 0.5))
}

// meteredRows writes lines or methods.
func (p *page) meteredRows(l *report.Lines, scale words.Scale, list []report.MeteredRow, what string, total int, show bool) {
	if len(list) == 0 || !show {
		return
	}
	p.linef("")
	p.paragraph(p.faint, words.MeteredLegend)
	p.linef("")
	rows := make([]table.Row, len(list))
	for i, r := range list {
		rows[i] = table.Row{scale.Energy(r.Energy), meteredRange(scale, &r), words.Percent(r.Share), scale.Energy(units.Energy(r.Each + 0.5)), words.Count(r.Executions)}
	}
	figures := aligned(table.Row{"energy", "95%", "share", "each", "executions"}, rows)
	p.linef("%s", p.head(figures[0]+what))
	apart := p.apart()
	for i, r := range list {
		text := clean(apart[r.Method])
		if r.Line > 0 {
			text = l.Name(&report.LineRow{Method: r.Method, File: r.File, Line: r.Line, Lines: 1}, text)
		}
		text = cutName(text, p.width-cells(figures[i+1]))
		if r.Own {
			text = p.bold(text)
		}
		p.linef("%s%s", figures[i+1], text)
	}
	if n := total - len(list); n > 0 {
		p.linef("")
		p.paragraph(p.faint, words.Some(n, "more "+what)+": --top 0 lists all")
	}
}

// meteredRange formats an interval, "–" if there is none.
func meteredRange(scale words.Scale, r *report.MeteredRow) string {
	if r.Most == 0 {
		return "–"
	}
	return scale.Range(&r.Least, r.Most)
}
