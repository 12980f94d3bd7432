package lines_test

import (
	"context"
	"testing"
	"time"

	"github.com/diffprof/diffprof/lines"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A batch is a recording of one batch.
type batch []trace.Sample

func (b batch) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	return &trace.Trace{Methods: []name.Method{{Name: "m"}}, Threads: make([]trace.Thread, 4), Events: int64(len(b))}, sink.Samples(b)
}

// TestTogether checks the number of samples that a recorder takes at one line in one tick.
func TestTogether(t *testing.T) {
	for _, test := range []struct {
		name string
		// line returns the line of a thread at a tick. apart is the time between two threads in a
		// tick.
		line  func(tick, thread int) int32
		apart time.Duration
		want  float64
	}{
		{"the same", func(tick, _ int) int32 { return int32(tick%7 + 1) }, 100 * time.Microsecond, 4},
		{"two and two", func(tick, thread int) int32 { return int32(tick%7 + 10*(thread/2) + 1) }, 100 * time.Microsecond, 2},
		{"different", func(_, thread int) int32 { return int32(thread + 1) }, 100 * time.Microsecond, 1},
		{"without times", nil, 0, 0},
		{"at other moments", func(tick, _ int) int32 { return int32(tick%7 + 1) }, 4 * time.Millisecond, 1},
	} {
		var all batch
		for tick := range 50 {
			for thread := range 4 {
				s := trace.Sample{
					Time: 7, Thread: trace.ThreadID(thread), Stack: []trace.MethodID{0}, Lines: []int32{1}, ID: trace.NoStack, CPU: 1000, Count: 1,
				}
				if test.line != nil {
					s.Time += int64(tick)*int64(20*time.Millisecond) + int64(thread)*int64(test.apart)
					s.Lines[0] = test.line(tick, thread)
				}
				all = append(all, s)
			}
		}
		rec := lines.Split(all)
		if _, err := rec.Scan(t.Context(), tracetest.Discard{}); err != nil {
			t.Fatal(err)
		}
		if rec.Together != test.want {
			t.Errorf("%s: %v samples are together, want %v", test.name, rec.Together, test.want)
		}
	}
}
