package html

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// FourEntries returns a trend with four entries. The series rises at entry 1 and falls at entry 3,
// and has no runs in entry 2.
func FourEntries() *report.Trend {
	const mJ = units.Millijoule
	made := &report.Trend{Unit: "mJ", EnergyFrom: "measured", Judged: 2, Changed: 1, Rate: 0.05, Warnings: []report.Note{{Message: "runs are few"}}}
	for i, version := range []string{"", "1.1", "abc2", "1.3"} {
		made.Entries = append(made.Entries, report.TrendEntry{Name: []string{"abc0", "abc1", "abc2", "a name of many characters"}[i], Version: version, Time: time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC), Runs: 2})
	}
	made.Series = []report.TrendSeries{{
		Kind: "run",
		Points: []report.TrendPoint{
			{Runs: []units.Energy{9 * mJ, 11 * mJ}, Median: 10 * mJ, Least: new(8 * mJ), Most: new(12 * mJ)},
			{Runs: []units.Energy{20 * mJ}, Median: 20 * mJ},
			{},
			{Runs: []units.Energy{5 * mJ, 5 * mJ, 5 * mJ}, Median: 5 * mJ},
		},
		Changes: []report.TrendChange{
			{Entry: 1, Earliest: 1, Latest: 1, Before: 10 * mJ, After: 20 * mJ, Difference: 10 * mJ, Growth: new(1.0)},
			{Entry: 3, Earliest: 2, Latest: 3, Before: 20 * mJ, After: 5 * mJ, Difference: -15 * mJ, Growth: new(-0.75)},
		},
	}}
	return made
}

// TestTrendChart checks where the points, the changes and the levels of a chart are.
func TestTrendChart(t *testing.T) {
	made := FourEntries()
	scale := made.Scale(report.Options{})
	chart := trendChart(made, &made.Series[0], scale)
	if chart.X.From != -0.5 || chart.X.To != 3.5 || len(chart.X.Ticks) != 4 || chart.X.Ticks[3].At != 3 || chart.X.Ticks[3].Text != "a name of…" {
		t.Errorf("the horizontal axis is %+v", chart.X)
	}
	if n := len(chart.Y.Ticks); n < 2 || chart.Y.From > 5e6 || chart.Y.To < 20e6 || chart.Y.From != chart.Y.Ticks[0].At || chart.Y.To != chart.Y.Ticks[n-1].At {
		t.Errorf("the vertical axis is %+v", chart.Y)
	}
	if len(chart.Points) != 3 {
		t.Fatalf("%d points, want 3: an entry without runs has none", len(chart.Points))
	}
	for i, want := range []struct {
		x, y      float64
		runs      int
		has, lack string
	}{{0, 10e6, 2, "abc0: 10.0 mJ (8.00 to 12.0)", ","}, {1, 20e6, 1, "1.1, abc1: 20.0 mJ", "("}, {3, 5e6, 3, "1.3, a name of many characters", "("}} {
		p := chart.Points[i]
		if p.X != want.x || p.Y != want.y || len(p.Parts) != want.runs || !strings.Contains(p.Tip, want.has) || strings.Contains(p.Tip, want.lack) || (p.Span != nil) != (i == 0) {
			t.Errorf("point %d is %+v, want %+v", i, p, want)
		}
	}
	if len(chart.Rules) != 2 || chart.Rules[0].At != 0.5 || chart.Rules[0].Tone != "worse" || chart.Rules[1].At != 2.5 || chart.Rules[1].Tone != "better" {
		t.Errorf("the changes are %+v", chart.Rules)
	}
	var levels []float64
	for _, l := range chart.Lines {
		if l.Points[0][1] != l.Points[1][1] || l.Points[0][0] >= l.Points[1][0] {
			t.Errorf("a level goes from %v to %v", l.Points[0], l.Points[1])
		}
		levels = append(levels, l.Points[0][1])
	}
	if len(levels) != 3 || levels[0] != 10e6 || levels[1] != 20e6 || levels[2] != 5e6 {
		t.Fatalf("the levels are %v", levels)
	}
	for i, want := range [][2]float64{{0, 0.5}, {0.5, 2.5}, {2.5, 3}} {
		if p := chart.Lines[i].Points; p[0][0] != want[0] || p[1][0] != want[1] {
			t.Errorf("level %d goes from %v to %v, want %v", i, p[0], p[1], want)
		}
	}
}

// TestTrendTable checks the rows of the table: the latest entry first, and each change in its row.
func TestTrendTable(t *testing.T) {
	made := FourEntries()
	var rows []string
	for _, row := range trendTable(made, &made.Series[0], made.Scale(report.Options{})).Rows {
		text := ""
		for _, cell := range row {
			text += cell.Text + "|"
		}
		rows = append(rows, text)
	}
	rise, fall := 1.0, -0.75
	for i, want := range []string{
		"a name of many characters|1.3|2026-03-04|3|5.00 mJ|–|" + words.Growth(&fall) + "|",
		"abc2|abc2|2026-03-03|0|",
		"abc1|1.1|2026-03-02|1|20.0 mJ|–|" + words.Growth(&rise) + "|",
		"abc0||2026-03-01|2|10.0 mJ|8.00 to 12.0||",
	} {
		if !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %d is %q, want %q", i, rows[i], want)
		}
	}
}
