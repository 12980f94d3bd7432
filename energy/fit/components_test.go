package fit_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/fit"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// lit is a device whose screen draws 200 mW plus 2 mW per percent of brightness.
func lit() *model.Device {
	return &model.Device{Name: "phone", Voltage: units.DefaultVoltage, Components: []model.Component{{
		Name: "screen", Rails: []string{"DISPLAY"},
		States:      []model.State{{Name: "off"}, {Name: "on", Kind: model.On, Power: 200 * units.Milliwatt, PerLevel: 2 * units.Milliwatt}},
		Transitions: []model.Transition{{From: 0, To: 1, On: []trace.Verb{trace.OpStart}}, {From: 1, To: 0, Idle: true}},
	}}}
}

// A screenRun is a recording of a screen that changes its state and brightness at random, at most
// once per second. It truly draws 500 mW, 9 mW per percent, and a constant 50 mW. If steady is set,
// the brightness stays the same.
type screenRun struct {
	seed   uint64
	steady bool
	length int64 // in seconds
}

func (r screenRun) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	t := &trace.Trace{Clock: trace.WallClock, Elapsed: time.Duration(r.length) * time.Second}
	t.Tracks = []trace.Track{{Name: "DISPLAY", Core: -1, UID: -1}, {Name: "brightness", Component: "screen", Unit: "%", Core: -1, UID: -1}}
	trace.Start(sink, t.Clock, trace.NoEnergy)
	to := trace.Signals(sink)
	if to == nil {
		return t, nil
	}
	for _, track := range t.Tracks {
		if err := to.Track(track); err != nil {
			return nil, err
		}
	}
	random := rand.New(rand.NewPCG(r.seed, 7))
	on, level, drained := false, int64(40), int64(0)
	for second := range r.length {
		at := second * int64(time.Second)
		signals := []trace.Signal{{Time: at, Track: 0, Value: drained, Kind: trace.Drain, Thread: trace.NoThread}}
		if !r.steady && random.IntN(3) == 0 {
			level = random.Int64N(101)
		}
		signals = append(signals, trace.Signal{Time: at, Track: 1, Value: level, Kind: trace.Level, Thread: trace.NoThread})
		if err := to.Signals(signals); err != nil {
			return nil, err
		}
		if second == 0 || random.IntN(5) == 0 {
			on = !on
			verb := trace.OpStop
			if on {
				verb = trace.OpStart
			}
			if err := to.Operations([]trace.Operation{{Time: at, Thread: trace.NoThread, Mark: trace.NoRef, Verb: verb, Component: "screen", Handle: 1}}); err != nil {
				return nil, err
			}
		}
		drained += 50_000_000 // nJ
		if on {
			drained += 500_000_000 + 9_000_000*level
		}
	}
	return t, nil
}

// TestFitsLevels fits a state with a level. Runs at several levels separate its two powers.
func TestFitsLevels(t *testing.T) {
	for seed := range uint64(10) {
		made, found, err := fit.Components(t.Context(), []trace.Recording{screenRun{seed, false, 120}, screenRun{seed + 100, false, 60}}, lit(), nil)
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		c, s := found[0], made.Components[0].States[1]
		near := func(got units.Power, want float64) bool {
			return math.Abs(float64(got)/float64(units.Milliwatt)-want) < 0.01*want
		}
		if c.Refused != "" || !near(s.Power, 500) || !near(s.PerLevel, 9) || !near(c.Always, 50) || c.OffAfter > 1e-3 || c.OffOther > 1e-3 || c.OffBefore < 0.3 || c.Runs != 2 {
			t.Errorf("seed %d: %+v, %+v", seed, c, s)
		}
		if !strings.Contains(s.Source, "fitted to 178 intervals between readings of 2 runs") {
			t.Errorf("seed %d: %s", seed, s.Source)
		}
	}
}

// TestLeavesOpen checks that powers stay unchanged if the runs do not determine them, and that the
// reason is stated.
func TestLeavesOpen(t *testing.T) {
	made, found, err := fit.Components(t.Context(), []trace.Recording{screenRun{1, true, 120}}, lit(), nil)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if c, s := found[0], made.Components[0].States[1]; c.Refused != "the runs determine the power of none of its states" || s != lit().Components[0].States[1] ||
		c.States[0].Refused != "the runs cannot distinguish it from others" || c.States[1].Refused != c.States[0].Refused {
		t.Errorf("one brightness: %+v, %+v", c, s)
	}
	if _, found, err = fit.Components(t.Context(), []trace.Recording{screenRun{1, false, 5}}, lit(), nil); err != nil || len(found) != 1 ||
		found[0].Refused != "4 intervals between readings are too few for 3 powers; it takes 5" {
		t.Errorf("a short run: %+v, %v", found, err)
	}
}
