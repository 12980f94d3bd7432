package text_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/text"
	"github.com/diffprof/diffprof/units"
)

// TestHistory writes the entries of a history, the runs of entries, and what was added or removed.
func TestHistory(t *testing.T) {
	run := func(name, unit string, energy units.Energy) report.HistoryRun {
		return report.HistoryRun{Name: name, Format: "perf.data", Unit: unit, EnergyFrom: "processor time", PowerSource: "1 W", Energy: energy,
			CPUTime: 1_500_000_000, Contexts: 12_345, Kept: 1 << 20, Recorded: 10 << 20}
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	full := report.HistoryEntry{Ref: "4f2c1a9", Name: "4f2c1a9", Commit: "4f2c1a9000000000", Parents: []string{"aaa", "bbb"}, Time: at, Version: "2.1", App: "com.mine",
		Device: "a phone with a very long name", Scenario: "start", Energy: 2 * units.Joule, Least: 1500 * units.Millijoule, Most: 3 * units.Joule,
		Runs: []report.HistoryRun{run("one.data", "J", 1500*units.Millijoule), run("two.data", "J", 2*units.Joule), run("three.data", "J", 3*units.Joule)}}
	plain := report.HistoryEntry{Ref: "2.0", Name: "2.0", Time: at, Version: "2.0", Energy: 7_000, Least: 7_000, Most: 7_000,
		Runs: []report.HistoryRun{run("samples.folded", report.UnknownUnit, 7_000)}}
	plain.Runs[0].CPUTime, plain.Runs[0].Recorded = 0, 100
	three, none := 3, 0
	known := []report.KnownRun{{Name: "four.data", Run: "4", Ref: "4f2c1a9"}}
	for _, c := range []struct {
		name string
		h    report.History
		want string
	}{
		{"entries", report.History{Entries: []report.HistoryEntry{full, plain}}, `
entry    commit   date        version  app       device                    runs                     energy  scenario
4f2c1a9  4f2c1a9  2026-03-04  2.1      com.mine  a phone with a very lon…     3  2.00 J (1.50 J to 3.00 J)  start
2.0               2026-03-04  2.0                                             1                7,000 units
`},
		{"no column without a text", report.History{Entries: []report.HistoryEntry{plain}}, `
entry  date        version  runs       energy
2.0    2026-03-04  2.0         1  7,000 units
`},
		{"no entry", report.History{}, "\nThe history has no such entry.\n"},
		{"added", report.History{New: &three, Entries: []report.HistoryEntry{plain}}, `
Added 3 runs:
entry  date        version  runs       energy
2.0    2026-03-04  2.0         1  7,000 units
`},
		{"nothing added", report.History{New: &none, Known: known, Entries: []report.HistoryEntry{full}}, "\nfour.data is already stored, as 4 of 4f2c1a9.\nNothing was added.\n"},
		{"removed", report.History{Removed: true, Entries: []report.HistoryEntry{plain}}, `
Removed:
entry  date        version  runs       energy
2.0    2026-03-04  2.0         1  7,000 units
`},
		{"runs", report.History{Whole: true, Entries: []report.HistoryEntry{full, plain}}, `
entry      4f2c1a9
commit     4f2c1a9000000000
parents    aaa bbb
time       2026-03-04 05:06:07 UTC
version    2.1
app        com.mine
device     a phone with a very long name
scenario   start
energy     2.00 J (1.50 J to 3.00 J) (processor time)
power      1 W
format     perf.data

energy    CPU  length  contexts     kept  recorded  run
1.50 J  1.5 s       -    12,345  1.0 MiB    10 MiB  one.data
2.00 J  1.5 s       -    12,345  1.0 MiB    10 MiB  two.data
3.00 J  1.5 s       -    12,345  1.0 MiB    10 MiB  three.data

3.0 MiB of 30 MiB: 1/10 of the size

entry      2.0
time       2026-03-04 05:06:07 UTC
version    2.0
energy     7,000 units (processor time)
power      1 W
format     perf.data

     energy  CPU  length  contexts     kept  recorded  run
7,000 units    -       -    12,345  1.0 MiB     100 B  samples.folded
`},
	} {
		var b bytes.Buffer
		if err := text.History(&b, &c.h, report.Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		if got, want := b.String(), strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
