package finding_test

import (
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/units"
)

// TestGroups compares groups with sums over all pairs of tasks.
func TestGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	nested := 0
	for range shorten.Count(100) {
		r := compare(t, randomStacks(random), randomStacks(random)).Result
		nodes := r.Subject.Tree.Nodes
		for _, by := range finding.Groupings() {
			groups := finding.New(r).Groups(finding.Grouping(by))
			tasks := 0
			var own units.Energy
			for i, g := range groups {
				if i > 0 && groups[i-1].Saving < g.Saving {
					t.Errorf("group %q comes after %q", g.Name, groups[i-1].Name)
				}
				tasks += len(g.Tasks)
				own += g.Own
				var energy, reference, saving units.Energy
				for _, a := range g.Tasks {
					inside := false
					for _, b := range g.Tasks {
						outer := r.Tasks[b].Node
						inside = inside || outer < r.Tasks[a].Node && r.Tasks[a].Node < nodes[outer].End
					}
					if inside {
						nested++
						continue
					}
					energy += r.Tasks[a].Energy
					reference += r.Tasks[a].PeerEnergy
					if r.Tasks[a].Perhaps == nil {
						saving += r.Tasks[a].Saving
					}
				}
				if g.Energy != energy || g.Saving != saving || g.Reference != reference || energy > r.Subject.Energy {
					t.Errorf("group %q has %+v, want energy %d and saving %d", g.Name, g, energy, saving)
				}
			}
			if tasks != len(r.Tasks) || own != r.Summary.MatchedEnergy+r.Summary.UnmatchedEnergy {
				t.Errorf("by %s there are %d tasks with %d in groups; all %d have %d", by, tasks, own,
					len(r.Tasks), r.Summary.MatchedEnergy+r.Summary.UnmatchedEnergy)
			}
		}
	}
	if nested == 0 {
		t.Error("no task lay inside of another of its group")
	}
}

func TestGroupNames(t *testing.T) {
	r := compare(t, "android.os.Handler.handle()V;p.q.A.run()V;android.util.Log.i()I 30\n", other).Result
	for by, want := range map[finding.Grouping]string{
		finding.ByTask: "android.util.Log.i()I", finding.ByCallingPackage: "p.q", finding.ByCaller: "p.q.A.run()V",
	} {
		if got := finding.New(r).Groups(by); len(got) != 1 || got[0].Name != want {
			t.Errorf("by %s: %+v, want one group %s", by, got, want)
		}
	}
}
