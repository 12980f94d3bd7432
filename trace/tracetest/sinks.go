package tracetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// A Collector is a sink that keeps copies of the samples of a recording without events.
type Collector struct {
	Kept []trace.Sample
}

// Events implements trace.Sink.
func (c *Collector) Events([]trace.Event) error {
	return errors.New("a recording of samples has no events")
}

// Samples implements trace.Sink.
func (c *Collector) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		s.Stack, s.Lines = slices.Clone(s.Stack), slices.Clone(s.Lines)
		c.Kept = append(c.Kept, s)
	}
	return nil
}

// Samples returns the samples of a recording without events. It also runs [Check].
func Samples(t testing.TB, rec trace.Recording) ([]trace.Sample, *trace.Trace) {
	t.Helper()
	if err := Check(t.Context(), rec); err != nil {
		t.Error(err)
	}
	var c Collector
	tr, err := rec.Scan(t.Context(), &c)
	if err != nil {
		t.Fatal(err)
	}
	return c.Kept, tr
}

// Discard is a sink that keeps nothing.
type Discard struct{}

// Events implements trace.Sink.
func (Discard) Events([]trace.Event) error { return nil }

// Samples implements trace.Sink.
func (Discard) Samples([]trace.Sample) error { return nil }

// A Listener is a sink that keeps the tracks and the signals of a recording.
type Listener struct {
	Discard
	Tracks     []trace.Track
	Signals    []trace.Signal
	Operations []trace.Operation
}

// TakeSignals implements trace.SignalTaker.
func (l *Listener) TakeSignals() trace.SignalSink { return listening{l} }

// listening is the sink of a Listener's signals.
type listening struct{ to *Listener }

func (h listening) Track(t trace.Track) error {
	h.to.Tracks = append(h.to.Tracks, t)
	return nil
}

func (h listening) Signals(batch []trace.Signal) error {
	h.to.Signals = append(h.to.Signals, batch...)
	return nil
}

func (h listening) Operations(batch []trace.Operation) error {
	h.to.Operations = append(h.to.Operations, batch...)
	return nil
}

func (h listening) Until(int64) error { return nil }

// A refuser is a sink that fails on every batch.
type refuser struct{ err error }

func (r refuser) Events([]trace.Event) error   { return r.err }
func (r refuser) Samples([]trace.Sample) error { return r.err }

// CheckStops checks that a scan of rec returns the error of a cancelled context, and that it
// returns the sink's own error unchanged. rec must not be empty.
func CheckStops(rec trace.Recording) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rec.Scan(ctx, Discard{}); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a scan whose context is cancelled ends with %v", err)
	}
	refused := errors.New("refused")
	if _, err := rec.Scan(context.Background(), refuser{refused}); err != refused {
		return fmt.Errorf("a scan whose sink returns an error ends with %v", err)
	}
	return nil
}
