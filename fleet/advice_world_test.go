package fleet_test

import (
	"context"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
)

// worldUses returns the drop and the time of a client while it discharges, and the true energy that
// an app used on it. drop and used are in %, and hours is in hours. battery is the capacity of the
// client's battery.
func worldUses(c *samples.Client, app worldApp, battery float64, network int, mobile uint32) (drop, hours, used float64) {
	for i := 1; i < c.Len(); i++ {
		down, time := float64(c.Levels[i-1]-c.Levels[i])/samples.Percent, float64(c.Times[i]-c.Times[i-1])/3_600_000
		if c.States[i] == samples.Charging || c.States[i-1] == samples.Charging || down < 0 || time > 24 {
			continue
		}
		drop, hours = drop+down, hours+time
		for _, end := range []int{i - 1, i} {
			for _, at := range c.Ran(end) {
				switch {
				case c.Entries[at].App != app.id:
				case app.kind == "hog":
					used += app.use * time / 2
				case app.kind == "saver" && c.Features[network][end] == mobile:
					used += 4 * time / 2
				case app.kind == "saver":
					used -= 0.8 * time / 2
				}
			}
		}
	}
	return drop, hours, used / battery
}

// TestAdviceHelps follows the advice to each client of generated fleets, whose batteries differ in
// capacity. According to the generator, the advice helps in at least 95 % of the cases, and the
// true gain is in the stated interval in at least 90 %.
func TestAdviceHelps(t *testing.T) {
	t.Parallel()
	advices, helps, holds := 0, 0, 0
	fleets := uint64(max(1, *seeds))
	for seed := range fleets {
		w := world{seed: seed + 300, clients: 120, days: 6, tied: 1, others: 6, hogs: 6, saver: true, batteries: true}
		set, apps := w.make()
		f, err := fleet.Analyze(context.Background(), set, fleet.Defaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]worldApp{}
		for _, a := range apps {
			byName[a.name] = a
		}
		network, mobile := set.Feature(samples.Network), set.Names.ID("mobile")
		for part := range set.Parts() {
			err := set.Each(context.Background(), part, func(c *samples.Client) error {
				actions, _, err := f.Actions(c.ID)
				for _, a := range actions {
					drop, hours, used := worldUses(c, byName[a.App], w.battery(c.ID), network, mobile)
					gain := 60 * (100*hours/(drop-used) - 100*hours/drop)
					advices++
					if gain > 0 {
						helps++
					}
					if a.Least <= gain && gain <= a.Most {
						holds++
					} else {
						t.Logf("seed %d: %s %s: %.0f to %.0f minutes, in truth %.0f", w.seed, a.Advice, a.App, a.Least, a.Most, gain)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d fleets: %d advices, %d help, the gain of %d holds", fleets, advices, helps, holds)
	if advices == 0 || 20*helps < 19*advices || 10*holds < 9*advices {
		t.Errorf("of %d advices, %d help, and the gain of %d holds", advices, helps, holds)
	}
}
