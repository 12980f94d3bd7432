package fleet_test

import (
	"context"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// TestRecall compares two shares: the share of bugs that a fleet claims to find, and the share of
// simulated bugs that it finds.
func TestRecall(t *testing.T) {
	t.Parallel()
	var all, found, expected float64
	for seed := range fieldSeeds() {
		made := simulation.New(simulation.Options{Seed: 30 + seed, Clients: 150, Apps: 100, Hogs: 4, Innocent: 10, Bugs: 40, Days: 6})
		key := []byte("key")
		f, err := fleet.Analyze(context.Background(), made.Set(key, 4), fleet.Defaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		bugs, _ := f.Bugs()
		recall := f.Recall()
		t.Log(recall)
		for _, b := range made.Bugs {
			if !f.Ran(made.Apps[b.App].Name) {
				continue
			}
			all++
			client := fleet.ClientKey(samples.HashClient(key, simulation.ClientName(b.Client)))
			if slices.ContainsFunc(bugs, func(n fleet.Bug) bool {
				return n.Client == client && (n.App == made.Apps[b.App].Name || slices.Contains(n.Confounded, made.Apps[b.App].Name))
			}) {
				found++
			}
			expected += interpolated(recall, b.Drain)
		}
	}
	t.Logf("%.0f of %.0f bugs are found, %.1f are expected", found, all, expected)
	if all < 30 || found < expected-0.25*all || found > expected+0.25*all {
		t.Errorf("%.0f of %.0f bugs are found, %.1f are expected", found, all, expected)
	}
}

// interpolated returns the share for bugs of any size. It interpolates between the sizes in recall.
func interpolated(recall []fleet.Recall, excess float64) float64 {
	before := fleet.Recall{Planted: 1}
	for _, r := range recall {
		share := func(r fleet.Recall) float64 { return float64(r.Found) / float64(r.Planted) }
		if excess <= r.Excess {
			return share(before) + (share(r)-share(before))*(excess-before.Excess)/(r.Excess-before.Excess)
		}
		before = r
	}
	return 1
}
