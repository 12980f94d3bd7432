package text

import (
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Trend writes one chart per series. Each entry is a line with its median run and the interval of
// the median. A change is a line between two entries.
func Trend(w io.Writer, t *report.Trend, o report.Options) error {
	p := newTrendPage(t, o)
	for i := range t.Series {
		s := &t.Series[i]
		if i > 0 {
			p.linef("")
		}
		p.seriesHead(t, s)
		p.linef("")
		p.chart(t, s)
	}
	p.linef("")
	p.linef("%s", p.faint(words.TrendLegend))
	return p.trendEnd(w, t)
}

// Blame writes since which entry each series costs more or less, and what to measure next.
func Blame(w io.Writer, t *report.Trend, o report.Options) error {
	p := newTrendPage(t, o)
	if t.Judged > 1 {
		p.blameTable(t)
		return p.trendEnd(w, t)
	}
	for i := range t.Series {
		s := &t.Series[i]
		if i > 0 {
			p.linef("")
		}
		p.seriesHead(t, s)
		for k := len(s.Changes) - 2; k >= 0; k-- {
			p.prose("before", p.faint, t.Change(&s.Changes[k], p.scale))
		}
		for _, advice := range t.Advice(s) {
			p.prose("next", p.note, clean(advice))
		}
	}
	return p.trendEnd(w, t)
}

func newTrendPage(t *report.Trend, o report.Options) *page {
	p := newPage(o, t.Peak())
	p.scale, p.methods = t.Scale(o), t.Methods
	p.paragraph(p.faint, clean(t.Scope())+"; "+p.measure()+" ("+t.EnergyFrom+")")
	p.linef("")
	return p
}

func (p *page) trendEnd(w io.Writer, t *report.Trend) error {
	p.linef("")
	p.paragraph(p.faint, words.TrendMethod)
	if len(t.Warnings) > 0 {
		p.linef("")
		p.notes("warning", t.Warnings)
	}
	return p.flush(w)
}

// seriesHead writes the name of a series, and whether it changed.
func (p *page) seriesHead(t *report.Trend, s *report.TrendSeries) {
	name := clean(t.Name(s))
	if s.ID != "" {
		name += " (task " + s.ID + ")"
	}
	p.linef("%s", p.bold(cutLeft(name, p.width)))
	paint := p.faint
	if c := s.Latest(); c != nil {
		paint = p.good
		if c.Difference > 0 {
			paint = p.bad
		}
	}
	p.paragraph(paint, clean(t.Verdict(s, p.scale)))
	if s.Uneven && s.Latest() != nil {
		p.paragraph(p.faint, words.Uneven)
	}
}

// minChartWidth is the smallest width of a chart in cells.
const minChartWidth = 16

// chart writes one line per entry, and one per change between entries.
func (p *page) chart(t *report.Trend, s *report.TrendSeries) {
	versions := false
	for _, e := range t.Entries {
		versions = versions || e.Version != "" && e.Version != e.Name
	}
	heading := table.Row{"entry"}
	if versions {
		heading = append(heading, "version")
	}
	heading = append(heading, "date", "runs", p.scale.Unit())
	rows := make([]table.Row, len(t.Entries))
	for i, e := range t.Entries {
		row := table.Row{cutRight(clean(e.Name), 12)}
		if versions {
			row = append(row, cutRight(clean(e.Version), 10))
		}
		rows[i] = append(row, e.Time.Format(time.DateOnly), len(s.Points[i].Runs), p.amount(s.Points[i].Median))
	}
	lines := aligned(heading, rows)
	axis := &axis{cells: max(p.width-cells(lines[0])-1, minChartWidth)}
	axis.from, axis.to = s.Range()
	from, to := p.amount(axis.from), p.amount(axis.to)
	ends := from + strings.Repeat(" ", max(axis.cells-cells(from)-cells(to), 1)) + to
	p.linef("%s", p.head(lines[0]+ends))
	change := 0
	for i := range t.Entries {
		if change < len(s.Changes) && s.Changes[change].Entry == i {
			c := &s.Changes[change]
			paint, mark := p.good, "▼ "
			if c.Difference > 0 {
				paint, mark = p.bad, "▲ "
			}
			p.linef("%s", paint(cutRight(mark+clean(t.Change(c, p.scale)), p.width)))
			change++
		}
		p.linef("%s%s", lines[i+1], axis.draw(&s.Points[i]))
	}
}

// An axis maps energies to the cells of a line.
type axis struct {
	from, to units.Energy
	cells    int
}

// cell returns the cell in which to draw an energy. If all energies are equal, it is the middle.
func (a *axis) cell(e units.Energy) int {
	if a.to == a.from {
		return a.cells / 2
	}
	return int(units.MulDiv(int64(min(max(e, a.from), a.to)-a.from), int64(a.cells-1), int64(a.to-a.from)))
}

// draw draws the runs of an entry, their median, and its interval.
func (a *axis) draw(p *report.TrendPoint) string {
	line := []rune(strings.Repeat(" ", a.cells))
	if p.Least != nil && len(p.Runs) > 0 {
		from, to := a.cell(*p.Least), a.cell(*p.Most)
		for i := from; i <= to; i++ {
			line[i] = '─'
		}
		if *p.Least >= a.from {
			line[from] = '├'
		}
		if *p.Most <= a.to {
			line[to] = '┤'
		}
	}
	for _, run := range p.Runs {
		line[a.cell(run)] = '·'
	}
	if len(p.Runs) > 0 {
		line[a.cell(p.Median)] = '●'
	}
	return string(line)
}

// blameTable writes one line per changed series, grouped by the entry of the change.
func (p *page) blameTable(t *report.Trend) {
	p.paragraph(p.faint, words.Judged(t.Judged, t.Changed, t.Rate))
	if len(t.Series) == 0 {
		return
	}
	p.linef("")
	rows := make([]table.Row, len(t.Series))
	for i := range t.Series {
		c := t.Series[i].Latest()
		rows[i] = table.Row{cutRight(clean(t.Entries[c.Entry].Name), 12), words.Growth(c.Growth), p.amount(c.Difference), p.interval(c)}
	}
	lines := aligned(table.Row{"since", "growth", p.scale.Unit(), "interval"}, rows)
	p.linef("%s", p.head(lines[0]+"what"))
	for i := range t.Series {
		paint := p.good
		if t.Series[i].Latest().Difference > 0 {
			paint = p.bad
		}
		p.linef("%s%s", paint(lines[i+1]), cutLeft(clean(t.Name(&t.Series[i])), max(p.width-cells(lines[0]), 8)))
	}
	if hidden := t.Changed - len(t.Series); hidden > 0 {
		p.linef("")
		p.linef("%s", p.faint(words.Count(hidden)+" more: --top 0 shows all."))
	}
	if advice := t.Advice(&t.Series[0]); len(advice) > 0 {
		p.linef("")
		for _, line := range advice {
			p.prose("next", p.note, clean(line))
		}
	}
}

// interval formats the interval of a change's difference.
func (p *page) interval(c *report.TrendChange) string {
	if c.Least == nil {
		return "–"
	}
	return p.amount(*c.Least) + " to " + p.amount(*c.Most)
}
