package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
)

// repeated compares several runs per side. The energy of run i is figures[i], in millions.
func repeated(t *testing.T, o analysis.Options, subject, reference []int) *finding.Set {
	t.Helper()
	folder := t.TempDir()
	for side, figures := range map[string][]int{"a": subject, "b": reference} {
		for i, n := range figures {
			text := fmt.Sprintf("%s;android.util.Log.i()I %d000000\n%s 3000000\n", frame, n, frame)
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s%d.folded", side, i)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.Subject.Path, o.Reference.Path, o.Alpha = filepath.Join(folder, "a*"), filepath.Join(folder, "b*"), analysis.AutoAlpha
	r, err := analysis.Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return finding.New(r)
}

// TestTroubles checks what can keep a gate from working, for gates and runs of each kind.
func TestTroubles(t *testing.T) {
	once := stacked(t, costlier, cheaper)
	five := repeated(t, analysis.Options{Builds: 0.001}, []int{100, 103, 98, 101, 99}, []int{90, 94, 89, 91, 88})
	builds := repeated(t, analysis.Options{Builds: 0.2}, []int{100, 103, 98, 101, 99}, []int{90, 94, 89, 91, 88})
	noisy := repeated(t, analysis.Options{Builds: 0.001}, []int{100, 203, 58, 141, 29}, []int{90, 194, 49, 131, 28})
	var got strings.Builder
	said := make(map[string]bool)
	for _, c := range []struct {
		name, gate string
		set        *finding.Set
	}{
		{"no gate", "", once},
		{"one run", "total>3%", once},
		{"a small limit", "total>0.001%", once},
		{"evidence of one run", "evidence", once},
		{"an impossible row", "row>100%", once},
		{"a possible row", "row>99%", once},
		{"an impossible saving", "saving>150%", once},
		{"a doubled total", "total>+100%", once},
		{"five runs", "evidence and total>+20%", five},
		{"five runs, a small limit", "evidence and total>+0.5%", five},
		{"other builds", "total>+5%", builds},
		{"noisy runs", "total>+1% or row>5%", noisy},
		{"no limit", "total>0%", five},
		{"no energies", "total>5mJ", once},
		{"waste", "wasted>5%", once},
		{"a fleet", "fleet-hog", once},
		{"the same", "total>3%", stacked(t, costlier, costlier)},
	} {
		var gate finding.Gate
		if c.gate != "" {
			var err error
			if gate, err = finding.ParseGate(c.gate); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&got, "%s: %s\n", c.name, c.gate)
		for _, x := range report.Troubles(gate, c.set) {
			fmt.Fprintf(&got, "  %s, wrong %v\n", x.Code, x.Wrong)
			if !said[x.Message] {
				fmt.Fprintf(&got, "    %s\n", x.Message)
			}
			said[x.Message] = true
		}
	}
	const want = `no gate: 
  no-condition, wrong false
    there is no --fail-on, so a build never fails; add one, such as 'total>+3% and evidence'
  one-run, wrong false
    one side has only one run, so the noise is not measured but stated; record 5 runs or more on each side
one run: total>3%
  one-run, wrong false
a small limit: total>0.001%
  one-run, wrong false
  under-noise, wrong false
    total>0.001%: one run on each side shows a difference of about 0.1% or more, so smaller differences pass; record several runs of each side in turn
evidence of one run: evidence
  one-run, wrong false
  not-judged, wrong true
    evidence cannot be judged: a side has only one run: evidence needs 2 or more runs on each side
an impossible row: row>100%
  one-run, wrong false
  never-fires, wrong true
    row>100% can never hold: row is a part of the subject's energy, at most 100%
a possible row: row>99%
  one-run, wrong false
an impossible saving: saving>150%
  one-run, wrong false
  never-fires, wrong true
    saving>150% can never hold: saving is a part of the subject's energy, at most 100%
a doubled total: total>+100%
  one-run, wrong false
five runs: evidence and total>+20%
  order-unknown, wrong false
    the order of the runs is unknown, so a slow drift of the device looks like a change of the app; diffprof record records both sides in turn and stores the start of each run
five runs, a small limit: evidence and total>+0.5%
  order-unknown, wrong false
  few-runs, wrong false
    evidence and total>+0.5%: 5 runs on each side seldom show a difference of 0.5%; 727 would show it in four builds of five
other builds: total>+5%
  order-unknown, wrong false
  few-runs, wrong false
    total>+5%: 5 runs on each side seldom show a difference of 5.0%; more runs do not help: growth below 55.4% is never evidence while the noise between builds is 20.0%; measure this noise with diffprof record --aa and --equal-build, or state it with --builds
noisy runs: total>+1% or row>5%
  order-unknown, wrong false
  few-runs, wrong false
    total>+1%: 5 runs on each side seldom show a difference of 1.0%; no number of runs up to 1000 shows this difference
no limit: total>0%
  order-unknown, wrong false
no energies: total>5mJ
  one-run, wrong false
waste: wasted>5%
  one-run, wrong false
  not-judged, wrong true
    wasted>5% cannot be judged: the waste of components is unknown: give a power model, and a single run that has times of calls and states no energies
a fleet: fleet-hog
  one-run, wrong false
  not-judged, wrong true
    fleet-hog cannot be judged: give a file of diffprof fleet analyze with --fleet
the same: total>3%
  same-recordings, wrong true
    both sides are the same recordings, so no condition can hold; give the recordings of the reference with --reference
  one-run, wrong false
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestSensitivity checks how much growth the runs show.
func TestSensitivity(t *testing.T) {
	var got strings.Builder
	show := func(f *float64) string {
		if f == nil {
			return "none"
		}
		return fmt.Sprint(*f)
	}
	for _, c := range []struct {
		name string
		set  *finding.Set
	}{
		{"one run", stacked(t, costlier, cheaper)},
		{"three runs and five", repeated(t, analysis.Options{Builds: 0.001}, []int{100, 103, 98, 101, 99}, []int{90, 94, 89})},
		{"other builds", repeated(t, analysis.Options{Builds: 0.02}, []int{100, 103, 98, 101, 99}, []int{90, 94, 89, 91, 88})},
		{"runs that do not vary", repeated(t, analysis.Options{Builds: 0.001}, []int{100, 100, 100}, []int{90, 90, 90})},
	} {
		d := report.NewDoctor(c.set, "test", nil, nil)
		if d.Troubles == nil || d.History == nil {
			t.Errorf("%s: the lists of %+v are null", c.name, d)
		}
		s := d.Sensitivity
		fmt.Fprintf(&got, "%s: %d runs, least %s, ever %s, builds %v %s\n  %s\n", c.name, s.Runs, show(s.Least), show(s.LeastEver), s.Builds, s.BuildsFrom, s.Message)
	}
	const want = `one run: 1 runs, least 0.000542, ever none, builds 0 
  1 run on each side shows a growth of the total of 0.1% or more in four builds of five
three runs and five: 3 runs, least 0.0648, ever 0.00397, builds 0.001 setting
  3 runs on each side show a growth of the total of 6.5% or more in four builds of five; no number of runs shows less than 0.4%, because of the noise between builds: 0.1%, as stated
other builds: 5 runs, least 0.0938, ever 0.0826, builds 0.02 setting
  5 runs on each side show a growth of the total of 9.4% or more in four builds of five; no number of runs shows less than 8.3%, because of the noise between builds: 2.0%, as stated
runs that do not vary: 3 runs, least 0.00397, ever 0.00397, builds 0.001 setting
  3 runs on each side show a growth of the total of 0.4% or more in four builds of five; no number of runs shows less than 0.4%, because of the noise between builds: 0.1%, as stated
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
