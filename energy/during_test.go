package energy

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/trace"
)

// A played recording has two threads. The main thread calls method 1, which calls 2 and waits in 3.
// The other thread is sampled or traced in method 4.
type played struct {
	clock   trace.Clock
	events  []trace.Event
	samples []trace.Sample
}

func (r played) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, r.clock, trace.NoEnergy)
	if err := sink.Events(r.events); err != nil {
		return nil, err
	}
	return &trace.Trace{}, sink.Samples(r.samples)
}

// TestCodeDuring has methods that run in two tails of one group and in an overlapping tail of
// another group.
func TestCodeDuring(t *testing.T) {
	const s = int64(time.Second)
	groups := [][]bundle.Tail{{{Begin: 1 * s, End: 3 * s}, {Begin: 8 * s, End: 9 * s}}, {{Begin: 2 * s, End: 4 * s}}, nil}
	events := []trace.Event{
		{Time: 0, Kind: trace.Enter, Ref: 1},
		{Time: 2 * s, CPU: s, Kind: trace.Enter, Ref: 2},     // method 1 ran for half of two seconds
		{Time: 3 * s, CPU: s, Kind: trace.Exit, Ref: 2},      // method 2 ran for the whole second
		{Time: 3 * s, Thread: 1, Kind: trace.Enter, Ref: 4},  //
		{Time: 8 * s, CPU: s / 2, Kind: trace.Enter, Ref: 3}, // method 1 ran for a tenth of five seconds
		{Time: 9 * s, CPU: s, Kind: trace.Exit, Ref: 3},      // method 3 waits
		{Time: 13 * s, CPU: 5 * s, Thread: 1, Kind: trace.Exit, Ref: 4},
	}
	samples := []trace.Sample{{Time: 8 * s, Stack: []trace.MethodID{5}, CPU: 7, Wall: 9}, {Time: 9 * s, Stack: []trace.MethodID{5}, CPU: 1, Wall: 1}}
	holds := []bundle.Hold{{Begin: s, End: 5 * s}, {Begin: s, End: 60 * s}, {Thread: 1, Begin: 4 * s, End: 20 * s}, {Begin: 10 * s, End: 11 * s}}
	innermost := func(stack []trace.MethodID) trace.MethodID {
		if m := stack[len(stack)-1]; m != 3 {
			return m
		}
		return -1
	}
	for _, c := range []struct {
		clock trace.Clock
		want  string
	}{
		{trace.ThreadCPU | trace.WallClock, "[[{2 1s} {1 500ms} {4 500ms}] [{2 1s} {4 500ms} {1 100ms}] []]"},
		{trace.WallClock, "[[{1 1s} {2 1s} {4 1s}] [{1 1s} {2 1s} {4 1s}] []]"},
	} {
		got, last, err := CodeDuring(t.Context(), played{c.clock, events, samples}, groups, holds, 3, innermost, nil)
		if fmt.Sprint(last) != "[4900000000 13000000000 13000000000 10900000000]" {
			t.Errorf("the process last ran at %v", last)
		}
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("clock %v: ran %v, want %s (%v)", c.clock, got, c.want, err)
		}
	}
	if got, _, _ := CodeDuring(t.Context(), played{trace.ThreadCPU, events, samples}, groups, nil, 9, innermost, nil); len(got[0]) != 4 || got[0][3].Time != 7 {
		t.Errorf("the sample in the tail, and not the one at its end, counts 7 ns: %v", got[0])
	}
	if got, _, _ := CodeDuring(t.Context(), played{trace.WallClock, events, samples}, groups, nil, 9, innermost, nil); len(got[0]) != 4 || got[0][3].Time != 9 {
		t.Errorf("without processor time, the sample in the tail counts 9 ns: %v", got[0])
	}
}

// TestCodeDuringThroughTheEndOfAHold has no thread clock. A process that calls one method for the
// whole time counts as running at the end of a hold. The method has the number 0. A method that
// waits does not count.
func TestCodeDuringThroughTheEndOfAHold(t *testing.T) {
	const s = int64(time.Second)
	events := []trace.Event{{Time: 0, Kind: trace.Enter, Ref: 0}, {Time: 10 * s, Kind: trace.Exit, Ref: 0}}
	holds := []bundle.Hold{{Begin: 0, End: 5 * s}}
	for innermost, want := range map[trace.MethodID]int64{0: 5*s - releasePeriod, -1: 0} {
		_, last, err := CodeDuring(t.Context(), played{trace.WallClock, events, nil}, nil, holds, 1, func([]trace.MethodID) trace.MethodID { return innermost }, nil)
		if err != nil || len(last) != 1 || last[0] != want {
			t.Errorf("method %d: the process last ran at %v, want %d (%v)", innermost, last, want, err)
		}
	}
}

// TestCodeDuringNeedsHalfOfThePeriod checks that a thread with a clock counts as running from one
// event to the next if it used processor time for half of the period.
func TestCodeDuringNeedsHalfOfThePeriod(t *testing.T) {
	const s = int64(time.Second)
	holds := []bundle.Hold{{Begin: 0, End: 5 * s}}
	for cpu, want := range map[int64]int64{10 * s: 5*s - releasePeriod, 5 * s: 5*s - releasePeriod, 5*s - 1: 0, 4 * s: 0} {
		events := []trace.Event{{Time: 0, Kind: trace.Enter, Ref: 1}, {Time: 10 * s, CPU: cpu, Kind: trace.Exit, Ref: 1}}
		_, last, err := CodeDuring(t.Context(), played{trace.ThreadCPU | trace.WallClock, events, nil}, nil, holds, 2, func([]trace.MethodID) trace.MethodID { return 1 }, nil)
		if err != nil || len(last) != 1 || last[0] != want {
			t.Errorf("%d ns of processor time in 10 s: the process last ran at %v, want %d (%v)", cpu, last, want, err)
		}
	}
}
