package energy_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
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

// BenchmarkComponents charges calls of which one in eight reads from the disk, and calls of which
// none reads.
func BenchmarkComponents(b *testing.B) {
	for _, c := range []struct {
		name    string
		device  *model.Device
		reading bool
	}{
		{"processor", nil, true}, {"calls", handset(), false}, {"reads", handset(), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			rec := energy.Meter(reads{batches: 1000, reading: c.reading, every: 1000}, energy.Options{
				CPU: 444_000, Device: c.device, Triggers: readsTable(),
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

func readsTable() *trigger.Table {
	return trigger.New(
		trigger.Trigger{Method: "a.B.read", Component: "disk", Verb: trace.OpRead},
		trigger.Trigger{Method: "a.B.acquire", Component: "wakelock", Verb: trace.OpAcquire},
		trigger.Trigger{Method: "a.B.release", Component: "wakelock", Verb: trace.OpRelease},
	)
}

// TestYear charges a year of calls. One call in eight reads, and other calls acquire and release a
// wakelock. With ten times as many operations, memory stays the same, because few operations are
// open at the same time.
func TestYear(t *testing.T) {
	const year = int64(365 * 24 * time.Hour)
	for _, bundles := range []bool{false, true} {
		var live, operations [2]int64
		for i, batches := range []int{50, 500} {
			rec := energy.Meter(reads{batches: batches, reading: true, locking: true, every: year / int64(batches*4096)}, energy.Options{
				CPU: 444_000, Device: handset(), Triggers: readsTable(), Bundles: bundles,
			})
			w := weigher{every: 2 * batches / 5}
			if _, err := rec.Scan(context.Background(), &w); err != nil {
				t.Fatal(err)
			}
			live[i] = w.most
			for _, c := range rec.Components() {
				operations[i] += c.Operations
			}
		}
		if operations[0] != 50*512 || operations[1] != 10*operations[0] {
			t.Fatalf("the runs have %v operations", operations)
		}
		most := live[0] + 1<<17
		if bundles {
			most += 1 << 22 // Tails and holds are stored up to fixed limits.
		}
		if live[1] > most {
			t.Errorf("bundles %v: %d operations of a year take %d bytes, ten times as many %d, want at most %d",
				bundles, operations[0], live[0], live[1], most)
		}
	}
}

// A weigher is a sink that measures the memory in use from time to time.
type weigher struct {
	every, calls int
	most         int64
}

func (w *weigher) Events([]trace.Event) error {
	if w.calls++; w.calls%w.every == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		w.most = max(w.most, int64(m.HeapAlloc))
	}
	return nil
}

func (w *weigher) Samples([]trace.Sample) error { return nil }

// reads yields batches of calls. One call in eight may read, and other calls may acquire and
// release a lock. Successive events have a fixed distance in nanoseconds.
type reads struct {
	batches          int
	reading, locking bool
	every            int64
}

func (r reads) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	methods := []name.Method{
		name.OfClass("a.B", "work", ""), name.OfClass("a.B", "read", ""), name.OfClass("a.B", "acquire", ""), name.OfClass("a.B", "release", ""),
	}
	t := &trace.Trace{Clock: trace.ThreadCPU | trace.WallClock, Methods: methods, Threads: make([]trace.Thread, 4)}
	trace.Start(sink, t.Clock, trace.NoEnergy)
	trace.GiveNames(sink, func(id trace.MethodID) (name.Method, bool) { return methods[id], true })
	batch := make([]trace.Event, 4096)
	at := int64(0)
	for range r.batches {
		for i := range batch {
			at += r.every
			ref := trace.Ref(0)
			if r.reading && i%16 < 2 {
				ref = 1
			}
			if r.locking && i%32 >= 28 {
				ref = trace.Ref(2 + i%4/2)
			}
			batch[i] = trace.Event{Time: at, CPU: 500, Ref: ref, Thread: trace.ThreadID(i / 64 % 4), Kind: trace.Kind(i % 2)}
		}
		if err := sink.Events(batch); err != nil {
			return nil, err
		}
	}
	return t, nil
}
