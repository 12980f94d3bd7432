package words

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/trace"
)

// TestUnsure checks why energies are ranges: damaged times, samples of unknown length, or waiting.
func TestUnsure(t *testing.T) {
	sure := trace.Trace{Energy: trace.CPUTime}
	sampled := trace.Trace{Energy: trace.CPUTime, Uncertain: 1}
	damaged := trace.Trace{Energy: trace.CPUTime, Uncertain: 1, Warnings: []trace.Warning{{Code: "x"}, {Code: trace.ImpossibleTime}}}
	faster := trace.Trace{Energy: trace.CPUTime, Uncertain: 1, Warnings: []trace.Warning{{Code: trace.FasterProcessor}}}
	elapsed := trace.Trace{Energy: trace.WallTime, Uncertain: 1}
	for name, tt := range map[string]struct {
		subject, reference trace.Trace
		reason, rows       string
	}{
		"elapsed time":       {elapsed, elapsed, "may have waited", "elapsed time"},
		"one is sure":        {sure, elapsed, "may have waited", "elapsed time"},
		"unknown length":     {sampled, sure, "how much of the time was work", "compared times was work"},
		"in the other":       {elapsed, sampled, "how much of the time was work", "compared times was work"},
		"faster":             {sure, faster, "ran faster than", "--cpu-frequency"},
		"damaged":            {sampled, damaged, "damaged", "record again"},
		"damaged, otherwise": {damaged, sampled, "damaged", "record again"},
	} {
		r := &analysis.Result{}
		r.Subject.Trace, r.Reference.Trace = &tt.subject, &tt.reference
		reason, rows := unsure(r)
		if !strings.Contains(reason, tt.reason) || !strings.Contains(rows, tt.rows) {
			t.Errorf("%s: %q, %q", name, reason, rows)
		}
	}
}
