package clock

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// activities is a sink that records the activities of events and samples, and counts calls of
// Start.
type activities struct {
	given  []string
	starts int
}

func (a *activities) Start(trace.Clock, trace.Provenance) { a.starts++ }

func (a *activities) Events(batch []trace.Event) error {
	for _, e := range batch {
		a.given = append(a.given, e.Activity.String())
	}
	return nil
}

func (a *activities) Samples(batch []trace.Sample) error {
	for _, s := range batch {
		a.given = append(a.given, s.Activity.String())
	}
	return nil
}

// methods are a waiting method, native functions and a method that works.
var methods = []name.Method{
	0: name.OfClass("java.lang.Object", "wait", "(J)V"),
	1: name.Parse("__futex_wait", name.Native),
	2: name.OfClass("org.app.Feed", "bind", ""),
	3: name.Parse("memcpy", name.Native),
}

// TestActivities divides elapsed time by the innermost method, unless the recording states the
// activity.
func TestActivities(t *testing.T) {
	const s = int64(time.Second)
	samples := func(stack []trace.MethodID, stated trace.Activity) func(trace.Sink) error {
		return func(sink trace.Sink) error {
			return sink.Samples([]trace.Sample{{Thread: 0, Wall: s, Stack: stack, Activity: stated}})
		}
	}
	for _, c := range []struct {
		name string
		give func(trace.Sink) error
		want string
		// usage has the working, waiting, unrecorded and unknown time, in seconds.
		usage [4]int64
	}{
		{"waits", samples([]trace.MethodID{2, 0}, trace.UnknownActivity), "waiting", [4]int64{0, 1, 0, 0}},
		{"native part of a wait", samples([]trace.MethodID{2, 0, 3}, trace.UnknownActivity), "waiting", [4]int64{0, 1, 0, 0}},
		{"works", samples([]trace.MethodID{0, 2}, trace.UnknownActivity), "unknown", [4]int64{0, 0, 0, 1}},
		{"native part of work", samples([]trace.MethodID{0, 2, 3}, trace.UnknownActivity), "unknown", [4]int64{0, 0, 0, 1}},
		{"native alone", samples([]trace.MethodID{3, 3}, trace.UnknownActivity), "unknown", [4]int64{0, 0, 0, 1}},
		{"no stack", samples(nil, trace.UnknownActivity), "unknown", [4]int64{0, 0, 0, 1}},
		{"a method without a name", samples([]trace.MethodID{0, 9}, trace.UnknownActivity), "unknown", [4]int64{0, 0, 0, 1}},
		{"stated work", samples([]trace.MethodID{2, 0}, trace.Working), "working", [4]int64{1, 0, 0, 0}},
		{"stated waiting", samples([]trace.MethodID{2}, trace.Waiting), "waiting", [4]int64{0, 1, 0, 0}},
		{"unrecorded", samples([]trace.MethodID{2}, trace.Unrecorded), "unrecorded", [4]int64{0, 0, 1, 0}},
		// bind runs for 1 s, wait for 2 s with a native call of 4 s, and bind for 8 s. The time of
		// an event belongs to the method that was open before the event.
		{"calls", func(sink trace.Sink) error {
			return sink.Events([]trace.Event{
				{Time: 5 * s, Kind: trace.Enter, Ref: 2}, {Time: 6 * s, Kind: trace.Enter, Ref: 0}, {Time: 8 * s, Kind: trace.Enter, Ref: 3},
				{Time: 12 * s, Kind: trace.Exit, Ref: 0}, {Time: 20 * s, Kind: trace.Exit, Ref: 2},
			})
		}, "unknown unknown waiting waiting unknown", [4]int64{0, 6, 0, 9}},
		{"an exit without an entry", func(sink trace.Sink) error {
			return sink.Events([]trace.Event{{Time: 0, Kind: trace.Enter, Ref: 0}, {Time: s, Kind: trace.Exit, Ref: 2}, {Time: 3 * s, Kind: trace.Exit, Ref: 0}})
		}, "unknown waiting waiting", [4]int64{0, 3, 0, 0}},
		{"two threads", func(sink trace.Sink) error {
			return sink.Events([]trace.Event{{Time: 0, Thread: 1, Kind: trace.Enter, Ref: 0}, {Time: s, Thread: 0, Kind: trace.Enter, Ref: 2}, {Time: 3 * s, Thread: 0, Kind: trace.Exit, Ref: 2}, {Time: 4 * s, Thread: 1, Kind: trace.Exit, Ref: 0}})
		}, "unknown unknown unknown waiting", [4]int64{0, 4, 0, 2}},
	} {
		for _, first := range []bool{false, true} {
			scans := 0
			decode := func(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
				scans++
				if first {
					trace.GiveFirstNames(sink, func(id trace.MethodID) (name.Method, bool) {
						if int(id) >= len(methods) {
							return name.Method{}, false
						}
						return methods[id], true
					})
				}
				trace.Start(sink, trace.WallClock, trace.NoEnergy)
				return &trace.Trace{Clock: trace.WallClock, Methods: methods, Threads: make([]trace.Thread, 2)}, c.give(sink)
			}
			rule := &Rule{}
			for range 2 {
				got := &activities{}
				tr, err := rule.Scan(t.Context(), decode, got)
				if err != nil {
					t.Fatal(c.name, err)
				}
				if given := strings.Join(got.given, " "); given != c.want || got.starts != 1 {
					t.Errorf("%s, names first %v: %s, started %d times, want %s", c.name, first, given, got.starts, c.want)
				}
				u := tr.Usage
				usage := [4]int64{int64(u.Working) / s, int64(u.Waiting) / s, int64(u.Unrecorded) / s, int64(u.Unknown) / s}
				if usage != c.usage {
					t.Errorf("%s, names first %v: times are %v, want %v", c.name, first, usage, c.usage)
				}
			}
			// A recording whose names come last is read twice, but only on its first scan.
			if want := map[bool]int{true: 2, false: 3}[first]; scans != want {
				t.Errorf("%s, names first %v: %d scans, want %d", c.name, first, scans, want)
			}
		}
	}
}

// TestThreadClock divides the time of a recording with processor time. The rest of the elapsed time
// is waiting, and events keep their activities.
func TestThreadClock(t *testing.T) {
	for _, c := range []struct {
		clock trace.Clock
		want  string
	}{
		{trace.ThreadCPU, "working 3s waiting 0s"},
		{trace.ThreadCPU | trace.WallClock, "working 3s waiting 5s"},
	} {
		got := &activities{}
		tr, err := (&Rule{}).Scan(t.Context(), func(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
			trace.Start(sink, c.clock, trace.NoEnergy)
			err := sink.Samples([]trace.Sample{{CPU: 1, Wall: 2, Stack: []trace.MethodID{0}}})
			return &trace.Trace{Clock: c.clock, Methods: methods, Threads: []trace.Thread{
				{CPU: 2 * time.Second, Wall: 7 * time.Second}, {CPU: time.Second, Wall: time.Second / 2},
			}}, err
		}, got)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("working %v waiting %v", tr.Usage.Working, tr.Usage.Waiting); text != c.want || got.given[0] != "unknown" {
			t.Errorf("%v: %s, %s, want %s", c.clock, text, got.given[0], c.want)
		}
	}
	// A sum that overflows is the largest duration.
	if got := add(1<<63-5, 10); got != 1<<63-1 {
		t.Errorf("the sum is %d", got)
	}
	if got := add(7, -3); got != 7 {
		t.Errorf("negative time adds up to %d", got)
	}
}
