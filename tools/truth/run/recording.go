package run

import (
	"context"

	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A table numbers the methods in a recording.
type table struct {
	ids     map[name.Method]trace.MethodID
	methods []name.Method
}

func (r *Run) table() *table {
	t := &table{ids: make(map[name.Method]trace.MethodID)}
	r.Each(func(c, _ *Call) {
		if _, ok := t.ids[c.Method]; !ok {
			t.ids[c.Method] = trace.MethodID(len(t.methods))
			t.methods = append(t.methods, c.Method)
		}
	})
	return t
}

// Recording returns the run as a recording that states its energy. A call with a count above 1
// becomes several calls. The first of them makes all calls below it, and has the whole cost.
func (r *Run) Recording() trace.Recording { return &recording{r, r.table()} }

type recording struct {
	run   *Run
	table *table
}

// Scan implements [trace.Recording].
func (r *recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	out := &trace.Trace{
		Format: "truth", Methods: r.table.methods, Technique: trace.Instrumented, Calls: trace.CountedCalls,
		Energy: trace.Given, Accounts: []trace.Account{{Provenance: trace.Given}},
	}
	trace.Start(sink, out.Clock, out.Energy)
	for i, t := range r.run.Threads {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var events []trace.Event
		for _, c := range t.Calls {
			events = r.append(events, trace.ThreadID(i), c)
		}
		out.Threads = append(out.Threads, trace.Thread{ID: int64(i + 1), Name: t.Name, Events: int64(len(events))})
		out.Events += int64(len(events))
		if err := sink.Events(events); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// append adds the events of a call and of its subtree.
func (r *recording) append(events []trace.Event, thread trace.ThreadID, c *Call) []trace.Event {
	enter := trace.Event{Kind: trace.Enter, Thread: thread, Ref: trace.Ref(r.table.ids[c.Method])}
	exit := trace.Event{Kind: trace.Exit, Thread: thread, Ref: enter.Ref}
	events = append(events, enter)
	for _, kid := range c.Kids {
		events = r.append(events, thread, kid)
	}
	last := exit
	last.Energy = c.Cost // used since the previous event, while the call was innermost
	events = append(events, last)
	for range c.Count - 1 {
		events = append(events, enter, exit)
	}
	return events
}

// Locate returns the node of each call in the tree built from r's recording.
func (r *Run) Locate(tree *cct.Tree) map[*Call]int32 {
	type step struct {
		parent int32
		method trace.MethodID
	}
	kids := make(map[step]int32, len(tree.Nodes))
	for i := 1; i < len(tree.Nodes); i++ {
		kids[step{tree.Nodes[i].Parent, tree.Nodes[i].Method}] = int32(i)
	}
	ids := r.table().ids
	nodes := make(map[*Call]int32)
	r.Each(func(c, caller *Call) {
		at := int32(cct.Root)
		if caller != nil {
			at = nodes[caller]
		}
		method := ids[c.Method]
		// A recursive call is part of the nearest enclosing call of the same method.
		for up := at; up != cct.Root; up = tree.Nodes[up].Parent {
			if tree.Nodes[up].Method == method {
				nodes[c] = up
				return
			}
		}
		nodes[c] = kids[step{at, method}]
	})
	return nodes
}
