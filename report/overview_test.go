package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
)

// TestHeadlineOfOneRun checks that the headline has the exclusive energy of each method, summed
// over all its contexts.
func TestHeadlineOfOneRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.folded")
	for text, want := range map[string]string{
		"main;parse;read 300\nmain;write;read 100\nmain;parse 250\nmain 50\nmain;write 240\nmain;log 60\n": "The methods with the most energy of their own: read 40.0%, parse 25.0%, write 24.0%.",
		"main 10\n": "The methods with the most energy of their own: main 100.0%.",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.NewOverview(in).Headline; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestHeadlineOfSlices checks the headline of a run whose energy is mostly outside of slices.
func TestHeadlineOfSlices(t *testing.T) {
	const path = "../../shared/data/perfetto/api32_startup_warm.perfetto-trace"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the recorded traces are not in ../shared/data")
	}
	in, err := analysis.Read(t.Context(), analysis.Options{Subject: analysis.Side{Path: path}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "The methods with the most energy of their own: measure 4.5%, activityResume 4.4%, DrawFrames # 3.8%. " +
		"54.7% of the energy was used outside of the calls in the recording: a method trace or a sampling profiler records more calls."
	if got := report.NewOverview(in).Headline; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
