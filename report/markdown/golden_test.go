package markdown_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/report/reporttest"
)

// TestComparisons writes comparisons, lists of methods and flasks.
func TestComparisons(t *testing.T) {
	reporttest.Comparisons(t, func(t *testing.T, c *reporttest.Comparison) {
		writes := func(d *report.Document) func(io.Writer) error {
			return func(w io.Writer) error { return markdown.Write(w, d, report.Options{}) }
		}
		c.Has(t, "compare as Markdown", writes(report.NewComparison(c.Set, c.Report)))
		own := func(row *finding.MethodUse) bool { return row.Own }
		c.Has(t, "top of own code by class, Markdown", writes(&report.Document{View: report.ByMethod,
			Top: c.Top(report.TopOptions{Sort: report.ByAll, Grain: finding.EachClass, Keep: own, Method: -1}, c.Inputs())}))
		c.Has(t, "sandwich, Markdown", writes(&report.Document{View: report.ByMethod,
			Top: c.Top(report.TopOptions{Sort: report.BySelf, Grain: finding.EachMethod, Method: reporttest.Busiest(c.Inputs())}, c.Subject())}))
		if len(c.Set.Result.Tasks) > 0 {
			c.Has(t, "flask of the first task as Markdown", writes(c.Flask()))
		}
	})
}

// TestComponents compares runs with several components.
func TestComponents(t *testing.T) {
	g, d := reporttest.Components(t)
	g.Has(t, "markdown", func(w io.Writer) error { return markdown.Write(w, d, report.Options{}) })
}

// TestProfiles writes the profile of a run with several components.
func TestProfiles(t *testing.T) {
	g := reporttest.Read(t, "profile/radio.txtar")
	d := reporttest.Profile(reporttest.Booked(t, g["booked"]), report.ProfileOptions{By: finding.EachMethod, Rows: 4})
	g.Has(t, "Markdown", func(w io.Writer) error { return markdown.Write(w, d, report.Options{}) })
}

// TestApps writes a group of apps.
func TestApps(t *testing.T) {
	g, made := reporttest.Apps(t)
	var b bytes.Buffer
	if err := markdown.Apps(&b, made, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := g["markdown"]; len(want) < 500 || !strings.HasPrefix(want, b.String()) {
		t.Errorf("got\n%s\nwant the start of\n%s", b.String(), want)
	}
}

// TestTrends writes the trends of a history, and the first commits that cost more.
func TestTrends(t *testing.T) {
	g := reporttest.Read(t, reporttest.TrendsFile)
	reporttest.Trends(t, func(section string, d *report.Document) {
		g.Has(t, section+"markdown", func(w io.Writer) error { return markdown.Write(w, d, report.Options{}) })
	})
}
