package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/render"
)

// TestTwoKindsOfNumbers: a comment on runs whose numbers are of two kinds begins with no difference
// between them.
func TestTwoKindsOfNumbers(t *testing.T) {
	texts := bookedTexts(t)
	subject, reference := booked(t, texts["radio"]), booked(t, texts["radio"])
	reference.Trace.Weight = "cpu-cycles"
	r, err := analysis.Trees(t.Context(), subject.Tree.Source, reference.Tree.Source, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Subject.Trace, r.Reference.Trace = subject.Trace, reference.Trace
	for _, notes := range [][]report.Note{nil, {{Code: "unit", Message: "the reference's numbers are counts of cpu-cycles"}}} {
		made := report.New(r, "test", 0)
		made.Comparability = notes
		renderer, _ := render.Find(report.Comparison, "markdown")
		var b bytes.Buffer
		if err := renderer.Render(&b, report.NewComparison(r, made), report.Options{}); err != nil {
			t.Fatal(err)
		}
		_, heading, _ := strings.Cut(b.String(), "### ")
		heading, _, _ = strings.Cut(heading, "\n")
		if said := strings.Contains(heading, "do not compare"); said != (notes != nil) {
			t.Errorf("with %v the heading is %q", notes, heading)
		}
	}
}
