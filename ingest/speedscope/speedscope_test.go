package speedscope_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/formattest"
	"github.com/diffprof/diffprof/ingest/speedscope"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var format = formattest.Format{
	Sniff: speedscope.Sniff,
	Decode: func(ctx context.Context, data []byte, kind string, sink trace.Sink) (*trace.Trace, error) {
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		return speedscope.Decode(ctx, open, sink, speedscope.Options{SampleType: kind})
	},
}

func TestOpens(t *testing.T)  { format.Opens(t, speedscope.Format) }
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

// An observer is a sink that calls see with each sample.
type observer struct {
	tracetest.Discard
	see func(*trace.Sample)
}

// Samples implements trace.Sink.
func (o observer) Samples(batch []trace.Sample) error {
	for i := range batch {
		o.see(&batch[i])
	}
	return nil
}

// TestMergedSamples checks the number of samples of each stack. dotnet-trace merges equal samples
// that follow each other. Here it takes a sample each 1.5 ms.
func TestMergedSamples(t *testing.T) {
	var events strings.Builder
	for _, at := range []string{"0", "1.5", "3", "4.4", "10.5", "12", "12.05", "57"} {
		fmt.Fprintf(&events, `{"type":"O","frame":0,"at":%s},{"type":"C","frame":0,"at":%[1]s},`, at)
	}
	for marker, want := range map[string]string{"CPU_TIME": "[1 1 1 4 1 1 30]", "work": "[]"} {
		data := fmt.Sprintf(`{"shared":{"frames":[{"name":"open"},{"name":"App!App.Run()"},{"name":%q}]},"profiles":[{"type":"evented","name":"Thread (1)",
"unit":"milliseconds","startValue":0,"endValue":57,"events":[{"type":"O","frame":1,"at":0},{"type":"O","frame":2,"at":0},%s{"type":"C","frame":1,"at":57}]}]}`, marker, events.String())
		var counts []int64
		sink := observer{see: func(s *trace.Sample) { counts = append(counts, s.Count) }}
		if _, err := format.Decode(t.Context(), []byte(data), "", sink); err != nil || fmt.Sprint(counts) != want {
			t.Errorf("%s: counts %v, want %s; %v", marker, counts, want, err)
		}
	}
}

// A stopper cancels the context of a scan at each batch.
type stopper struct {
	cancel  context.CancelFunc
	batches int
}

func (s *stopper) batch() error {
	s.batches++
	s.cancel()
	return nil
}

// Events implements trace.Sink.
func (s *stopper) Events([]trace.Event) error { return s.batch() }

// Samples implements trace.Sink.
func (s *stopper) Samples([]trace.Sample) error { return s.batch() }

// TestCancel checks that the scan of a large file ends at the next batch after its context is
// cancelled.
func TestCancel(t *testing.T) {
	const n = 1 << 16
	head := `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[`
	for name, profile := range map[string]string{
		"sampled": `{"type":"sampled","name":"one","unit":"milliseconds","startValue":0,"endValue":131072,"samples":[` +
			strings.Repeat("[0],[1],", n/2) + `[0]],"weights":[` + strings.Repeat("2,", n) + `2]}`,
		"evented": `{"type":"evented","name":"one","unit":"milliseconds","startValue":0,"endValue":2,"events":[` +
			strings.Repeat(`{"type":"O","frame":0,"at":1},{"type":"C","frame":0,"at":1},`, n/2) +
			`{"type":"O","frame":0,"at":1},{"type":"C","frame":0,"at":2}]}`,
	} {
		data := []byte(head + profile + "]}")
		whole := stopper{cancel: func() {}}
		if _, err := format.Decode(t.Context(), data, "", &whole); err != nil || whole.batches < 10 {
			t.Fatalf("%s: the whole scan: %d batches, %v", name, whole.batches, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cut := stopper{cancel: cancel}
		if _, err := format.Decode(ctx, data, "", &cut); !errors.Is(err, context.Canceled) || cut.batches != 1 {
			t.Errorf("%s: the cancelled scan: %d batches of %d, %v", name, cut.batches, whole.batches, err)
		}
		cancel()
	}
}

// TestDeepStacks checks that a stack of .NET is cut: otherwise, the time to read a profile would grow
// with the square of its depth.
func TestDeepStacks(t *testing.T) {
	var events strings.Builder
	for at := range 3000 {
		fmt.Fprintf(&events, `,{"type":"O","frame":0,"at":%d}`, at)
	}
	data := `{"shared":{"frames":[{"name":"App!App.Run()"},{"name":"CPU_TIME"}]},"profiles":[{"type":"evented","name":"Thread (1)","unit":"milliseconds","startValue":0,"endValue":3000,"events":[` +
		events.String()[1:] + `]}]}`
	deepest := 0
	sink := observer{see: func(s *trace.Sample) { deepest = max(deepest, len(s.Stack)) }}
	tr, err := format.Decode(t.Context(), []byte(data), "", sink)
	if err != nil {
		t.Fatal(err)
	}
	cut := slices.ContainsFunc(tr.Warnings, func(w trace.Warning) bool {
		return w.Code == "deep-stacks" && strings.HasPrefix(w.Message, "952 stacks have more than 2048 frames")
	})
	if deepest != 2048 || !cut || tr.Elapsed != 3*time.Second {
		t.Errorf("the deepest stack has %d frames, %v, %v", deepest, tr.Elapsed, tr.Warnings)
	}
}
