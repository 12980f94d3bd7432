package report_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// TestSpoken checks that the sentences for a reader who chooses a unit equal the sentences of a
// report in that unit.
func TestSpoken(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases in testdata", err)
	}
	messages := 0
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c, _ := compareCase(t, archive)
			set := finding.New(c.result)
			made := report.New(set, "test", 0)
			spoken := made.Wording(report.Options{})
			if c.result.Unit(nil) != nil {
				if spoken != nil {
					t.Errorf("sentences in units of energy, where the inputs do not state theirs")
				}
				return
			}
			for _, unit := range []units.Unit{units.One, units.Milli, units.Micro, units.Nano, units.MicroampereHour} {
				scale := words.ScalePerFigure(&unit, made.Voltage)
				if got, want := spoken.Headline[unit.String()], made.Headline(report.Options{Unit: &unit}).Sentences(); !slices.Equal(got, want) {
					t.Errorf("headline in %s: %q, want %q", unit, got, want)
				}
				for i, task := range made.Tasks {
					row := spoken.Rows[task.ID]
					if got, want := row.Message.In(scale), words.Task(c.result, i, scale); got != want {
						t.Errorf("task in %s: %q, want %q", unit, got, want)
					}
					if task.Split != nil {
						if got, want := row.Split.In(scale), words.Split(task.Split.Calls, task.Split.PerCall, scale); got != want {
							t.Errorf("split in %s: %q, want %q", unit, got, want)
						}
					}
					if e := task.Evidence; e != nil {
						if got, want := row.Evidence.In(scale), words.Estimate(task.Saving, e.SavingLeast, e.SavingMost, e.Verdict, scale); got != want {
							t.Errorf("evidence in %s: %q, want %q", unit, got, want)
						}
					}
					messages++
				}
			}
		})
	}
	if messages == 0 {
		t.Error("no case has a task")
	}
}
