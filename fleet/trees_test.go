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
