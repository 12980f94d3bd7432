package strace

import (
	"slices"

	"github.com/diffprof/diffprof/ingest/descriptor"
	"github.com/diffprof/diffprof/trace"
)

// maxWaiting limits the number of operations that wait for the end of an earlier one.
const maxWaiting = 1 << 14

// operations is a queue that sends operations in the order of their starts. An operation waits in
// it until earlier operations have ended.
type operations struct {
	waiting []trace.Operation
	// handed is the latest start of the operations that were sent. fresh counts the operations that
	// were added since then.
	handed int64
	fresh  int
	// objects counts the descriptor objects created so far.
	objects int64
}

func (o *operations) full() bool { return o.fresh >= 1<<10 }

// add adds an operation. If it began before handed, its start is moved to handed.
func (o *operations) add(op trace.Operation) {
	if late := o.handed - op.Time; late > 0 {
		op.Time, op.Duration = o.handed, max(0, op.Duration-late)
	}
	o.waiting = append(o.waiting, op)
	o.fresh++
}

// hand sends the operations that began before or at a given time. If too many others wait, it sends
// the earliest of these too.
func (o *operations) hand(to trace.SignalSink, until int64) error {
	o.fresh = 0
	if to == nil {
		o.waiting = o.waiting[:0]
		return nil
	}
	slices.SortStableFunc(o.waiting, func(a, b trace.Operation) int {
		return int(min(1, max(-1, a.Time-b.Time)))
	})
	n, _ := slices.BinarySearchFunc(o.waiting, until, func(op trace.Operation, until int64) int {
		if op.Time <= until {
			return -1
		}
		return 1
	})
	n = max(n, len(o.waiting)-maxWaiting)
	if n == 0 {
		return nil
	}
	o.handed = o.waiting[n-1].Time
	rest := slices.Clone(o.waiting[n:])
	if err := to.Operations(o.waiting[:n]); err != nil {
		return err
	}
	o.waiting = append(o.waiting[:0], rest...)
	return to.Until(o.handed)
}

// object returns a new object.
func (d *decoder) object(name string) *descriptor.Object {
	d.operations.objects++
	return &descriptor.Object{Handle: d.operations.objects, Name: name}
}

// at returns the object of a descriptor, or nil if arg is not a descriptor. The object is unknown
// if neither an earlier call nor the annotation describes it.
func (d *decoder) at(c *call, arg []byte) *descriptor.Object {
	fd, note, ok := readDescriptor(arg)
	if !ok {
		return nil
	}
	o := c.thread.files.At(fd)
	if o == nil {
		o = d.object("")
		o.Unknown = fd > 2 // The first three descriptors are usually a terminal.
		d.put(c, fd, o, false)
	}
	if component, path, ok := d.ofNote(note); ok && (o.Unknown || o.Component != "") {
		o.Component, o.Path, o.Unknown = component, path, false
		if o.Name == "" {
			o.Name = string(note)
		}
	}
	return o
}

// put makes a descriptor refer to an object.
func (d *decoder) put(c *call, fd int64, o *descriptor.Object, closes bool) {
	d.end(c, c.thread.files.Put(fd, o, closes))
}

// drop closes those descriptors of a process for which f returns true, in ascending order.
func (d *decoder) drop(c *call, f func(fd int64, closes bool) bool) {
	for _, fd := range c.thread.files.Which(f) {
		d.end(c, c.thread.files.Drop(fd))
	}
}

// begin adds the operation that opens or connects an object, unless the object is open.
func (d *decoder) begin(c *call, o *descriptor.Object) {
	if !o.Begun {
		o.Begun = true
		d.ask(c, o, trace.OpOpen, 0)
	}
}

// end adds the operation that closes an object, if it is open.
func (d *decoder) end(c *call, o *descriptor.Object) {
	d.connected(o, -1)
	if o != nil && o.Begun {
		o.Begun = false
		d.ask(c, o, trace.OpClose, 0)
	}
}

// ask adds an operation on an object. It ignores objects without a component, and processes that
// are not read.
func (d *decoder) ask(c *call, o *descriptor.Object, verb trace.Verb, bytes int64) {
	switch {
	case !c.thread.read:
	case o.Unknown:
		d.faults.unknown++
	case o.Component == "":
	case !d.met:
		d.faults.untimed++
	default:
		d.operations.add(trace.Operation{
			Time: c.begin, Duration: c.end - c.begin, Thread: c.thread.id, Mark: trace.NoRef, Stack: c.stack,
			Verb: verb, Component: o.Component, Bytes: bytes, Handle: o.Handle, Name: o.Name,
		})
	}
}
