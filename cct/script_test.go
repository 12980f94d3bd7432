package cct_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A script is a recording written as text: a lower-case letter enters the method
// of that name and its capital exits it, a digit spends that many nanojoules (and
// as many nanoseconds of each clock), '|' goes on with the next thread, '<' hands
// work over and '>' takes up the latest hand-over.
type script string

func (s script) Scan(_ context.Context, sink trace.Sink) (*trace.Trace, error) {
	tr := &trace.Trace{Format: "script", Threads: []trace.Thread{{}}}
	for c := 'a'; c <= 'z'; c++ {
		tr.Methods = append(tr.Methods, name.OfClass("p.C", string(c), ""))
	}
	var now, spent int64
	flows := 0
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
	tr.Flows = flows
	return tr, sink.Events(batch)
}

// build is cct.Build for scripts that it must take.
func build(s string) (*cct.Tree, []trace.Warning) {
	tree, tr, err := cct.Build(context.Background(), script(s), cct.Limits{})
	if err != nil {
		panic(fmt.Sprintf("Build(%q): %v", s, err))
	}
	return tree, tr.Warnings
}

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
		fmt.Fprintf(&b, "%s:%d", name, n.Exclusive)
		if i != cct.Root {
			fmt.Fprintf(&b, "×%d", n.Calls)
		}
		if n.Recursive > 0 {
			fmt.Fprintf(&b, "+%d", n.Recursive)
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
