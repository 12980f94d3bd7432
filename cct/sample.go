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
		at, caller, err := b.innermost(th, s)
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
		if s.Calls != 0 && b.nodes.at(at).parent != caller {
			b.recursions.count(at, caller, 0, s.Calls)
		}
		n := b.nodes.at(at)
		n.energy += s.Energy
		n.cpu += s.CPU
		n.wall += s.Wall
		if n.calls += uint32(s.Calls); s.Calls > math.MaxUint32 || n.calls < uint32(s.Calls) {
			return errors.New("a context has more than 2³² calls")
		}
		b.addEnergy(at, s.Thread, s.Account, s.Energy)
		add(&b.weight, at, s.Weight)
		add(&b.seen, at, s.Count)
	}
	return nil
}

// A stackPosition is the cached position of a sampled stack in the tree: the nodes of its innermost
// frame and of that frame's caller, and the thread of the last sample.
type stackPosition struct {
	node, caller int32
	thread       trace.ThreadID
}

// innermost returns the nodes of a sample's innermost frame and of its caller. caller is -1 for a
// stack of one frame. A stack with an id is looked up once, and again whenever its thread changes.
func (b *builder) innermost(th *thread, s *trace.Sample) (node, caller int32, err error) {
	if s.ID < 0 {
		return 0, 0, errors.New("a sample's stack has a negative number")
	}
	if known := at(b.stacks, int32(s.ID)); s.ID != trace.NoStack && known.node > 0 && known.thread == s.Thread {
		return known.node, known.caller, nil
	}
	here, from := Root, 0
	caller = -1
	// A deep stack often shares most frames with the previous one, so deepStack keeps their nodes.
	// It also counts the methods on the stack, which saves searching the ancestors of a new method.
	var latest *deepStack
	if len(s.Stack) > minDeep {
		latest = &b.deepest
		from = latest.share(s)
		if from > 0 {
			here = latest.nodes[from-1]
		}
		if from == len(s.Stack) {
			caller = latest.nodes[from-2]
		}
	}
	for _, m := range s.Stack[from:] {
		caller = here
		target, err := b.callee(here, m, latest == nil || latest.has(m))
		if err != nil {
			return 0, 0, err
		}
		if here = target; target < 0 {
			here = ^target
		}
		n := b.nodes.at(here)
		n.threads = th.entered(n.threads, &b.sets)
		if latest != nil {
			latest.push(m, here)
		}
	}
	if s.ID != trace.NoStack {
		b.stacks = grow(b.stacks, int32(s.ID))
		b.stacks[s.ID] = stackPosition{here, caller, s.Thread}
	}
	return here, caller, nil
}

// A deepStack is the latest deep stack of samples. It is not valid after an error, which ends the
// scan.
type deepStack struct {
	thread  trace.ThreadID
	methods []trace.MethodID
	// nodes are the nodes of the frames. met counts the frames of each method with an id below
	// maxThreadDepths.
	nodes        []int32
	threadDepths []int32
}

// maxThreadDepths limits the memory of deepStack.threadDepths.
const maxThreadDepths = 1 << 24

// has reports whether a frame has method m. It always returns true for ids of maxThreadDepths or
// more.
func (d *deepStack) has(m trace.MethodID) bool {
	return uint32(m) >= maxThreadDepths || int(m) < len(d.threadDepths) && d.threadDepths[m] > 0
}

// share keeps only the outer frames that a sample's stack has, too, and returns their number.
func (d *deepStack) share(s *trace.Sample) int {
	n := 0
	if d.thread == s.Thread {
		// Compare 16 frames at a time, which is four times as fast.
		const block = 16
		most := min(len(d.methods), len(s.Stack))
		for n+block <= most && [block]trace.MethodID(d.methods[n:]) == [block]trace.MethodID(s.Stack[n:]) {
			n += block
		}
		for n < most && d.methods[n] == s.Stack[n] {
			n++
		}
	}
	for _, m := range d.methods[n:] {
		if uint32(m) < maxThreadDepths {
			d.threadDepths[m]--
		}
	}
	d.thread, d.methods, d.nodes = s.Thread, d.methods[:n], d.nodes[:n]
	return n
}

func (d *deepStack) push(m trace.MethodID, node int32) {
	d.methods = append(d.methods, m)
	d.nodes = append(d.nodes, node)
	if uint32(m) < maxThreadDepths {
		d.threadDepths = grow(d.threadDepths, int32(m))
		d.threadDepths[m]++
	}
}
