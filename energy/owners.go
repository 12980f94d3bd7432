package energy

import (
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An owner is whose an operation is, and what it has drained so far. Its number is that of a
// mark, too, if a call asked.
type owner struct {
	// mark is the number of the call that asked, nobody if a stack did: the owner's own, or
	// that of a call which the recording marked.
	mark int32
	// stack is the number of the stack that asked, NoStack if a call did.
	stack  trace.StackID
	thread trace.ThreadID
	// part is the component that was asked, -1 for a mark of the recording's own.
	part int32
	// context is the call path for bundles, bundle.Unknown if nobody asks for them.
	context bundle.Context
	// uses counts what holds the number: the owner, those that charge its mark, and the
	// recording while the mark is its own.
	uses int32
	// drained is what has not been charged yet, by part.
	drained [2]units.Energy
}

// nobody is the owner of operations that no call and no stack is known of.
const nobody = int32(machine.NoOwner)

// owners numbers owners and marks. A number is used again once nothing can be charged to it.
type owners struct {
	list []owner
	free []int32
	// own has the number of each of the recording's own marks.
	own []int32
}

// take returns the number of a new owner, to be filled in: a value that is made first and then
// copied costs more than all else here.
func (o *owners) take() (int32, *owner) {
	i := int32(len(o.list))
	if n := len(o.free); n > 0 {
		i = o.free[n-1]
		o.free = o.free[:n-1]
		o.list[i] = owner{}
	} else {
		o.list = append(o.list, owner{})
	}
	w := &o.list[i]
	w.uses = 1
	return i, w
}

// call adds an owner that is a call, which is to be marked by the owner's number.
func (o *owners) call(thread trace.ThreadID, part int32, context bundle.Context) int32 {
	n, w := o.take()
	w.mark, w.thread, w.part, w.context = n, thread, part, context
	return n
}

// asked adds an owner that is a call which the recording has marked by a number.
func (o *owners) asked(mark, part int32) int32 {
	n, w := o.take()
	call := &o.list[mark]
	call.uses++
	w.mark, w.thread, w.part, w.context = mark, call.thread, part, call.context
	return n
}

// stack adds an owner that is a stack.
func (o *owners) stack(stack trace.StackID, thread trace.ThreadID, part int32, context bundle.Context) int32 {
	n, w := o.take()
	w.mark, w.stack, w.thread, w.part, w.context = nobody, stack, thread, part, context
	return n
}

// drop says that a use of a number has ended.
func (o *owners) drop(n int32) {
	if o.list[n].uses--; o.list[n].uses == 0 {
		o.free = append(o.free, n)
	}
}

// mark returns the number for a mark that the recording makes.
func (o *owners) mark(own trace.Ref, thread trace.ThreadID, context bundle.Context) int32 {
	for int(own) >= len(o.own) {
		o.own = append(o.own, nobody)
	}
	if old := o.own[own]; old != nobody {
		o.drop(old)
	}
	o.own[own] = o.call(thread, -1, context)
	return o.own[own]
}

// marked returns the number for a mark of the recording's own, nobody if it made none.
func (o *owners) marked(own trace.Ref) int32 {
	if own < 0 || int(own) >= len(o.own) {
		return nobody
	}
	return o.own[own]
}
