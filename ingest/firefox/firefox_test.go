package firefox_test

import (
	"bytes"
	"context"
	"flag"
	"testing"

	"github.com/diffprof/diffprof/ingest/firefox"
	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var format = formattest.Format{
	Sniff: firefox.Sniff,
	Decode: func(ctx context.Context, data []byte, kind string, sink trace.Sink) (*trace.Trace, error) {
		return firefox.Decode(ctx, bytes.NewReader(data), sink, firefox.Options{SampleType: kind})
	},
}

func TestOpens(t *testing.T)  { format.Opens(t, firefox.Format) }
func TestGolden(t *testing.T) { format.Golden(t, *update) }
func TestCut(t *testing.T)    { format.Cut(t) }
func TestOrder(t *testing.T)  { format.Order(t) }
func FuzzDecode(f *testing.F) { format.Fuzz(f) }
func TestReal(t *testing.T)   { format.Real(t, real) }

// real are files of other programs, with known counts.
var real = []formattest.Real{
	{"other/firefox/processed-3.json", "", "21 events, cpu 0s, elapsed 1.007s, 3 active threads, 0 flows no-symbols"},
	{"other/firefox/simple-firefox-63.json", "", "39 events, cpu 0s, elapsed 38.775204ms, 1 active threads, 0 flows"},
	{"other/speedscope-firefox-59.json", "", "38 events, cpu 0s, elapsed 37.978056ms, 1 active threads, 0 flows"},
	{"other/speedscope-firefox-61-recursion.json", "", "15 events, cpu 0s, elapsed 15.114334ms, 1 active threads, 0 flows"},
}
