package speedscope_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"testing"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/speedscope"
	"github.com/diffprof/diffprof/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var format = formattest.Format{
	Sniff: speedscope.Sniff,
	Decode: func(ctx context.Context, data []byte, kind string, sink trace.Sink) (*trace.Trace, error) {
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		return speedscope.Decode(ctx, open, sink, speedscope.Options{SampleType: kind})
	},
}

func TestGolden(t *testing.T) { format.Golden(t, *update) }
func TestCut(t *testing.T)    { format.Cut(t) }
func TestOrder(t *testing.T)  { format.Order(t) }
func FuzzDecode(f *testing.F) { format.Fuzz(f) }
func TestReal(t *testing.T)   { format.Real(t, real) }

// real are files of other programs, with known counts.
var real = []formattest.Real{
	{"other/speedscope/simple.speedscope.json", "", "10 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows"},
	{"other/speedscope-0.0.1-simple.speedscope.json", "", "10 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows"},
	{"other/speedscope-0.1.2-simple-sampled.speedscope.json", "", "5 events, cpu 0s, elapsed 14s, 1 active threads, 0 flows"},
	{"other/speedscope-0.6.0-two-sampled.speedscope.json", "", "10 events, cpu 0s, elapsed 14s, 2 active threads, 0 flows"},
	{"other/speedscope-0.6.0-two-sampled.speedscope.json", "two", "5 events, cpu 0s, elapsed 14s, 1 active threads, 0 flows other-profiles"},
	{"other/speedscope-invalid-incomplete-trace.json", "", "2 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows open-at-end"},
	{"other/speedscope-invalid-out-of-order-events.json", "", "8 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows unmatched-ends open-at-end"},
}
