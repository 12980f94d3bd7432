package fleet_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/tree"
)

// A placed is a device of a fleet whose samples the test specifies.
type placed struct {
	version, system, model string
	mobile                 bool // mobile means that the device is on mobile data half of the time.
}

// placedFleet analyzes a fleet of specified devices. Each device runs com.mine half of the time.
// more returns how much more energy com.mine uses on a device and a network, in %/h. The rate
// without com.mine is about 3 %/h. gains has the true gain of each client if it closes com.mine, in
// minutes per charge.
func placedFleet(t *testing.T, device func(i int) placed, more func(d placed, network string) float64) (f *fleet.Fleet, gains []float64) {
	t.Helper()
	const clients, charges = 80, 3
	names := samples.NewNames()
	mine, other := names.ID("com.mine"), names.ID("com.other")
	features := []string{samples.Screen, samples.Model, samples.Network, samples.System}
	var all []*samples.Client
	for i := range clients {
		d := device(i)
		random := rand.New(rand.NewPCG(5, uint64(i)))
		c := samples.NewClient(placedID(i), len(features))
		at, without, discharge := int64(1_750_000_000_000), 0.0, 0.0
		runs := func(n int) bool { return n%8 < 4 || n%90 == 89 }
		networkOf := func(n int) string {
			if d.mobile && n%24 < 12 {
				return "mobile"
			}
			return "wifi"
		}
		for n := range charges * 90 {
			network := networkOf(n)
			s := samples.Sample{
				Time: at, Level: int32(100-n%90) * samples.Percent, Trigger: samples.LevelChanged, Apps: []uint32{other}, Versions: []uint32{0},
				Features: []uint32{names.ID("off"), names.ID(d.model), names.ID(network), names.ID(d.system)},
			}
			if runs(n) {
				s.Apps, s.Versions = append(s.Apps, mine), append(s.Versions, names.ID(d.version))
			}
			c.Add(&s)
			plain := 3 * (0.9 + 0.2*random.Float64())
			rate := plain
			for _, end := range []int{n, n + 1} { // The app and the network change in the middle of a pair.
				if runs(end) {
					rate += more(d, networkOf(end)) / 2
				}
			}
			at += int64(3_600_000 / rate)
			without += plain / rate // what the device uses in the same time without the app, in %
			discharge += 1
		}
		hours := float64(at-1_750_000_000_000) / 3_600_000
		gains = append(gains, 60*(100*hours/without-100*hours/discharge))
		all = append(all, c)
	}
	f, err := fleet.Analyze(context.Background(), samples.InMemory(names, features, all, 3), fleet.Defaults(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f, gains
}

func placedID(i int) samples.ID { return samples.ID(i+1) * 0x9e3779b97f4a7c15 }

// TestAdviceOfOneClient checks that the advice for a client depends on its own version, network,
// system and model. com.mine uses more energy only on clients with an odd number. The other clients
// get no advice. No remedy leads from a value that uses less energy to a value that uses more.
func TestAdviceOfOneClient(t *testing.T) {
	usual := func(int) placed { return placed{version: "4.10", system: "14", model: "A"} }
	const excess = 4.0
	for name, c := range map[string]struct {
		change func(d *placed)
		more   func(d placed, network string) bool
		never  []string
	}{
		"version": {
			func(d *placed) { d.version = "4.12" }, func(d placed, _ string) bool { return d.version == "4.12" },
			[]string{"upgrade from version 4.10", "upgrade to version 4.12", "version"},
		},
		"older version": {
			func(d *placed) { d.version = "4.9" }, func(d placed, _ string) bool { return d.version == "4.9" },
			[]string{"upgrade from version 4.10", "upgrade to version 4.9"},
		},
		"network": {
			func(d *placed) { d.mobile = true }, func(_ placed, network string) bool { return network == "mobile" },
			[]string{"use mobile", "avoid it on wifi"},
		},
		"system": {
			func(d *placed) { d.system = "13" }, func(d placed, _ string) bool { return d.system == "13" },
			[]string{"upgrade from system 14", "upgrade to system 13"},
		},
		"model": {
			func(d *placed) { d.model = "B" }, func(d placed, _ string) bool { return d.model == "B" },
			[]string{"model"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, gains := placedFleet(t, func(i int) placed {
				d := usual(i)
				if i%2 == 1 {
					c.change(&d)
				}
				return d
			}, func(d placed, network string) float64 {
				if c.more(d, network) {
					return excess
				}
				return 0
			})
			hogs, err := f.Hogs()
			if err != nil || len(hogs) != 1 {
				t.Fatal(hogs, f.Doubtful(), err)
			}
			checkHeadlines(t, f)
			for i := range 10 {
				actions, known, err := f.Actions(placedID(i))
				if err != nil || !known {
					t.Fatal(known, err)
				}
				switch {
				case i%2 == 0 && len(actions) > 0:
					t.Errorf("client %d is unaffected, and the advice is %+v", i, actions)
				case i%2 == 1 && len(actions) != 1:
					t.Errorf("client %d is affected, and the advice is %+v", i, actions)
				case i%2 == 1:
					if want := gains[i]; actions[0].Least > want*1.1 || actions[0].Most < want*0.9 {
						t.Errorf("client %d: the gain is %.0f to %.0f minutes, in truth %.0f", i, actions[0].Least, actions[0].Most, want)
					}
				}
			}
			_, remedies := f.Diagnose("com.mine")
			for _, r := range remedies {
				for _, never := range c.never {
					if do := strings.Join(r.Advice, ", "); strings.Contains(do, never) {
						t.Errorf("the remedy is %q", do)
					}
				}
			}
			if name == "older version" && !slices.ContainsFunc(remedies, func(r fleet.Remedy) bool { return strings.Contains(strings.Join(r.Advice, ""), "upgrade") }) {
				t.Errorf("no remedy is an upgrade: %v", remedies)
			}
		})
	}
}

// shows reports whether a tree has a condition without an excess.
func shows(n *tree.Node) (without bool) {
	n.Walk(func(n *tree.Node) { without = without || n.Drain.Mean-n.Drain.Half <= 0 })
	return without
}

// checkHeadlines checks that the tree of each hog shows its excess, either overall or under the
// conditions of the hog.
func checkHeadlines(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	hogs, err := f.Hogs()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hogs {
		root := f.Tree(h.App)
		if root == nil {
			t.Errorf("%s: a hog without a tree", h.App)
			continue
		}
		if h.Least() <= 0 {
			t.Errorf("%s: the headline is %.5f ± %.5f, seen %.2f", h.App, h.Excess, h.Half, h.Seen)
		}
		whole := root.Drain.Mean - root.Drain.Half
		switch {
		case len(h.Conditions) == 0 && whole <= 0:
			t.Errorf("%s: the headline has no condition, and the tree shows %.5f ± %.5f", h.App, root.Drain.Mean, root.Drain.Half)
		case len(h.Conditions) > 0 && whole > 0 && !shows(root):
			t.Errorf("%s: the headline is %v, and the tree shows an excess under all conditions", h.App, h.Conditions)
		}
	}
}
