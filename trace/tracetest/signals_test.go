package tracetest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// A script is a recording whose scan makes the given sequence of calls of its sink.
type script struct {
	steps []any
	// unasked is set for a recording that never calls trace.Signals.
	unasked bool
	table   trace.Trace
}

// until is the step of a promise.
type until int64

func (s *script) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	trace.Start(sink, s.table.Clock, s.table.Energy)
	var to trace.SignalSink
	if !s.unasked {
		to = trace.Signals(sink)
	}
	for _, step := range s.steps {
		var err error
		switch step := step.(type) {
		case trace.Event:
			err = sink.Events([]trace.Event{step})
		case trace.Sample:
			err = sink.Samples([]trace.Sample{step})
		default:
			if to != nil {
				err = signal(to, step)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	table := s.table
	return &table, nil
}

func signal(to trace.SignalSink, step any) error {
	switch step := step.(type) {
	case trace.Track:
		return to.Track(step)
	case trace.Signal:
		return to.Signals([]trace.Signal{step})
	case trace.Operation:
		return to.Operations([]trace.Operation{step})
	case until:
		return to.Until(int64(step))
	}
	return nil
}

// The indices of the steps that radio returns.
const (
	defineCore = iota
	defineRail
	switchOn
	enter
	mark
	send
	sample
	read
	promise
	drain
	drainMore
	sleep
	exit
)

// radio is a phone that sends. A thread starts to run on a core, a marked call sends, a sampled
// call reads, a rail uses energy, and the phone goes to sleep.
func radio() *script {
	core := trace.Track{Name: "cpu0", Component: "cpu", Core: 0, UID: -1}
	rail := trace.Track{Name: "S2M_VDD_WIFI", Component: "wifi", Core: -1, UID: -1, Resolution: 1000}
	return &script{
		steps: []any{
			defineCore: core,
			defineRail: rail,
			switchOn:   trace.Signal{Time: 10, Track: 0, Thread: 0, Kind: trace.Switch},
			enter:      trace.Event{Time: 12, Kind: trace.Enter},
			mark:       trace.Event{Time: 13, Kind: trace.Mark},
			send:       trace.Operation{Time: 13, Duration: 5, Verb: trace.OpSend, Component: "wifi", Bytes: 1500, Handle: 7},
			sample:     trace.Sample{Time: 11, Thread: 1, ID: 1, Stack: []trace.MethodID{0}},
			read:       trace.Operation{Time: 14, Thread: 1, Mark: trace.NoRef, Stack: 1, Verb: trace.OpRead, Component: "disk", Name: "/data/feed"},
			promise:    until(15),
			drain:      trace.Signal{Time: 15, Track: 1, Value: 3000, Thread: trace.NoThread, Kind: trace.Drain},
			drainMore:  trace.Signal{Time: 20, Track: 1, Value: 5000, Thread: trace.NoThread, Kind: trace.Drain},
			sleep:      trace.Signal{Time: 30, Track: 0, Value: 1, Thread: trace.NoThread, Kind: trace.Suspend},
			exit:       trace.Event{Time: 31, Kind: trace.Exit},
		},
		table: trace.Trace{
			Methods: []name.Method{{Name: "m"}},
			Threads: []trace.Thread{{Events: 3, Wall: 19}, {Events: 1}},
			Tracks:  []trace.Track{core, rail},
			Events:  4,
			Clock:   trace.WallClock,
			Calls:   trace.CountedCalls,
			Skew:    2,
			Marks:   1,
		},
	}
}

func TestCheckSignals(t *testing.T) {
	drained := func(time, value int64) trace.Signal {
		return trace.Signal{Time: time, Track: 1, Value: value, Thread: trace.NoThread, Kind: trace.Drain}
	}
	sent := func(change func(*trace.Operation)) func(*script) {
		return func(s *script) {
			o := s.steps[send].(trace.Operation)
			change(&o)
			s.steps[send] = o
		}
	}
	tests := []struct {
		name  string
		spoil func(*script)
		want  string // part of the error, empty for none
	}{
		{"sound", func(*script) {}, ""},
		{"track not defined", func(s *script) { s.steps[defineRail] = nil }, "a signal of track 1, which is not defined yet"},
		{"track that the table lacks", func(s *script) { s.table.Tracks = s.table.Tracks[:1] }, "2 tracks were defined"},
		{"core", func(s *script) { s.steps[defineRail] = trace.Track{Core: -2} }, "track 1 has core -2"},
		{"order of signals", func(s *script) { s.steps[drainMore] = drained(15, 5000); s.steps[drain] = drained(16, 3000) }, "out of order: 15 after 16"},
		{"order of signals and operations", func(s *script) {
			s.steps[switchOn], s.steps[defineRail] = s.steps[defineRail], s.steps[switchOn]
			s.steps[enter] = trace.Signal{Time: 14, Thread: trace.NoThread, Kind: trace.Switch}
			s.steps[mark] = trace.Event{Time: 13, Kind: trace.Mark}
		}, "out of order: 13 after 14"},
		{"drain that falls", func(s *script) { s.steps[drainMore] = drained(20, 2999) }, "value 2999, not 3000"},
		{"unknown kind", func(s *script) { s.steps[drain] = trace.Signal{Time: 15, Thread: trace.NoThread, Kind: 77} }, "signal of kind 77"},
		{"suspend", func(s *script) {
			s.steps[sleep] = trace.Signal{Time: 30, Value: 2, Thread: trace.NoThread, Kind: trace.Suspend}
		}, "value 2, not 0 to 1"},
		{"thread of a gauge", func(s *script) { s.steps[drain] = trace.Signal{Time: 15, Kind: trace.Gauge} }, "has thread 0"},
		{"thread out of range", func(s *script) { s.steps[switchOn] = trace.Signal{Time: 10, Thread: 2, Kind: trace.Switch} }, "thread 2 of 2"},
		{"promise that goes back", func(s *script) { s.steps[drain] = until(14) }, "the promise of 14 follows the promise of 15"},
		{"promise broken by a signal", func(s *script) { s.steps[drain] = drained(14, 3000) }, "moment 14 comes after the promise that nothing is older than 15"},
		{"promise broken by an event", func(s *script) {
			s.steps[promise] = until(32)
			s.steps[drain], s.steps[drainMore], s.steps[sleep] = nil, nil, nil
		}, "moment 31 comes after"},
		{"promise broken by a sample", func(s *script) {
			s.steps[sample], s.steps[promise], s.steps[read] = s.steps[promise], s.steps[sample], nil
		}, "moment 11 comes after"},
		{"mark not made", func(s *script) { s.steps[mark], s.steps[send] = s.steps[send], s.steps[mark] }, "an operation of mark 0, which was not made yet"},
		{"stack not seen", func(s *script) { s.steps[sample], s.steps[read] = s.steps[read], s.steps[sample] }, "stack number 1, which was not seen yet"},
		{"mark and stack", func(s *script) {
			o := s.steps[read].(trace.Operation)
			o.Mark = 0
			s.steps[read] = o
		}, "both mark 0 and stack number 1"},
		{"component", sent(func(o *trace.Operation) { o.Component = "" }), "without a component"},
		{"duration", sent(func(o *trace.Operation) { o.Duration = -1 }), "takes -1 ns"},
		{"bytes", sent(func(o *trace.Operation) { o.Bytes = -1 }), "moves -1 bytes"},
		{"verb", sent(func(o *trace.Operation) { o.Verb = 10 }), "verb 10"},
		{"operation of an unknown thread", sent(func(o *trace.Operation) { o.Thread = 5 }), "thread 5 of 2"},
		{"clock", func(s *script) { s.table.Clock = trace.ThreadCPU }, "with clock thread-cpu"},
		{"nobody asks", func(s *script) { s.unasked, s.table.Tracks = true, nil }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := radio()
			test.spoil(s)
			err := tracetest.Check(t.Context(), s)
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
