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

// A field is a generated fleet with confounders. It shares no code with package simulation. People
// have days and nights, work, and homes with wifi. They charge at night.
type field struct {
	seed          uint64
	clients, days int
	hogs          int
	// tied is the number of hogs that run mostly on mobile data.
	tied int
	// These are the numbers of innocent apps that run mostly on mobile data, in the morning, and on
	// models that use more energy. plain is the number of other innocent apps.
	byNetwork, byHour, byModel, plain int
	// mobile and morning are the rates that mobile data and the morning add, in %/h. tilt is the
	// difference in rate between a full and an empty battery.
	mobile, morning, tilt float64
	// rise is the factor by which the base rises in the middle of the record. Versions change at
	// random moments if versions is set.
	rise     float64
	versions bool
	noScreen bool
}

// A fieldApp is an app with its true energy use.
type fieldApp struct {
	kind  string
	drain float64 // %/h
}

// make generates the fleet. It also returns the true energy use of its apps, by name.
func (o field) make() (*samples.Set, map[string]fieldApp) {
	random := rand.New(rand.NewPCG(o.seed, 77))
	names := samples.NewNames()
	truth := map[string]fieldApp{}
	var kinds []fieldApp
	var ids []uint32
	for kind, n := range map[string]int{"hog": o.hogs, "tied": o.tied, "network": o.byNetwork, "hour": o.byHour, "model": o.byModel, "plain": o.plain} {
		for i := range n {
			a := fieldApp{kind: kind}
			if kind == "hog" || kind == "tied" {
				a.drain = 1.1 + 3.2*float64(i)/float64(max(1, n-1))
			}
			name := fmt.Sprintf("com.field.%s%02d", kind, i)
			truth[name] = a
			kinds, ids = append(kinds, a), append(ids, 0)
		}
	}
	sorted := make([]string, 0, len(truth))
	for name := range truth {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for i, name := range sorted {
		kinds[i], ids[i] = truth[name], names.ID(name)
	}
	features := []string{samples.Model, samples.Network, samples.Screen}
	if o.noScreen {
		features = features[:2]
	}
	on, off, wifi, mobile := names.ID("on"), names.ID("off"), names.ID("wifi"), names.ID("mobile")
	v1, v2 := names.ID("1.0"), names.ID("2.0")
	var clients []*samples.Client
	for n := range o.clients {
		model := random.IntN(5)
		user := math.Exp(0.35 * random.NormFloat64())
		zone := random.IntN(24)
		changes := random.IntN(o.days * 1440)
		var apps []int
		for i, a := range kinds {
			chance := 0.35
			if a.kind == "model" {
				chance = 0.1 + 0.15*float64(model)
			}
			if random.Float64() < chance {
				apps = append(apps, i)
			}
		}
		runs := make([]bool, len(apps))
		c := samples.NewClient(samples.ID(random.Uint64()), len(features))
		level, next, screen, out, charging := 100.0, 100, false, false, false
		session := 1.0
		for minute := range o.days * 1440 {
			hour := (minute/60 + zone) % 24
			if screen {
				screen = random.IntN(9) != 0
			} else if mean := 40 / user; hour >= 7 && hour < 23 && random.Float64() < 1/mean {
				screen, session = true, math.Exp(0.3*random.NormFloat64())
			}
			if minute%30 == 0 {
				chance := 0.05
				if hour >= 8 && hour < 19 {
					chance = 0.65
				}
				if random.IntN(3) == 0 {
					out = random.Float64() < chance
				}
			}
			for at, i := range apps {
				if random.IntN(25) != 0 {
					continue
				}
				share := 0.35
				switch kinds[i].kind {
				case "network", "tied":
					share = 0.1
					if out {
						share = 0.7
					}
				case "hour":
					share = 0.1
					if hour >= 6 && hour < 12 {
						share = 0.7
					}
				}
				runs[at] = random.Float64() < share
			}
			if charging {
				if level += 1.2; level >= 100 || hour == 7 {
					charging, level = false, min(level, 100)
					next = int(level)
				}
				continue
			}
			if level < 8 || hour == 1 && level < 60 {
				charging = true
				c.Add(o.sample(minute, int32(level), samples.Charging, nil, nil, []uint32{names.ID(fmt.Sprint("model", model)), wifi, off}[:len(features)]))
				continue
			}
			rate := 1.6 * user * (0.8 + 0.12*float64(model))
			if screen {
				rate += 13 * session
			}
			if out {
				rate += o.mobile
			}
			if hour >= 6 && hour < 12 {
				rate += o.morning
			}
			rate += o.tilt * (1 - level/100)
			if o.rise > 0 && minute > o.days*720 {
				rate *= o.rise
			}
			for at, i := range apps {
				if runs[at] {
					rate += kinds[i].drain
				}
			}
			if level -= rate / 60; level > float64(next) {
				continue
			}
			next--
			var running, versions []uint32
			for at, i := range apps {
				if !runs[at] {
					continue
				}
				running = append(running, ids[i])
				v := uint32(0)
				if o.versions {
					if v = v1; minute > changes {
						v = v2
					}
				}
				versions = append(versions, v)
			}
			values := []uint32{names.ID(fmt.Sprint("model", model)), wifi, off}[:len(features)]
			if out {
				values[1] = mobile
			}
			if screen && !o.noScreen {
				values[2] = on
			}
			c.Add(o.sample(minute, int32(next+1), samples.Discharging, running, versions, values))
		}
		_ = n
		clients = append(clients, c)
	}
	return samples.InMemory(names, features, clients, 4), truth
}

func (o field) sample(minute int, level int32, state samples.State, apps, versions, features []uint32) *samples.Sample {
	return &samples.Sample{
		Time: 1_750_000_000_000 + int64(minute)*60_000, Level: level * samples.Percent, State: state, Trigger: samples.LevelChanged,
		Apps: apps, Versions: versions, Features: features,
	}
}

// A fieldScore counts findings.
type fieldScore struct {
	hogs, found, hold int
	false             map[string]int // by kind
	bugs              int
}

func (s fieldScore) wrong() (n int) {
	for _, k := range s.false {
		n += k
	}
	return n
}

// judgeField analyzes a fleet and scores the findings. It also returns the true energy use of its
// apps.
func judgeField(t *testing.T, o field, options fleet.Options) (*fleet.Fleet, fieldScore, map[string]fieldApp) {
	t.Helper()
	set, truth := o.make()
	f, err := fleet.Analyze(context.Background(), set, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	hogs, err := f.Hogs()
	if err != nil {
		t.Fatal(err)
	}
	checkHeadlines(t, f)
	s := fieldScore{hogs: o.hogs + o.tied, false: map[string]int{}}
	for _, h := range hogs {
		a := truth[h.App]
		if a.drain == 0 {
			s.false[a.kind]++
			t.Logf("seed %d: false hog %s: %.2f ± %.2f %%/h, p %.2g", o.seed, h.App, 3600*h.Excess, 3600*h.Half, h.P)
			continue
		}
		s.found++
		if testing.Verbose() && a.kind == "tied" {
			t.Logf("tied hog %.2f ± %.2f, truth %.2f", 3600*h.Excess, 3600*h.Half, a.drain)
		}
		if math.Abs(3600*h.Excess-a.drain) <= 3600*h.Half {
			s.hold++
		}
	}
	bugs, _ := f.Bugs()
	s.bugs = len(bugs)
	return f, s, truth
}

// confounded is a fleet without hogs, with apps that are tied to the network, the hour and the model.
func confounded(seed uint64) field {
	return field{seed: seed, clients: 120, days: 6, byNetwork: 12, byHour: 8, byModel: 8, plain: 12, mobile: 4.3, morning: 1.5, tilt: 1.5}
}

// fieldSeeds returns the number of fleets of a test.
func fieldSeeds() uint64 { return uint64(max(1, *seeds)) }

// TestConfounders checks that an app is not reported as a hog because it runs where the device uses
// more energy.
func TestConfounders(t *testing.T) {
	t.Parallel()
	var before, after, found, hogs, hold, mixed, bugs int
	for seed := range fieldSeeds() {
		o := confounded(seed + 1)
		screen := fleet.Defaults()
		screen.Within = []string{samples.Screen}
		if *seeds > 0 {
			_, s, _ := judgeField(t, o, screen)
			before += s.wrong()
		}
		_, s, _ := judgeField(t, o, fleet.Defaults())
		after += s.wrong()
		bugs += s.bugs
		o.hogs, o.tied = 10, 5
		_, s, _ = judgeField(t, o, fleet.Defaults())
		found, hogs, hold, mixed = found+s.found, hogs+s.hogs, hold+s.hold, mixed+s.wrong()
	}
	t.Logf("%d false hogs (with the screen alone %d) and %d bugs in %d fleets without hogs; %d of %d hogs found, %d intervals hold, %d false", after, before, bugs, fieldSeeds(), found, hogs, hold, mixed)
	if after > 1 {
		t.Errorf("%d false hogs in fleets without hogs", after)
	}
	if found*100 < hogs*90 || hold*10 < found*9 || mixed*20 > found {
		t.Errorf("%d of %d hogs found, %d intervals hold, %d false", found, hogs, hold, mixed)
	}
}

// TestNoScreen checks that no app is reported without a screen column, unless the user wants it.
func TestNoScreen(t *testing.T) {
	o := field{seed: 1, clients: 60, days: 4, hogs: 6, plain: 12, noScreen: true}
	f, s, _ := judgeField(t, o, fleet.Defaults())
	if s.found > 0 || s.bugs > 0 || len(f.Doubtful()) < 5 {
		t.Errorf("%d hogs and %d bugs are named, and %d apps are doubtful", s.found, s.bugs, len(f.Doubtful()))
	}
	all := fleet.Defaults()
	all.Within = []string{fleet.All}
	if _, s, _ := judgeField(t, o, all); s.found < 5 {
		t.Errorf("with --within all %d of %d hogs are found", s.found, s.hogs)
	}
}

// TestVersionsUnderDrift checks that no version is blamed if all devices use more from one day on,
// and users update at random moments.
func TestVersionsUnderDrift(t *testing.T) {
	t.Parallel()
	var blamed, found, hold, intervals int
	for seed := range fieldSeeds() {
		o := field{seed: 50 + seed, clients: 160, days: 8, hogs: 6, plain: 16, rise: 1.4, versions: true}
		f, s, truth := judgeField(t, o, fleet.Defaults())
		found += s.found
		hogs, err := f.Hogs()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hogs {
			s, err := f.Suggest(h.App, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Kind == fleet.OtherVersion {
				blamed++
			}
			for _, v := range s.Claim.Versions {
				if v.Enough && len(s.Claim.Conditions) == 0 {
					intervals++
					drain := truth[h.App].drain
					if math.Abs(3600*v.Excess-drain) <= 3600*v.Half {
						hold++
					} else {
						t.Logf("%s version %s: %.2f ± %.2f, truth %.2f", h.App, v.Name, 3600*v.Excess, 3600*v.Half, drain)
					}
				}
			}
		}
	}
	t.Logf("of %d hogs %d have a version to blame; of %d intervals by version %d hold", found, blamed, intervals, hold)
	if blamed*20 > found || hold*10 < intervals*9 {
		t.Errorf("of %d hogs %d have a version to blame; of %d intervals by version %d hold", found, blamed, intervals, hold)
	}
}
