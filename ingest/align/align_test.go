package align_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A tape is a recording in memory: events of one thread, and tracks with their signals, all in time
// order.
type tape struct {
	trace   trace.Trace
	events  []trace.Event
	tracks  []trace.Track
	signals []trace.Signal
}

func (p *tape) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.ThreadCPU|trace.WallClock, trace.NoEnergy)
	to := trace.Signals(sink)
	if to != nil {
		for _, t := range p.tracks {
			if err := to.Track(t); err != nil {
				return nil, err
			}
		}
	}
	events, signals := slices.Clone(p.events), slices.Clone(p.signals)
	for len(events)+len(signals) > 0 {
		if len(signals) == 0 || len(events) > 0 && events[0].Time < signals[0].Time {
			if err := sink.Events(events[:1]); err != nil {
				return nil, err
			}
			events = events[1:]
			continue
		}
		if to != nil {
			if err := to.Signals(signals[:1]); err != nil {
				return nil, err
			}
		}
		signals = signals[1:]
	}
	t := p.trace
	t.Clock, t.Tracks, t.Events = trace.ThreadCPU|trace.WallClock, p.tracks, int64(len(p.events))
	return &t, nil
}

// A heard is a sink that records its input: "TIME TRACK KIND VALUE" for each signal, and the
// events.
type heard struct {
	tracks  []trace.Track
	signals []string
	events  int
}

func (h *heard) Events(batch []trace.Event) error   { h.events += len(batch); return nil }
func (h *heard) Samples([]trace.Sample) error       { return nil }
func (h *heard) TakeSignals() trace.SignalSink      { return h }
func (h *heard) Track(t trace.Track) error          { h.tracks = append(h.tracks, t); return nil }
func (h *heard) Operations([]trace.Operation) error { return nil }
func (h *heard) Until(int64) error                  { return nil }
func (h *heard) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		h.signals = append(h.signals, fmt.Sprintf("%d %s %v %d", s.Time, h.tracks[s.Track].Name, s.Kind, s.Value))
	}
	return nil
}

func track(name string) trace.Track { return trace.Track{Name: name, Core: -1, UID: -1} }

func signal(moment int64, track trace.TrackID, kind trace.SignalKind, value int64) trace.Signal {
	return trace.Signal{Time: moment, Value: value, Track: track, Thread: trace.NoThread, Kind: kind}
}

// app is a run of ten seconds.
func app() *tape {
	var p tape
	p.trace.Threads = []trace.Thread{{ID: 7, Events: 11}}
	for i := range int64(11) {
		p.events = append(p.events, trace.Event{Time: i * 1e9, CPU: min(i, 1) * 1e8, Kind: trace.Enter, Ref: 0})
		p.trace.Threads[0].CPU = time.Duration(i * 1e8)
		p.trace.Threads[0].Wall = time.Duration(i * 1e9)
	}
	p.trace.Methods, p.trace.Calls = []name.Method{{Name: "run"}}, trace.CountedCalls
	p.trace.Elapsed = 10 * time.Second
	return &p
}

func TestWindow(t *testing.T) {
	meter := &tape{
		tracks: []trace.Track{track("meter"), track("screen")},
		signals: []trace.Signal{
			signal(0, 0, trace.Drain, 0),
			signal(1e9, 1, trace.State, 1),
			signal(4e9, 0, trace.Drain, 100), // The run begins at 2 s.
			signal(6e9, 1, trace.State, 0),
			signal(10e9, 0, trace.Drain, 400),
			signal(14e9, 0, trace.Drain, 500), // The run ends at 12 s.
			signal(15e9, 1, trace.State, 1),
		},
	}
	shift := -2 * time.Second
	run, err := align.Join(t.Context(), app(), []align.Side{{Name: "meter", Recording: meter}}, align.Alignment{Shift: &shift})
	if err != nil {
		t.Fatal(err)
	}
	var got heard
	tr, err := run.Scan(t.Context(), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0 meter drain 50", "0 screen state 1", "2000000000 meter drain 100", "4000000000 screen state 0",
		"8000000000 meter drain 400", "10000000000 meter drain 450",
	}
	if !slices.Equal(got.signals, want) {
		t.Errorf("signals are\n%s\nwant\n%s", strings.Join(got.signals, "\n"), strings.Join(want, "\n"))
	}
	if got.events != 11 || len(tr.Tracks) != 2 {
		t.Errorf("%d events, %d tracks", got.events, len(tr.Tracks))
	}
}

func TestClocks(t *testing.T) {
	main, side := app(), &tape{tracks: []trace.Track{track("rail")}, signals: []trace.Signal{signal(0, 0, trace.Drain, 0), signal(9e9, 0, trace.Drain, 9)}}
	main.trace.Timeline = []trace.Reading{{Clock: trace.Monotonic, Value: 500e9}}
	side.trace.Timeline = []trace.Reading{
		{Clock: trace.Boottime, Value: 9000e9}, {Clock: trace.Monotonic, Value: 503e9},
		{Clock: trace.Monotonic, Time: 1e9, Value: 504e9 + 30},
	}
	run, err := align.Join(t.Context(), main, []align.Side{{Name: "rails", Recording: side}}, align.Alignment{})
	if err != nil {
		t.Fatal(err)
	}
	want := align.Place{Name: "rails", Shift: 3 * time.Second, By: "clock", Clock: trace.Monotonic, Residual: 30}
	if run.Places[0] != want {
		t.Errorf("the place is %+v, want %+v", run.Places[0], want)
	}
	side.trace.Timeline = side.trace.Timeline[:1]
	_, err = align.Join(t.Context(), main, []align.Side{{Name: "rails", Recording: side}}, align.Alignment{})
	if err == nil || !strings.Contains(err.Error(), "rails: it shares no clock") {
		t.Errorf("the error is %v", err)
	}
	far := time.Hour
	_, err = align.Join(t.Context(), main, []align.Side{{Name: "rails", Recording: side}}, align.Alignment{Shift: &far})
	if err == nil || !strings.Contains(err.Error(), "rails is outside of the run: it is from 1h0m0s to 1h0m9s, and the run from 0 s to 10s") {
		t.Errorf("the error is %v", err)
	}
	if strings.Contains(err.Error(), "time zone") {
		t.Errorf("the user set the shift: %v", err)
	}
	_, err = align.Join(t.Context(), main, []align.Side{{Name: "app", Recording: app()}}, align.Alignment{Shift: &far})
	if err == nil || !strings.Contains(err.Error(), "app contains no measurements") {
		t.Errorf("the error is %v", err)
	}
}

// TestActivity aligns runs with random activity to a meter that starts at another time and has
// noise and idle power. It checks that aligning the meter of another run fails.
func TestActivity(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 22))
		main, other := busy(rng), busy(rng)
		begin := rng.Int64N(30e9)
		right, wrong := measured(rng, main, begin), measured(rng, other, begin)
		run, err := align.Join(t.Context(), main, []align.Side{{Name: "meter", Recording: right}}, align.Alignment{Auto: true})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		p := run.Places[0]
		if off := int64(p.Shift) + begin; off < -2*int64(p.Residual) || off > 2*int64(p.Residual) {
			t.Errorf("seed %d: the shift is %v, want %v within %v", seed, p.Shift, time.Duration(-begin), p.Residual)
		}
		if err := tracetest.Check(t.Context(), run); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		_, err = align.Join(t.Context(), main, []align.Side{{Name: "meter", Recording: wrong}}, align.Alignment{Auto: true})
		if err == nil || !strings.Contains(err.Error(), "alignment by activity is ambiguous") {
			t.Errorf("seed %d: another run's meter: %v", seed, err)
		}
	}
}

// busy is a run of twenty seconds with bursts of work.
func busy(rng *rand.Rand) *tape {
	p := app()
	p.events = nil
	var cpu time.Duration
	moment := int64(0)
	for moment < 20e9 {
		spent := int64(0)
		if len(p.events) > 0 {
			spent = rng.Int64N(4e8)
			moment += spent
		}
		p.events = append(p.events, trace.Event{Time: moment, CPU: spent, Kind: trace.Enter})
		cpu += time.Duration(spent)
		idle := rng.Int64N(9e8)
		moment += idle
		p.events = append(p.events, trace.Event{Time: moment, Kind: trace.Exit})
	}
	p.trace.Elapsed = time.Duration(moment)
	p.trace.Threads[0] = trace.Thread{ID: 7, Events: int64(len(p.events)), CPU: cpu, Wall: time.Duration(moment - p.events[0].Time)}
	return p
}

// measured returns a meter's recording of a run that starts at another time, with a reading every
// 10 ms. The power is half a watt, a watt more while the run is busy, and noise.
func measured(rng *rand.Rand, run *tape, begin int64) *tape {
	m := &tape{tracks: []trace.Track{track("meter")}}
	const step = int64(10e6)
	spent := make(map[int64]int64)
	for _, e := range run.events {
		for at := e.Time - e.CPU; at < e.Time; at += step {
			spent[(at+begin)/step] += min(step, e.Time-at)
		}
	}
	total := int64(0)
	for moment := int64(0); moment < begin+int64(run.trace.Elapsed)+5e9; moment += step {
		m.signals = append(m.signals, signal(moment, 0, trace.Drain, total))
		total += step/2 + spent[moment/step] + rng.Int64N(step/4)
	}
	return m
}

// TestJoinedSignals checks that the joined signals of random recordings are all signals, sorted by
// time.
func TestJoinedSignals(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		main := app()
		main.tracks, main.signals = []trace.Track{track("own")}, gauges(rng, 1)
		var sides []align.Side
		all := label(main.signals, "own", 0)
		shift := time.Duration(rng.Int64N(6e9))
		for i := range rng.IntN(4) {
			name := fmt.Sprint("side", i)
			s := &tape{tracks: []trace.Track{track(name)}, signals: gauges(rng, 1)}
			sides = append(sides, align.Side{Name: name, Recording: s})
			all = append(all, label(s.signals, name, int64(shift))...)
		}
		run, err := align.Join(t.Context(), main, sides, align.Alignment{Shift: &shift})
		if err != nil {
			t.Fatal(err)
		}
		var got heard
		if _, err := run.Scan(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		var times []int64
		for _, s := range got.signals {
			var moment int64
			if _, err := fmt.Sscan(s, &moment); err != nil {
				t.Fatal(err)
			}
			times = append(times, moment)
		}
		if !slices.IsSorted(times) {
			t.Errorf("seed %d: the signals are out of order: %v", seed, got.signals)
		}
		slices.Sort(got.signals)
		slices.Sort(all)
		if !slices.Equal(got.signals, all) {
			t.Errorf("seed %d: signals are\n%v\nwant\n%v", seed, got.signals, all)
		}
		if err := tracetest.Check(t.Context(), run); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// gauges returns signals at random times within ten seconds.
func gauges(rng *rand.Rand, tracks int32) []trace.Signal {
	var out []trace.Signal
	for moment := rng.Int64N(2e9); moment < 10e9; moment += 1 + rng.Int64N(2e9) {
		out = append(out, signal(moment, trace.TrackID(rng.Int32N(tracks)), trace.Gauge, rng.Int64N(100)))
	}
	return out
}

// label shifts signals, drops those outside of the ten seconds, and formats them as heard does.
func label(signals []trace.Signal, name string, shift int64) []string {
	var out []string
	for _, s := range signals {
		if at := s.Time + shift; at <= 10e9 {
			out = append(out, fmt.Sprintf("%d %s %v %d", at, name, s.Kind, s.Value))
		}
	}
	return out
}

// TestCancel cancels a scan midway, which must also end the scans of the side recordings.
func TestCancel(t *testing.T) {
	side := &tape{tracks: []trace.Track{track("meter")}}
	for i := range int64(10_000) {
		side.signals = append(side.signals, signal(i*1e6, 0, trace.Drain, i))
	}
	zero := time.Duration(0)
	run, err := align.Join(t.Context(), app(), []align.Side{{Name: "meter", Recording: side}}, align.Alignment{Shift: &zero})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Scan(t.Context(), new(full)); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("the error is %v", err)
	}
}

// full is a sink that fails when it receives signals.
type full struct{ heard }

func (f *full) TakeSignals() trace.SignalSink { return f }
func (f *full) Signals([]trace.Signal) error  { return fmt.Errorf("disk full") }
