package markdown_test

import (
	"io"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/markdown"
	"github.com/diffprof/diffprof/report/reporttest"
	"github.com/diffprof/diffprof/trace"
)

// TestSamples renders the lines of runs with and without a meter, and parts of profiles that need
// other inputs.
func TestSamples(t *testing.T) {
	all := map[string]func(w io.Writer) error{}
	for what, l := range reporttest.Lines() {
		all[what] = func(w io.Writer) error { return markdown.Lines(w, l, report.Options{}) }
	}
	for what, p := range reporttest.ProfileParts(13) {
		all[what] = func(w io.Writer) error {
			return markdown.Profile(w, &report.Document{Input: &analysis.Input{Trace: &trace.Trace{}}, Profile: p}, report.Options{})
		}
	}
	reporttest.Hold(t, "samples.txtar", *update, all)
}
