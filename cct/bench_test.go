package cct_test

import (
	"context"
	"testing"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// walk is a recording of calls in depth-first order over a tree with the given number of levels.
// Each method calls three others.
type walk struct {
	levels, events int
}

func (w walk) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	const methods = 2000
	tr := &trace.Trace{Methods: make([]name.Method, methods), Threads: make([]trace.Thread, 1)}
	for i := range tr.Methods {
		tr.Methods[i].Name = string(rune('0' + i))
	}
	batch := make([]trace.Event, 0, 1024)
	type call struct{ method, made int }
	var stack []call
	for i := range w.events {
		e := trace.Event{Time: int64(i) * 1000, CPU: 1000, Energy: 5}
		if n := len(stack); n > 0 && (n == w.levels || stack[n-1].made == 3) {
			e.Kind, e.Ref = trace.Exit, trace.Ref(stack[n-1].method)
			stack = stack[:n-1]
		} else {
			m := 0
			if n > 0 {
				m = (stack[n-1].method*3 + stack[n-1].made + 1) * 40503 % methods
				stack[n-1].made++
			}
			e.Ref = trace.Ref(m)
			stack = append(stack, call{method: m})
		}
		if batch = append(batch, e); len(batch) == cap(batch) {
			if err := sink.Events(batch); err != nil {
				return nil, err
			}
			batch = batch[:0]
		}
	}
	return tr, sink.Events(batch)
}

func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		name   string
		levels int
	}{{"contexts=1k", 7}, {"contexts=265k", 12}} {
		b.Run(c.name, func(b *testing.B) {
			w := walk{c.levels, 2_000_000}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := cct.Build(context.Background(), w, cct.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.events), "ns/event")
		})
	}
}
