package tracetest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A tape is a recording in memory. Scan number i gives runs[i]. After the last run, every scan
// gives the last run.
type tape struct {
	runs    [][]trace.Event
	samples []trace.Sample
	table   trace.Trace
	silent  bool // Scan does not call trace.Start.
	other   bool // The second scan gives another table.
	err     error
	names   trace.Names // Scan gives these to the sink, unless nil.
	scans   int
}

func (t *tape) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	if t.err != nil {
		return nil, t.err
	}
	if !t.silent {
		trace.Start(sink, t.table.Clock, t.table.Energy)
	}
	if t.names != nil {
		trace.GiveNames(sink, t.names)
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
	if t.other && t.scans > 1 {
		table.Format = "other"
	}
	return &table, nil
}

// sound returns a recording that keeps all laws.
func sound() *tape {
	return &tape{
		runs: [][]trace.Event{{
			{Kind: trace.Enter},
			{Kind: trace.Enqueue},
			{Kind: trace.Exit, Time: 7, CPU: 5},
		}},
		table: trace.Trace{
			Methods: []name.Method{{Name: "m"}},
			Threads: []trace.Thread{{Events: 3, CPU: 5, Wall: 7}, {}},
			Events:  3,
			Clock:   trace.ThreadCPU | trace.WallClock,
			Calls:   trace.CountedCalls,
			Flows:   1,
		},
	}
}

// skewed gives thread 1 an event at time 0, after all events of thread 0. It sets Skew to stated.
func (t *tape) skewed(stated time.Duration) {
	t.runs[0] = append(t.runs[0], trace.Event{Thread: 1})
	t.table.Events, t.table.Threads[1].Events, t.table.Skew = 4, 1, stated
}

// stacks gives thread 1 samples of the stacks [0], [0 0] and [0], with the given ids.
func (t *tape) stacks(ids ...trace.StackID) {
	for i, id := range ids {
		t.samples = append(t.samples, trace.Sample{Time: 7, ID: id, Stack: make([]trace.MethodID, 1+i%2), Thread: 1})
	}
	t.table.Events, t.table.Threads[1].Events = 6, 3
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*tape)
		want  string // part of the error, empty for none
	}{
		{"sound", func(*tape) {}, ""},
		{"sample", func(p *tape) {
			p.samples = []trace.Sample{{Time: 7, Stack: []trace.MethodID{0, 0}, CPU: 2, Thread: 1}}
			p.table.Events, p.table.Threads[1] = 4, trace.Thread{Events: 1, CPU: 2}
		}, ""},
		{"scan fails", func(p *tape) { p.err = errors.New("no disk") }, "no disk"},
		{"method out of range", func(p *tape) { p.table.Methods = nil }, "method 0 of 0"},
		{"negative method", func(p *tape) { p.runs[0][0].Ref = -1 }, "method -1"},
		{"flow out of range", func(p *tape) { p.table.Flows = 0 }, "flow 0 of 0"},
		{"negative flow", func(p *tape) { p.runs[0][1].Ref = -2 }, "flow -2"},
		{"thread out of range", func(p *tape) { p.runs[0][2].Thread = 2 }, "thread 2 of 2"},
		{"negative thread", func(p *tape) { p.runs[0][2].Thread = -1 }, "thread -1"},
		{"unknown kind", func(p *tape) { p.runs[0][0].Kind = 9 }, "kind 9"},
		{"backwards", func(p *tape) { p.runs[0][2].CPU = -5 }, "backwards"},
		{"moment backwards", func(p *tape) { p.runs[0][0].Time = 8 }, "time runs backwards in thread 0: 0 after 8"},
		{"negative moment", func(p *tape) { p.runs[0][0].Time = -1 }, "moment -1"},
		{"skew", func(p *tape) { p.skewed(6) }, "an event comes 7 ns after a later one, and the trace says 6 at most"},
		{"stated skew", func(p *tape) { p.skewed(7) }, ""},
		{"charge", func(p *tape) {
			p.runs[0][0] = trace.Event{Kind: trace.Mark}
			p.runs[0][1] = trace.Event{Kind: trace.Charge}
			p.table.Marks = 1
		}, ""},
		{"charge to nobody", func(p *tape) { p.runs[0][0] = trace.Event{Kind: trace.Charge, Ref: trace.NoRef} }, ""},
		{"charge before its mark", func(p *tape) {
			p.runs[0][0] = trace.Event{Kind: trace.Charge}
			p.runs[0][1] = trace.Event{Kind: trace.Mark}
			p.table.Marks = 1
		}, "a charge to 0 without an earlier mark"},
		{"mark out of range", func(p *tape) { p.runs[0][0] = trace.Event{Kind: trace.Mark} }, "mark 0 of 0"},
		{"negative mark", func(p *tape) { p.runs[0][0] = trace.Event{Kind: trace.Mark, Ref: -1} }, "mark -1"},
		{"account out of range", func(p *tape) { p.runs[0][0].Account = 1 }, "account 1 of 0"},
		{"first account", func(p *tape) { p.table.Accounts = []trace.Account{{Provenance: trace.Measured}} }, "the first account is measured"},
		{"process out of range", func(p *tape) { p.table.Threads[1].Process = 1 }, "thread 1 is of process 1 of 0"},
		{"timeline", func(p *tape) { p.table.Timeline = []trace.Reading{{Time: 2}, {Time: 1}} }, "reading 1 of the machine's clocks"},
		{"stacks", func(p *tape) { p.stacks(1, 2, 1) }, ""},
		{"one number for two stacks", func(p *tape) { p.stacks(1, 1, 1) }, "stack number 1 is [0] and [0 0]"},
		{"two numbers for one stack", func(p *tape) { p.stacks(1, 2, 3) }, "the stack [0] has the numbers 1 and 3"},
		{"stack numbers with gaps", func(p *tape) { p.stacks(1, 3, 1) }, "stack number 3 after 1 different ones"},
		{"lines", func(p *tape) { p.stacks(1, 2, 1); p.samples[1].Lines = []int32{7} }, "1 lines for 2 frames"},
		{"weight without unit", func(p *tape) { p.stacks(1, 2, 1); p.samples[1].Weight = 3 }, "weights without a unit"},
		{"position", func(p *tape) { p.stacks(1, 2, 1); p.samples[1].Lines = []int32{0, ^int32(7)} }, "position 7 of method 0 is not in its code"},
		{"negative weight", func(p *tape) { p.stacks(1, 2, 1); p.samples[1].Weight = -3 }, "weight -3"},
		{"another table", func(p *tape) { p.other = true }, "second scan returns a different trace"},
		{"time without a clock", func(p *tape) { p.table.Clock = trace.ThreadCPU }, "time 7 with clock thread-cpu"},
		{"energy without provenance", func(p *tape) { p.runs[0][0].Energy = 1 }, "energy 1"},
		{"not started", func(p *tape) { p.silent = true }, "not told the clocks"},
		{"thread time", func(p *tape) { p.table.Threads[0].CPU = 6 * time.Nanosecond }, "table says 3, 6 and 7"},
		{"count", func(p *tape) { p.table.Events = 4 }, "the trace says 4"},
		{"unlisted", func(p *tape) { p.table.Unlisted = 2 }, "not listed"},
		{"negative calls", func(p *tape) { p.samples = []trace.Sample{{Calls: -1}} }, "-1 calls"},
		{"enters without calls", func(p *tape) { p.table.Calls = trace.NoCalls }, "1 calls in a recording without"},
		{"samples with calls and without", func(p *tape) {
			p.stacks(1, 2, 1)
			p.samples[1].Calls = 2
			p.runs[0][0].Kind, p.table.Calls = trace.Exit, trace.NoCalls
		}, "2 calls in a recording without"},
		{"name", func(p *tape) {
			p.names = func(trace.MethodID) (name.Method, bool) { return name.Method{Name: "m"}, true }
		}, ""},
		{"name not known yet", func(p *tape) { p.names = func(trace.MethodID) (name.Method, bool) { return name.Method{}, false } }, ""},
		{"another name", func(p *tape) {
			p.names = func(trace.MethodID) (name.Method, bool) { return name.Method{Name: "n"}, true }
		},
			`method 0 was "n" as an event named it, and is "m" in the table`},
		{"another run", func(p *tape) {
			p.runs = append(p.runs, append([]trace.Event(nil), p.runs[0]...))
			p.runs[1][0].Kind = trace.Exit
		}, "second scan returns different events"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := sound()
			test.spoil(p)
			err := tracetest.Check(context.Background(), p)
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
