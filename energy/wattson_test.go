package energy_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A board is a recording of signals only.
type board struct {
	tracks  []trace.Track
	signals []trace.Signal
	end     time.Duration
}

func (b *board) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.WallClock, trace.NoEnergy)
	signals := trace.Signals(sink)
	for _, t := range b.tracks {
		if err := signals.Track(t); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Clock: trace.WallClock, Elapsed: b.end, Tracks: b.tracks}, signals.Signals(b.signals)
}

// TestWattsonByHand computes the published curves of the Tensor by hand, as Wattson does: active
// power while a core is awake, the power of its idle states, and the static power of a cluster
// until all its cores are in deep idle.
func TestWattsonByHand(t *testing.T) {
	var tables []io.Reader
	for _, name := range []string{"Tensor-cpu_1d.csv", "Tensor-cpu_2d.csv"} {
		f, err := os.Open("../../shared/data/wattson/" + name)
		if err != nil {
			t.Skip("no curves: ", err)
		}
		defer f.Close()
		tables = append(tables, f)
	}
	cpu, _, _, err := model.FromCurves(tables...)
	if err != nil {
		t.Fatal(err)
	}
	const ms, no = int64(time.Millisecond), trace.NoThread
	b := &board{end: 10 * time.Millisecond, tracks: []trace.Track{
		{Name: "cpu0", Core: 0, UID: -1}, {Name: "cpu4", Core: 4, UID: -1}, {Name: "cpu5", Core: 5, UID: -1},
		{Name: "S4M_VDD_CPUCL0", Core: -1, UID: -1}, {Name: "S3M_VDD_CPUCL1", Core: -1, UID: -1},
	}}
	b.signals = []trace.Signal{
		{Track: 3, Kind: trace.Drain, Thread: no}, {Track: 4, Kind: trace.Drain, Thread: no},
		{Track: 0, Kind: trace.Frequency, Value: 574e6, Thread: no}, {Track: 1, Kind: trace.Frequency, Value: 400e6, Thread: no},
		{Track: 0, Kind: trace.Switch, Thread: 0}, {Track: 1, Kind: trace.Switch, Thread: 1}, {Track: 2, Kind: trace.Idle, Value: 1, Thread: no},
		{Time: 2 * ms, Track: 0, Kind: trace.Switch, Thread: no}, {Time: 2 * ms, Track: 0, Kind: trace.Idle, Value: 0, Thread: no},
		{Time: 3 * ms, Track: 0, Kind: trace.Idle, Value: 1, Thread: no},
		{Time: 4 * ms, Track: 1, Kind: trace.Switch, Thread: no}, {Time: 4 * ms, Track: 1, Kind: trace.Idle, Value: 0, Thread: no},
		{Time: 7 * ms, Track: 1, Kind: trace.Idle, Value: 1, Thread: no},
		{Time: 10 * ms, Track: 3, Kind: trace.Drain, Value: 1000, Thread: no}, {Time: 10 * ms, Track: 4, Kind: trace.Drain, Value: 1000, Thread: no},
	}
	r, err := energy.ReadRails(t.Context(), b, &model.Device{Name: "tensor", CPU: cpu})
	if err != nil {
		t.Fatal(err)
	}
	// mW times ms is µJ. Policy 0 at 574 MHz next to policy 4 at 400 MHz has 35.85 mW active, 0.93
	// mW in idle 0, 0 mW in idle 1, and 5.73 mW static. Policy 4 at 400 MHz has 28.51, 5.24, 0 and
	// 0 mW for the same.
	want := map[string]units.Energy{
		"policy0": 35_850*2 + 930*1 + 5_730*3,
		"policy4": 28_510*4 + 5_240*3,
	}
	got := 0
	for _, a := range r.Agreements() {
		if e, ok := want[a.Name]; ok {
			got++
			if a.Modelled != e {
				t.Errorf("%s is modelled with %d nJ, by hand %d", a.Name, a.Modelled, e)
			}
		}
	}
	if got != len(want) {
		t.Errorf("the clusters are %+v", r.Agreements())
	}
}

// TestWakeFromDeepIdle checks when cores 6 and 7 of the Tensor become active. As in Wattson, this
// is 200 µs before the recording shows the end of deep idle, but not before deep idle began.
func TestWakeFromDeepIdle(t *testing.T) {
	const text = `
name: wakes
cpu:
  clusters:
    big:
      cores: [6, 7]
      wake: [200 us, 100 us]
      rails: big
      points:
        - {frequency: 1 GHz, active: 100 mW, shared: 10 mW, idle: [1 mW, 0 mW]}
`
	d, err := model.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	const µs, no = int64(time.Microsecond), trace.NoThread
	b := &board{end: 10 * time.Millisecond, tracks: []trace.Track{{Name: "cpu6", Core: 6, UID: -1}, {Name: "cpu7", Core: 7, UID: -1}, {Name: "big", Core: -1, UID: -1}}}
	idle := func(at int64, core int32, state int64) trace.Signal {
		return trace.Signal{Time: at * µs, Track: trace.TrackID(core), Kind: trace.Idle, Value: state, Thread: no}
	}
	b.signals = []trace.Signal{
		{Track: 2, Kind: trace.Drain, Thread: no}, {Track: 0, Kind: trace.Frequency, Value: 1e9, Thread: no},
		idle(0, 0, 1), idle(0, 1, 1),
		idle(1000, 0, -1), // The core is awake from 800 on: 100 mW, and the shared 10 mW.
		idle(2000, 0, 1),
		idle(2050, 0, -1),                   // Deep idle lasted only 50 µs, so the core is awake from 2000 on.
		idle(3000, 0, 0), idle(3500, 0, -1), // Leaving light idle takes no such time.
		{Time: 4000 * µs, Track: 1, Kind: trace.Switch, Thread: 0}, // A thread on the core also shows the end: awake from 3900 on.
		idle(5000, 0, 1), {Time: 5000 * µs, Track: 1, Kind: trace.Switch, Thread: no}, idle(5000, 1, 1),
		{Time: 10000 * µs, Track: 2, Kind: trace.Drain, Value: 1000, Thread: no},
	}
	r, err := energy.ReadRails(t.Context(), b, d)
	if err != nil {
		t.Fatal(err)
	}
	// mW times µs is nJ. Core 6 is active from 800 to 3000 and from 3500 to 5000, in light idle in
	// between, and core 7 is active from 3900 to 5000. The cluster is on from 800 to 5000.
	want := units.Energy(100*(2200+1500+1100) + 1*500 + 10*4200)
	for _, a := range r.Agreements() {
		if a.Name == "big" && a.Modelled == want {
			return
		}
	}
	t.Errorf("the clusters are %+v, want %d", r.Agreements(), want)
}
