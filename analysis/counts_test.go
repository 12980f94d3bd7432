package analysis_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/units"
)

// countedCosts are round costs of the APIs in countedRun.
const countedCosts = `signature,cost,unit
android.app.Activity.setContentView(int),150,mJ
android.widget.TextView.setText(java.lang.CharSequence),1.25,mJ
android.widget.Toast.show(),2,mJ
android.view.View.invalidate(),1,mJ
`

// A burst is a number of calls of a listener. Each of them calls an API a number of times.
type burst struct {
	listener, api string
	times, calls  int
}

// countedRun writes a counted run of an app.
func countedRun(t *testing.T, path string, bursts []burst) string {
	t.Helper()
	tr := &artwrite.Trace{Threads: []artwrite.Thread{{ID: 1, Name: "main"}}, VM: "art", PID: 1, Start: time.Hour}
	var events []artwrite.Event
	var now time.Duration
	ids := map[string]int{}
	event := func(label string, action artwrite.Action) {
		if _, ok := ids[label]; !ok {
			ids[label] = len(tr.Methods)
			tr.Methods = append(tr.Methods, name.Parse(label, name.JVM))
		}
		now += time.Microsecond
		events = append(events, artwrite.Event{Method: ids[label], Action: action, CPU: now, Wall: now})
	}
	for _, b := range bursts {
		stack := []string{"android.view.View.performClick()Z", "com.mine." + b.listener + ".onClick(Landroid/view/View;)V"}
		for range b.times {
			for _, m := range stack {
				event(m, artwrite.Enter)
			}
			for range b.calls {
				event("android."+b.api, artwrite.Enter)
				event("android."+b.api, artwrite.Exit)
			}
			for _, m := range slices.Backward(stack) {
				event(m, artwrite.Exit)
			}
		}
	}
	tr.Events, tr.Elapsed = slices.Values(events), now
	var out bytes.Buffer
	if err := artwrite.Write(&out, tr, artwrite.Form{}); err != nil {
		t.Fatal(err)
	}
	write(t, path, out.Bytes())
	return path
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The APIs of countedCosts.
const (
	content = "app.Activity.setContentView(I)V"
	setText = "widget.TextView.setText(Ljava/lang/CharSequence;)V"
	toast   = "widget.Toast.show()V"
	redraw  = "view.View.invalidate()V"
)

// TestVerdictsOfCounts checks the verdicts on one run per side whose energies are numbers of calls
// times costs.
func TestVerdictsOfCounts(t *testing.T) {
	dir := t.TempDir()
	costs := filepath.Join(dir, "costs.csv")
	write(t, costs, []byte(countedCosts))
	steady := []burst{{"Start", content, 1, 1}, {"Tick", setText, 100, 1}, {"Tick", redraw, 100, 2}}
	with := func(more ...burst) []burst { return append(slices.Clone(steady), more...) }
	for what, c := range map[string]struct {
		subject, reference []burst
		noise              float64
		basis              analysis.Basis
		verdict            finding.Verdict
		rows               string
	}{
		"equal counts in another order": {
			with(burst{"Ask", toast, 3, 1}), append([]burst{{"Ask", toast, 3, 1}}, steady...), 0, analysis.FromCounts, finding.NoDifference, "",
		},
		"thirty times as often": {
			with(burst{"Ask", toast, 1, 30}), with(burst{"Ask", toast, 1, 1}), 0, analysis.FromCounts, finding.More,
			"android.widget.Toast.show()V costlier, total costlier",
		},
		"thirty times as often, with a stated noise": {
			with(burst{"Ask", toast, 1, 30}), with(burst{"Ask", toast, 1, 1}), 0.2, analysis.FromSetting, finding.CannotTell,
			"android.widget.Toast.show()V costlier",
		},
		"thirty times less": {
			with(burst{"Ask", toast, 1, 1}), with(burst{"Ask", toast, 1, 30}), 0, analysis.FromCounts, finding.Less,
			"android.widget.Toast.show()V cheaper, total cheaper",
		},
		"twice instead of once": {
			with(burst{"Ask", toast, 1, 2}), with(burst{"Ask", toast, 1, 1}), 0, analysis.FromCounts, finding.NoDifference, "",
		},
		"a tenth more often": {
			with(burst{"Ask", toast, 110, 1}), with(burst{"Ask", toast, 100, 1}), 0, analysis.FromCounts, finding.CannotTell, "",
		},
		"a single call here": {
			with(burst{"Ask", content, 1, 1}), steady, 0, analysis.FromCounts, finding.CannotTell, "",
		},
		"a new call": {
			with(burst{"Ask", toast, 20, 1}), steady, 0, analysis.FromCounts, finding.More, "android.widget.Toast.show()V costlier, total costlier",
		},
		// The costs of the two APIs may be wrong by different factors, so it is unknown which total
		// is larger. The new call replaces the old one, so only the difference is additional work.
		"one API instead of another": {
			with(burst{"Ask", toast, 100, 1}), with(burst{"Ask", setText, 100, 1}), 0, analysis.FromCounts, finding.CannotTell,
			"android.widget.Toast.show()V costlier",
		},
		"one API instead of another that costs far more": {
			with(burst{"Ask", redraw, 100, 1}), with(burst{"Ask", content, 100, 1}), 0, analysis.FromCounts, finding.Less,
			"android.app.Activity.setContentView(I)V cheaper, android.view.View.invalidate()V costlier, total cheaper",
		},
	} {
		t.Run(what, func(t *testing.T) {
			o := analysis.Options{
				Subject:   analysis.Side{Path: countedRun(t, filepath.Join(dir, "new.trace"), c.subject)},
				Reference: analysis.Side{Path: countedRun(t, filepath.Join(dir, "old.trace"), c.reference)},
				APICosts:  costs, Noise: c.noise,
			}
			r, err := analysis.Compare(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			lawful(t, r)
			set := finding.New(r)
			h := set.Headline()
			if r.Chance.Basis != c.basis || h.Verdict != c.verdict || verdicts(r) != c.rows {
				t.Errorf("%s, %s, rows %q; want %s, %s, %q: %v (%v)", r.Chance.Basis, h.Verdict, verdicts(r), c.basis, c.verdict, c.rows, h.Difference, h.Interval)
			}
			if c.verdict == finding.NoDifference && h.Difference == 0 && strings.Contains(words.NewHeadline(set, words.ScaleFor(nil, units.DefaultVoltage, h.Subject)).Verdict, "copies") {
				t.Error("runs of equal counts are said to be copies")
			}
		})
	}
}

// TestNoiseOfRealCounts repeats the measurement behind CountNoise: numbers of calls in repeated
// runs of one scenario vary less than independent events.
func TestNoiseOfRealCounts(t *testing.T) {
	apps, err := filepath.Glob("../../shared/data/petra/*")
	if err != nil || len(apps) == 0 {
		t.Skip("no real data in ../../shared/data/petra")
	}
	for _, app := range apps {
		files, _ := filepath.Glob(filepath.Join(app, "run*", "result.csv"))
		var runs []map[string]int
		var totals []float64
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			run := map[string]int{}
			for _, row := range rows[1:] {
				run[strings.TrimLeft(row[0], ".")]++
			}
			runs, totals = append(runs, run), append(totals, float64(len(rows)-1))
		}
		mean, square := 0.0, 0.0
		for _, x := range totals {
			mean += x / float64(len(totals))
		}
		for _, x := range totals {
			square += (x - mean) * (x - mean) / float64(len(totals)-1)
		}
		rows, equal, squares, means := 0, 0, 0.0, 0.0
		for i, a := range runs {
			for _, b := range runs[i+1:] {
				for m := range a {
					d := float64(a[m] - b[m])
					rows, squares, means = rows+1, squares+d*d/2, means+float64(a[m]+b[m])/2
					if d == 0 {
						equal++
					}
				}
			}
		}
		deviation := math.Sqrt(square) / mean
		t.Logf("%s: total %.1f%%, rows %.2f times as independent events, %.0f%% of the rows equal", filepath.Base(app), 100*deviation, squares/means, 100*float64(equal)/float64(rows))
		if deviation > math.Hypot(analysis.CountNoise, 1/math.Sqrt(mean)) || squares > means {
			t.Errorf("%s: totals vary by %.3f, rows %.2f times as independent events", app, deviation, squares/means)
		}
	}
}
