package energy

import "github.com/diffprof/diffprof/trace"

// An operation waits to be handed to its component's machine.
type operation struct {
	begin, end    int64 // end is negative if it is not known
	bytes, handle int64
	part, owner   int32
	thread        trace.ThreadID
	// class is the class that called, see calls.class.
	class int32
	verb  trace.Verb
}

// window is how many operations wait for older ones. The calls of a thread end in another
// order than they begin, and recorders write the events of threads in blocks.
const window = 1 << 14

// A queue has operations in the order of their beginnings, and of equal ones in that of
// their coming: a heap of numbers, so that nothing large is moved.
type queue struct {
	heap  []waiting
	slots []operation
	free  []int32
	order int64
}

type waiting struct {
	begin, order int64
	slot         int32
}

func (w *waiting) before(o *waiting) bool {
	return w.begin < o.begin || w.begin == o.begin && w.order < o.order
}

// full tells that the oldest operation should wait no longer.
func (q *queue) full() bool { return len(q.heap) > window }

func (q *queue) push(o operation) {
	slot := int32(len(q.slots))
	if n := len(q.free); n > 0 {
		slot = q.free[n-1]
		q.free = q.free[:n-1]
		q.slots[slot] = o
	} else {
		q.slots = append(q.slots, o)
	}
	q.order++
	q.heap = append(q.heap, waiting{o.begin, q.order, slot})
	h := q.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// pop takes off the oldest operation of a queue that has some.
func (q *queue) pop() operation {
	h := q.heap
	slot, last := h[0].slot, len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h[down+1].before(&h[down]) {
			down++
		}
		if !h[down].before(&h[i]) {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	q.heap = h
	q.free = append(q.free, slot)
	return q.slots[slot]
}
