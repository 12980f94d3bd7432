package score_test

import (
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/truth/app"
	"github.com/diffprof/diffprof/tools/truth/run"
	"github.com/diffprof/diffprof/tools/truth/score"
	"github.com/diffprof/diffprof/units"
)

// runOf makes a run of true tasks with the given energies, by number.
func runOf(drains map[int]units.Energy) *run.Run {
	callback := &run.Call{Method: name.OfClass("com.a.A", "run", "()V"), App: true, Count: 1}
	for n, e := range drains {
		callback.Kids = append(callback.Kids, &run.Call{
			Method:  name.OfClass("java.io.File", fmt.Sprint("f", n), "()V"),
			Context: n, Task: true, Cost: e, Count: 1,
		})
	}
	return &run.Run{Threads: []*run.Thread{{Name: "main", Calls: []*run.Call{callback}}}}
}

// TestScore compares every figure with a calculation by hand: tasks 1 to 4 are in both runs, 5 and
// 6 only in the subject, 7 only in the reference.
func TestScore(t *testing.T) {
	p := score.NewPair(
		runOf(map[int]units.Energy{1: 100, 2: 50, 3: 40, 4: 30, 5: 20, 6: 10}),
		runOf(map[int]units.Energy{1: 60, 2: 50, 3: 10, 4: 30, 7: 5}),
	)
	s := p.Score([]score.Claim{
		{Subject: []int{1}, Matched: true, Reference: []int{1}, Found: "exact", Saving: 40},   // found
		{Subject: []int{2}, Matched: true, Reference: []int{7}, Found: "renamed", Saving: 45}, // mistaken
		{Subject: []int{3}, Saving: 40}, // missed
		{Subject: []int{4}, Matched: true, Reference: []int{4, 3}, Found: "path", Saving: -10}, // found, as one of two candidates
		{Subject: []int{5}, Saving: 20},                                     // correctly only here
		{Subject: []int{6}, Matched: true, Reference: []int{2}, Saving: 10}, // mistaken
		{Matched: true, Reference: []int{2}, Own: 7, Found: "path"},         // not a true task
		{Matched: true, Found: "path"},                                      // neither is a true task
	})
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"precision", s.Precision.Value(), 1.5 / 5},
		{"recall", s.Recall.Value(), 2.0 / 4},
		{"energy precision", s.EnergyPrecision.Value(), 115.0 / 197},
		{"energy recall", s.EnergyRecall.Value(), 130.0 / 220},
		{"F1", s.TasksF1(), 2 * 0.3 * 0.5 / 0.8},
		{"only-P", s.OnlyPrecision.Value(), 1.0 / 2},
		{"only-R", s.OnlyRecall.Value(), 1.0 / 2},
		// True savings: 40, 0, 30, 0, 20, 10. Errors: 0, 45, 10, 10, 0, 0.
		{"error", s.Error.Value(), 65.0 / 100},
		{"median error", s.MedianError, 0},
		{"top 10", s.Top10.Value(), 1},
		{"exact pairs", float64(s.Found["exact"].Pairs), 1},
		{"wrong renamed pairs", float64(s.Found["renamed"].Wrong), 1},
		{"path pairs", float64(s.Found["path"].Pairs), 2},
		{"wrong path pairs", float64(s.Found["path"].Wrong), 1},
	} {
		if diff := c.got - c.want; diff > 1e-12 || diff < -1e-12 {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestScoreOfNothing(t *testing.T) {
	p := score.NewPair(runOf(map[int]units.Energy{1: 1}), runOf(map[int]units.Energy{1: 1}))
	if s := p.Score(nil); s.TasksF1() != 0 || s.Recall.Whole != 1 {
		t.Errorf("a method that says nothing scores %v, with %v tasks to find", s.TasksF1(), s.Recall.Whole)
	}
}

// TestItself checks that if a run is compared with itself, all methods that distinguish contexts
// find all tasks and no saving. A loss here would be an error of the measurement.
func TestItself(t *testing.T) {
	for seed := range uint64(6) {
		base := app.Generate(seed, 1500)
		var n run.Numbers
		n.Assign(base)
		p := score.NewPair(base, base.Clone())
		for _, m := range score.Methods() {
			claims, err := m.Compare(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			s := p.Score(claims)
			if s.Recall.Value() != 1 || s.Error.Part != 0 {
				t.Errorf("app %d with itself by %s: recall %v, savings off by %v", seed, m.Name, s.Recall.Value(), s.Error.Part)
			}
			if m.Name != "flat" && (s.TasksF1() != 1 || s.EnergyF1() != 1) {
				t.Errorf("app %d with itself by %s: F1 %v, %v by energy", seed, m.Name, s.TasksF1(), s.EnergyF1())
			}
		}
	}
}
