package trace_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
)

// A tape is a recording in memory. Each scan takes the next of its runs, the last
// for ever.
type tape struct {
	runs    [][]trace.Event
	samples []trace.Sample
	table   trace.Trace
	silent  bool // does not call trace.Start
	err     error
	scans   int
}

func (t *tape) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	if t.err != nil {
		return nil, t.err
	}
	if !t.silent {
		trace.Start(sink, t.table.Clock, t.table.Energy)
	}
	run := t.runs[min(t.scans, len(t.runs)-1)]
	t.scans++
	if err := sink.Events(append([]trace.Event(nil), run...)); err != nil {
		return nil, err
	}
	if err := sink.Samples(t.samples); err != nil {
		return nil, err
	}
	table := t.table
	return &table, nil
}

// sound returns a recording that keeps all laws.
func sound() *tape {
	return &tape{
		runs: [][]trace.Event{{
			{Kind: trace.Enter},
			{Kind: trace.Enqueue},
			{Kind: trace.Exit, CPU: 5, Wall: 7},
		}},
		table: trace.Trace{
			Methods: []name.Method{{Name: "m"}},
			Threads: []trace.Thread{{Events: 3, CPU: 5, Wall: 7}, {}},
			Events:  3,
			Clock:   trace.ThreadCPU | trace.WallClock,
			Flows:   1,
		},
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*tape)
		want  string // part of the error, empty for none
	}{
		{"sound", func(*tape) {}, ""},
		{"sample", func(p *tape) {
			p.samples = []trace.Sample{{Stack: []trace.MethodID{0, 0}, CPU: 2, Thread: 1}}
			p.table.Events, p.table.Threads[1] = 4, trace.Thread{Events: 1, CPU: 2}
		}, ""},
		{"scan fails", func(p *tape) { p.err = errors.New("no disk") }, "no disk"},
		{"method out of range", func(p *tape) { p.table.Methods = nil }, "method 0 of 0"},
		{"negative method", func(p *tape) { p.runs[0][0].Method = -1 }, "method -1"},
		{"flow out of range", func(p *tape) { p.table.Flows = 0 }, "flow 0 of 0"},
		{"negative flow", func(p *tape) { p.runs[0][1].Method = -2 }, "flow -2"},
		{"thread out of range", func(p *tape) { p.runs[0][2].Thread = 2 }, "thread 2 of 2"},
		{"negative thread", func(p *tape) { p.runs[0][2].Thread = -1 }, "thread -1"},
		{"unknown kind", func(p *tape) { p.runs[0][0].Kind = 9 }, "kind 9"},
		{"backwards", func(p *tape) { p.runs[0][2].CPU = -5 }, "backwards"},
		{"time without a clock", func(p *tape) { p.table.Clock = trace.ThreadCPU }, "clock thread-cpu"},
		{"energy without provenance", func(p *tape) { p.runs[0][0].Energy = 1 }, "energy 1"},
		{"not started", func(p *tape) { p.silent = true }, "not told the clocks"},
		{"thread time", func(p *tape) { p.table.Threads[0].CPU = 6 * time.Nanosecond }, "table says 3, 6 and 7"},
		{"count", func(p *tape) { p.table.Events = 4 }, "the trace says 4"},
		{"unlisted", func(p *tape) { p.table.Unlisted = 2 }, "not listed"},
		{"negative calls", func(p *tape) { p.samples = []trace.Sample{{Calls: -1}} }, "-1 calls"},
		{"another run", func(p *tape) {
			p.runs = append(p.runs, append([]trace.Event(nil), p.runs[0]...))
			p.runs[1][0].Kind = trace.Exit
		}, "second scan gives other events"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := sound()
			test.spoil(p)
			err := trace.Check(context.Background(), p)
			switch {
			case test.want == "" && err != nil:
				t.Fatalf("Check: %v", err)
			case test.want != "" && err == nil:
				t.Fatalf("Check finds nothing, want %q", test.want)
			case test.want != "" && !strings.Contains(err.Error(), test.want):
				t.Fatalf("Check: %v, want %q", err, test.want)
			}
		})
	}
}
