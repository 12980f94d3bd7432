package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

var (
	//go:embed trend.css
	trendStyle string
	//go:embed trend.tmpl
	trendText string

	trendTemplate = template.Must(template.New("trend").Parse(trendText))
)

// trendPage is what the template of a trend's page shows. The page has no script.
type trendPage struct {
	Title, Policy                   string
	Style                           template.CSS
	Measure, Judged, Legend, Method string
	Series                          []trendSeries
	Warnings                        []string
}

type trendSeries struct {
	Name, Verdict string
	// Class is worse, better or empty.
	Class  string
	Advice []string
	Chart  trendChart
	Rows   [][]string
}

// Trend writes what something drained commit by commit, a chart for each series, and since
// when it costs more or less.
func Trend(w io.Writer, t *report.Trend, o report.Options) error {
	scale := t.Scale(o)
	sum := sha256.Sum256([]byte(trendStyle))
	page := trendPage{
		Title: t.Of(), Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Style: template.CSS(trendStyle), Measure: scale.Noun() + " in " + scale.Unit() + " (" + t.EnergyFrom + ")",
		Legend: words.TrendPicture, Method: words.TrendMethod,
	}
	if t.Judged > 1 {
		page.Judged = words.Judged(t.Judged, t.Changed, t.Rate)
	}
	for i := range t.Series {
		s := &t.Series[i]
		made := trendSeries{Name: t.Name(s), Verdict: t.Verdict(s, scale), Advice: t.Advice(s), Chart: newTrendChart(t, s, scale), Rows: trendRows(t, s, scale)}
		if c := s.Latest(); c != nil {
			made.Class = classOf(c)
		}
		page.Series = append(page.Series, made)
	}
	for _, note := range t.Warnings {
		page.Warnings = append(page.Warnings, note.Message)
	}
	if err := trendTemplate.Execute(w, page); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}

func classOf(c *report.TrendChange) string {
	if c.Difference > 0 {
		return "worse"
	}
	return "better"
}

// trendRows has a row for each entry, the latest first.
func trendRows(t *report.Trend, s *report.TrendSeries, scale words.Scale) [][]string {
	var rows [][]string
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
		rows = append(rows, row)
	}
	slices.Reverse(rows)
	return rows
}

// A trendChart has the entries from left to right, and energy upwards.
type trendChart struct {
	Width, Height         float64
	Grid, Levels, Changes []chartLine
	Points                []chartPoint
	Entries               []chartText
}

type chartLine struct {
	X1, X2, Y1, Y2 float64
	// Class is worse or better for the line of a change. If Last is set, the text of the change
	// ends at its place instead of beginning there.
	Class        string
	TextX, TextY float64
	Text         string
	Last         bool
}

type chartPoint struct {
	X, Y float64
	Span *chartLine
	Runs []chartText
	Tip  string
}

type chartText struct {
	X, Y float64
	Text string
}

// The chart's room, in pixels of a wide window.
const (
	chartWidth, chartHeight                    = 1000, 300
	chartLeft, chartRight, chartTop, chartFoot = 70, 20, 30, 30
	// entryWidth is what the name of an entry takes.
	entryWidth = 76
)

func newTrendChart(t *report.Trend, s *report.TrendSeries, scale words.Scale) trendChart {
	chart := trendChart{Width: chartWidth, Height: chartHeight}
	least, most := s.Range()
	step := float64(chartWidth-chartLeft-chartRight) / float64(len(t.Entries))
	x := func(entry int) float64 { return rounded(chartLeft + step*(float64(entry)+0.5)) }
	y := func(e units.Energy) float64 {
		if most == least {
			return chartHeight / 2
		}
		e = min(max(e, least), most) // the end of a wide interval lies beyond the chart
		return rounded(chartHeight - chartFoot - (chartHeight-chartFoot-chartTop)*float64(e-least)/float64(most-least))
	}
	const lines = 4
	for k := range lines + 1 {
		e := least + units.Energy(float64(most-least)*float64(k)/lines)
		chart.Grid = append(chart.Grid, chartLine{X1: chartLeft, X2: chartWidth - chartRight, Y1: y(e), Y2: y(e), TextX: chartLeft - 8, TextY: y(e) + 4, Text: scale.Amount(e)})
		if most == least {
			break
		}
	}
	from := 0
	for i := range s.Changes {
		c := &s.Changes[i]
		at := x(c.Entry) - rounded(step/2)
		line := chartLine{X1: at, X2: at, Y1: chartTop - 8, Y2: chartHeight - chartFoot, Class: classOf(c), TextX: at + 6, TextY: chartTop - 12, Text: words.Growth(c.Growth) + " since " + t.Entries[c.Entry].Name}
		if line.Last = at > chartWidth*0.8; line.Last {
			line.TextX = at - 6
		}
		chart.Changes = append(chart.Changes, line)
		chart.Levels = append(chart.Levels, chartLine{X1: x(from), X2: at, Y1: y(c.Before), Y2: y(c.Before)})
		if from = c.Entry; i == len(s.Changes)-1 {
			chart.Levels = append(chart.Levels, chartLine{X1: at, X2: x(len(t.Entries) - 1), Y1: y(c.After), Y2: y(c.After)})
		}
	}
	every := max(1, int(entryWidth/step+0.999))
	for i, e := range t.Entries {
		p := &s.Points[i]
		if i%every == 0 {
			chart.Entries = append(chart.Entries, chartText{x(i), chartHeight - 10, shortened(e.Name, 10)})
		}
		if len(p.Runs) == 0 {
			continue
		}
		point := chartPoint{X: x(i), Y: y(p.Median), Tip: e.Name + ": " + scale.Energy(p.Median)}
		if p.Least != nil {
			point.Span = &chartLine{X1: x(i), X2: x(i), Y1: y(*p.Least), Y2: y(*p.Most)}
			point.Tip += " (" + scale.Amount(*p.Least) + " to " + scale.Amount(*p.Most) + ")"
		}
		if e.Version != "" && e.Version != e.Name {
			point.Tip = e.Version + ", " + point.Tip
		}
		for k, run := range p.Runs {
			// Runs lie side by side.
			point.Runs = append(point.Runs, chartText{X: x(i) + float64(k%5)*3 - 6, Y: y(run)})
		}
		chart.Points = append(chart.Points, point)
	}
	return chart
}

// rounded leaves a tenth of a pixel.
func rounded(x float64) float64 { return float64(int64(10*x+0.5)) / 10 }

// shortened cuts a text to n characters.
func shortened(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
