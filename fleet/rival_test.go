package fleet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// TestRareCompanion has an app that all clients run. On one client, it often runs together with one
// or two apps that no other client runs. On this client, either these apps or the common app use 9
// %/h more.
func TestRareCompanion(t *testing.T) {
	for name, c := range map[string]struct {
		drains    string
		apps      int     // apps is the number of rare apps. One of them runs at a time.
		together  float64 // together is the probability that a rare app runs with the common app.
		bug, rare bool
	}{
		"the rare app uses more":                       {"rare.app", 1, 0.7, false, false},
		"the common app uses more":                     {"com.common", 1, 0.7, true, false},
		"the rare app always runs with it":             {"rare.app", 1, 1, true, true},
		"two rare apps use more":                       {"rare.app", 2, 0.7, false, false},
		"the common app uses more, with two rare ones": {"com.common", 2, 0.7, true, false},
		"one of two rare apps always runs then":        {"rare.app", 2, 1, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			const worlds = 10
			for seed := range uint64(worlds) {
				bugs := bugsWithCompanions(t, seed, c.drains, c.apps, c.together)
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

// bugsWithCompanions analyzes a fleet. On its first client, one of several rare apps runs during a
// share of the runs of the common app.
func bugsWithCompanions(t *testing.T, seed uint64, drains string, apps int, together float64) []fleet.Bug {
	t.Helper()
	names := samples.NewNames()
	common := names.ID("com.common")
	var rare []uint32
	for i := range apps {
		rare = append(rare, names.ID(fmt.Sprint("rare.app", i)))
	}
	random := rand.New(rand.NewPCG(seed, 7))
	var clients []*samples.Client
	for i := range 12 {
		c := samples.NewClient(samples.HashClient(nil, simulation.ClientName(i)), 0)
		at, level := int64(simulation.Start), int64(100*samples.Percent)
		runs, rareRuns, which := false, false, 0
		for n := range 300 {
			if n%3 == 0 {
				runs = random.IntN(2) == 0
				rareRuns = runs && i == 0 && random.Float64() < together
				which = n / 3 % apps
			}
			s := samples.Sample{Time: at, Level: int32(level), State: samples.Discharging}
			if runs {
				s.Apps = append(s.Apps, common)
			}
			if rareRuns {
				s.Apps = append(s.Apps, rare[which])
			}
			c.Add(&s)
			pause := int64(300_000 + random.IntN(600_000)) // milliseconds
			perHour := 2 + random.Float64()
			if i == 0 && (drains == "com.common" && runs || drains == "rare.app" && rareRuns) {
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
