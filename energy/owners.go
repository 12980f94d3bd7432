package energy

import (
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An owner is whose an operation is, and what it has drained so far.
type owner struct {
	// ref is the mark of the call that asked, NoRef if a stack did.
	ref trace.Ref
	// stack is the number of the stack that asked, NoStack if a call did.
	stack  trace.StackID
	thread trace.ThreadID
	part   int32
	// context is the call path for bundles, bundle.Unknown if nobody asks for them.
	context bundle.Context
	// drained is what has not been charged yet, by part.
	drained [2]units.Energy
}

// owners numbers owners. A number is used again once nothing can be charged to it.
type owners struct {
	list []owner
	free []int32
}

func (o *owners) add(w owner) int32 {
	if n := len(o.free); n > 0 {
		i := o.free[n-1]
		o.free = o.free[:n-1]
		o.list[i] = w
		return i
	}
	o.list = append(o.list, w)
	return int32(len(o.list) - 1)
}

// nobody is the owner of operations that no call and no stack is known of.
const nobody = int32(machine.NoOwner)

// marks numbers what is marked. The recording's own marks get other numbers, so that a number
// stands for one call as long as anything may be charged to it.
type marks struct {
	// uses counts the owners of each mark, and once more if the recording has made it.
	uses []int32
	free []trace.Ref
	// threads are where they were made.
	threads []trace.ThreadID
	// own has the number for each of the recording's own.
	own []trace.Ref
}

// take returns a number that is in use once.
func (k *marks) take(thread trace.ThreadID) trace.Ref {
	if n := len(k.free); n > 0 {
		ref := k.free[n-1]
		k.free = k.free[:n-1]
		k.uses[ref], k.threads[ref] = 1, thread
		return ref
	}
	k.uses, k.threads = append(k.uses, 1), append(k.threads, thread)
	return trace.Ref(len(k.uses) - 1)
}

func (k *marks) drop(ref trace.Ref) {
	if ref == trace.NoRef {
		return
	}
	if k.uses[ref]--; k.uses[ref] == 0 {
		k.free = append(k.free, ref)
	}
}

// mark returns the number for a mark that the recording makes.
func (k *marks) mark(own trace.Ref, thread trace.ThreadID) trace.Ref {
	for int(own) >= len(k.own) {
		k.own = append(k.own, trace.NoRef)
	}
	k.drop(k.own[own])
	k.own[own] = k.take(thread)
	return k.own[own]
}

// of returns the number for a mark of the recording's own, NoRef if it made none.
func (k *marks) of(own trace.Ref) trace.Ref {
	if own < 0 || int(own) >= len(k.own) {
		return trace.NoRef
	}
	return k.own[own]
}
