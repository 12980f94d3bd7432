package align

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// A fixture is a recording that sends its steps. It counts its scans.
type fixture struct {
	steps  []step
	events int
	scans  int
}

func (f *fixture) Scan(_ context.Context, to trace.Sink) (*trace.Trace, error) {
	f.scans++
	trace.Start(to, trace.WallClock, trace.NoEnergy)
	signals := trace.Signals(to)
	for range f.events {
		if err := to.Events(make([]trace.Event, 1)); err != nil {
			return nil, err
		}
	}
	if signals == nil {
		return &trace.Trace{Elapsed: 7}, nil
	}
	for _, s := range f.steps {
		var err error
		switch {
		case s.track != nil:
			err = signals.Track(*s.track)
		case s.until != nil:
			err = signals.Until(*s.until)
		case s.operations != nil:
			err = signals.Operations(s.operations)
		default:
			batch := append([]trace.Signal(nil), s.signals...)
			err = signals.Signals(batch)
			clear(batch) // a decoder uses its batch again
		}
		if err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Elapsed: 7, Tracks: make([]trace.Track, 1)}, nil
}

// A log is a sink that records its calls. After limit calls it returns an error.
type log struct {
	calls []string
	limit int
}

var errLimit = errors.New("limit")

func (l *log) add(call string, args ...any) error {
	l.calls = append(l.calls, fmt.Sprint(append([]any{call}, args...)...))
	if l.limit > 0 && len(l.calls) >= l.limit {
		return errLimit
	}
	return nil
}

func (l *log) Start(c trace.Clock, e trace.Provenance)  { _ = l.add("start", c, e) }
func (l *log) Events(batch []trace.Event) error         { return l.add("events", len(batch)) }
func (l *log) Samples(batch []trace.Sample) error       { return l.add("samples", len(batch)) }
func (l *log) TakeSignals() trace.SignalSink            { return l }
func (l *log) Track(t trace.Track) error                { return l.add("track", t) }
func (l *log) Operations(batch []trace.Operation) error { return l.add("operations", batch) }
func (l *log) Until(moment int64) error                 { return l.add("until", moment) }
func (l *log) Signals(batch []trace.Signal) (err error) {
	sum := int64(0)
	for i, x := range batch {
		sum += int64(i+1) * (x.Time + 31*x.Value + int64(x.Track))
	}
	err = l.add("signals", len(batch), sum, batch[0], batch[len(batch)-1])
	for i := range batch {
		batch[i].Value = -1 // a sink may change its batch
	}
	return err
}

// TestKept checks that each scan of a kept recording equals a scan of the recording itself, and
// that only recordings of few signals are read once.
func TestKept(t *testing.T) {
	moment := int64(30)
	few := []step{
		{track: &trace.Track{Name: "meter"}},
		{signals: []trace.Signal{{Time: 1, Value: 5}, {Time: 2, Value: 9}}},
		{operations: []trace.Operation{{Time: 3, Verb: trace.OpSend, Bytes: 4}}},
		{until: &moment},
		{signals: []trace.Signal{{Time: 40, Value: 12}}},
	}
	many := append([]step{few[0]}, step{signals: make([]trace.Signal, maxKept)})
	for name, test := range map[string]struct {
		fixture fixture
		scans   int
	}{
		"few signals":  {fixture{steps: few}, 1},
		"many signals": {fixture{steps: many}, 3},
		"with events":  {fixture{steps: few, events: 1}, 3},
		"empty":        {fixture{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var want log
			plain := test.fixture
			tr, err := plain.Scan(t.Context(), &want)
			if err != nil {
				t.Fatal(err)
			}
			k := &kept{Recording: &test.fixture}
			for scan := range 3 {
				var got log
				one := k.Scan
				if scan == 0 {
					one = k.first
				}
				also, err := one(t.Context(), &got)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(also, tr) {
					t.Errorf("scan %d sends %d calls, want %d", scan, len(got.calls), len(want.calls))
				}
			}
			if test.fixture.scans != test.scans {
				t.Errorf("the recording was decoded %d times, want %d", test.fixture.scans, test.scans)
			}
		})
	}
	k := &kept{Recording: &fixture{steps: few}}
	if _, err := k.first(t.Context(), &log{}); err != nil {
		t.Fatal(err)
	}
	for limit := 2; limit <= 6; limit++ {
		if _, err := k.Scan(t.Context(), &log{limit: limit}); !errors.Is(err, errLimit) {
			t.Errorf("the error of call %d is %v", limit, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Scan(ctx, &log{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled scan ends with %v", err)
	}
}
