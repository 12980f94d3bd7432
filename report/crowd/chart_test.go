package crowd

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A mark is a text of a chart with its place.
type mark struct {
	x, y float64
	text string
}

var (
	textTag  = regexp.MustCompile(`<text x="([^"]+)" y="([^"]+)" text-anchor="([^"]+)">([^<]*)</text>`)
	pathTag  = regexp.MustCompile(`<path [^>]*\bd="([^"]*)"`)
	pathStep = regexp.MustCompile(`[MLH]([\d.-]+)(?: ([\d.-]+))?`)
)

// marks returns the texts of a chart, in their order.
func marks(t *testing.T, chart string) (all []mark) {
	t.Helper()
	for _, m := range textTag.FindAllStringSubmatch(chart, -1) {
		x, errX := strconv.ParseFloat(m[1], 64)
		y, errY := strconv.ParseFloat(m[2], 64)
		if errX != nil || errY != nil {
			t.Fatalf("%s: %v, %v", m[0], errX, errY)
		}
		all = append(all, mark{x, y, m[4]})
	}
	return all
}

// paths returns the points of the paths of a chart. A horizontal line keeps its height.
func paths(t *testing.T, chart string) (all [][][2]float64) {
	t.Helper()
	for _, m := range pathTag.FindAllStringSubmatch(chart, -1) {
		var points [][2]float64
		for _, step := range pathStep.FindAllStringSubmatch(m[1], -1) {
			var p [2]float64
			p[0], _ = strconv.ParseFloat(step[1], 64)
			if step[2] == "" {
				p[1] = points[len(points)-1][1]
			} else {
				p[1], _ = strconv.ParseFloat(step[2], 64)
			}
			points = append(points, p)
		}
		all = append(all, points)
	}
	return all
}

// below reports whether the last text is centred below the axis and below all other texts, and
// within the picture.
func below(t *testing.T, chart string) {
	t.Helper()
	all, lines := marks(t, chart), paths(t, chart)
	last, axis := all[len(all)-1], lines[len(lines)-1]
	if len(axis) != 2 || axis[0] != [2]float64{55, 184} || axis[1] != [2]float64{640, 184} {
		t.Errorf("the axis is %v", axis)
	}
	if middle := (axis[0][0] + axis[1][0]) / 2; math.Abs(last.x-middle) > 0.5 {
		t.Errorf("the caption is at %v, the middle of the axis at %v", last.x, middle)
	}
	if last.text == "" || last.y != 220 {
		t.Errorf("the caption is %+v, want a text 20 below the labels at 200", last)
	}
	if !strings.HasPrefix(chart, `<svg viewBox="0 0 640 235"`) || !strings.HasSuffix(chart, "</svg>") {
		t.Errorf("the picture is %.40s", chart)
	}
}

// TestCurve places shares of rates by hand: rates from 1 to 100 % per hour on a logarithmic axis,
// and shares up to 0.4.
func TestCurve(t *testing.T) {
	var classes []Class
	for i, rate := range []float64{0, 1, 10, 100} {
		classes = append(classes, Class{Rate: rate / 3600, With: []float64{0.9, 0, 0.4, 0.1}[i], Without: []float64{0.9, 0.2, 0.3, 0}[i]})
	}
	chart := string(curve(classes))
	below(t, chart)
	// The axis has 585 units and the shares 180, down from 4.
	want := [][][2]float64{
		{{55, 94}, {347.5, 49}, {640, 184}},
		{{55, 184}, {347.5, 4}, {640, 139}},
	}
	if got := paths(t, chart); len(got) != 3 || fmt.Sprint(got[:2]) != fmt.Sprint(want) {
		t.Errorf("the lines are %v, want %v", got, want)
	}
	all := marks(t, chart)
	labels := []float64{2, 5, 10, 20, 50}
	if len(all) != len(labels)+1 {
		t.Fatalf("the chart has the texts %v", all)
	}
	for i, rate := range labels {
		if x := 55 + 585*math.Log10(rate)/2; math.Abs(all[i].x-x) > 0.1 || all[i].y != 200 || !strings.HasPrefix(all[i].text, strconv.Itoa(int(rate))) {
			t.Errorf("label %+v, want %v at %.1f", all[i], rate, x)
		}
	}
	for _, none := range [][]Class{nil, classes[:1], classes[:2], {{Rate: 1}, {Rate: 2}}} {
		if got := curve(none); got != "" {
			t.Errorf("a chart of %v: %s", none, got)
		}
	}
}

// TestGrow places an estimate and its interval by hand, for 1, 10 and 100 devices.
func TestGrow(t *testing.T) {
	// Figures are in % per hour.
	const hour = 1.0 / 3600
	points := []Point{{N: 1, Mean: 2 * hour, Half: 2 * hour}, {N: 10, Mean: hour, Half: 2 * hour}, {N: 100, Mean: 2 * hour, Half: hour}}
	chart := string(grow(points))
	below(t, chart)
	// The axis has 530 units from 55. Figures from 4 down to -1 have 180 units, down from 4.
	want := [][][2]float64{
		{{55, 4}, {320, 40}, {585, 40}, {585, 112}, {320, 184}, {55, 148}},
		{{55, 76}, {320, 112}, {585, 76}},
	}
	if got := paths(t, chart); len(got) != 3 || fmt.Sprint(got[:2]) != fmt.Sprint(want) {
		t.Errorf("the band and the line are %v, want %v", got, want)
	}
	all := marks(t, chart)
	if len(all) != 6 || fmt.Sprint(all[:3]) != "[{55 200 1} {320 200 10} {585 200 100}]" {
		t.Fatalf("the texts are %v", all)
	}
	if all[3].x != 51 || all[3].y != 14 || !strings.HasPrefix(all[3].text, "4") || all[4] != (mark{51, 146, "0"}) {
		t.Errorf("the ends of the scale are %v", all[3:5])
	}
	for _, none := range [][]Point{nil, points[:1], {points[0], points[0]}, {{N: 1}, {N: 2}}} {
		if got := grow(none); got != "" {
			t.Errorf("a chart of %v: %s", none, got)
		}
	}
}
