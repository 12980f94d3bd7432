package text

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Lines writes the energy of source lines of one run or of two.
func Lines(w io.Writer, l *report.Lines, o report.Options) error {
	one := l.Heading()
	p := newPage(o, one.Energy, one)
	p.methods = l.Methods
	if l.Reference == nil {
		one.Rules.Steps = nil // The lines of one run do not depend on preprocessing.
		p.oneInput(one)
	} else {
		p.run("subject", one)
		p.run("reference", l.ReferenceHeading())
	}
	p.prose("lines", p.bold, l.Precision())
	p.notes("unlike", l.Comparability)
	p.notes("warning", l.Doubts())
	p.lineMeters(l, o)
	switch {
	case l.Source != nil:
		p.linef("")
		p.listing(l, o)
	case l.Measures():
		// The measured energy replaces the modelled energy of methods.
	case len(l.Rows) > 0:
		p.linef("")
		p.paragraph(p.faint, words.LinesTitle(l.Reference != nil, l.RowNoun(), l.Sort, p.scale.Noun())+"; "+p.measure())
		p.paragraph(p.faint, words.LinesLegend(l.Reference != nil, l.Sort))
		if l.ByMethod {
			p.paragraph(p.faint, words.MethodsNote)
		}
		p.linef("")
		p.lineRows(l)
		if text := l.Unlisted(p.scale); text != "" {
			p.linef("")
			p.paragraph(p.faint, text)
		}
	}
	switch {
	case l.Source != nil:
	case l.MeteredPairs != nil:
		p.meteredPairs(l, o)
	case l.Metered != nil && l.Reference == nil:
		p.metered(l, o)
	}
	if l.Executions != nil && l.Source == nil {
		p.executions(l)
	}
	return p.flush(w)
}

// lineRows writes the rows.
func (p *page) lineRows(l *report.Lines) {
	two := l.Reference != nil
	heading := table.Row{"self", "95%", "share", "all", "samples"}
	if l.Sort == report.ByAll {
		heading[0], heading[3] = heading[3], heading[0]
	}
	if two {
		heading = table.Row{"difference", "95%", l.Sort, "there", ""}
	}
	rows := make([]table.Row, len(l.Rows))
	for i, r := range l.Rows {
		e, least, most, share, other := r.Subject.Sorted(l.Sort)
		row := table.Row{p.optionalEnergy(e), p.between(least, most), words.Percent(share), p.optionalEnergy(other), words.Count(int64(r.Subject.Samples + 0.5))}
		if e == nil {
			row[2] = "–"
		}
		if two {
			row = table.Row{p.lineDifference(r), p.between(r.From, r.To), p.amount(l.SortEnergy(&r.Subject)), p.amount(l.SortEnergy(r.Reference)), r.Verdict}
		}
		if rows[i] = row; p.width >= wideEnough {
			rows[i] = append(row, owner(r.Owner, r.Own))
		}
	}
	if p.width >= wideEnough {
		heading = append(heading, owner("code", false))
	}
	figures := aligned(heading, rows)
	p.linef("%s", p.head(figures[0]+l.RowNoun()))
	apart := p.apart()
	for i, r := range l.Rows {
		text := l.Name(&r, clean(apart[r.Method]))
		text = cutName(text, p.width-cells(figures[i+1]))
		if r.Own {
			text = p.bold(text)
		}
		p.linef("%s%s", figures[i+1], text)
	}
}

// optionalEnergy formats an energy, "–" if it is unknown.
func (p *page) optionalEnergy(e *units.Energy) string {
	if e == nil {
		return "–"
	}
	return p.amount(*e)
}

// between formats an interval, "–" if there is none.
func (p *page) between(least, most *units.Energy) string {
	if least == nil || most == nil {
		return "–"
	}
	return p.amount(*least) + " to " + p.amount(*most)
}

// lineDifference formats the difference of a line, in color if it is more than chance.
func (p *page) lineDifference(r report.LineRow) string {
	if r.Verdict == report.LineUnclear {
		return p.faint(p.amount(*r.Saving))
	}
	return p.saving(*r.Saving)
}

// listing writes the source of a method with the energy of each line.
func (p *page) listing(l *report.Lines, o report.Options) {
	s := l.Source
	p.linef("%s", p.bold(p.short(s.Method))+p.faint("  "+clean(s.Path)))
	if s.Note != "" {
		p.paragraph(p.note, s.Note)
	}
	two, measured := l.Reference != nil && !l.ByMethod, l.Measures()
	if measured {
		p.paragraph(p.faint, words.MeteredListing)
	} else {
		p.paragraph(p.faint, words.ListingLegend(two)+"; "+p.measure())
	}
	if l.Executions != nil {
		p.paragraph(p.faint, words.ListedExecutions)
	}
	if l.ByMethod {
		p.paragraph(p.faint, words.ListingNote)
	}
	p.linef("")
	heading := table.Row{"self", "95%", "all"}
	both := measured && two
	switch {
	case both:
		heading = table.Row{"energy", "95%", "there", "each", "there"}
	case measured:
		heading = table.Row{"energy", "95%", "each"}
	case two:
		heading = table.Row{"self", "95%", "there", "all", "there"}
	}
	if l.Executions != nil {
		heading = append(heading, "executions")
	}
	rows, scale := make([]table.Row, len(s.Lines)), words.ScalePerFigure(o.Unit, o.Voltage)
	for i, line := range s.Lines {
		self, interval, all := p.listed(line.Subject)
		if measured {
			self, interval, all = listedMetered(line.Metered, scale)
		}
		if rows[i] = (table.Row{self, interval, all}); two && !measured {
			own, _, with := p.listed(line.Reference)
			rows[i] = table.Row{self, interval, own, all, with}
		}
		if both {
			there, _, before := listedMetered(line.MeteredReference, scale)
			rows[i] = table.Row{self, interval, there, all, before}
		}
		if l.Executions != nil {
			ran := ""
			if line.Executions != nil {
				ran = words.Count(*line.Executions)
			}
			rows[i] = append(rows[i], ran)
		}
		rows[i] = append(rows[i], line.Line)
	}
	figures := aligned(append(heading, "line"), rows)
	p.linef("%s", p.head(strings.TrimRight(figures[0], " ")))
	for i, line := range s.Lines {
		text := strings.ReplaceAll(line.Text, "\t", "    ")
		p.linef("%s%s", figures[i+1], clean(text))
	}
}

// listedMetered formats a line's measured energy, its interval, and the energy of one execution.
// They are empty if the line did not run.
func listedMetered(u *report.MeteredUse, scale words.Scale) (energy, interval, each string) {
	switch {
	case u == nil:
		return "", "", ""
	case u.Energy == nil:
		return "–", words.Undetermined, "–"
	}
	energy, interval, each = scale.Energy(*u.Energy), "–", scale.Energy(units.Energy(*u.Each+0.5))
	if u.Least != nil {
		interval = scale.Range(u.Least, *u.Most)
	}
	return energy, interval, each
}

// listed formats a line's energy without callees, its interval, and the energy with callees. They
// are empty if the line used nothing.
func (p *page) listed(u *report.LineUse) (self, interval, all string) {
	if u == nil {
		return "", "", ""
	}
	if all = "–"; u.All != nil {
		all = p.amount(*u.All)
	}
	switch {
	case u.Own == 0:
		return "", "", all
	case u.Least == nil:
		return p.amount(u.Own), "few samples", all
	}
	return p.amount(u.Own), p.between(u.Least, u.Most), all
}

// cutName shortens the name of a row to n cells. It drops parameter types first.
func cutName(s string, n int) string {
	if from, to := strings.IndexByte(s, '('), strings.IndexByte(s, ')'); cells(s) > n && 0 < from && from < to {
		s = s[:from] + "(…" + s[to:]
	}
	return cutLeft(s, n)
}
