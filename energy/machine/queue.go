package machine

import "slices"

// A queue is a priority queue of numbers. The number with the smallest key comes first. Numbers
// with equal keys come in the order of insertion. The queue is a heap without pointers, so it
// allocates memory only while it grows.
type queue []entry

type entry struct {
	key, order int64
	// owner is the number of an owner, or of an operation in a pool.
	owner int32
}

func (e *entry) before(o *entry) bool {
	return e.key < o.key || e.key == o.key && e.order < o.order
}

// least returns the smallest key. If the queue is empty, it returns the constant never.
func (q queue) least() int64 {
	if len(q) == 0 {
		return never
	}
	return q[0].key
}

func (q *queue) push(e entry) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *queue) pop() entry {
	h := *q
	first, last := h[0], len(h)-1
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
	*q = h
	return first
}

// A pool stores operations under numbers that start at 1. Numbers are reused.
type pool struct {
	slots []slot
	// free is the number of the first unused slot. It is 0 if there is none.
	free int32
}

type slot struct {
	Operation
	activity
	// under is the number of the previous hold of the same handle, or 0. In an unused slot, it is
	// the number of the next unused slot.
	under int32
}

func (s *pool) put(op *Operation, a activity, under int32) int32 {
	n := s.free
	if n == 0 {
		s.slots = append(s.slots, slot{})
		n = int32(len(s.slots))
	} else {
		s.free = s.slots[n-1].under
	}
	s.slots[n-1] = slot{*op, a, under}
	return n
}

func (s *pool) take(n int32) slot {
	taken := s.slots[n-1]
	s.slots[n-1].under, s.free = s.free, n
	return taken
}

// holds has one stack of open holds per handle.
type holds struct {
	pool
	// top maps a handle to the number of its latest hold.
	top map[int64]int32
}

// held reports whether a handle has an open hold.
func (h *holds) held(handle int64) bool { return h.top[handle] != 0 }

func (h *holds) push(op *Operation, a activity) {
	h.top[op.Handle] = h.put(op, a, h.top[op.Handle])
}

// pop removes the latest hold of a handle. The handle must have an open hold.
func (h *holds) pop(handle int64) slot {
	s := h.take(h.top[handle])
	if s.under == 0 {
		delete(h.top, handle)
	} else {
		h.top[handle] = s.under
	}
	return s
}

// waitWork has the periods in which the component works for operations that wait for data. The
// periods are sorted and disjoint. Past periods are removed.
type waitWork struct {
	spans []span
	now   int64
}

type span struct{ from, to int64 }

func (k *waitWork) pass(now int64) {
	k.now = now
	if len(k.spans) == 0 || k.spans[0].to > now {
		return
	}
	n := 1
	for n < len(k.spans) && k.spans[n].to <= now {
		n++
	}
	k.spans = slices.Delete(k.spans, 0, n)
}

// wait reserves free time for work, and returns the start of that time. It takes the latest free
// time between begin and end. If there is too little free time, the work overlaps with other work.
func (k *waitWork) wait(begin, end, work int64) int64 {
	begin = min(max(begin, k.now), end)
	if n := len(k.spans); n == 0 || k.spans[n-1].to < begin {
		at := max(end-work, begin)
		if at < end {
			k.spans = append(k.spans, span{at, end})
		}
		return at
	}
	at, left := end, work
	// The spans from first to last overlap or touch the reserved time.
	last := len(k.spans)
	for last > 0 && k.spans[last-1].from > end {
		last--
	}
	first := last
	for ; first > 0 && k.spans[first-1].to >= begin; first-- {
		s := k.spans[first-1]
		free := max(at-s.to, 0)
		if left <= free {
			break
		}
		left -= free
		at = min(at, s.from)
	}
	at = max(at-left, begin)
	all := span{at, end}
	for i := first; i < last; i++ {
		all.from, all.to = min(all.from, k.spans[i].from), max(all.to, k.spans[i].to)
	}
	if all.from < all.to {
		k.spans = slices.Replace(k.spans, first, last, all)
	}
	return at
}
