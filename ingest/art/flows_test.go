package art_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/art"
	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/tools/artwrite"
	"github.com/diffprof/diffprof/trace"
)

// script formats events and hand-overs, one line per thread. + enters a method, and - exits it. >n
// enqueues flow n, and <n dispatches it. A number is the wall time in microseconds since the
// thread's previous event.
func script(tr *trace.Trace, events []trace.Event) string {
	lines := make([]strings.Builder, len(tr.Threads))
	last := make(map[trace.ThreadID]int64)
	for _, e := range events {
		b := &lines[e.Thread]
		if _, met := last[e.Thread]; !met {
			last[e.Thread] = e.Time
		}
		if wall := e.Time - last[e.Thread]; wall+e.CPU > 0 {
			fmt.Fprintf(b, " %d", max(wall, e.CPU)/1000)
		}
		last[e.Thread] = e.Time
		switch e.Kind {
		case trace.Enter:
			b.WriteString(" +" + tr.Methods[e.Ref].Name)
		case trace.Exit:
			b.WriteString(" -" + tr.Methods[e.Ref].Name)
		case trace.Enqueue:
			fmt.Fprintf(b, " >%d", e.Ref)
		default:
			fmt.Fprintf(b, " <%d", e.Ref)
		}
	}
	var out []string
	for i := range lines {
		out = append(out, fmt.Sprintf("%d:%s", tr.Threads[i].ID, lines[i].String()))
	}
	return strings.Join(out, "\n")
}

// click is a run of two threads. Thread 2 posts work in method p, and thread 1 carries it out in r.
func click() *artwrite.Trace {
	us := time.Microsecond
	return &artwrite.Trace{
		Threads: []artwrite.Thread{{ID: 1, Name: "main"}, {ID: 2, Name: "worker"}},
		Methods: []name.Method{name.OfClass("a", "p", ""), name.OfClass("a", "r", "")},
		Events: slices.Values([]artwrite.Event{
			{Thread: 1, Method: 0, CPU: 10 * us, Wall: 10 * us},
			{Thread: 1, Method: 0, Action: artwrite.Exit, CPU: 20 * us, Wall: 20 * us},
			{Thread: 0, Method: 1, CPU: 30 * us, Wall: 30 * us},
			{Thread: 0, Method: 1, Action: artwrite.Exit, CPU: 40 * us, Wall: 40 * us},
		}),
	}
}

func TestFlows(t *testing.T) {
	tests := []struct{ name, flows, want, warning string }{
		{"none", "", "1: +r 10 -r\n2: +p 10 -p", ""},
		{"one", "enqueue 2 15 a\ndispatch 1 30 a # run\n", "1: +r <0 10 -r\n2: +p >0 10 -p", ""},
		{"any order", "dispatch 1 30 a\n\nenqueue 2 15 a\n", "1: +r <0 10 -r\n2: +p >0 10 -p", ""},
		{"two dispatches of one enqueue", "enqueue 2 10 a\ndispatch 1 30 a\ndispatch 1 40 a", "1: +r <0 10 -r <0\n2: +p >0 10 -p", ""},
		{"nearest enqueue wins", "enqueue 2 11 a\nenqueue 2 15 b\nenqueue 2 16 a\ndispatch 1 31 a\ndispatch 1 32 b",
			"1: +r <1 <0 10 -r\n2: +p >0 >1 10 -p", ""},
		{"same time", "dispatch 1 30 a\nenqueue 2 30 a", "1: +r <0 10 -r\n2: +p 10 -p >0", ""},
		{"before the first event and after the last", "enqueue 1 1 a\ndispatch 2 99 a", "1: >0 +r 10 -r\n2: +p 10 -p <0", ""},
		{"orphan", "enqueue 2 50 a\ndispatch 1 30 a\ndispatch 1 30 b", "1: +r 10 -r\n2: +p 10 -p",
			"unresolved-flows: 2 dispatches in the flows file without an earlier enqueue"},
		{"thread without events", "enqueue 9 15 a\ndispatch 1 30 a", "1: +r <0 10 -r\n2: +p 10 -p",
			"unplaced-flows: 1 hand-over in the flows file on threads without events"},
	}
	for _, clock := range []trace.Clock{dual, trace.WallClock, trace.ThreadCPU} {
		for _, version := range []int{3, 4} {
			data := write(t, click(), artwrite.Form{Version: version, Clock: clock})
			for _, test := range tests {
				t.Run(fmt.Sprintf("v%d-%v/%s", version, clock, test.name), func(t *testing.T) {
					handOvers, err := flows.Read(strings.NewReader(test.flows))
					if err != nil {
						t.Fatal(err)
					}
					tr, events := decode(t, data, art.Options{Flows: handOvers, Clock: clock})
					slices.SortFunc(tr.Threads, func(a, b trace.Thread) int { return int(a.ID - b.ID) })
					if got := script(tr, events); got != test.want {
						t.Errorf("got\n%s\nwant\n%s", got, test.want)
					}
					warning := ""
					if len(tr.Warnings) > 0 {
						warning = tr.Warnings[0].Code + ": " + tr.Warnings[0].Message
					}
					if warning != test.warning {
						t.Errorf("warning %q, want %q", warning, test.warning)
					}
				})
			}
		}
	}
}

// TestFlowsKeepTimes checks that hand-overs do not change the times of events, even if the
// hand-overs fill several batches.
func TestFlowsKeepTimes(t *testing.T) {
	run := calls(4, 6000)
	data := write(t, run, artwrite.Form{Version: 3})
	var b strings.Builder
	for i, e := range slices.Collect(run.Events) {
		verb := [...]string{"enqueue", "dispatch"}[i%2]
		fmt.Fprintf(&b, "%s %d %d h%d\n", verb, run.Threads[e.Thread].ID, e.Wall.Microseconds()-int64(i%3), i/2%50)
	}
	handOvers, err := flows.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	plain, events := decode(t, data, art.Options{})
	woven, more := decode(t, data, art.Options{Flows: handOvers})
	if woven.CPU() != plain.CPU() || woven.Flows == 0 || len(more) <= len(events) {
		t.Errorf("%v of processor time, %d flows, %d events", woven.CPU(), woven.Flows, len(more))
	}
	rest := slices.DeleteFunc(more, func(e trace.Event) bool { return e.Kind >= trace.Enqueue })
	if !slices.Equal(rest, events) {
		t.Error("the other events changed")
	}
}

// FuzzFlows checks the numbers of flows. Each flow is enqueued at most once, and its number is
// below Trace.Flows.
func FuzzFlows(f *testing.F) {
	f.Add("enqueue 2 15 a\ndispatch 1 30 a\n")
	f.Add("dispatch 1 30 a # x\nenqueue 2 30 a\nenqueue 2 30 a\ndispatch 2 30 a")
	f.Add("enqueue 9 1 a\ndispatch 2 9223372036854775 a")
	data := write(f, click(), artwrite.Form{Version: 3})
	f.Fuzz(func(t *testing.T, text string) {
		handOvers, err := flows.Read(strings.NewReader(text))
		if err != nil {
			var s *syntax.Error
			if !errors.As(err, &s) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		_, events := decode(t, data, art.Options{Flows: handOvers})
		enqueued := make(map[trace.Ref]bool)
		for _, e := range events {
			if e.Kind == trace.Enqueue {
				if enqueued[e.Ref] {
					t.Errorf("flow %d is enqueued twice", e.Ref)
				}
				enqueued[e.Ref] = true
			}
		}
	})
}
