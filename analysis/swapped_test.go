package analysis

import (
	"testing"
	"time"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/trace"
)

// TestSwapped checks runs that state that the subject is the older program.
func TestSwapped(t *testing.T) {
	const start = int64(1_700_000_000_000_000_000)
	side := func(side string, code int64, hours ...int) (runs []Run) {
		for _, h := range hours {
			runs = append(runs, Run{starts: starts{recorded: start + int64(h)*int64(time.Hour), build: build{side, "1.0", code}}})
		}
		return runs
	}
	unknown := []Run{{}}
	for name, c := range map[string]struct {
		subject, reference []Run
		want               string
	}{
		"named as recorded":      {side("subject", 7, 0, 2), side("reference", 6, 1, 3), ""},
		"recorded the other way": {side("reference", 6, 1, 3), side("subject", 7, 0, 2), "diffprof record made the subject's runs as the reference, and the reference's runs as the subject: swap the two sides"},
		"older version":          {side("", 6, 0), side("", 7, 1), "the subject has the older version of the app, 1.0 (6), and the reference the newer, 1.0 (7); to see where the newer one uses more, give it first"},
		"newer version":          {side("", 7, 0), side("", 6, 99), ""},
		"one session":            {side("", 0, 0, 1), side("", 0, 2, 3), ""},
		"a day before":           {side("", 0, 0, 1), side("", 0, 25, 26), "the subject was recorded on 2023-11-14, before the reference on 2023-11-15; to see where the newer one uses more, give it first"},
		"a day after":            {side("", 0, 25), side("", 0, 0), ""},
		"two days in turn":       {side("", 0, 0, 48), side("", 0, 24, 72), ""},
		"unknown start":          {unknown, side("", 0, 99), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Result{Subject: Input{Runs: c.subject}, Reference: Input{Runs: c.reference}, AppCode: &appcode.Comparison{OneApp: true}}
			got := ""
			if w := r.swapped(); w != nil {
				got = w.Message
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			r.AppCode.OneApp = false
			if w := r.swapped(); w != nil {
				t.Errorf("two apps: %s", w.Message)
			}
		})
	}
}

// TestSwappedByName checks names of files that suggest that the subject is the older program.
func TestSwappedByName(t *testing.T) {
	for _, c := range []struct {
		subject, reference string
		want               string
	}{
		{"old.jfr", "new.jfr", "by its name the subject is the older program (old), and the reference the newer (new)"},
		{"runs/before/1.trace", "runs/after/1.trace", "by its name the subject is the older program (before), and the reference the newer (after)"},
		{"app-Baseline.pb.gz", "app-head2.pb.gz", "by its name the subject is the older program (baseline), and the reference the newer (head)"},
		{"new.jfr", "old.jfr", ""},
		{"old.jfr", "other.jfr", ""},
		{"bold.jfr", "renew.jfr", ""},
		{"old/new.jfr", "old/new2.jfr", ""},
		{"new/a.jfr", "new/old.jfr", ""},
		{"old-head.jfr", "new-base.jfr", ""},
		{"", "", ""},
	} {
		if got := swappedByName(c.subject, c.reference); got != c.want {
			t.Errorf("%s, %s: got %q, want %q", c.subject, c.reference, got, c.want)
		}
	}
}

// TestStartsOfSingleRun checks that a run without a file and without readings has no start.
func TestStartsOfSingleRun(t *testing.T) {
	in := &Input{Path: "nowhere/a.trace", Trace: &trace.Trace{}}
	if all := in.allStarts(); len(all) != 1 {
		t.Fatalf("%d starts of a single run", len(all))
	} else if _, ok := all[0].moment(); ok {
		t.Error("a start that no recording states")
	}
}
