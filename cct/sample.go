package cct

import (
	"errors"
	"math"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Samples implements trace.Sink.
func (b *builder) Samples(batch []trace.Sample) error {
	for i := range batch {
		s := &batch[i]
		if s.Energy < 0 || s.CPU < 0 || s.Wall < 0 || s.Calls < 0 || s.Weight < 0 || s.Count < 0 {
			return errors.New("a sample holds a negative value")
		}
		th, err := b.thread(s.Thread)
		if err != nil {
			return err
		}
		at, err := b.innermost(th, s)
		if err != nil {
			return err
		}
		if _, ok := units.Add(b.energy, s.Energy); !ok || b.cpu+s.CPU < 0 || b.wall+s.Wall < 0 || b.weighed+s.Weight < 0 || b.sighted+s.Count < 0 {
			return errors.New("the sum of energy, of time or of weights over the run leaves 63 bits")
		}
		b.energy += s.Energy
		b.cpu += s.CPU
		b.wall += s.Wall
		b.weighed += s.Weight
		b.sighted += s.Count
		th.energy += s.Energy
		n := b.nodes.at(at)
		n.energy += s.Energy
		n.cpu += s.CPU
		n.wall += s.Wall
		if n.calls += uint32(s.Calls); s.Calls > math.MaxUint32 || n.calls < uint32(s.Calls) {
			return errors.New("a context has more than 2³² calls")
		}
		b.book(at, s.Thread, s.Account, s.Energy)
		add(&b.weight, at, s.Weight)
		add(&b.seen, at, s.Count)
	}
	return nil
}

// A walked is the result of walking a sample's stack: its innermost node, and the thread that
// it was last walked for.
type walked struct {
	node   int32
	thread trace.ThreadID
}

// innermost returns the node of a sample's innermost frame. A stack with an id is walked once,
// and again for each change of thread.
func (b *builder) innermost(th *thread, s *trace.Sample) (int32, error) {
	if s.ID < 0 {
		return 0, errors.New("a sample's stack has a negative number")
	}
	if known := at(b.stacks, int32(s.ID)); s.ID != trace.NoStack && known.node > 0 && known.thread == s.Thread {
		return known.node, nil
	}
	here := Root
	// As on a thread's deep stack, a new method needs no search for an ancestor.
	var met map[trace.MethodID]bool
	if len(s.Stack) > deep {
		met = make(map[trace.MethodID]bool, len(s.Stack))
	}
	for _, m := range s.Stack {
		target, err := b.callee(here, m, met == nil || met[m])
		if met != nil {
			met[m] = true
		}
		if err != nil {
			return 0, err
		}
		if here = target; target < 0 {
			here = ^target
		}
		n := b.nodes.at(here)
		n.threads = th.entered(n.threads, &b.sets)
	}
	if s.ID != trace.NoStack {
		b.stacks = reach(b.stacks, int32(s.ID))
		b.stacks[s.ID] = walked{here, s.Thread}
	}
	return here, nil
}
