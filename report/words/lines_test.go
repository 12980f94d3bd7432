package words_test

import (
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

func TestLineFigure(t *testing.T) {
	auto := words.ScalePerFigure(nil, 0)
	for _, c := range []struct {
		own, least, most units.Energy
		want             string
	}{
		{12_400_000, 11_400_000, 13_500_000, "12.4 ±1.1 mJ"},
		{12_400, 6_000, 13_500, "12.4 ±6.4 µJ"},
		{999_000, 500_000, 1_999_000, "999 ±1000 µJ"},
		{5, 5, 5, "5 ±0 nJ"},
	} {
		if got := words.LineFigure(auto, c.own, c.least, c.most); got != c.want {
			t.Errorf("%d from %d to %d nJ: %q, want %q", c.own, c.least, c.most, got, c.want)
		}
	}
}

func TestLineUse(t *testing.T) {
	least, most := units.Energy(11_400_000), units.Energy(13_500_000)
	for _, c := range []struct {
		use  words.LineUse
		want string
	}{
		{
			words.LineUse{Own: 12_400_000, OwnShare: 0.1, Least: &least, Most: &most, All: 12_400_000, AllShare: 0.1, Samples: 41},
			"This line itself: 12.4 mJ (11.4 to 13.5 mJ in 95% of cases), 10.0% of the run, 41 samples",
		},
		{
			words.LineUse{Own: 1_000_000, OwnShare: 0.01, All: 20_000_000, AllShare: 0.2, Samples: 1},
			"This line itself: 1 sample, too few for a figure. With all that it calls: 20.0 mJ, 20.0% of the run",
		},
		{words.LineUse{All: 20_000_000, AllShare: 0.2}, "With all that it calls: 20.0 mJ, 20.0% of the run"},
		{words.LineUse{All: 20_000_000, AllShare: 0.2, AllLeast: &least, AllMost: &most}, "With all that it calls: 20.0 mJ (11.4 to 13.5 mJ in 95% of cases), 20.0% of the run"},
	} {
		if got := c.use.Line(words.ScalePerFigure(nil, 0)); got != c.want {
			t.Errorf("%+v: %q, want %q", c.use, got, c.want)
		}
	}
}

func TestSampleLines(t *testing.T) {
	for _, c := range []struct {
		lines, positions float64
		advice, want     string
	}{
		{0.941, 0, "", "known for 94.1% of the samples"},
		{0.5, 0.25, "", "known for 50.0% of the samples; 25.0% have a position in DEX code; the APK of the build (--classpath) would give them lines"},
		{0, 0.87, "", "87.0% of the samples have a position in DEX code; the APK of the build (--classpath) would give them lines"},
		{0, 0, "record samples", "none: record samples"},
		{0, 0, "", "none"},
	} {
		if got := words.SampleLines(c.lines, c.positions, c.advice); got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.lines, c.positions, got, c.want)
		}
	}
}
