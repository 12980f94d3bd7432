package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/history"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/trace"
)

// TestHistory validates the JSON of a history against its schema, and compares it with the text.
func TestHistory(t *testing.T) {
	schema := compileSchemas(t)["history"]
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	entries := []history.Entry{
		{
			ID: 1, Commit: strings.Repeat("4f2c1a", 6) + "4f2c", Parents: []string{strings.Repeat("b", 40)}, Version: "5.7", Device: "Pixel 4",
			Scenario: "startup", Time: day, Added: day,
			Runs: []history.Run{
				{ID: 1, Name: "a.trace", Format: "art", Provenance: trace.CPUTime, Power: "a phone", Energy: 3e9, CPU: time.Second, Elapsed: time.Minute, Contexts: 1200, Kept: 3 << 10, Recorded: 9 << 20, Added: day},
				{ID: 2, Name: "b\x1b.trace", Format: "art", Provenance: trace.CPUTime, Power: "a phone", Energy: 1e9, Kept: 2 << 10, Recorded: 9 << 20, Added: day},
				{ID: 3, Name: "c.trace", Format: "art", Provenance: trace.CPUTime, Power: "a phone", Energy: 4e9, Kept: 2 << 10, Recorded: 9 << 20, Added: day},
			},
		},
		{ID: 2, Version: "5.8", Time: day, Added: day, Runs: []history.Run{{ID: 4, Name: "d.folded", Format: "folded", Unstated: true, Energy: 17, Added: day}}},
	}
	all := report.NewHistory("h.db", 5, entries, "test")
	whole := report.NewHistory("h.db", 5, entries[:1], "test")
	whole.Whole = true
	known := []history.Known{{Name: "e.trace", Run: entries[0].Runs[1], Entry: entries[0]}}
	added := report.NewAdded("h.db", 5, &history.Added{Entry: entries[1], New: 1, Known: known}, "test")
	added.Changed = true
	removed := report.NewHistory("h.db", 5, entries[1:], "test")
	removed.Removed = true
	nothing := report.NewAdded("h.db", 5, &history.Added{Known: known}, "test")
	for _, try := range []struct {
		history *report.History
		want    []string
	}{
		{all, []string{"entry  commit   date        version  device   runs", "#1     4f2c1a4  2026-03-01  5.7      Pixel 4     3", "3.00 J (1.00 J to 4.00 J)  startup", "17 units"}},
		{whole, []string{"commit     4f2c1a4f2c1a", "1/3949 of the size", "1,200", "b\uFFFD.trace", "3.00 J (1.00 J to 4.00 J) (modelled from CPU time)"}},
		{added, []string{"e.trace is already stored, as b\uFFFD.trace of #1.", "Added 1 run:", "The repository has changes that are not committed"}},
		{removed, []string{"Removed:\n"}},
		{nothing, []string{"Nothing was added.\n"}},
		{report.NewHistory("h.db", 5, nil, "test"), []string{"The history has no such entry."}},
	} {
		var json, plain bytes.Buffer
		if err := try.history.WriteJSON(&json); err != nil {
			t.Fatal(err)
		}
		validate(t, schema, json.Bytes())
		if err := text.History(&plain, try.history, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range try.want {
			if !strings.Contains(plain.String(), want) {
				t.Errorf("%q is not in\n%s", want, plain.String())
			}
		}
	}
}
