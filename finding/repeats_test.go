package finding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// repeated compares four runs per side. One task costs the subject half more in each run, one task
// varies widely, and one is only in the subject.
func repeated(t *testing.T) *finding.Set {
	t.Helper()
	folder := t.TempDir()
	write := func(side string, run int, grown, wide, alone int) {
		const stack = "android.os.Handler.dispatchMessage;com.mine.Feed.onClick"
		text := fmt.Sprintf("%s;android.widget.TextView.setText %d\n%s;java.io.File.exists %d\n%s %d\n", stack, grown, stack, wide, stack, 1000+7*run)
		if alone > 0 {
			text += fmt.Sprintf("%s;android.util.Log.d %d\n", stack, alone)
		}
		path := filepath.Join(folder, fmt.Sprintf("%s%d.folded", side, run))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for run, wide := range []int{900, 100, 1700, 500} {
		write("subject", run, 1500+11*run, 2*wide, 300+5*run)
		write("reference", run, 1000+9*run, wide, 0)
	}
	r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: filepath.Join(folder, "subject*")}, Reference: analysis.Side{Path: filepath.Join(folder, "reference*")}, Alpha: analysis.AutoAlpha, Builds: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	set := finding.New(r)
	return set
}

// TestRepeatsFindEvidentTasks checks that a difference that may be chance is neither a finding nor
// a saving, and that the energies of the mean run add up.
func TestRepeatsFindEvidentTasks(t *testing.T) {
	set := repeated(t)
	r := set.Result
	if len(r.Subject.Runs) != 4 || r.Repeats == nil {
		t.Fatalf("%d runs", len(r.Subject.Runs))
	}
	var saving units.Energy
	said := ""
	for i, f := range set.Tasks() {
		said += fmt.Sprintf("%s %q, unsure %v\n", f.Method.Short(), f.Code, f.Unclear())
		if !f.Unclear() {
			saving += r.Tasks[i].Saving
			if f.Saving.Least <= 0 || f.Saving.Least > r.Tasks[i].Saving || f.Saving.Most < r.Tasks[i].Saving {
				t.Errorf("%s saves %d, in %+v", f.Method.Short(), r.Tasks[i].Saving, f.Saving)
			}
		}
		for _, site := range f.Sites {
			if f.Unclear() && site.Saving != 0 {
				t.Errorf("%s saves %d at %s, without evidence", f.Method.Short(), site.Saving, site.Method.Short())
			}
		}
	}
	want := "TextView.setText \"costlier-task\", unsure false\nLog.d \"unmatched-task\", unsure false\nFile.exists \"\", unsure true\n"
	if said != want {
		t.Errorf("found\n%swant\n%s", said, want)
	}
	if got := set.Headline().Savable.Least; got != saving {
		t.Errorf("%d could be saved, want %d", got, saving)
	}
	s := r.Summary
	if sum := s.MatchedEnergy + s.UnmatchedEnergy + s.OutsideEnergy; sum != r.Subject.Energy {
		t.Errorf("the parts are %d of %d", sum, r.Subject.Energy)
	}
	var runs units.Energy
	for _, run := range r.Subject.Runs {
		runs += run.Energy
	}
	if r.Subject.Energy != runs/4 {
		t.Errorf("the mean of %d is %d", runs, r.Subject.Energy)
	}
	for gate, met := range map[string]bool{"evidence": true, "saving>1%": true, "row>90%": false, "unmatched>200nJ": true, "unmatched>400nJ": false, "row>90% or evidence and total>+1%": false, "row>90% or evidence and saving>1%": true} {
		g, err := finding.ParseGate(gate)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Met(set); err != nil || (got != nil) != met {
			t.Errorf("%s: %v, %v", gate, got, err)
		}
	}
}
