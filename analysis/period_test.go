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
	record := func(name string, period, samples int) analysis.Side {
		var text strings.Builder
		text.WriteString("# cpudesc : Some CPU @ 2.50GHz\n")
		for i := range samples {
			fmt.Fprintf(&text, "life 9/9 %d.%06d: %d cycles:u:\n\t1000 step (/home/me/life)\n\t2000 main (/home/me/life)\n\n", 10+i/1000, i%1000*1000, period)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return analysis.Side{Path: path}
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: record("new.perf-script", 2_000_000, 2500), Reference: record("old.perf-script", 100_000, 5000)})
	if err != nil {
		t.Fatal(err)
	}
	if head := finding.New(r).Headline(); head.Verdict != finding.More || head.Savable.Least != head.Difference {
		t.Errorf("%s, %v of %v could be saved", head.Verdict, head.Savable.Least, head.Difference)
	}
}
