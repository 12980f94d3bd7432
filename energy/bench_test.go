package energy_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/energy/trigger"
	"github.com/diffprof/diffprof/trace"
)

func BenchmarkMeter(b *testing.B) {
	const events, threads = 4096, 16
	batch := make([]trace.Event, events)
	rng := rand.New(rand.NewPCG(15, 16))
	for i := range batch {
		batch[i] = trace.Event{CPU: rng.Int64N(20_000), Thread: trace.ThreadID(rng.IntN(threads))}
	}
	for _, charged := range []bool{true, false} {
		name := "charged"
		if !charged {
			name = "passed"
		}
		b.Run(name, func(b *testing.B) {
			run := repeat{batch: batch, times: 1000}
			var rec trace.Recording = run
			if charged {
				rec = energy.Meter(run, energy.Options{CPU: 444_000})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rec.Scan(context.Background(), discard{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*run.times*events), "ns/event")
		})
	}
}

// repeat hands out one batch many times.
type repeat struct {
	batch []trace.Event
	times int
}

func (r repeat) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, trace.ThreadCPU, trace.NoEnergy)
	for range r.times {
		if err := sink.Events(r.batch); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Clock: trace.ThreadCPU}, nil
}

type discard struct{}

func (discard) Events([]trace.Event) error   { return nil }
func (discard) Samples([]trace.Sample) error { return nil }

// BenchmarkComponents charges operations beside calls: of each eight calls one reads from the
// disk, or none does.
func BenchmarkComponents(b *testing.B) {
	for _, c := range []struct {
		name    string
		device  *model.Device
		reading bool
	}{
		{"processor", nil, true}, {"calls", handset(), false}, {"reads", handset(), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			rec := energy.Meter(reads{batches: 1000, reading: c.reading}, energy.Options{
				CPU: 444_000, Device: c.device, Triggers: trigger.New(trigger.Trigger{Method: "a.B.read", Component: "disk", Verb: trace.OpRead}),
			})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rec.Scan(context.Background(), discard{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000*4096), "ns/event")
		})
	}
}

// reads hands out batches of calls, of which one in eight may read.
type reads struct {
	batches int
	reading bool
}

func (r reads) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	methods := []name.Method{name.OfClass("a.B", "work", ""), name.OfClass("a.B", "read", "")}
	t := &trace.Trace{Clock: trace.ThreadCPU | trace.WallClock, Methods: methods, Threads: make([]trace.Thread, 4)}
	trace.Start(sink, t.Clock, trace.NoEnergy)
	trace.GiveNames(sink, func(id trace.MethodID) (name.Method, bool) { return methods[id], true })
	batch := make([]trace.Event, 4096)
	at := int64(0)
	for range r.batches {
		for i := range batch {
			at += 1000
			ref := trace.Ref(0)
			if r.reading && i%16 < 2 {
				ref = 1
			}
			batch[i] = trace.Event{Time: at, CPU: 500, Ref: ref, Thread: trace.ThreadID(i / 64 % 4), Kind: trace.Kind(i % 2)}
		}
		if err := sink.Events(batch); err != nil {
			return nil, err
		}
	}
	return t, nil
}
