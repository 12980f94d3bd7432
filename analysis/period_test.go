package analysis_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
)

// TestPeriodsOfCycles compares two runs of perf in which the numbers of cycles between samples
// differ: perf adapts them to the load. Each sample states its cycles, so a run with fewer samples
// can use more.
func TestPeriodsOfCycles(t *testing.T) {
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: perfScript(t, "cycles:u", 2_000_000, 2500), Reference: perfScript(t, "cycles:u", 100_000, 5000)})
	if err != nil {
		t.Fatal(err)
	}
	if head := finding.New(r).Headline(); head.Verdict != finding.More || head.Savable.Least != head.Difference {
		t.Errorf("%s, %v of %v could be saved", head.Verdict, head.Savable.Least, head.Difference)
	}
}

// perfScript writes samples of a program with an event and its count per sample.
func perfScript(t *testing.T, event string, period, samples int) analysis.Side {
	t.Helper()
	var text strings.Builder
	text.WriteString("# cpudesc : Some CPU @ 2.50GHz\n")
	for i := range samples {
		fmt.Fprintf(&text, "life 9/9 %d.%06d: %d %s:\n\t1000 step (/home/me/life)\n\t2000 main (/home/me/life)\n\n", 10+i/1000, i%1000*1000, period, event)
	}
	path := filepath.Join(t.TempDir(), "app.perf-script")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return analysis.Side{Path: path}
}

// TestModesOfTheProcessor compares cycles of user mode with cycles of all modes: no difference is a
// saving. Runs of one side in different modes are an error.
func TestModesOfTheProcessor(t *testing.T) {
	user, all := perfScript(t, "cycles:u", 100_000, 2000), perfScript(t, "cycles", 100_000, 3000)
	for _, c := range []struct {
		subject, reference analysis.Side
		two                bool
	}{{user, all, true}, {all, user, true}, {user, user, false}, {all, perfScript(t, "cycles:P", 100_000, 1000), false}} {
		r, err := analysis.Compare(t.Context(), analysis.Options{Subject: c.subject, Reference: c.reference})
		if err != nil {
			t.Fatal(err)
		}
		head := finding.New(r).Headline()
		if r.TwoKinds() != c.two || c.two && (head.Verdict != finding.NotComparable || head.Savable.Most != 0) {
			t.Errorf("two kinds %v, %s, %v could be saved", r.TwoKinds(), head.Verdict, head.Savable.Most)
		}
	}
	folder := t.TempDir()
	for i, side := range []analysis.Side{user, all} {
		data, err := os.ReadFile(side.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("app%d.perf-script", i)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: folder}, Reference: all})
	if err == nil || !strings.Contains(err.Error(), "different modes of the processor") {
		t.Errorf("runs of two modes: %v", err)
	}
}
