package otlp

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// batchSize is the number of samples in a batch.
const batchSize = 1 << 9

// A place is a call path: the parent's path, followed by a method.
type place struct {
	parent int32
	method trace.MethodID
}

// A sender sends spans as samples. The stack of a sample is the span's call path.
type sender struct {
	*decoder
	sink    trace.Sink
	signals trace.SignalSink
	// paths numbers the call paths. stacks has the frames of each path, outermost first. ids has
	// the stack id of each path that was sent.
	paths  map[place]int32
	stacks [][]trace.MethodID
	ids    []trace.StackID
	sent   trace.StackID
	batch  []trace.Sample
	// found has the triggers of methods. looked is set for methods whose trigger was looked up.
	found  []*trigger.Trigger
	looked []bool
	// holds has the components that are held until a span ends.
	holds holds
	next  int64
}

// A hold is an operation that releases a component at the end of a span.
type hold struct {
	end int64
	op  trace.Operation
}

// holds is a heap by end time. If several holds end at once, the one that began last is at the top.
type holds []hold

func (h holds) Len() int      { return len(h) }
func (h holds) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h holds) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].end, h[j].end), cmp.Compare(h[j].op.Handle, h[i].op.Handle)) < 0
}

// Push and Pop implement heap.Interface.
func (h *holds) Push(x any) { *h = append(*h, x.(hold)) }
func (h *holds) Pop() any {
	n := len(*h) - 1
	last := (*h)[n]
	*h = (*h)[:n]
	return last
}

// send sends the spans in the order of their starts.
func (d *decoder) send(ctx context.Context, sink trace.Sink) error {
	d.link()
	d.trace.Methods, d.trace.Warnings = d.names.Finish()
	known := func(id trace.MethodID) (name.Method, bool) { return d.trace.Methods[id], true }
	trace.GiveFirstNames(sink, known)
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	trace.GiveNames(sink, known)
	s := &sender{
		decoder: d, sink: sink, paths: make(map[place]int32), stacks: make([][]trace.MethodID, 1), ids: make([]trace.StackID, 1),
		found: make([]*trigger.Trigger, len(d.trace.Methods)), looked: make([]bool, len(d.trace.Methods)),
	}
	if d.triggers.HasSlices() {
		s.signals = trace.Signals(sink)
	}
	for i := range d.spans {
		if i%batchSize == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := s.span(i); err != nil {
			return err
		}
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.release(d.spans[len(d.spans)-1].end, true)
}

// link sorts the spans by begin, finds their parents, and adds up the time of children.
func (d *decoder) link() {
	order := make([]int32, len(d.spans))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.spans[a].begin, d.spans[b].begin), cmp.Compare(d.spans[b].end, d.spans[a].end))
	})
	at := make([]int32, len(order)) // at has the new index of each span.
	sorted := make([]span, len(order))
	for i, from := range order {
		at[from], sorted[i] = int32(i), d.spans[from]
	}
	for i, from := range order {
		parent := d.parents[from]
		if parent.span == "" || parent.span == zeros(parent.span) {
			continue
		}
		if p, ok := d.index[parent]; ok && p != from {
			sorted[i].parent = at[p]
		} else {
			d.orphans++
		}
	}
	d.spans, d.parents, d.index = sorted, nil, nil
	d.cut()
	for i := range d.spans {
		s := &d.spans[i]
		if s.parent == noParent {
			continue
		}
		p := &d.spans[s.parent]
		from, to := max(s.begin, p.begin, p.covered), min(s.end, p.end)
		if to > from {
			p.inner, p.covered = p.inner+to-from, to
		}
	}
}

// zeros returns as many zeros as id has digits. As a parent's id, zeros mean no
// parent.
func zeros(id string) string {
	const none = "0000000000000000"
	return none[:min(len(id), len(none))]
}

// cut removes the parent of a span whose path is too deep or has a cycle.
func (d *decoder) cut() {
	depth := make([]int32, len(d.spans)) // 0 is unknown.
	var path []int32
	for i := range d.spans {
		path = path[:0]
		at := int32(i)
		for at != noParent && depth[at] == 0 && len(path) <= deepest {
			depth[at] = -1 // The span is on the current path.
			path = append(path, at)
			at = d.spans[at].parent
		}
		level := int32(0)
		switch {
		case at != noParent && depth[at] > 0:
			level = depth[at]
		case at != noParent:
			// The parent of the last span is already on the path, or the path is too long.
			d.spans[path[len(path)-1]].parent = noParent
			d.deep++
		}
		for k := len(path) - 1; k >= 0; k-- {
			if level++; level > deepest {
				d.spans[path[k]].parent, level = noParent, 1
				d.deep++
			}
			depth[path[k]] = level
		}
	}
}

// path returns the number of a span's call path.
func (s *sender) path(i int32) int32 {
	var open []int32
	above := int32(0) // the empty path
	for ; i != noParent; i = s.spans[i].parent {
		if s.spans[i].path != 0 {
			above = s.spans[i].path
			break
		}
		open = append(open, i)
	}
	for _, at := range slices.Backward(open) {
		p := place{above, s.spans[at].method}
		id, ok := s.paths[p]
		if !ok {
			id = int32(len(s.stacks))
			s.paths[p] = id
			s.stacks = append(s.stacks, append(slices.Clip(s.stacks[above]), p.method))
			s.ids = append(s.ids, trace.NoStack)
		}
		s.spans[at].path, above = id, id
	}
	return above
}

// span sends a span as a sample, and its operation if it has one.
func (s *sender) span(i int) error {
	x := &s.spans[i]
	path := s.path(int32(i))
	if s.ids[path] == trace.NoStack {
		s.sent++
		s.ids[path] = s.sent
	}
	id := s.ids[path]
	at := x.begin - s.spans[0].begin
	if err := s.release(x.begin, false); err != nil {
		return err
	}
	s.batch = append(s.batch, trace.Sample{
		Time: at, Thread: x.service, ID: id, Stack: s.stacks[path], Wall: x.end - x.begin - x.inner, Activity: trace.Unrecorded, Calls: 1,
	})
	th := &s.trace.Threads[x.service]
	th.Events++
	self := time.Duration(x.end - x.begin - x.inner)
	if s.whole += self; s.whole < 0 {
		return located(-1, errors.New("the spans last more than 292 years together: their times are damaged"))
	}
	th.Wall += self
	s.trace.Events++
	g := s.trigger(x.method)
	if g == nil {
		if len(s.batch) == batchSize {
			return s.flush()
		}
		return nil
	}
	if err := s.flush(); err != nil { // The operation refers to the span's stack, which must be sent first.
		return err
	}
	o := trace.Operation{Time: at, Duration: x.end - x.begin, Thread: x.service, Mark: trace.NoRef, Stack: id, Verb: g.Verb, Component: g.Component, Name: s.trace.Threads[x.service].Name}
	switch {
	case g.Holds():
		s.next++
		o.Handle, o.Duration = s.next, 0
		end := hold{x.end, o}
		end.op.Verb, end.op.Time = g.Verb.Ending(), x.end-s.spans[0].begin
		heap.Push(&s.holds, end)
	case g.Verb == trace.OpSend || g.Verb == trace.OpWrite:
		o.Bytes = x.sent
	default:
		o.Bytes = x.received
	}
	o.Whole = g.Moves() && o.Bytes == 0
	return s.signals.Operations([]trace.Operation{o})
}

// trigger returns the trigger for a span's name, or nil.
func (s *sender) trigger(m trace.MethodID) *trigger.Trigger {
	if s.signals == nil {
		return nil
	}
	if !s.looked[m] {
		s.found[m], s.looked[m] = s.triggers.Slice(s.trace.Methods[m].Name), true
	}
	return s.found[m]
}

// release ends the holds that end at moment or earlier. If all is set, it ends all holds.
func (s *sender) release(moment int64, all bool) error {
	for len(s.holds) > 0 && (all || s.holds[0].end <= moment) {
		next := heap.Pop(&s.holds).(hold)
		if err := s.signals.Operations([]trace.Operation{next.op}); err != nil {
			return err
		}
	}
	return nil
}

// flush sends the batch.
func (s *sender) flush() error {
	if len(s.batch) == 0 {
		return nil
	}
	err := s.sink.Samples(s.batch)
	clear(s.batch)
	s.batch = s.batch[:0]
	return err
}
