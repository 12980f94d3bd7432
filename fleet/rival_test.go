package fleet_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// TestRareCompanion has an app that all clients run. On one client, an app that no other client runs
// often runs at the same time. One of the two uses 9 %/h more there.
func TestRareCompanion(t *testing.T) {
	for name, c := range map[string]struct {
		drains    string
		together  float64 // together is how likely the rare app runs with the common one.
		bug, rare bool
	}{
		"the rare app uses more":           {"rare.app", 0.7, false, false},
		"the common app uses more":         {"com.common", 0.7, true, false},
		"the rare app always runs with it": {"rare.app", 1, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			const worlds = 10
			for seed := range uint64(worlds) {
				bugs := bugsWithCompanion(t, seed, c.drains, c.together)
				for _, b := range bugs {
					if b.App != "com.common" || b.Rare != c.rare {
						t.Fatalf("world %d has the bug %+v", seed, b)
					}
					found++
				}
			}
			if c.bug && found < worlds-1 || !c.bug && found > 0 {
				t.Errorf("%d of %d worlds have a bug", found, worlds)
			}
		})
	}
}

// bugsWithCompanion analyzes a fleet. On its first client, the rare app runs during a share of the
// runs of the common app.
func bugsWithCompanion(t *testing.T, seed uint64, drains string, together float64) []fleet.Bug {
	t.Helper()
	names := samples.NewNames()
	common, rare := names.ID("com.common"), names.ID("rare.app")
	random := rand.New(rand.NewPCG(seed, 7))
	var clients []*samples.Client
	for i := range 24 {
		c := samples.NewClient(samples.HashClient(nil, simulation.ClientName(i)), 0)
		at, level := int64(simulation.Start), int64(100*samples.Percent)
		runs, beside := false, false
		for n := range 300 {
			if n%3 == 0 {
				runs = random.IntN(2) == 0
				beside = runs && i == 0 && random.Float64() < together
			}
			s := samples.Sample{Time: at, Level: int32(level), State: samples.Discharging}
			if runs {
				s.Apps = append(s.Apps, common)
			}
			if beside {
				s.Apps = append(s.Apps, rare)
			}
			c.Add(&s)
			pause := int64(300_000 + random.IntN(600_000)) // milliseconds
			perHour := 2 + random.Float64()
			if i == 0 && (drains == "com.common" && runs || drains == "rare.app" && beside) {
				perHour += 9
			}
			level -= int64(perHour * samples.Percent * float64(pause) / 3_600_000)
			if at += pause; level < 10*samples.Percent {
				level = 100 * samples.Percent
			}
		}
		clients = append(clients, c)
	}
	f, err := fleet.Analyze(context.Background(), samples.InMemory(names, nil, clients, 2), unscreened(), nil)
	if err != nil {
		t.Fatal(err)
	}
	bugs, _ := f.Bugs()
	return bugs
}
