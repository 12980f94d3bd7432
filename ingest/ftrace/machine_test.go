package ftrace_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// An action is an event of a kernel's tracer.
type action struct {
	time       int64
	do         string // switch, begin, end, frequency, idle, count, enqueue or dispatch
	core       int
	tid, other int64 // tid is the thread, and other is the next thread of a switch.
	name       string
}

// A run is a recording of actions.
type run struct {
	options ftrace.Options
	threads map[int64]int64 // threads maps threads to processes.
	names   map[int64]string
	actions []action
	end     int64
}

// Scan implements trace.Recording.
func (r *run) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tasks := ftrace.NewTasks()
	for tid, pid := range r.threads {
		tasks.Thread(tid, pid, fmt.Appendf(nil, "thread%d", tid))
	}
	for pid, name := range r.names {
		tasks.Process(pid, []byte(name))
	}
	for _, a := range r.actions {
		if a.do == "begin" {
			tasks.AddSlices(a.tid, 1)
		}
	}
	m, err := ftrace.New(tasks, sink, r.options)
	if err != nil {
		return nil, err
	}
	for _, a := range r.actions {
		switch a.do {
		case "switch":
			m.Switch(a.time, a.core, a.tid, a.other)
		case "begin":
			m.Begin(a.time, a.tid, []byte(a.name))
		case "end":
			m.End(a.time, a.tid)
		case "frequency":
			m.Frequency(a.time, a.core, a.other)
		case "idle":
			m.Idle(a.time, a.core, a.other)
		case "count":
			m.Counter(a.time, a.tid, []byte(a.name), a.other)
		case "enqueue":
			m.Enqueue(a.time, a.tid, uint64(a.other))
		case "dispatch":
			m.Dispatch(a.time, a.tid, uint64(a.other))
		case "ask":
			m.Operation(a.time, ftrace.NoTask, trace.Operation{Verb: trace.OpSend, Component: "network", Bytes: a.other})
		case "read":
			m.Operation(a.time, a.tid, trace.Operation{Verb: trace.OpRead, Component: "disk", Bytes: a.other})
		case "async":
			mark, _ := ftrace.ReadMark([]byte(a.name))
			m.Async(a.time, a.tid, mark)
		}
	}
	return m.Finish(r.end)
}

// tape records a scan as text.
type tape struct {
	strings.Builder
	events []trace.Event
	mute   bool // mute is set for a sink that takes no signals.
}

func (t *tape) Events(batch []trace.Event) error {
	t.events = append(t.events, batch...)
	return nil
}
func (t *tape) Samples([]trace.Sample) error { return nil }
func (t *tape) TakeSignals() trace.SignalSink {
	if t.mute {
		return nil
	}
	return t
}
func (t *tape) Track(track trace.Track) error {
	fmt.Fprintf(t, "track %s\n", track.Name)
	return nil
}
func (t *tape) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		fmt.Fprintf(t, "%d signal %d of track %d: thread %d, %d\n", s.Time, s.Kind, s.Track, s.Thread, s.Value)
	}
	return nil
}
func (t *tape) Operations(batch []trace.Operation) error {
	for _, o := range batch {
		fmt.Fprintf(t, "%d operation %d on %s, %d bytes\n", o.Time, o.Verb, o.Component, o.Bytes)
	}
	return nil
}
func (t *tape) Until(int64) error { return nil }

// scan returns the output of a scan as text.
func scan(t *testing.T, r *run) string {
	t.Helper()
	var out tape
	tr, err := r.Scan(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := tracetest.Check(t.Context(), r); err != nil {
		t.Error(err)
	}
	for _, e := range out.events {
		method := ""
		if e.Kind == trace.Enter || e.Kind == trace.Exit {
			method = tr.Methods[e.Ref].Label()
		}
		fmt.Fprintf(&out, "%d %s: %s %s, ran %d\n", e.Time, tr.Threads[e.Thread].Name, [...]string{"enter", "exit", "enqueue", "dispatch", "mark"}[e.Kind], method, e.CPU)
	}
	for _, w := range tr.Warnings {
		fmt.Fprintf(&out, "%s: %s\n", w.Code, w.Message)
	}
	return out.String()
}

// TestMachine follows a thread over two cores, next to a thread of another process.
func TestMachine(t *testing.T) {
	r := &run{
		options: ftrace.Options{Origin: 1000, Switches: true},
		threads: map[int64]int64{10: 10, 11: 10, 20: 20},
		names:   map[int64]string{10: "com.mine", 20: "system_server"},
		actions: []action{
			{time: 1000, do: "switch", core: 0, tid: 0, other: 10},
			{time: 1005, do: "frequency", core: 1, other: 7000},
			{time: 1010, do: "begin", tid: 10, name: "Choreographer#doFrame 191073"},
			{time: 1020, do: "enqueue", tid: 10, other: 77},
			{time: 1030, do: "switch", core: 0, tid: 10, other: 20},
			{time: 1040, do: "begin", tid: 20, name: "not read"},
			{time: 1050, do: "switch", core: 1, tid: 0, other: 10},
			{time: 1055, do: "end", tid: 10},
			{time: 1056, do: "end", tid: 10},
			{time: 1060, do: "switch", core: 1, tid: 10, other: 11},
			{time: 1070, do: "begin", tid: 11, name: "load https://example.com/a?b, 3 times"},
			{time: 1071, do: "dispatch", tid: 11, other: 77},
			{time: 1080, do: "count", tid: 10, name: "heap", other: 5},
			{time: 1080, do: "count", tid: 20, name: "not read", other: 5},
			{time: 1082, do: "ask", other: 1500},
			{time: 1085, do: "idle", core: 0, other: 2},
		},
		end: 1100,
	}
	const want = `track cpu0
track cpu1
track heap
0 signal 0 of track 0: thread 0, 0
5 signal 1 of track 1: thread -1, 7000
30 signal 0 of track 0: thread -1, 0
50 signal 0 of track 1: thread 0, 0
60 signal 0 of track 1: thread 1, 0
80 signal 4 of track 2: thread -1, 5
82 operation 0 on network, 1500 bytes
85 signal 2 of track 0: thread -1, 2
0 thread10: enter (app), ran 0
10 thread10: enter Choreographer#doFrame #, ran 10
20 thread10: enqueue , ran 10
55 thread10: exit Choreographer#doFrame #, ran 15
60 thread11: enter (app), ran 0
70 thread11: enter load <url>, # times, ran 10
71 thread11: dispatch , ran 1
100 thread10: exit (app), ran 5
100 thread11: exit load <url>, # times, ran 29
100 thread11: exit (app), ran 0
one-process: only com.mine (10) of 2 processes is read; --process chooses another
open-calls: 1 slice was still running when recording stopped; it is cut there
orphan-ends: 1 slice began before the recording; its name is unknown, and it is not read
`
	if got := scan(t, r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestChoice checks which process is chosen, or the error.
func TestChoice(t *testing.T) {
	two := func(one, other string) *run {
		return &run{
			threads: map[int64]int64{10: 10, 20: 20, 30: -1},
			names:   map[int64]string{10: one, 20: other},
			actions: []action{{time: 1, do: "begin", tid: 10, name: "a"}, {time: 2, do: "begin", tid: 20, name: "b"}, {time: 3, do: "begin", tid: 30, name: "c"}},
		}
	}
	for _, c := range []struct{ one, other, process, app, want string }{
		{one: "com.mine", other: "system_server", want: "com.mine one-process"},
		{one: "com.mine", other: "com.other", want: "com.mine several-apps"},
		{one: "com.mine", other: "com.other", app: "com.other", want: "com.other one-process"},
		{one: "com.android.systemui", other: "com.mine", app: "com.android.systemui", want: "com.android.systemui one-process"},
		{one: "ple.application", other: "com.mine", app: "com.example.application", want: "ple.application one-process"},
		{one: "com.mine", other: "system_server", process: "*", want: "com.mine system_server (no process stated)"},
		{one: "com.mine", other: "com.other", process: "10", want: "com.mine"},
		{one: "com.mine", other: "com.other", process: "*", want: "com.mine com.other (no process stated)"},
		{one: "com.mine", other: "com.other", process: "com.third", want: `no process "com.third"; the processes are com.mine (10), com.other (20)`},
		{one: "com.mine", other: "com.mine", process: "com.mine", want: `2 processes are named "com.mine": choose one by its number: com.mine (10), com.mine (20)`},
		{one: "com.android.systemui", other: "/system/bin/installd", want: "com.android.systemui /system/bin/installd (no process stated) all-processes"},
	} {
		r := two(c.one, c.other)
		r.options.Process, r.options.Apps = c.process, []string{c.app}
		tr, err := r.Scan(t.Context(), &tape{mute: true})
		var got []string
		if err != nil {
			got = append(got, err.Error())
		} else {
			for _, p := range tr.Processes {
				got = append(got, p.Name)
			}
			for _, w := range tr.Warnings {
				switch w.Code {
				case "one-process", "several-apps", "all-processes":
					got = append(got, w.Code)
				}
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s and %s, --process %q, app %q: %s; want %s", c.one, c.other, c.process, c.app, got, c.want)
		}
	}
}

// TestConservation checks that the calls of a thread together have the time for which cores ran it,
// and that each slice has the time during which it was innermost.
func TestConservation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := &run{options: ftrace.Options{Switches: true}, threads: map[int64]int64{1: 1, 2: 1, 3: 1}, names: map[int64]string{1: "com.mine"}}
		on := []int64{0, 0} // on has the thread that each core runs.
		now := int64(0)
		// stacks and ran are the oracle. stacks has the open slices of each thread, and ran has the
		// time of each slice, counted nanosecond by nanosecond.
		stacks := map[int64][]string{}
		ran := map[string]int64{}
		for range 300 {
			step := random.Int64N(20)
			for _, tid := range on {
				if tid > 0 {
					ran[fmt.Sprint(tid, stacks[tid])] += step
				}
			}
			now += step
			core, tid := random.IntN(2), 1+random.Int64N(3)
			switch random.IntN(3) {
			case 0:
				next := random.Int64N(4)
				if next > 0 && next == on[1-core] {
					next = 0
				}
				r.actions = append(r.actions, action{time: now, do: "switch", core: core, tid: on[core], other: next})
				on[core] = next
			case 1:
				name := string('a' + rune(random.IntN(3)))
				r.actions = append(r.actions, action{time: now, do: "begin", tid: tid, name: name})
				stacks[tid] = append(stacks[tid][:len(stacks[tid]):len(stacks[tid])], name)
			case 2:
				r.actions = append(r.actions, action{time: now, do: "end", tid: tid})
				stacks[tid] = stacks[tid][:max(0, len(stacks[tid])-1)]
			}
		}
		r.end = now
		if err := tracetest.Check(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		out := &tape{mute: true}
		tr, err := r.Scan(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		got, open := map[string]int64{}, map[trace.ThreadID][]string{}
		for _, e := range out.events {
			if stack := open[e.Thread]; len(stack) > 0 {
				got[fmt.Sprint(tr.Threads[e.Thread].ID, stack[1:])] += e.CPU
			} else if e.CPU > 0 {
				t.Fatalf("%d ns before the thread began", e.CPU)
			}
			if e.Kind == trace.Enter {
				open[e.Thread] = append(open[e.Thread], tr.Methods[e.Ref].Label())
			} else {
				open[e.Thread] = open[e.Thread][:len(open[e.Thread])-1]
			}
		}
		for stack, ns := range ran {
			if got[stack] != ns {
				t.Fatalf("%s ran %d ns, want %d", stack, got[stack], ns)
			}
			delete(got, stack)
		}
		for stack, ns := range got {
			if ns != 0 {
				t.Fatalf("%s ran %d ns, and did not run", stack, ns)
			}
		}
	}
}

// TestFaults checks the warnings about defects of a recording.
func TestFaults(t *testing.T) {
	r := &run{
		options: ftrace.Options{Origin: 100, Switches: true},
		threads: map[int64]int64{10: 10}, names: map[int64]string{10: "com.mine"},
		actions: []action{
			{time: 100, do: "switch", core: 0, tid: 0, other: 10},
			{time: 50, do: "begin", tid: 10, name: "early"},
			{time: 110, do: "switch", core: 0, tid: 99, other: 0},
			{time: 120, do: "switch", core: 0, tid: 0, other: 10},
			{time: 130, do: "switch", core: 1, tid: 0, other: 10}, // A thread cannot run on two cores.
			{time: 140, do: "switch", core: 0, tid: 10, other: 99},
			{time: 150, do: "switch", core: 0, tid: 99, other: 0},
			{time: 1 << 62, do: "begin", tid: 10, name: "late"},
			{time: -1 << 62, do: "end", tid: 10},
			{time: 160, do: "switch", core: 5000, tid: 0, other: 10},
		},
		end: 160,
	}
	got := scan(t, r)
	for _, want := range []string{
		"0 thread10: enter early, ran 0\n", "60 thread10: exit early, ran 10\n",
		"50 thread10: enter late, ran 40\n",
		"backward-clock: 2 events", "late-events: 1 event", "missing-switches: 2 switches", "unknown-cores: 1 event",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	deep := &run{threads: map[int64]int64{10: 10}}
	for i := range 5000 {
		deep.actions = append(deep.actions, action{time: int64(i), do: "begin", tid: 10, name: "a"})
	}
	for i := range 5000 {
		deep.actions = append(deep.actions, action{time: int64(5000 + i), do: "end", tid: 10})
	}
	if got := scan(t, deep); !strings.Contains(got, "deep-slices: 904 slices") || strings.Contains(got, "orphan") {
		t.Error(got[len(got)-300:])
	}
}

// TestAllocations checks that events do not allocate in steady state.
func TestAllocations(t *testing.T) {
	tasks := ftrace.NewTasks()
	tasks.Process(10, []byte("com.mine"))
	tasks.Thread(10, 10, []byte("main"))
	m, err := ftrace.New(tasks, tracetest.Discard{}, ftrace.Options{Switches: true})
	if err != nil {
		t.Fatal(err)
	}
	name, now := []byte("Choreographer#doFrame 1"), int64(0)
	if n := testing.AllocsPerRun(5000, func() {
		m.Switch(now, 0, 0, 10)
		m.Begin(now+1, 10, name)
		m.End(now+2, 10)
		m.Frequency(now+3, 0, 1e9)
		m.Counter(now+4, 10, name, now)
		m.Switch(now+5, 0, 10, 0)
		now += 10
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
