package fleet_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/fleet"
	"github.com/diffprof/diffprof/fleet/samples"
	"github.com/diffprof/diffprof/fleet/simulation"
)

var seeds = flag.Int("seeds", 0, "how many fleets of docs/fleet.md are judged, which has 10; 0 judges a small one")

// fleets returns the options of generated fleets. These are the fleets of docs/fleet.md, with 40
// hogs and 245 innocent apps that are tied to energy use, or one small fleet.
func fleets(from uint64) []simulation.Options {
	if *seeds == 0 {
		return []simulation.Options{{Seed: from, Clients: 200, Apps: 150, Hogs: 10, Innocent: 40, Bugs: 20, Days: 5}}
	}
	var all []simulation.Options
	for seed := range *seeds {
		all = append(all, simulation.Options{Seed: from + uint64(seed), Clients: 800, Apps: 1500, Hogs: 40, Innocent: 245, Bugs: 60, Days: 11})
	}
	return all
}

// A score compares findings with the truth.
type score struct {
	flagged, right, hold, hogs int
	bugs, rightBugs, allBugs   int
	holdBugs                   int
}

func (s *score) add(o score) {
	s.flagged += o.flagged
	s.right += o.right
	s.hold += o.hold
	s.hogs += o.hogs
	s.bugs += o.bugs
	s.rightBugs += o.rightBugs
	s.allBugs += o.allBugs
	s.holdBugs += o.holdBugs
}

func (s score) String() string {
	return fmt.Sprintf("hogs: %d flagged, %d right of %d, %d intervals hold; bugs: %d flagged, %d right of %d, %d intervals hold", s.flagged, s.right, s.hogs, s.hold, s.bugs, s.rightBugs, s.allBugs, s.holdBugs)
}

// judge analyzes a generated fleet and scores the findings.
func judge(t testing.TB, made *simulation.Fleet, o fleet.Options) score {
	t.Helper()
	key := []byte("key")
	set := made.Set(key, 8)
	return judgeSet(t, made, set, key, o)
}

func judgeSet(t testing.TB, made *simulation.Fleet, set *samples.Set, key []byte, o fleet.Options) score {
	t.Helper()
	f, err := fleet.Analyze(context.Background(), set, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	hogs, err := f.Hogs()
	if err != nil {
		t.Fatal(err)
	}
	var s score
	truth := map[string]simulation.App{}
	for _, a := range made.Apps {
		truth[a.Name] = a
		if a.Kind == simulation.Hog {
			s.hogs++
		}
	}
	for _, h := range hogs {
		a := truth[h.App]
		s.flagged++
		if a.Kind != simulation.Hog {
			if testing.Verbose() {
				t.Logf("false hog %s, %s: %.6f ± %.6f, p %.2g, %d clients, like %v", h.App, a.Kind, h.Excess, h.Half, h.P, h.Compared, h.Confounded)
			}
			continue
		}
		s.right++
		if h.Excess-h.Half <= a.Drain && a.Drain <= h.Excess+h.Half {
			s.hold++
		} else if testing.Verbose() {
			t.Logf("missed interval %s: %.6f ± %.6f, truth %.6f", h.App, h.Excess, h.Half, a.Drain)
		}
	}
	bugs, _ := f.Bugs()
	s.bugs, s.allBugs = len(bugs), len(made.Bugs)
	for _, b := range bugs {
		if i := slices.IndexFunc(made.Bugs, func(true simulation.Bug) bool {
			return made.Apps[true.App].Name == b.App && fmt.Sprintf("%016x", uint64(samples.HashClient(key, simulation.ClientName(true.Client)))) == b.Client
		}); i >= 0 {
			s.rightBugs++
			if math.Abs(b.Excess-made.Bugs[i].Drain) <= b.Half {
				s.holdBugs++
			}
		} else if testing.Verbose() {
			t.Logf("false bug %s %s: %.6f ± %.6f, p %.2g, like %v", b.Client, truth[b.App].Kind, b.Excess, b.Half, b.P, b.Confounded)
		}
	}
	return s
}

// TestSimulatedFleets compares the findings of the default method with the known hogs and bugs of
// generated fleets.
func TestSimulatedFleets(t *testing.T) {
	t.Parallel()
	var sum, paper score
	for _, o := range fleets(1) {
		made := simulation.New(o)
		s := judge(t, made, fleet.Defaults())
		t.Logf("seed %d: %v", o.Seed, s)
		sum.add(s)
		if *seeds > 0 {
			byPaper := fleet.Defaults()
			byPaper.Method = fleet.Paper
			s := judge(t, made, byPaper)
			t.Logf("seed %d, by the paper's rule: %v", o.Seed, s)
			paper.add(s)
		}
	}
	t.Logf("together: %v", sum)
	t.Logf("by the paper's rule: %v", paper)
	if sum.right*100 < sum.hogs*95 {
		t.Errorf("%d of %d hogs are found", sum.right, sum.hogs)
	}
	if (sum.flagged-sum.right)*100 > sum.flagged*5 {
		t.Errorf("of %d hogs %d are false", sum.flagged, sum.flagged-sum.right)
	}
	if sum.hold*10 < sum.right*9 {
		t.Errorf("of %d intervals %d hold the truth", sum.right, sum.hold)
	}
	if (sum.bugs-sum.rightBugs)*100 > sum.bugs*15 {
		t.Errorf("of %d bugs %d are false", sum.bugs, sum.bugs-sum.rightBugs)
	}
	if sum.holdBugs*10 < sum.rightBugs*8 {
		t.Errorf("of %d intervals of bugs %d hold the truth", sum.rightBugs, sum.holdBugs)
	}
}

// TestEmptyFleets checks that nothing is found in fleets without hogs and bugs.
func TestEmptyFleets(t *testing.T) {
	for _, o := range fleets(101) {
		o.Hogs, o.Bugs = 0, 0
		made := simulation.New(o)
		s := judge(t, made, fleet.Defaults())
		t.Logf("seed %d: %v", o.Seed, s)
		if s.flagged > 0 || s.bugs > 0 {
			t.Errorf("seed %d: nothing drains, but: %v", o.Seed, s)
		}
	}
}

// TestCoarseSteps checks that an app is reported as partly seen if levels have steps of 5 %,
// because the app starts and stops between samples. Its interval is then wider. With steps of 1 %,
// the app is fully seen.
func TestCoarseSteps(t *testing.T) {
	for step, whole := range map[int]bool{1: true, 5: false} {
		h := coarse(t, step)
		share := h.Half / h.Excess
		t.Logf("steps of %d %%: %.4f ± %.4f %% a minute, in truth %.4f; %.2f is seen", step, 60*h.Excess, 60*h.Half, coarseDrain, h.Seen)
		if whole != (h.Seen > 0.95) || whole != (share < 0.1) || !whole && share < (1/h.Seen-1)/(1/h.Seen+1) {
			t.Errorf("steps of %d %%: %.4f ± %.4f %% a minute; %.2f is seen", step, 60*h.Excess, 60*h.Half, h.Seen)
		}
	}
}

// coarseDrain is the excess of the hog in the fleets of function coarse, in % per minute.
const coarseDrain = 3.0 / 60

// coarse returns the hog of a fleet whose levels have the given step in per cent.
func coarse(t *testing.T, step int) fleet.Hog {
	t.Helper()
	names := samples.NewNames()
	app := names.ID("com.hog")
	random := rand.New(rand.NewPCG(3, 1))
	var clients []*samples.Client
	for i := range 60 {
		c := samples.NewClient(samples.HashClient(nil, simulation.ClientName(i)), 0)
		level, next, runs, use := 100.0, 100, false, 1.0
		for minute := range 10 * 24 * 60 {
			if minute%180 == 0 {
				use = math.Exp(random.NormFloat64() / 2)
			}
			if stay := map[bool]int{true: 60, false: 120}[runs]; random.IntN(stay) == 0 {
				runs = !runs
			}
			if level <= float64(next) {
				s := samples.Sample{
					Time: simulation.Start + int64(minute)*60_000, Level: int32(next) * samples.Percent, Step: int32(step) * samples.Percent,
					Trigger: samples.LevelChanged,
				}
				if runs {
					s.Apps = append(s.Apps, app)
				}
				c.Add(&s)
				if next -= step; next < 10 {
					level, next = 100, 100
				}
			}
			if level -= 3.0 / 60 * use; runs {
				level -= coarseDrain
			}
		}
		clients = append(clients, c)
	}
	f, err := fleet.Analyze(context.Background(), samples.InMemory(names, nil, clients, 2), unscreened(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hogs, err := f.Hogs()
	if err != nil || len(hogs) != 1 {
		t.Fatal(hogs, err)
	}
	return hogs[0]
}
