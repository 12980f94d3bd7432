package report_test

import (
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestRangeOfAChart checks the axis of a chart: it has all runs, and intervals of entries up to the
// range of the runs on either side.
func TestRangeOfAChart(t *testing.T) {
	type point = report.TrendPoint
	at := func(least, most units.Energy, runs ...units.Energy) point {
		p := point{Runs: runs}
		if most > 0 {
			p.Least, p.Most = &least, &most
		}
		return p
	}
	for _, c := range []struct {
		name        string
		points      []point
		least, most units.Energy
	}{
		{"nothing", nil, 0, 0},
		{"an interval without runs", []point{at(5, 50)}, 0, 0},
		{"runs", []point{at(0, 0, 30, 20), at(0, 0, 25)}, 20, 30},
		{"an interval inside", []point{at(22, 28, 20, 30)}, 20, 30},
		{"a wider interval", []point{at(15, 33, 20, 30)}, 15, 33},
		{"a very wide interval", []point{at(1, 99, 20, 30)}, 10, 40},
		{"down to zero", []point{at(1, 2, 1, 21)}, 1, 21},
		{"below zero", []point{at(-9, 30, 5, 25)}, 0, 30},
		{"one run", []point{at(4, 90, 10)}, 4, 20},
		{"an entry without runs, and another", []point{at(0, 0, 20, 30), at(1, 99)}, 20, 30},
	} {
		s := report.TrendSeries{Points: c.points}
		if least, most := s.Range(); least != c.least || most != c.most {
			t.Errorf("%s: from %d to %d, want %d to %d", c.name, least, most, c.least, c.most)
		}
		r := report.Trend{Series: []report.TrendSeries{{}, s, {Points: []point{at(0, 0, 27)}}}}
		if got := r.Peak(); got != max(c.most, 27) {
			t.Errorf("%s: the peak is %d", c.name, got)
		}
	}
}
