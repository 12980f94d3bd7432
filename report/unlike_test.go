package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
	"github.com/diffprof/diffprof/report/reporttest"
)

// TestTwoKindsOfNumbers checks a comment on runs with two kinds of numbers. It must not begin with
// their difference, because the numbers cannot be compared.
func TestTwoKindsOfNumbers(t *testing.T) {
	texts := bookedTexts(t)
	subject, reference := reporttest.Booked(t, texts["radio"]), reporttest.Booked(t, texts["radio"])
	r, err := analysis.Trees(t.Context(), subject.Tree.Source, reference.Tree.Source, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Trace, r.Reference.Trace = subject.Trace, reference.Trace
	for _, weight := range []string{"", "cpu-cycles"} {
		r.Reference.Trace.Weight = weight
		made := report.New(finding.New(r), "test", 0)
		renderer, _ := render.Find(report.Comparison, "markdown")
		var b bytes.Buffer
		if err := renderer.Render(&b, report.NewComparison(finding.New(r), made), report.Options{}); err != nil {
			t.Fatal(err)
		}
		_, heading, _ := strings.Cut(b.String(), "### ")
		heading, _, _ = strings.Cut(heading, "\n")
		if doubted := strings.Contains(heading, "cannot be compared"); doubted != (weight != "") {
			t.Errorf("of a reference that counts %q the heading is %q", weight, heading)
		}
	}
}
