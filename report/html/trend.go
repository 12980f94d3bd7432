package html

import (
	"io"
	"slices"
	"time"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Trend writes a page about the energy over several commits. It has a chart and a table for each
// series, such as one task. It also lists the commits since which a series uses more or less.
func Trend(w io.Writer, t *report.Trend, o report.Options) error {
	scale := t.Scale(o)
	lead := Section{Parts: []Part{Dim(scale.Noun() + " in " + scale.Unit() + " (" + t.EnergyFrom + ")")}}
	if t.Judged > 1 {
		lead.Parts = append(lead.Parts, Text(words.Judged(t.Judged, t.Changed, t.Rate)))
	}
	page := &Article{Title: t.Scope(), Sections: []Section{lead}}
	for i := range t.Series {
		page.Sections = append(page.Sections, trendSection(t, &t.Series[i], scale))
	}
	legend := Section{Title: "How to read it", Parts: []Part{Dim(words.TrendPicture), Dim(words.TrendMethod)}}
	for _, note := range t.Warnings {
		legend.Parts = append(legend.Parts, Text("Warning: "+note.Message))
	}
	page.Sections = append(page.Sections, legend)
	return WriteArticle(w, page)
}

func trendSection(t *report.Trend, s *report.TrendSeries, scale words.Scale) Section {
	verdict := Part{Text: t.Verdict(s, scale)}
	if c := s.Latest(); c != nil {
		verdict.Tone = toneOf(c)
	}
	section := Section{Title: t.Name(s), Parts: []Part{verdict}}
	for _, advice := range t.Advice(s) {
		section.Parts = append(section.Parts, Dim("Next: "+advice))
	}
	chart := trendChart(t, s, scale)
	chart.Label = section.Title + ": " + verdict.Text
	section.Parts = append(section.Parts, Part{Chart: chart}, Part{Table: trendTable(t, s, scale), Summary: "Entry by entry"})
	return section
}

func toneOf(c *report.TrendChange) string {
	if c.Difference > 0 {
		return "worse"
	}
	return "better"
}

// trendTable returns a table with a row for each entry, the latest first.
func trendTable(t *report.Trend, s *report.TrendSeries, scale words.Scale) *Table {
	table := &Table{Columns: []Column{
		{Title: "entry"}, {Title: "version"}, {Title: "date"}, {Title: "runs", Figure: true},
		{Title: "median", Figure: true}, {Title: "95% interval", Figure: true}, {Title: "change", Figure: true},
	}}
	for i, e := range t.Entries {
		p := &s.Points[i]
		row := []string{e.Name, e.Version, e.Time.Format(time.DateOnly), words.Count(len(p.Runs)), scale.Energy(p.Median), "–", ""}
		if p.Least != nil {
			row[5] = scale.Amount(*p.Least) + " to " + scale.Amount(*p.Most)
		}
		for k := range s.Changes {
			if s.Changes[k].Entry == i {
				row[6] = words.Growth(s.Changes[k].Growth)
			}
		}
		cells := make([]Cell, len(row))
		for k, text := range row {
			cells[k].Text = text
		}
		table.Rows = append(table.Rows, cells)
	}
	slices.Reverse(table.Rows)
	return table
}

// trendChart returns a chart with the entries from left to right. Its vertical axis is the energy.
func trendChart(t *report.Trend, s *report.TrendSeries, scale words.Scale) *Chart {
	least, most := s.Range()
	ticks := scale.Ticks(least, most)
	chart := &Chart{X: Axis{From: -0.5, To: float64(len(t.Entries)) - 0.5}, Y: Axis{From: float64(ticks[0]), To: float64(ticks[len(ticks)-1])}}
	for _, e := range ticks {
		chart.Y.Ticks = append(chart.Y.Ticks, Tick{float64(e), scale.Amount(e)})
	}
	from := 0.0
	for i := range s.Changes {
		c := &s.Changes[i]
		at := float64(c.Entry) - 0.5
		chart.Rules = append(chart.Rules, Rule{at, words.Growth(c.Growth) + " since " + t.Entries[c.Entry].Name, toneOf(c)})
		chart.Lines = append(chart.Lines, level(from, at, c.Before))
		if from = at; i == len(s.Changes)-1 {
			chart.Lines = append(chart.Lines, level(at, float64(len(t.Entries)-1), c.After))
		}
	}
	for i, e := range t.Entries {
		p := &s.Points[i]
		chart.X.Ticks = append(chart.X.Ticks, Tick{float64(i), shortened(e.Name, 10)})
		if len(p.Runs) == 0 {
			continue
		}
		point := Point{X: float64(i), Y: float64(p.Median), Tip: e.Name + ": " + scale.Energy(p.Median)}
		if p.Least != nil {
			point.Span = &[2]float64{float64(*p.Least), float64(*p.Most)}
			point.Tip += " (" + scale.Amount(*p.Least) + " to " + scale.Amount(*p.Most) + ")"
		}
		if e.Version != "" && e.Version != e.Name {
			point.Tip = e.Version + ", " + point.Tip
		}
		for _, run := range p.Runs {
			point.Parts = append(point.Parts, float64(run))
		}
		chart.Points = append(chart.Points, point)
	}
	return chart
}

// level returns a horizontal line. It shows the energy between two changes of a series.
func level(from, to float64, e units.Energy) Line {
	return Line{Points: [][2]float64{{from, float64(e)}, {to, float64(e)}}, Style: "level"}
}

// shortened shortens a text to n characters.
func shortened(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
