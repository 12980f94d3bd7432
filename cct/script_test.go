package cct_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A script is a recording written as text. A lower-case letter enters the method of that name, and
// its capital exits it. A digit spends that many nanojoules, and as many nanoseconds of each clock.
// '|' switches to the next thread. '<' enqueues work, and '>' dispatches the latest hand-over. '!'
// marks the innermost call under a new ref, and '@' under ref 0. '$' charges the spent energy to
// the latest new ref, '%' to ref 0, and '&' to no call.
type script string

func (s script) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Format: "script", Threads: []trace.Thread{{}}}
	for c := 'a'; c <= 'z'; c++ {
		tr.Methods = append(tr.Methods, name.OfClass("p.C", string(c), ""))
	}
	var now, spent int64
	flows, marks := 0, 0
	var batch []trace.Event
	for _, c := range string(s) {
		e := trace.Event{Thread: trace.ThreadID(len(tr.Threads) - 1)}
		switch {
		case c >= '0' && c <= '9':
			spent += int64(c - '0')
			continue
		case c >= 'a' && c <= 'z':
			e.Kind, e.Ref = trace.Enter, trace.Ref(c-'a')
		case c >= 'A' && c <= 'Z':
			e.Kind, e.Ref = trace.Exit, trace.Ref(c-'A')
		case c == '<':
			e.Kind, e.Ref = trace.Enqueue, trace.Ref(flows)
			flows++
		case c == '>':
			e.Kind, e.Ref = trace.Dispatch, trace.Ref(flows-1)
			if flows == 0 {
				continue
			}
		case c == '!':
			e.Kind, e.Ref = trace.Mark, trace.Ref(marks)
			marks++
		case c == '@':
			e.Kind, marks = trace.Mark, max(marks, 1)
		case c == '$':
			e.Kind, e.Ref = trace.Charge, trace.Ref(marks-1)
		case c == '%':
			e.Kind = trace.Charge
		case c == '&':
			e.Kind, e.Ref = trace.Charge, trace.NoRef
		case c == '|':
			tr.Threads = append(tr.Threads, trace.Thread{})
			spent = 0
			continue
		default:
			continue
		}
		now += spent
		e.Time, e.CPU, e.Energy = now, spent, units.Energy(spent)
		spent = 0
		batch = append(batch, e)
		tr.Events++
	}
	tr.Flows, tr.Marks = flows, marks
	return tr, sink.Events(batch)
}

// events is a recording of two threads and the methods p.C.a to p.C.z, with processor time, two
// accounts, and no gaps between threads.
type events []trace.Event

func (e events) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr, err := script("").Scan(context.Background(), sink)
	if err != nil {
		return nil, err
	}
	tr.Clock, tr.Energy, tr.Calls, tr.Marks = trace.ThreadCPU|trace.WallClock, trace.Measured, trace.CountedCalls, 1
	tr.Accounts = []trace.Account{{Component: "cpu", Provenance: trace.Measured}, {Component: "radio", Part: trace.Tail, Provenance: trace.Measured}}
	tr.Threads = make([]trace.Thread, 2)
	trace.Start(sink, tr.Clock, tr.Energy)
	first := make(map[trace.ThreadID]int64)
	for _, ev := range e {
		if _, met := first[ev.Thread]; !met {
			first[ev.Thread] = ev.Time
		}
		th := &tr.Threads[ev.Thread]
		th.Events++
		th.CPU += time.Duration(ev.CPU)
		th.Wall = time.Duration(ev.Time - first[ev.Thread])
	}
	tr.Events = int64(len(e))
	return tr, sink.Events(slices.Clone(e))
}

// build is cct.Build for valid scripts.
func build(s string) (*cct.Tree, []trace.Warning) {
	tree, tr, err := cct.Build(context.Background(), script(s), cct.Limits{})
	if err != nil {
		panic(fmt.Sprintf("Build(%q): %v", s, err))
	}
	return tree, tr.Warnings
}

// pathOf returns the path of a node without the root, as the oracle writes it.
func pathOf(t *cct.Tree, i int32) string { return strings.Join(t.Path(i)[1:], " ") }

// render prints a tree on one line: name:exclusive×calls+recursive(children).
func render(t *cct.Tree) string {
	var b strings.Builder
	var walk func(i int32)
	walk = func(i int32) {
		n := t.Nodes[i]
		name := "root"
		if n.Method != cct.NoMethod {
			name = t.Methods[n.Method].Name
		}
		fmt.Fprintf(&b, "%s:%d", name, t.Energy.Self(i))
		if i != cct.Root {
			fmt.Fprintf(&b, "×%d", t.Calls.Self(i))
		}
		if recursive := t.Recursive.Self(i); recursive > 0 {
			fmt.Fprintf(&b, "+%d", recursive)
		}
		if n.End > i+1 {
			b.WriteByte('(')
			for c := i + 1; c < n.End; c = t.Nodes[c].End {
				if c > i+1 {
					b.WriteByte(' ')
				}
				walk(c)
			}
			b.WriteByte(')')
		}
	}
	walk(cct.Root)
	return b.String()
}
