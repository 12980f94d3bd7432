package energy_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/trace"
)

// A phone is a recording with only signals.
type phone struct {
	tracks  []trace.Track
	signals []trace.Signal
	elapsed time.Duration
}

func (p phone) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.WallClock, trace.NoEnergy)
	if to := trace.Signals(sink); to != nil {
		for _, t := range p.tracks {
			if err := to.Track(t); err != nil {
				return nil, err
			}
		}
		if err := to.Signals(slices.Clone(p.signals)); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Clock: trace.WallClock, Tracks: p.tracks, Elapsed: p.elapsed}, nil
}

// A counter takes signals and counts them.
type counter struct{ tracks, signals int }

func (l *counter) Events([]trace.Event) error         { return nil }
func (l *counter) Samples([]trace.Sample) error       { return nil }
func (l *counter) TakeSignals() trace.SignalSink      { return l }
func (l *counter) Track(trace.Track) error            { l.tracks++; return nil }
func (l *counter) Signals(batch []trace.Signal) error { l.signals += len(batch); return nil }
func (l *counter) Operations([]trace.Operation) error { return nil }
func (l *counter) Until(int64) error                  { return nil }

func TestMeasure(t *testing.T) {
	rec := energy.Measure(phone{
		elapsed: 10,
		tracks:  []trace.Track{{Name: "cpu0"}, {Name: "rail", Component: "cpu"}, {Name: "battery", Component: "battery"}, {Name: "wifi"}},
		signals: []trace.Signal{
			{Time: 0, Track: 0, Kind: trace.Frequency, Value: 100, Thread: trace.NoThread},
			{Time: 1, Track: 1, Kind: trace.Drain, Value: 1000, Thread: trace.NoThread},
			{Time: 1, Track: 2, Kind: trace.Drain, Value: 50, Thread: trace.NoThread},
			{Time: 2, Track: 0, Kind: trace.Switch, Thread: 3},
			{Time: 2, Track: 0, Kind: trace.Idle, Value: 1, Thread: trace.NoThread},
			{Time: 4, Track: 0, Kind: trace.Frequency, Value: 300, Thread: trace.NoThread},
			{Time: 5, Track: 0, Kind: trace.Switch, Thread: trace.NoThread},
			{Time: 5, Track: 0, Kind: trace.Idle, Value: -1, Thread: trace.NoThread},
			{Time: 6, Track: 3, Kind: trace.State, Value: 2, Thread: trace.NoThread},
			{Time: 7, Track: 1, Kind: trace.Drain, Value: 1700, Thread: trace.NoThread},
			{Time: 9, Track: 0, Kind: trace.Switch, Thread: 4},
		},
	})
	heard := new(counter)
	if _, err := rec.Scan(t.Context(), heard); err != nil {
		t.Fatal(err)
	}
	if heard.tracks != 4 || heard.signals != 11 {
		t.Errorf("the sink beyond heard of %d tracks and %d signals", heard.tracks, heard.signals)
	}
	got := rec.Tracks()
	want := []energy.Track{
		{Track: trace.Track{Name: "cpu0"}, Kind: trace.Switch, Signals: 3, Begin: 2, End: 10, Active: 4},
		// The value is 100 for four nanoseconds and 300 for six.
		{Track: trace.Track{Name: "cpu0"}, Kind: trace.Frequency, Signals: 2, Begin: 0, End: 10, Least: 100, Most: 300, Mean: 220},
		{Track: trace.Track{Name: "cpu0"}, Kind: trace.Idle, Signals: 2, Begin: 2, End: 10, Active: 3},
		{Track: trace.Track{Name: "rail", Component: "cpu"}, Kind: trace.Drain, Signals: 2, Begin: 1, End: 7, Energy: 700, Curve: energy.Curve{{Time: 1, Energy: 1000}, {Time: 7, Energy: 1700}}},
		{Track: trace.Track{Name: "battery", Component: "battery"}, Kind: trace.Drain, Signals: 1, Begin: 1, End: 1, Curve: energy.Curve{{Time: 1, Energy: 50}}},
		{Track: trace.Track{Name: "wifi"}, Kind: trace.State, Signals: 1, Begin: 6, End: 10, Active: 4},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tracks are\n%+v\nwant\n%+v", got, want)
	}
	if total, by := energy.Total(got); total != 700 || len(by) != 1 {
		t.Errorf("in all %d by %d tracks", total, len(by))
	}
	if total, by := energy.Total(nil); total != 0 || by != nil {
		t.Errorf("of nothing %d by %v", total, by)
	}
}
