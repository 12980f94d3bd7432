package fleet_test

import (
	"context"
	"math"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/simulation"
	"github.com/diffprof/diffprof/fleet/tree"
)

// TestTreesOfConstantRates has hogs with the same excess under all conditions. Their trees have no
// conditions, except for a few by chance, and the intervals contain the truth.
func TestTreesOfConstantRates(t *testing.T) {
	trees, splits, held := 0, 0, 0
	for seed := range uint64(5) {
		made := simulation.New(simulation.Options{Seed: seed, Clients: 90, Apps: 60, Hogs: 6, Innocent: 8, Days: 4})
		f, err := fleet.Analyze(context.Background(), made.Set(nil, 4), fleet.Defaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range made.Apps {
			root, _ := f.Diagnose(a.Name)
			if a.Kind != simulation.Hog || root == nil {
				continue
			}
			trees++
			if math.Abs(root.Drain.Mean-a.Drain) <= root.Drain.Half {
				held++
			}
			root.Walk(func(n *tree.Node) {
				if n.With != nil {
					splits++
					t.Logf("seed %d, %s drains %.6f: %v %.6f ± %.6f, not %.6f ± %.6f", seed, a.Name, a.Drain,
						n.With.Path, n.With.Drain.Mean, n.With.Drain.Half, n.Without.Drain.Mean, n.Without.Drain.Half)
				}
			})
		}
	}
	t.Logf("of %d trees %d hold the truth, with %d conditions in all", trees, held, splits)
	if trees < 15 || held*100 < trees*90 || splits*100 > trees*25 {
		t.Errorf("of %d trees %d hold the truth, with %d conditions in all", trees, held, splits)
	}
}

// TestTreesAgreeWithHogs compares the figures of each hog, some of them under a condition, with the
// node of its tree that has the same conditions.
func TestTreesAgreeWithHogs(t *testing.T) {
	trees, conditional := 0, 0
	for seed := range uint64(3) {
		made := simulation.New(simulation.Options{
			Seed: seed, Clients: 120, Apps: 60, Hogs: 6, Innocent: 8, Days: 4,
			Named: &simulation.Named{Name: "com.mine", Version: "2", Before: "1", Mobile: seed == 1},
		})
		f, err := fleet.Analyze(context.Background(), made.Set(nil, 4), fleet.Defaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		hogs, err := f.Hogs()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hogs {
			root, _ := f.Diagnose(h.App)
			if root == nil {
				continue
			}
			trees++
			if len(h.Conditions) > 0 {
				conditional++
			}
			found := false
			root.Walk(func(n *tree.Node) {
				same := len(n.Path) >= len(h.Conditions) && math.Abs(n.Drain.Mean-h.Excess) < 1e-9*h.Excess
				found = found || same && n.Drain.Half >= h.Half*(1-1e-9)
			})
			if !found {
				t.Errorf("seed %d: no node of the tree of %s has its %g ± %g with %v", seed, h.App, h.Excess, h.Half, h.Conditions)
			}
		}
	}
	if trees < 10 || conditional < 2 {
		t.Errorf("only %d trees, of which %d have conditions", trees, conditional)
	}
}
