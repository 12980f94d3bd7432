package text

import (
	"io"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestLinesOfPackagesFit renders packages with long names, and counts those that are not listed.
func TestLinesOfPackagesFit(t *testing.T) {
	r := &report.Packages{
		Inputs: []report.Input{{Path: "a.trace", Energy: 100 * units.Millijoule}}, Energy: 100 * units.Millijoule, Total: 5,
		Code: report.CodeEnergy{Own: 60 * units.Millijoule, Framework: 30 * units.Millijoule, Outside: 10 * units.Millijoule},
		Packages: []report.Package{
			{Name: "com.mine", Class: "app", Rule: "com.mine.*", Own: true, OwnBy: "manifest", Methods: 3, Energy: 20 * units.Millijoule, Share: 0.2},
			{Name: strings.Repeat("org.verylong.", 30) + "last", Class: "framework", Rule: strings.Repeat("a rule ", 30), Methods: 3, Energy: 30 * units.Millijoule, Share: 0.3},
			{Rule: "caller", Energy: units.Millijoule}, {Rule: "default", Energy: units.Millijoule},
		},
	}
	fits(t, "packages", func(w io.Writer, o report.Options) error { return Packages(w, r, o) })
	got := rendered(t, func(w io.Writer) error { return Packages(w, r, report.Options{}) })
	// The energy outside of methods belongs to no package: 100 - 10 - 20 - 30 - 1 - 1 mJ are not listed.
	for _, want := range []string{"1 package more, 38.0 mJ in all", "(no class)", "(no package)", "the app's own", "outside of methods"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "the rest of the app") {
		t.Errorf("a part without energy is listed:\n%s", got)
	}
	r.Total = 4
	if got := rendered(t, func(w io.Writer) error { return Packages(w, r, report.Options{}) }); strings.Contains(got, "in all") {
		t.Errorf("packages are hidden:\n%s", got)
	}
}

// TestLinesOfTrendsFit renders trends of series with long names, whose changes are up and down.
func TestLinesOfTrendsFit(t *testing.T) {
	made := &report.Trend{Unit: "nJ", Methods: methodsOf(long), Judged: 9, Changed: 4}
	var all []report.TrendSeries
	for i, difference := range []units.Energy{7, -7} {
		s := report.TrendSeries{Kind: "task", Method: long, ID: "0123456789abcdef", Changes: []report.TrendChange{{Entry: 1, Earliest: 1, Latest: 1, Difference: difference}}}
		for range 3 {
			s.Points = append(s.Points, report.TrendPoint{Runs: []units.Energy{5}, Median: units.Energy(5 + i)})
		}
		all = append(all, s)
	}
	for range 3 {
		made.Entries = append(made.Entries, report.TrendEntry{Name: strings.Repeat("entry", 12), Version: strings.Repeat("version", 8)})
	}
	made.Series = all
	fits(t, "blame", func(w io.Writer, o report.Options) error { return Blame(w, made, o) })
	got := rendered(t, func(w io.Writer) error { return Blame(w, made, report.Options{}) })
	if !strings.Contains(got, "2 more: --top 0 shows all.") {
		t.Errorf("two of four changes are shown:\n%s", got)
	}
	made.Judged = 1
	fits(t, "blame of one series", func(w io.Writer, o report.Options) error { return Blame(w, made, o) })
	fits(t, "trend", func(w io.Writer, o report.Options) error { return Trend(w, made, o) })
	colors := func(s report.TrendSeries) string {
		made.Series = []report.TrendSeries{s}
		return rendered(t, func(w io.Writer) error { return Blame(w, made, report.Options{Color: true}) })
	}
	more, less := colors(all[0]), colors(all[1])
	if strings.ReplaceAll(more, "more", "less") == less {
		t.Error("a series that costs more has the color of one that costs less")
	}
}

// TestLinesOfAppsFit renders a group of apps with long names.
func TestLinesOfAppsFit(t *testing.T) {
	g := &report.AppGroup{}
	for i := range 12 {
		g.Apps = append(g.Apps, report.GroupApp{Name: strings.Repeat("app", 40), Energy: units.Energy(1000 * (1 + i)), Tasks: 1000, SharedTasks: make([]int, 12), ExactShared: make([]int, 12)})
	}
	fits(t, "apps", func(w io.Writer, o report.Options) error {
		p := newPage(o, 1)
		p.appTable(g, 12_000)
		return p.flush(w)
	})
}
