package fleet_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
)

// A world is a generated fleet in which each recorded condition changes the rate of devices. It has
// apps that run mostly under one condition and use no energy. It shares no code with package
// simulation, nor with the other simulators in the tests.
type world struct {
	seed          uint64
	clients, days int
	// tied is the number of apps for each condition. Others run at any time.
	tied, others int
	// hogs is the number of hogs. They run at any time, and use 1.2 to 4.2 %/h.
	hogs int
	// navigator is an app that switches location on while it runs.
	navigator bool
	// partial is the number of apps that use 7 %/h on a third of their devices, and nothing on
	// others.
	partial int
	// saver is an app that uses 4 %/h on mobile data, and saves 0.8 %/h on wifi.
	saver bool
	// batteries gives devices batteries of different capacity.
	batteries bool
	// without is a column that the samples do not have.
	without string
}

// The conditions to which apps are tied.
const (
	worldScreen = iota
	worldNetwork
	worldLocation
	worldBluetooth
	worldRoaming
	worldMode
	worldSystem
	worldModel
	worldMorning
	worldLow
	worldUnplugged
	worldLate
	worldUser
	worldTies
)

// worldKinds has the names of the conditions, and how much more devices use under each, in %/h.
var worldKinds = [worldTies]struct {
	name string
	use  float64
}{
	{"screen", 12}, {"network", 4}, {"location", 4}, {"bluetooth", 2.5}, {"roaming", 3}, {"mode", -1.5}, {"os", 0.8}, {"model", 1.2},
	{"morning", 1.5}, {"low", 1.2}, {"unplugged", 1.5}, {"late", 0.8}, {"user", 0},
}

// worldColumns are the conditions with a column of their own.
var worldColumns = []string{samples.Screen, samples.Model, samples.System, samples.Network, "location", "bluetooth", "roaming", "power saver"}

type worldApp struct {
	name, kind string
	tie        int     // tie is the condition to which the app is tied, or -1.
	use        float64 // %/h
	id         uint32
}

// A dweller is the state of one device.
type dweller struct {
	r          *rand.Rand
	active     [worldTies]bool
	level      float64
	charging   bool
	unplugged  int // unplugged is the minute of the last unplugging.
	updates    int // updates is the minute of the update of the system.
	heavy      float64
	wander     float64 // wander is a slow change of the device's rate.
	brightness float64
}

// toggle changes a condition at random. It is active for a share of the time, for mean minutes.
func (d *dweller) toggle(condition int, share, mean float64) {
	if d.active[condition] {
		d.active[condition] = d.r.Float64() >= 1/mean
	} else {
		d.active[condition] = d.r.Float64() < share/(1-share)/mean
	}
}

// battery returns the capacity of a device's battery. The mean is about 1. Everything uses a larger
// share of a smaller battery.
func (w world) battery(id samples.ID) float64 {
	if !w.batteries {
		return 1
	}
	return math.Exp(0.25 * rand.New(rand.NewPCG(uint64(id), 8)).NormFloat64())
}

func (w world) make() (*samples.Set, []worldApp) {
	r := rand.New(rand.NewPCG(w.seed, 4242))
	names := samples.NewNames()
	var apps []worldApp
	tie := -1
	add := func(kind string, n int, use func(i int) float64) {
		for i := range n {
			a := worldApp{name: fmt.Sprintf("org.world.%s%d", kind, i), kind: kind, tie: tie, use: use(i)}
			a.id = names.ID(a.name)
			apps = append(apps, a)
		}
	}
	none := func(int) float64 { return 0 }
	for i, kind := range worldKinds {
		tie = i
		add(kind.name, w.tied, none)
	}
	tie = -1
	add("other", w.others, none)
	add("hog", w.hogs, func(i int) float64 { return 1.2 + 3*float64(i)/float64(max(1, w.hogs-1)) })
	add("partial", w.partial, func(int) float64 { return 7 })
	if w.saver {
		add("saver", 1, none)
	}
	if w.navigator {
		add("navigator", 1, func(int) float64 { return worldKinds[worldLocation].use })
	}
	var clients []*samples.Client
	for range w.clients {
		clients = append(clients, w.client(rand.New(rand.NewPCG(r.Uint64(), 1)), names, apps))
	}
	return samples.InMemory(names, w.columns(), clients, 4), apps
}

// columns returns the columns of the samples.
func (w world) columns() []string {
	return slices.DeleteFunc(slices.Clone(worldColumns), func(name string) bool { return name == w.without })
}

// client generates the samples of one device, one for each per cent.
func (w world) client(r *rand.Rand, names *samples.Names, apps []worldApp) *samples.Client {
	minutes := w.days * 1440
	d := &dweller{r: r, level: 60 + 40*r.Float64(), updates: r.IntN(2 * minutes), heavy: math.Exp(0.4 * r.NormFloat64()), brightness: 1}
	model, home := r.IntN(3), r.IntN(24)
	d.active[worldModel], d.active[worldUser] = model == 2, d.heavy > 1.2
	var mine []int
	for i, a := range apps {
		chance := 0.5
		if a.tie == worldModel || a.tie == worldUser {
			chance = 0.25
			if d.active[a.tie] {
				chance = 0.7
			}
		}
		if r.Float64() < chance {
			mine = append(mine, i)
		}
	}
	runs, buggy := make([]bool, len(mine)), make([]bool, len(mine))
	for at, i := range mine {
		buggy[at] = apps[i].kind == "partial" && r.IntN(3) == 0
	}
	c := samples.NewClient(samples.ID(r.Uint64()|1), len(w.columns()))
	battery := w.battery(c.ID)
	next := math.Floor(d.level)
	for minute := range minutes {
		hour := (minute/60 + home) % 24
		awake := hour >= 7 && hour < 23
		share := 0.02
		if awake {
			share = min(0.5, 0.15*d.heavy)
		}
		was := d.active[worldScreen]
		if d.toggle(worldScreen, share, 8); d.active[worldScreen] && !was {
			d.brightness = math.Exp(0.3 * r.NormFloat64())
		}
		share = 0.1
		if awake {
			share = 0.5
		}
		d.toggle(worldNetwork, share, 90)
		d.toggle(worldLocation, 0.2, 25)
		d.toggle(worldBluetooth, 0.3, 70)
		d.toggle(worldRoaming, 0.15, 600)
		d.toggle(worldMode, 0.25, 200)
		d.active[worldSystem], d.active[worldLate] = minute >= d.updates, minute >= minutes/2
		d.active[worldMorning] = hour >= 6 && hour < 12
		d.active[worldLow], d.active[worldUnplugged] = d.level < 40, minute-d.unplugged < 60
		d.wander += -d.wander/240 + 0.02*r.NormFloat64()
		for at, i := range mine {
			a := apps[i]
			if r.IntN(20) == 0 {
				share := 0.35
				if a.tie >= 0 && a.tie != worldModel && a.tie != worldUser {
					share = 0.1
					if d.active[a.tie] {
						share = 0.7
					}
				}
				runs[at] = r.Float64() < share
			}
			if runs[at] && a.kind == "navigator" {
				d.active[worldLocation] = true
			}
		}
		if d.charging {
			if d.level += 1; d.level >= 100 || hour == 7 && d.level > 70 {
				d.charging, d.level, d.unplugged = false, min(100, d.level), minute
				next = math.Floor(d.level)
			}
			continue
		}
		if d.level < 6 || hour == 0 && d.level < 50 {
			d.charging = true
			c.Add(w.sample(minute, d.level, samples.Charging, d, names, model, nil))
			continue
		}
		use := 1.5 * d.heavy * math.Exp(d.wander)
		for condition, kind := range worldKinds {
			if d.active[condition] && condition != worldScreen {
				use += kind.use
			}
		}
		if d.active[worldScreen] {
			use += worldKinds[worldScreen].use * d.brightness
		}
		for at, i := range mine {
			switch {
			case !runs[at]:
			case apps[i].kind == "hog" || buggy[at]:
				use += apps[i].use
			case apps[i].kind == "saver" && d.active[worldNetwork]:
				use += 4
			case apps[i].kind == "saver":
				use -= 0.8
			}
		}
		if d.level -= max(0.3, use) / 60 / battery; d.level > next-1 {
			continue
		}
		next--
		var running []uint32
		for at, i := range mine {
			if runs[at] {
				running = append(running, apps[i].id)
			}
		}
		c.Add(w.sample(minute, next, samples.Discharging, d, names, model, running))
	}
	return c
}

func (w world) sample(minute int, level float64, state samples.State, d *dweller, names *samples.Names, model int, apps []uint32) *samples.Sample {
	flag := func(condition int, yes, no string) uint32 {
		if d.active[condition] {
			return names.ID(yes)
		}
		return names.ID(no)
	}
	values := []uint32{
		flag(worldScreen, "on", "off"), names.ID(fmt.Sprint("model ", model)), flag(worldSystem, "15", "14"), flag(worldNetwork, "mobile", "wifi"),
		flag(worldLocation, "on", "off"), flag(worldBluetooth, "on", "off"), flag(worldRoaming, "on", "off"), flag(worldMode, "on", "off"),
	}
	if i := slices.Index(worldColumns, w.without); i >= 0 {
		values = slices.Delete(values, i, i+1)
	}
	return &samples.Sample{
		Time: 1_760_000_000_000 + int64(minute)*60_000, Level: int32(level) * samples.Percent, State: state, Trigger: samples.LevelChanged, Apps: apps,
		Features: values,
	}
}

// judgeWorld returns the hogs of a fleet by their kind.
func judgeWorld(t *testing.T, w world, o fleet.Options) (found map[string]int, hold int) {
	t.Helper()
	set, apps := w.make()
	f, err := fleet.Analyze(context.Background(), set, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkHeadlines(t, f)
	hogs, err := f.Hogs()
	if err != nil {
		t.Fatal(err)
	}
	found = map[string]int{}
	for _, h := range hogs {
		for _, a := range apps {
			if a.name != h.App {
				continue
			}
			found[a.kind]++
			if a.kind != "hog" {
				t.Logf("seed %d: %s: %.2f ± %.2f %%/h, p %.2g, %v", w.seed, h.App, 3600*h.Excess, 3600*h.Half, h.P, h.Conditions)
			} else if math.Abs(3600*h.Excess-a.use) <= 3600*h.Half {
				hold++
			}
		}
	}
	if bugs, _ := f.Bugs(); len(bugs) > 0 {
		found["bug"] = len(bugs)
	}
	return found, hold
}

// worlds returns the number of generated fleets.
func worlds() uint64 { return uint64(max(1, *seeds)) }

// TestTiesToEachColumn has fleets without hogs. Two apps are tied to each recorded condition. At
// most one app is reported in 8 fleets. In fleets with hogs, the hogs are still found.
func TestTiesToEachColumn(t *testing.T) {
	t.Parallel()
	empty, mixed := map[string]int{}, map[string]int{}
	hogs, hold := 0, 0
	for seed := range worlds() {
		w := world{seed: seed + 1, clients: 120, days: 6, tied: 2, others: 6}
		found, _ := judgeWorld(t, w, fleet.Defaults())
		for kind, n := range found {
			empty[kind] += n
		}
		w.hogs = 8
		found, n := judgeWorld(t, w, fleet.Defaults())
		hogs, hold = hogs+w.hogs, hold+n
		for kind, n := range found {
			mixed[kind] += n
		}
	}
	t.Logf("%d fleets: without hogs %v; with hogs %v of %d, %d intervals hold", worlds(), empty, mixed, hogs, hold)
	named := 0
	for _, n := range empty {
		named += n
	}
	if uint64(named) > (worlds()+7)/8 {
		t.Errorf("in %d fleets without hogs, these are named: %v", worlds(), empty)
	}
	if mixed["hog"]*10 < hogs*8 || hold*10 < mixed["hog"]*9 {
		t.Errorf("%v of %d hogs are found, and %d intervals hold", mixed, hogs, hold)
	}
}

// TestMediator has an app that uses energy by switching location on. Location is held constant, so
// the energy of the app is hidden. Without a column for location, the app is a hog.
func TestMediator(t *testing.T) {
	w := world{seed: 3, clients: 100, days: 5, others: 10, navigator: true}
	held, _ := judgeWorld(t, w, fleet.Defaults())
	w.without = "location"
	found, _ := judgeWorld(t, w, fleet.Defaults())
	if held["navigator"] != 0 || found["navigator"] != 1 {
		t.Errorf("with the column %v are named, without it %v", held, found)
	}
}
