package energy

import (
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// An operation waits in a queue until its component's machine can process it.
type operation struct {
	begin, end    int64 // end is negative if it is unknown.
	bytes, handle int64
	part, owner   int32
	thread        trace.ThreadID
	// stack is the stack that caused the operation. It is NoStack if owner caused it.
	stack trace.StackID
	// class is the class that caused the operation, as returned by calls.class.
	class int32
	verb  trace.Verb
	// timed means that the operation begins a hold that ends after an unknown timeout.
	timed bool
	// whole means that the component is active for the whole interval.
	whole bool
	// level means that this is a change of level, not an operation. From begin on, the level of the
	// component is bytes.
	level bool
}

// minWaiting is the initial number of operations that wait for older operations. The number grows
// up to maxWaiting if operations arrive late. They may arrive late because the calls of a thread
// do not end in the order in which they begin, and because some recorders write the events of
// threads in blocks.
const (
	minWaiting = 1 << 8
	maxWaiting = 1 << 16
)

// A queue sorts operations by begin, then thread, then arrival. The operations of one thread arrive
// almost in order, so each thread has its own line. A heap orders the lines by their first
// operations.
type queue struct {
	lines []line // lines is indexed by thread, plus one. The first line is for operations without a thread.
	heap  []head
	// n counts the operations. window is the number of operations that may wait. latest is
	// the start of the operation that was popped last.
	n, window int
	latest    int64
}

// A line holds the operations of a thread, sorted by begin. The waiting operations begin at index
// first.
type line struct {
	operations []operation
	first      int
}

// A head is the start of a line's first operation.
type head struct {
	begin int64
	line  int32
}

func (h *head) before(o *head) bool {
	return h.begin < o.begin || h.begin == o.begin && h.line < o.line
}

// full reports whether the oldest operation should be popped.
func (q *queue) full() bool { return q.n > max(q.window, minWaiting) }

// push adds an empty operation and returns it. The caller must set its fields before it uses the
// queue again.
func (q *queue) push(begin int64, thread trace.ThreadID) *operation {
	if begin < q.latest {
		q.window = min(2*max(q.window, minWaiting), maxWaiting)
	}
	number := int32(thread + 1)
	for int(number) >= len(q.lines) {
		q.lines = append(q.lines, line{})
	}
	l := &q.lines[number]
	empty := l.first == len(l.operations)
	if empty || 2*l.first > len(l.operations) && len(l.operations) == cap(l.operations) {
		l.operations = l.operations[:copy(l.operations, l.operations[l.first:])]
		l.first = 0
	}
	l.operations = slices.Grow(l.operations, 1)[:len(l.operations)+1]
	i := len(l.operations) - 1
	for ; i > l.first && l.operations[i-1].begin > begin; i-- {
		l.operations[i] = l.operations[i-1]
	}
	o := &l.operations[i]
	*o = operation{}
	o.begin, o.thread = begin, thread
	q.n++
	switch {
	case empty:
		q.heap = append(q.heap, head{begin, number})
		q.up(len(q.heap) - 1)
	case i == l.first:
		for at := range q.heap {
			if q.heap[at].line == number {
				q.heap[at].begin = begin
				q.up(at)
				break
			}
		}
	}
	return o
}

// pop removes the oldest operation. The queue must not be empty.
func (q *queue) pop() *operation {
	h := q.heap
	l := &q.lines[h[0].line]
	o := &l.operations[l.first]
	l.first++
	q.n--
	q.latest = o.begin
	if l.first < len(l.operations) {
		h[0].begin = l.operations[l.first].begin
	} else {
		h[0] = h[len(h)-1]
		q.heap = h[:len(h)-1]
	}
	q.down()
	return o
}

func (q *queue) up(i int) {
	for h := q.heap; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *queue) down() {
	h := q.heap
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h) {
			break
		}
		if down+1 < len(h) && h[down+1].before(&h[down]) {
			down++
		}
		if !h[down].before(&h[i]) {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}
