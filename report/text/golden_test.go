package text_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/reporttest"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

// TestComparisons renders comparisons in all views.
func TestComparisons(t *testing.T) {
	reporttest.Comparisons(t, func(t *testing.T, c *reporttest.Comparison) {
		charge := units.MicroampereHour
		comparison := func(r *report.Report, o report.Options) func(io.Writer) error {
			return func(w io.Writer) error { return text.Comparison(w, r, o) }
		}
		c.Has(t, "compare, 80 columns", comparison(c.Report, report.Options{}))
		c.Has(t, "compare, 140 columns, in colour, in µAh", comparison(c.Report, report.Options{Width: 140, Color: true, Unit: &charge}))
		c.Has(t, "compare, nested", comparison(c.Report, report.Options{Nest: true}))
		grouped := report.New(c.Set, "test", 1)
		grouped.GroupBy(c.Set, finding.ByCaller, 0)
		c.Has(t, "compare by caller", comparison(grouped, report.Options{}))
		c.Has(t, "tree", func(w io.Writer) error {
			return text.Tree(w, report.NewTree(&c.Set.Result.Subject, "test", false, report.Prune{MinShare: 0.01}), report.Options{})
		})
		known, err := analysis.Platform(analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Defaults {
			c.Has(t, "packages", func(w io.Writer) error {
				return text.Packages(w, report.NewPackages(c.Inputs(), "test", known, 0), report.Options{})
			})
		}
		c.Has(t, "flask of the first task", func(w io.Writer) error { return text.Write(w, c.Flask(), report.Options{}) })
		for _, v := range []struct {
			section string
			width   int
			inputs  []*analysis.Input
			options report.TopOptions
		}{
			{"top of the subject", 0, c.Subject(), report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: -1}},
			{"top by saving, 140 columns", 140, c.Inputs(), report.TopOptions{Sort: report.BySaving, Grain: finding.EachMethod, Rows: 4, Method: -1}},
			{"top by library", 0, c.Inputs(), report.TopOptions{Sort: report.BySelf, Grain: finding.EachLibrary, Method: -1}},
			{"sandwich", 0, c.Inputs(), report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: reporttest.Busiest(c.Inputs())}},
		} {
			c.Has(t, v.section, func(w io.Writer) error {
				return text.Write(w, &report.Document{View: report.ByMethod, Top: c.Top(v.options, v.inputs)}, report.Options{Width: v.width})
			})
		}
	})
}

// TestComponents compares runs with several components.
func TestComponents(t *testing.T) {
	g, d := reporttest.Components(t)
	g.Has(t, "text", func(w io.Writer) error { return text.Write(w, d, report.Options{}) })
}

// TestProfiles renders profiles of a run with several components.
func TestProfiles(t *testing.T) {
	g := reporttest.Read(t, "profile/radio.txtar")
	in := reporttest.Booked(t, g["booked"])
	for section, c := range map[string]struct {
		options report.ProfileOptions
		width   int
	}{
		"80 columns":             {report.ProfileOptions{By: finding.EachMethod, Battery: units.MilliampereHour / 1000}, 0},
		"120 columns, own first": {report.ProfileOptions{By: finding.EachMethod, Sort: report.ByAll, Rows: 3}, 120},
		"by thread":              {report.ProfileOptions{By: finding.EachThread}, 0},
		"by process":             {report.ProfileOptions{By: finding.EachProcess}, 0},
	} {
		g.Has(t, section, func(w io.Writer) error {
			return text.Write(w, reporttest.Profile(in, c.options), report.Options{Width: c.width})
		})
	}
}

// TestBundles renders the active periods of components.
func TestBundles(t *testing.T) {
	files, err := filepath.Glob("../testdata/bundles/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files of bundles", err)
	}
	for _, file := range files {
		g := reporttest.Read(t, filepath.Join("bundles", filepath.Base(file)))
		run := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(run, []byte(g["run.json"]), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: run}, PowerModel: "passion", Bundles: true})
		if err != nil {
			t.Fatal(err)
		}
		in.Path = "run.json"
		var b bytes.Buffer
		if err := text.Profile(&b, report.NewProfile(in, "test", report.ProfileOptions{By: finding.EachMethod}), report.Options{}); err != nil {
			t.Fatal(err)
		}
		if want := g["bundles"]; len(want) < 100 || !strings.Contains(b.String(), want) {
			t.Errorf("%s: got\n%s\nwhich lacks\n%s", file, b.String(), want)
		}
	}
}

// TestApps renders a group of apps.
func TestApps(t *testing.T) {
	g, made := reporttest.Apps(t)
	var without bytes.Buffer
	if err := text.Apps(&without, made, report.Options{}); err != nil {
		t.Fatal(err)
	}
	const advice = "\n\nCall trees: diffprof flask --task "
	want, wantEnd, _ := strings.Cut(g["text"], advice)
	got, end, _ := strings.Cut(without.String(), advice)
	if len(want) < 1000 || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if task, _, _ := strings.Cut(end, "\n"); !strings.HasPrefix(wantEnd, task) || strings.Contains(end, "<b>one</b>") || !strings.Contains(wantEnd, "<b>one</b>") {
		t.Errorf("got the end\n%s\nwant\n%s", end, wantEnd)
	}
}

// TestTrends renders the trends of a history, and the first commits that cost more.
func TestTrends(t *testing.T) {
	g := reporttest.Read(t, reporttest.TrendsFile)
	reporttest.Trends(t, func(section string, d *report.Document) {
		g.Has(t, section+"text", func(w io.Writer) error { return text.Write(w, d, report.Options{}) })
	})
}
