package align_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/ingest/logcat"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A log is a log of Android.
type log string

func (l log) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	return logcat.Decode(ctx, strings.NewReader(string(l)), sink, nil)
}

// An asker is a sink that records operations.
type asker struct {
	heard
	all     []string
	handles map[int64]bool
}

func (a *asker) TakeSignals() trace.SignalSink { return a }
func (a *asker) Operations(batch []trace.Operation) error {
	for _, o := range batch {
		a.all = append(a.all, fmt.Sprintf("%d %s %s %s", o.Time/1e6, o.Component, o.Verb, o.Name))
		if o.Verb == trace.OpStart || o.Verb == trace.OpAcquire {
			a.handles[o.Handle] = true
		} else if !a.handles[o.Handle] {
			a.all = append(a.all, "with another handle")
		}
	}
	return nil
}

// TestOperations joins two logs to a run. Operations that began before the run and have not ended
// are repeated at its start. Operations after the run are left out.
func TestOperations(t *testing.T) {
	const connect, disconnect = `I CameraService: CameraService::connect call (PID 9 "com.mine", camera ID %d)`, `I CameraService: disconnect: Disconnected client for camera %d for PID 9`
	line := func(ms int, text string, id int) string {
		return fmt.Sprintf("%d.%03d 1 1 "+text+"\n", 1000+ms/1000, ms%1000, id)
	}
	first := log(line(0, connect, 7) + line(100, connect, 8) + line(200, disconnect, 7) + line(1000, connect, 9) + line(1500, disconnect, 8) + line(60_000, disconnect, 9))
	second := log(line(0, connect, 1) + line(1200, disconnect, 1))
	run := app()
	run.trace.Elapsed = 2 * time.Second
	shift := -500 * time.Millisecond
	joined, err := align.Join(t.Context(), run, []align.Side{{Name: "first", Recording: first}, {Name: "second", Recording: second}}, align.Alignment{Shift: &shift})
	if err != nil {
		t.Fatal(err)
	}
	if err := tracetest.Check(t.Context(), joined); err != nil {
		t.Error(err)
	}
	a := &asker{handles: make(map[int64]bool)}
	if _, err := joined.Scan(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	want := "0 camera start com.mine, 0 camera start com.mine, 500 camera start com.mine, 700 camera stop , 1000 camera stop "
	if got := strings.Join(a.all, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(a.handles) != 3 {
		t.Errorf("%d cameras, want 3", len(a.handles))
	}
}
