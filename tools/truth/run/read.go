package run

import (
	"context"
	"errors"

	"github.com/diffprof/diffprof/code/platform"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Read returns the run in a recording of calls. The platform determines whose code a method is.
// Costs are processor time, or elapsed time if there is no thread clock, with one nanojoule per
// nanosecond. Exits of calls that began before the recording are left out. The outermost call
// includes its recursive calls, as in a calling-context tree.
func Read(ctx context.Context, rec trace.Recording, known *platform.Platform) (*Run, error) {
	b := &builder{threads: make(map[trace.ThreadID]*stack)}
	tr, err := rec.Scan(ctx, b)
	if err != nil {
		return nil, err
	}
	out := &Run{}
	for i, t := range tr.Threads {
		s := b.threads[trace.ThreadID(i)]
		if s == nil || len(s.top.kids) == 0 {
			continue
		}
		out.Threads = append(out.Threads, &Thread{t.Name, s.top.calls(tr, tr.Clock&trace.ThreadCPU != 0)})
	}
	out.Each(func(c, caller *Call) {
		switch known.Owner(c.Method) {
		case platform.App:
			c.App = true
		case platform.Caller:
			c.App = caller != nil && caller.App
		}
	})
	return out, nil
}

// A builder is the sink that keeps track of the stacks.
type builder struct{ threads map[trace.ThreadID]*stack }

type stack struct {
	top  *node
	open []*node // innermost last; a recursive call has the node of the outer call
	last int64   // time of the previous event
}

type node struct {
	method    trace.MethodID
	count     int64
	cpu, wall int64
	kids      []*node
	byMethod  map[trace.MethodID]*node
}

func (n *node) kid(m trace.MethodID) *node {
	if n.byMethod == nil {
		n.byMethod = make(map[trace.MethodID]*node)
	}
	k, ok := n.byMethod[m]
	if !ok {
		k = &node{method: m}
		n.byMethod[m] = k
		n.kids = append(n.kids, k)
	}
	return k
}

// calls converts the callees of n to calls.
func (n *node) calls(tr *trace.Trace, cpu bool) []*Call {
	var out []*Call
	for _, k := range n.kids {
		c := &Call{
			Method: tr.Methods[k.method].At("", 0), Cost: units.Energy(k.wall),
			Count: k.count, Kids: k.calls(tr, cpu),
		}
		if cpu {
			c.Cost = units.Energy(k.cpu)
		}
		out = append(out, c)
	}
	return out
}

// Events implements [trace.Sink].
func (b *builder) Events(batch []trace.Event) error {
	for _, e := range batch {
		s := b.threads[e.Thread]
		if s == nil {
			s = &stack{top: &node{}, last: e.Time}
			b.threads[e.Thread] = s
		}
		s.event(e)
	}
	return nil
}

func (s *stack) event(e trace.Event) {
	innermost := s.top
	if len(s.open) > 0 {
		innermost = s.open[len(s.open)-1]
	}
	innermost.cpu += e.CPU
	innermost.wall += e.Time - s.last
	s.last = e.Time
	switch e.Kind {
	case trace.Enter:
		method := trace.MethodID(e.Ref)
		for _, n := range s.open {
			if n.method == method {
				s.open = append(s.open, n)
				return
			}
		}
		k := innermost.kid(method)
		k.count++
		s.open = append(s.open, k)
	case trace.Exit:
		for i := len(s.open) - 1; i >= 0; i-- {
			if s.open[i].method == trace.MethodID(e.Ref) {
				s.open = s.open[:i]
				return
			}
		}
	}
}

// Samples implements [trace.Sink].
func (b *builder) Samples([]trace.Sample) error {
	return errors.New("truth is measured on recordings of calls, not of samples")
}
