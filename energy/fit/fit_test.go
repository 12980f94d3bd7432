package fit_test

import (
	"bytes"
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

// phone is a device of one cluster, whose cores draw 100 and 300 mW, or 20 mW in a light sleep,
// and share 50 mW.
func phone() *model.Device {
	return &model.Device{Name: "phone", Voltage: units.DefaultVoltage, CPU: &model.CPU{Clusters: []model.Cluster{{
		Name: "big", Cores: []int{0, 1}, Rails: []string{"BIG*"},
		Points: []model.Point{
			{Frequency: units.Gigahertz, DepPolicy: -1, Active: 100 * units.Milliwatt, Shared: 50 * units.Milliwatt, Idle: []units.Power{20 * units.Milliwatt, 0}},
			{Frequency: 2 * units.Gigahertz, DepPolicy: -1, Active: 300 * units.Milliwatt, Shared: 50 * units.Milliwatt, Idle: []units.Power{20 * units.Milliwatt, 0}},
		},
	}}}}
}

// A tape is a recording with only signals.
type tape struct {
	tracks  []trace.Track
	signals []trace.Signal
}

func (r *tape) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	if to := trace.Signals(sink); to != nil {
		for _, track := range r.tracks {
			if err := to.Track(track); err != nil {
				return nil, err
			}
		}
		if err := to.Signals(append([]trace.Signal{}, r.signals...)); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Tracks: r.tracks, Elapsed: 10 * time.Second}, nil
}

// record runs a phone for ten seconds. The cores draw the power in the model multiplied by active.
// The rest of the phone draws its power in the model multiplied by rest. The parameter every is the
// number of seconds between two readings of the meter.
func record(seed uint64, active, rest, noise float64, every int) *tape {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &tape{tracks: []trace.Track{{Name: "cpu0", Core: 0, UID: -1}, {Name: "cpu1", Core: 1, UID: -1}, {Name: "BIG_VDD", Core: -1, UID: -1}}}
	add := func(at int64, track trace.TrackID, kind trace.SignalKind, value int64) {
		t.signals = append(t.signals, trace.Signal{Time: at, Track: track, Kind: kind, Value: value, Thread: trace.NoThread})
	}
	const step = int64(10 * time.Millisecond)
	clock, idle := int64(units.Gigahertz), [2]int64{-1, -1}
	drained := 0.0
	add(0, 0, trace.Frequency, clock)
	for i := range int64(1000) {
		at := i * step
		if i%int64(100*every) == 0 {
			add(at, 2, trace.Drain, int64(drained*(1+noise*(r.Float64()-0.5))))
		}
		if r.IntN(7) == 0 {
			clock = int64(1+r.IntN(2)) * int64(units.Gigahertz)
			add(at, 0, trace.Frequency, clock)
		}
		for core := range idle {
			if i == 0 || r.IntN(3) == 0 {
				if idle[core] = int64(r.IntN(3)) - 1; idle[core] < 0 {
					add(at, trace.TrackID(core), trace.Switch, 0)
				}
				add(at, trace.TrackID(core), trace.Idle, idle[core])
			}
		}
		awake := false
		for _, state := range idle {
			switch {
			case state < 0:
				drained += active * []float64{100, 300}[clock/int64(units.Gigahertz)-1] * float64(step) / 1000
			case state == 0:
				drained += rest * 20 * float64(step) / 1000
			}
			awake = awake || state < 1
		}
		if awake {
			drained += rest * 50 * float64(step) / 1000
		}
	}
	add(1000*step, 2, trace.Drain, int64(drained))
	return t
}

func TestProcessor(t *testing.T) {
	for seed := range uint64(20) {
		for _, truth := range []struct{ active, idle float64 }{{1, 1}, {1.5, 0.5}, {0.7, 2}, {1.2, 0.3}, {0.9, 0.9}} {
			runs := []trace.Recording{record(seed, truth.active, truth.idle, 0, 1), record(seed+100, truth.active, truth.idle, 0, 2)}
			d, clusters, err := fit.Processor(t.Context(), runs, phone())
			if err != nil {
				t.Fatal(err)
			}
			c := clusters[0]
			if math.Abs(c.Active-truth.active) > 0.01 || math.Abs(c.Idle-truth.idle) > 0.03 || c.OffAfter > 0.001 || c.Spans != 15 {
				t.Errorf("seed %d: %+v, the truth is %+v", seed, c, truth)
			}
			if p := d.CPU.Clusters[0].Points[1]; math.Abs(float64(p.Active)-truth.active*3e5) > 3000 || math.Abs(float64(p.Shared)-truth.idle*5e4) > 1500 {
				t.Errorf("seed %d: fitted %+v, the truth is %+v", seed, p, truth)
			}
			// Fitting a fitted model again does not change it.
			if _, again, err := fit.Processor(t.Context(), runs, d); err != nil || math.Abs(again[0].Active-1) > 0.01 {
				t.Errorf("seed %d: fitted again %+v, %v", seed, again, err)
			}
			var file bytes.Buffer
			if err := model.Write(&file, d, ""); err != nil {
				t.Fatal(err)
			}
			if back, err := model.Read(&file); err != nil || !strings.Contains(back.CPU.Clusters[0].Source, "fitted to 15 intervals between readings: active times") {
				t.Errorf("%v: read back %+v", err, back)
			}
		}
	}
}

// TestNoise checks that a fitted model never has a larger error than the original model.
func TestNoise(t *testing.T) {
	for seed := range uint64(50) {
		_, clusters, err := fit.Processor(t.Context(), []trace.Recording{record(seed, 1.3, 0.8, 0.2, 1)}, phone())
		if err != nil {
			t.Fatal(err)
		}
		if c := clusters[0]; c.OffAfter > c.OffBefore+1e-9 || c.Active < 0 || c.Idle < 0 {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
}

func TestRefuses(t *testing.T) {
	unmeasured := record(1, 1, 1, 0, 1)
	unmeasured.tracks[2].Name = "GPU"
	still := &tape{tracks: unmeasured.tracks}
	dead := record(1, 0, 0, 0, 1)
	strong := record(1, 9, 9, 0, 1)
	blank := phone()
	blank.CPU = nil
	for _, c := range []struct {
		name string
		run  *tape
		d    *model.Device
		want string
	}{
		{"no rail", unmeasured, phone(), "cannot fit the processor of phone: big: nothing measured it, or the run has no switches and frequencies"},
		{"no signals", still, phone(), "cannot fit the processor of phone: big: nothing measured it, or the run has no switches and frequencies"},
		{"few readings", record(1, 1, 1, 0, 4), phone(), "cannot fit the processor of phone: big: 3 intervals between readings are too few; it takes 4"},
		{"meter off", dead, phone(), "cannot fit the processor of phone: big: its meter measured no energy"},
		{"another device", strong, phone(), "cannot fit the processor of phone: big: the modelled energy is 0.111 times the measured energy; the model is for another device"},
		{"no processor", dead, blank, "the power model phone has no operating points of a processor to fit"},
	} {
		if _, _, err := fit.Processor(t.Context(), []trace.Recording{c.run}, c.d); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
}
