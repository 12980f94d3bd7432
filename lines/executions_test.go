package lines

import (
	"context"
	"fmt"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A pathRecording has only paths.
type pathRecording []trace.Path

func (r pathRecording) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	if w := trace.Paths(sink); w != nil {
		for i := range r {
			if err := w.Paths(r[i : i+1]); err != nil {
				return nil, err
			}
		}
		if err := w.PathTimes(make([]trace.PathTime, 3)); err != nil {
			return nil, err
		}
		if err := w.PathCost(trace.PathCost{Busy: 50}); err != nil {
			return nil, err
		}
	}
	return &trace.Trace{Methods: []name.Method{name.OfClass("a.B", "c", "()V"), name.OfClass("a.B", "d", "()V")}}, nil
}

// TestExecuted counts a loop of three rounds, whose body calls a method that throws once. Control
// enters the loop's line from the line before it, and after each round.
func TestExecuted(t *testing.T) {
	rec := pathRecording{
		{Method: 0, Count: 1, Lines: []int32{10, 11, 12, 11}, Continues: true}, // the start and the first round
		{Method: 0, Count: 1, Lines: []int32{11, 12, 11}, Continues: true},
		{Method: 0, Count: 1, Lines: []int32{11, 12}, End: trace.PathStopped},
		{Method: 0, Count: 1, Lines: []int32{14}},
		{Method: 1, Count: 3, Lines: []int32{20}},
		{Method: 1, Count: 4, End: trace.PathClosed},
		{Method: 1, Count: 5, End: trace.PathOther},
	}
	for _, c := range []struct {
		source func(name.Method, int32) (name.Method, int)
		want   string
	}{
		{nil, "c:11 3 0, c:12 3 1, d:20 3 0, c:10 1 0, c:14 1 0, "},
		{func(m name.Method, line int32) (name.Method, int) { return m.OnLine(0), int(line) / 10 }, "c:1 8 1, d:2 3 0, "},
	} {
		e, err := CountExecutions(t.Context(), rec, c.source)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range e.Rows {
			got += fmt.Sprintf("%s:%d %d %d, ", r.Method.Name, r.Line, r.Count, r.Stopped)
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if e.Paths != 16 || e.Stopped != 1 || e.Unknown != 9 || e.Times != 3 || e.Cost.Busy != 50 {
			t.Errorf("%+v", e)
		}
	}
}
