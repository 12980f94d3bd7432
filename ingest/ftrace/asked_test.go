package ftrace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/trigger"
)

// TestOperationsHaveOwners checks that an operation belongs to the innermost slice of its thread.
func TestOperationsHaveOwners(t *testing.T) {
	r := &run{
		options: ftrace.Options{Origin: 1000},
		threads: map[int64]int64{10: 10, 11: 10, 20: 20},
		names:   map[int64]string{10: "com.mine", 20: "system_server"},
		actions: []action{
			{time: 1000, do: "begin", tid: 10, name: "outer"},
			{time: 1010, do: "begin", tid: 10, name: "inner"},
			{time: 1020, do: "read", tid: 10, other: 7},
			{time: 1030, do: "end", tid: 10},
			{time: 1040, do: "async", tid: 10, name: "S|10|WakeLock (com.mine:sync)|5"},
			{time: 1050, do: "read", tid: 11, other: 8}, // without a slice
			{time: 1055, do: "read", tid: 20, other: 9}, // its process is not read
			{time: 1060, do: "async", tid: 11, name: "F|10|WakeLock (com.mine:sync)|5"},
			{time: 1070, do: "async", tid: 20, name: "S|20|WakeLock (other)|5"},
			{time: 1080, do: "end", tid: 10},
		},
		end: 1100,
	}
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	var asked owners
	if _, err := r.Scan(t.Context(), &asked); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"disk read 7 of thread 0, mark 0 at 20", "wakelock acquire 0 of thread 0, mark 1 at 40", "disk read 8 of thread 1, mark -1 at 0",
		"disk read 9 of thread -1, mark -1 at 0", "wakelock release 0 of thread 1, mark -1 at 0",
	}
	if got := strings.Join(asked.all, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if asked.handles[1] == 0 || asked.handles[1] != asked.handles[4] {
		t.Errorf("the lock is acquired with handle %d and released with %d", asked.handles[1], asked.handles[4])
	}
}

// TestExchangesHaveOwners checks that an asynchronous slice that moves data is a packet at each end,
// and that both belong to the slice in which it started.
func TestExchangesHaveOwners(t *testing.T) {
	table, err := trigger.Read(strings.NewReader("slices:\n  - {component: network, receive: \"GET *\"}\n  - {component: disk, write: \"save *\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := &run{
		options: ftrace.Options{Origin: 1000, Triggers: table},
		threads: map[int64]int64{10: 10, 11: 10, 20: 20},
		names:   map[int64]string{10: "com.mine", 20: "system_server"},
		actions: []action{
			{time: 1000, do: "async", tid: 11, name: "F|10|GET /early|1"}, // it started before the recording
			{time: 1010, do: "begin", tid: 10, name: "load"},
			{time: 1020, do: "async", tid: 10, name: "S|10|GET /feed|2"},
			{time: 1025, do: "async", tid: 10, name: "S|10|GET /feed|3"},
			{time: 1030, do: "end", tid: 10},
			{time: 1040, do: "async", tid: 10, name: "S|10|GET /alone|4"}, // outside of slices
			{time: 1045, do: "async", tid: 20, name: "S|20|GET /other|5"}, // its process is not read
			{time: 1050, do: "begin", tid: 10, name: "draw"},
			{time: 1055, do: "async", tid: 10, name: "S|10|save x|6"},
			{time: 1060, do: "async", tid: 11, name: "F|10|GET /feed|3"},
			{time: 1065, do: "async", tid: 11, name: "F|10|GET /feed|2"},
			{time: 1070, do: "async", tid: 11, name: "F|10|GET /alone|4"},
			{time: 1075, do: "async", tid: 11, name: "F|10|save x|6"},
			{time: 1080, do: "end", tid: 10},
		},
		end: 1100,
	}
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	var asked owners
	tr, err := r.Scan(t.Context(), &asked)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"network receive 1460 of thread 1, mark -1 at 0",
		"network send 1460 of thread 0, mark 4096 at 20", "network send 1460 of thread 0, mark 4097 at 25",
		"network send 1460 of thread 0, mark -1 at 0", "disk write 1460 of thread 0, mark 4098 at 55",
		"network receive 1460 of thread 0, mark 4097 at 25", "network receive 1460 of thread 0, mark 4096 at 20",
		"network receive 1460 of thread -1, mark -1 at 0", "disk write 1460 of thread 0, mark 4098 at 55",
	}
	if got := strings.Join(asked.all, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if i := slices.IndexFunc(tr.Warnings, func(w trace.Warning) bool { return w.Code == "async-slices" }); i < 0 || !strings.HasPrefix(tr.Warnings[i].Message, "4 asynchronous slices each count as one packet at the start") {
		t.Errorf("the warnings are %v", tr.Warnings)
	}
}

// owners is a sink that records operations and the times of their marks.
type owners struct {
	all     []string
	handles []int64
	marks   map[trace.Ref]int64
}

func (o *owners) Events(batch []trace.Event) error {
	for _, e := range batch {
		if e.Kind == trace.Mark {
			if o.marks == nil {
				o.marks = make(map[trace.Ref]int64)
			}
			o.marks[e.Ref] = e.Time
		}
	}
	return nil
}
func (o *owners) Samples([]trace.Sample) error  { return nil }
func (o *owners) TakeSignals() trace.SignalSink { return o }
func (o *owners) Track(trace.Track) error       { return nil }
func (o *owners) Signals([]trace.Signal) error  { return nil }
func (o *owners) Until(int64) error             { return nil }
func (o *owners) Operations(b []trace.Operation) error {
	for _, x := range b {
		o.all = append(o.all, fmt.Sprintf("%s %s %d of thread %d, mark %d at %d", x.Component, x.Verb, x.Bytes, x.Thread, x.Mark, o.marks[x.Mark]))
		o.handles = append(o.handles, x.Handle)
	}
	return nil
}
