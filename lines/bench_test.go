package lines_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// repeated is a recording of many samples of 5,000 stacks.
type repeated struct{ samples, depth int }

func (r repeated) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Threads: make([]trace.Thread, 1), Events: int64(r.samples)}
	for i := range 1000 {
		tr.Methods = append(tr.Methods, name.OfClass("a.B", fmt.Sprint("m", i), "()V"))
	}
	b := stacks.NewBatch(sink)
	for i := range r.samples {
		stack := i % 5000
		for d := range r.depth {
			b.Push(trace.MethodID((stack*31+d*7)%1000), int32(d+1+stack%3))
		}
		b.Add(trace.Sample{ID: trace.StackID(stack + 1), CPU: 1000, Energy: 1000, Count: 1, Time: int64(i) * 1000})
		if b.Full() {
			if err := b.Flush(); err != nil {
				return nil, err
			}
		}
	}
	return tr, b.Flush()
}

// BenchmarkRecordings builds the tree of a recording in three ways: unchanged, with counts of
// lines, and by line.
func BenchmarkRecordings(b *testing.B) {
	rec := repeated{400_000, 20}
	for name, recording := range map[string]trace.Recording{"plain": rec, "count": lines.Count(rec), "split": lines.Split(rec)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := cct.Build(b.Context(), recording, cct.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rec.samples), "ns/sample")
		})
	}
}
