package text

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
)

// executions writes how often lines were executed.
func (p *page) executions(l *report.Lines) {
	x := l.Executions
	p.linef("")
	p.paragraph(p.faint, words.ExecutionsTitle+"; "+words.PathCounts(x.Paths, x.Stopped, x.Unknown, x.Times))
	p.paragraph(p.faint, words.ExecutionsLegend)
	p.paragraph(p.faint, words.PathCost(x.Overhead, x.Busy, x.Joined))
	p.linef("")
	rows := make([]table.Row, len(x.Rows))
	for i, r := range x.Rows {
		rows[i] = table.Row{words.Count(r.Count), words.Count(r.Stopped)}
	}
	figures := aligned(table.Row{"executions", "stopped"}, rows)
	p.linef("%s", p.head(figures[0]+"line"))
	apart := p.apart()
	for i, r := range x.Rows {
		text := cutName(l.Place(&r, clean(apart[r.Method])), p.width-cells(figures[i+1]))
		if r.Own {
			text = p.bold(text)
		}
		p.linef("%s%s", figures[i+1], text)
	}
	if n := x.Unlisted(); n > 0 {
		p.linef("")
		p.paragraph(p.faint, words.MoreLines(n))
	}
}
