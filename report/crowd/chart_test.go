package crowd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report/html"
)

// near reports whether two points of a line or a band differ by rounding only.
func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12 {
			return false
		}
	}
	return len(a) == len(b)
}

// ticks returns the texts of an axis.
func ticks(a html.Axis) string {
	var all []string
	for _, t := range a.Ticks {
		all = append(all, t.Text)
	}
	return strings.Join(all, ", ")
}

// TestCurve draws rates from 1 to 100 % per hour on a logarithmic axis, and shares up to 0.4.
func TestCurve(t *testing.T) {
	var classes []Class
	for i, rate := range []float64{0, 1, 10, 100} {
		classes = append(classes, Class{Rate: rate / 3600, With: []float64{0.9, 0, 0.4, 0.1}[i], Without: []float64{0.9, 0.2, 0.3, 0}[i]})
	}
	chart := curve(classes)
	if x := chart.X; !x.Log || !near([]float64{x.From * 3600, x.To * 3600}, []float64{1, 100}) || ticks(x) != "2 %/h, 5 %/h, 10 %/h, 20 %/h, 50 %/h" {
		t.Errorf("the axis of rates is %+v", x)
	}
	if y := chart.Y; y.Log || y.From != 0 || y.To != 0.4 {
		t.Errorf("the axis of shares is %+v", y)
	}
	// A logarithmic axis cannot show a rate of 0.
	for i, want := range []html.Line{
		{Style: "without", Points: [][2]float64{{1, 0.2}, {10, 0.3}, {100, 0}}},
		{Style: "with", Points: [][2]float64{{1, 0}, {10, 0.4}, {100, 0.1}}},
	} {
		got := chart.Lines[i]
		if got.Style != want.Style || len(got.Points) != len(want.Points) {
			t.Fatalf("line %d is %+v, want %+v", i, got, want)
		}
		for k, p := range got.Points {
			if !near([]float64{p[0] * 3600, p[1]}, want.Points[k][:]) {
				t.Errorf("line %d has %v, want %v", i, p, want.Points[k])
			}
		}
	}
	for _, none := range [][]Class{nil, classes[:1], classes[:2], {{Rate: 1}, {Rate: 2}}} {
		if got := curve(none); got != nil {
			t.Errorf("a chart of %v: %+v", none, got)
		}
	}
}

// TestGrow draws an estimate and its interval for 1, 10 and 100 devices.
func TestGrow(t *testing.T) {
	// Figures are in % per hour.
	const hour = 1.0 / 3600
	points := []Point{{N: 1, Mean: 2 * hour, Half: 2 * hour}, {N: 10, Mean: hour, Half: 2 * hour}, {N: 100, Mean: 2 * hour, Half: hour}}
	chart := grow(points)
	if x, y := chart.X, chart.Y; !x.Log || x.From != 1 || x.To != 100 || ticks(x) != "1, 10, 100" || !near([]float64{y.From, y.To}, []float64{-hour, 4 * hour}) || ticks(y) != "0, 4 %/h" {
		t.Errorf("the axes are %+v and %+v", x, y)
	}
	for i, want := range [][]float64{{1, 0, 4}, {10, -1, 3}, {100, 1, 3}} {
		if p := chart.Bands[0].Points[i]; !near([]float64{p[0], p[1] / hour, p[2] / hour}, want) {
			t.Errorf("the band has %v, want %v", p, want)
		}
	}
	if got := chart.Lines[0]; fmt.Sprint(got.Points[1]) != fmt.Sprint([2]float64{10, hour}) {
		t.Errorf("the line is %+v", got)
	}
	for _, none := range [][]Point{nil, points[:1], {points[0], points[0]}, {{N: 1}, {N: 2}}} {
		if got := grow(none); got != nil {
			t.Errorf("a chart of %v: %+v", none, got)
		}
	}
}
