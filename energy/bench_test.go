package energy_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/diffprof/diffprof/energy"
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
