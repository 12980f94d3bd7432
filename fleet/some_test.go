package fleet_test

import (
	"context"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

// TestExcessOnSomeDevices analyzes small fleets with many bugs. An app with bugs on fewer than half
// of its devices is not a hog. The interval of a hog never contains zero.
func TestExcessOnSomeDevices(t *testing.T) {
	t.Parallel()
	hogs, wrong, some := 0, 0, 0
	fleets := max(3, *seeds)
	for seed := range fleets {
		made := simulation.New(simulation.Options{Seed: uint64(seed) + 1, Clients: 80, Apps: 60, Hogs: 4, Innocent: 12, Bugs: 60, Days: 3})
		f, err := fleet.Analyze(context.Background(), made.Set(nil, 4), fleet.Defaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		bugs := map[string]int64{}
		for _, b := range made.Bugs {
			bugs[made.Apps[b.App].Name]++
		}
		all, err := f.Hogs()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range all {
			at := slices.IndexFunc(made.Apps, func(a simulation.App) bool { return a.Name == h.App })
			switch {
			case made.Apps[at].Kind == simulation.Hog:
				hogs++
			case 2*bugs[h.App] < h.Clients:
				t.Logf("seed %d: %s is a hog, and has bugs on %d of %d devices", seed+1, h.App, bugs[h.App], h.Clients)
				wrong++
			}
			if _, least, _ := h.Minutes(); least <= 0 {
				t.Errorf("seed %d: the interval of %s contains zero: %v ± %v", seed+1, h.App, h.Excess, h.Half)
			}
		}
		for _, app := range f.PartialHogs() {
			if bugs[app] == 0 {
				t.Errorf("seed %d: %s uses more on some devices, but has no bug", seed+1, app)
			}
			some++
		}
	}
	t.Logf("%d fleets: %d hogs, %d apps that only some devices show as hogs, %d apps on some devices", fleets, hogs, wrong, some)
	if wrong*10 > fleets || some == 0 {
		t.Errorf("%d of %d apps with an excess on some devices are hogs", wrong, some+wrong)
	}
}

// TestPartialExcess uses another simulator. Each fleet has four apps that use 7 %/h on about a
// third of their devices. At most one of twenty such apps is reported as a hog, and the real hogs
// are still found.
func TestPartialExcess(t *testing.T) {
	partial := 0
	for seed := range worlds() {
		found, _ := judgeWorld(t, world{seed: 700 + seed, clients: 100, days: 5, others: 6, hogs: 4, partial: 4}, fleet.Defaults())
		if found["hog"] < 3 {
			t.Errorf("seed %d: %v are hogs", 700+seed, found)
		}
		partial += found["partial"]
	}
	t.Logf("%d of %d apps with an excess on a third of their devices are hogs", partial, 4*worlds())
	if uint64(partial)*20 > 4*worlds() {
		t.Error("too many are hogs")
	}
}

// TestOppositeConditions has an app that uses more energy on mobile data and less on wifi. The
// fleet claims an excess on mobile data only.
func TestOppositeConditions(t *testing.T) {
	set, apps := world{seed: 5, clients: 150, days: 6, others: 8, saver: true}.make()
	name := apps[len(apps)-1].name
	f, err := fleet.Analyze(context.Background(), set, fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hogs, err := f.Hogs()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(hogs, func(h fleet.Hog) bool { return h.App == name })
	if at < 0 {
		t.Fatalf("%s is no hog: %v, doubtful %v, on some %v", name, hogs, f.Doubtful(), f.PartialHogs())
	}
	h := hogs[at]
	if !slices.Equal(h.Conditions, []claim.Condition{{Feature: samples.Network, Value: "mobile"}}) {
		t.Errorf("the condition is %v", h.Conditions)
	}
	if 3600*h.Least() > 4 || 3600*h.Most() < 4 {
		t.Errorf("%.2f ± %.2f %%/h, in truth 4", 3600*h.Excess, 3600*h.Half)
	}
}
