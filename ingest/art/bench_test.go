package art_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

type discard struct{}

func (discard) Events([]trace.Event) error   { return nil }
func (discard) Samples([]trace.Sample) error { return nil }

// BenchmarkDecode decodes two million events of each form and discards them.
func BenchmarkDecode(b *testing.B) {
	for _, bench := range []struct {
		name string
		vm   string
		form artwrite.Form
	}{
		{"v3-art", "art", artwrite.Form{Version: 3}},
		{"v3-dalvik", "dalvik", artwrite.Form{Version: 3}},
		{"v2-thread-cpu", "art", artwrite.Form{Version: 2}},
		{"streaming", "art", artwrite.Form{Version: 3, Streaming: true}},
		{"packed", "art", artwrite.Form{Version: 4}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			run := calls(1, 20_000)
			run.VM = bench.vm
			events := slices.Collect(run.Events)
			run.Events = func(yield func(artwrite.Event) bool) {
				last := events[len(events)-1].Wall
				for round := range time.Duration(100) {
					for _, e := range events {
						e.CPU += round * last
						e.Wall += round * last
						if !yield(e) {
							return
						}
					}
				}
			}
			data := write(b, run, bench.form)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := art.Decode(b.Context(), bytes.NewReader(data), discard{}, art.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
