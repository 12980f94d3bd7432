package markdown

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestLinesOfOneRunAndOfTwo renders a line of one run, and the same line with a reference. Only two
// runs have a difference and a verdict.
func TestLinesOfOneRunAndOfTwo(t *testing.T) {
	amount := func(mJ int64) *units.Energy { e := units.Energy(mJ) * units.Millijoule; return &e }
	const draw = "news.Feed.draw()V"
	one := report.Lines{
		Methods: report.Methods{draw: name.Parse(draw, name.JVM)},
		Subject: report.Input{Energy: 100 * units.Millijoule}, Grade: "lines", Sort: "self", Total: 1, Samples: 100, LocatedSamples: 80,
		Rows: []report.LineRow{{Method: draw, Line: 12, Subject: report.LineUse{Own: *amount(40), OwnShare: 0.4, Least: amount(31), Most: amount(52), All: amount(75)}}},
	}
	two := one
	two.Reference = &report.Input{Energy: 70 * units.Millijoule}
	row := one.Rows[0]
	row.Reference, row.Saving, row.From, row.To, row.Verdict = &report.LineUse{Own: *amount(15)}, amount(25), amount(11), amount(38), report.LineMore
	two.Rows = []report.LineRow{row}
	for _, c := range []struct {
		lines        *report.Lines
		want, absent []string
	}{
		{&one, []string{"| self |", "| 40.0 | 31.0 to 52.0 | 40.0% | 75.0 |", "Feed.draw:12"}, []string{"difference", "there", "more |"}},
		{&two, []string{"| difference |", "| 25.0 | 11.0 to 38.0 | 40.0 | 15.0 | more |", "Feed.draw:12"}, []string{"share", "75.0"}},
	} {
		var b strings.Builder
		if err := Lines(&b, c.lines, report.Options{}); err != nil {
			t.Fatal(err)
		}
		shown := strings.Join(strings.Fields(b.String()), " ") // The padding of columns is removed.
		for _, text := range c.want {
			if !strings.Contains(shown, text) {
				t.Errorf("%q is missing in\n%s", text, b.String())
			}
		}
		for _, text := range c.absent {
			if strings.Contains(shown, text) {
				t.Errorf("%q is in\n%s", text, b.String())
			}
		}
	}
}
