package chrome_test

import (
	"bytes"
	"context"
	"flag"
	"testing"

	"github.com/diffprof/diffprof/ingest/chrome"
	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var format = formattest.Format{
	Sniff: func(head []byte) bool { return chrome.Sniff(head) || chrome.SniffProfile(head) },
	Decode: func(ctx context.Context, data []byte, kind string, sink trace.Sink) (*trace.Trace, error) {
		decode := chrome.Decode
		if chrome.SniffProfile(data) {
			decode = chrome.DecodeProfile
		}
		return decode(ctx, bytes.NewReader(data), sink, chrome.Options{SampleType: kind})
	},
}

func TestGolden(t *testing.T) { format.Golden(t, *update) }
func TestCut(t *testing.T)    { format.Cut(t) }
func TestOrder(t *testing.T)  { format.Order(t) }
func FuzzDecode(f *testing.F) { format.Fuzz(f) }
func TestReal(t *testing.T)   { format.Real(t, real) }

// TestOpens checks the descriptions of both formats.
func TestOpens(t *testing.T) {
	format.Opens(t, chrome.Format)
	format.Opens(t, chrome.CPUProfile)
}

// real are files of other programs, with known counts.
var real = []formattest.Real{
	{"chrome/firefox-chrome-tracing.json.gz", "", "372 events, cpu 1.878ms, elapsed 5.316ms, 13 active threads, 0 flows"},
	{"chrome/firefox-test-unchunked.json", "", "20 events, cpu 0s, elapsed 6.291251s, 1 active threads, 0 flows other-slices line-counts"},
	{"chrome/firefox-test-unchunked.json", "slices", "138 events, cpu 4.044873s, elapsed 6.307982s, 2 active threads, 0 flows other-samples async-slices"},
	{"chrome/firefox-hello.cjs.cpuprofile", "", "150 events, cpu 0s, elapsed 168.955ms, 1 active threads, 0 flows"},
	{"chrome/speedscope-simple.cpuprofile", "", "29 events, cpu 0s, elapsed 36.317ms, 1 active threads, 0 flows"},
	{"chrome/speedscope-sucrase.cpuprofile", "", "17138 events, cpu 0s, elapsed 22.003906s, 1 active threads, 0 flows"},
	{"chrome/speedscope-timeline-65.json", "", "4081 events, cpu 0s, elapsed 545.683ms, 1 active threads, 0 flows other-slices"},
	{"chrome/speedscope-timeline-65.json", "slices", "5405 events, cpu 385.988ms, elapsed 553.108ms, 21 active threads, 21 flows other-samples async-slices"},
	{"chrome/speedscope-timeline-65.json", "wall", "4081 events, cpu 0s, elapsed 545.683ms, 1 active threads, 0 flows other-slices"},
	{"chrome/speedscope-trace-116.json", "", "1600 events, cpu 0s, elapsed 265.139ms, 1 active threads, 0 flows other-slices backward-clock"},
	{"chrome/speedscope-trace-116.json", "slices", "4938 events, cpu 188.876ms, elapsed 285.315ms, 12 active threads, 13 flows other-samples async-slices"},
	{"chrome/trace-event/bex-interaction.json", "", "24 events, cpu 0s, elapsed 52µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/end-event-with-empty-stack.json", "", "3 events, cpu 0s, elapsed 2µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/end-non-top-of-stack.json", "", "5 events, cpu 0s, elapsed 11µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/event-reordering-name-match.json", "", "5 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows unmatched-ends"},
	{"chrome/trace-event/hermes-multiple-frames.json", "", "8 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/invalid-x-nesting.json", "", "4 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows overlapping-slices"},
	{"chrome/trace-event/matching-x.json", "", "10 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/mismatched-args.json", "", "2 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/mismatched-name.json", "", "1 events, cpu 0s, elapsed 0s, 1 active threads, 0 flows unmatched-ends"},
	{"chrome/trace-event/multi-thread-with-samples.json", "", "8 events, cpu 0s, elapsed 54.096ms, 2 active threads, 0 flows other-slices"},
	{"chrome/trace-event/multiprocess.json", "", "16 events, cpu 0s, elapsed 1µs, 8 active threads, 0 flows"},
	{"chrome/trace-event/must-retain-original-order.json", "", "14 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/not-enough-end-events.json", "", "4 events, cpu 0s, elapsed 11µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/only-begin-events.json", "", "3 events, cpu 0s, elapsed 2µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/out-of-order-unbalanced-name.json", "", "3 events, cpu 0s, elapsed 9µs, 1 active threads, 0 flows unmatched-ends"},
	{"chrome/trace-event/out-of-order.json", "", "6 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/simple-hermes.json", "", "4 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/simple-object.json", "", "6 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/simple-partial-trailing-comma.json", "", "8 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows truncated"},
	{"chrome/trace-event/simple-partial-whitespace.json", "", "8 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows truncated"},
	{"chrome/trace-event/simple-partial.json", "", "8 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows truncated"},
	{"chrome/trace-event/simple-with-samples.json", "", "7 events, cpu 0s, elapsed 64.71ms, 1 active threads, 0 flows"},
	{"chrome/trace-event/simple.json", "", "8 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/simultaneous-anonymous-calls.json", "", "12 events, cpu 0s, elapsed 5µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/too-many-end-events.json", "", "4 events, cpu 0s, elapsed 14µs, 1 active threads, 0 flows unmatched-ends"},
	{"chrome/trace-event/unbalanced-args.json", "", "4 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/unbalanced-name.json", "", "3 events, cpu 0s, elapsed 9µs, 1 active threads, 0 flows unmatched-ends"},
	{"chrome/trace-event/x-events-matching-end.json", "", "18 events, cpu 0s, elapsed 20µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/x-events-matching-start.json", "", "18 events, cpu 0s, elapsed 20µs, 1 active threads, 0 flows"},
	{"chrome/trace-event/zero-duration-events.json", "", "7 events, cpu 0s, elapsed 10µs, 1 active threads, 0 flows unmatched-ends"},
}
