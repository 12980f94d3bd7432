package energy

import (
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/machine"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An owner is a call or a stack that uses energy. A call is identified by a mark, which is an event
// of the recording or one that the ledger inserts.
type owner struct {
	// mark is the number of the mark that identifies the call. It is the owner's own number, or
	// that of another owner for the same call. If the owner is a stack, mark is nobody.
	mark int32
	// stack is the number of the stack. It is NoStack if the owner is a call.
	stack  trace.StackID
	thread trace.ThreadID
	// part is the component that the owner uses. It is -1 for a mark of the recording.
	part int32
	// context is the call path for bundles. It is bundle.Unknown if bundles are not enabled.
	context bundle.Context
	// uses counts the references to the number of this owner. It starts at one. Each owner that
	// charges to this mark adds one, and so does the recording if it made the mark.
	uses int32
	// drained is the energy that has not been charged yet, for use and for tail.
	drained [2]units.Energy
}

// nobody is the owner of operations without a known call or stack.
const nobody = int32(machine.NoOwner)

// owners assigns numbers to owners and marks. A number is reused when nothing more can be charged
// to it.
type owners struct {
	list []owner
	free []int32
	// own maps the marks of the recording to numbers of owners.
	own []int32
	// stacks has the owner of each stack that can still be charged.
	stacks map[asker]int32
}

// An asker is a stack and a component that it uses.
type asker struct {
	stack trace.StackID
	part  int32
}

// take returns a new owner and its number. The caller fills it in place, because copying an owner
// would take most of the time.
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

// call adds an owner for a call. Its number is also that of its mark.
func (o *owners) call(thread trace.ThreadID, part int32, context bundle.Context) int32 {
	n, w := o.take()
	w.mark, w.thread, w.part, w.context = n, thread, part, context
	return n
}

// asked adds an owner for a call that already has a mark.
func (o *owners) asked(mark, part int32) int32 {
	n, w := o.take()
	call := &o.list[mark]
	call.uses++
	w.mark, w.thread, w.part, w.context = mark, call.thread, part, call.context
	return n
}

// stack returns the owner for a stack. Operations of the same stack on the same component share one
// owner while they wait.
func (o *owners) stack(stack trace.StackID, thread trace.ThreadID, part int32, context func() bundle.Context) int32 {
	if n, ok := o.stacks[asker{stack, part}]; ok {
		return n
	}
	n, w := o.take()
	w.mark, w.stack, w.thread, w.part, w.context = nobody, stack, thread, part, context()
	if o.stacks == nil {
		o.stacks = make(map[asker]int32)
	}
	o.stacks[asker{stack, part}] = n
	return n
}

// drop removes a reference to a number.
func (o *owners) drop(n int32) {
	if o.list[n].uses--; o.list[n].uses == 0 {
		o.free = append(o.free, n)
	}
}

// mark returns the number for a mark made by the recording.
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

// marked returns the number for a mark of the recording. It returns nobody if there is no such
// mark.
func (o *owners) marked(own trace.Ref) int32 {
	if own < 0 || int(own) >= len(o.own) {
		return nobody
	}
	return o.own[own]
}
