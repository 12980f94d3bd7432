package machine

import "slices"

// A queue has activities by a key, the least first, and of equal keys those that came first.
// It is a heap of values, so that nothing is allocated once it has grown.
type queue []queued

type queued struct {
	key int64
	activity
}

func (q queue) before(i, j int) bool {
	return q[i].key < q[j].key || q[i].key == q[j].key && q[i].order < q[j].order
}

// least is the key of the first, never if there is none.
func (q queue) least() int64 {
	if len(q) == 0 {
		return never
	}
	return q[0].key
}

func (q *queue) push(key int64, a activity) {
	*q = append(*q, queued{key, a})
	h := *q
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.before(i, up) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *queue) pop() activity {
	h := *q
	first, last := h[0].activity, len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h.before(down+1, down) {
			down++
		}
		if !h.before(down, i) {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	*q = h
	return first
}

// holds are the operations that keep something on, by handle. Of one handle they lie one
// on the other.
type holds struct {
	// top is the index in slots of each handle's latest.
	top   map[int64]int32
	slots []slot
	// free is the first of a list of unused slots, counted from 1; 0 is none.
	free int32
}

type slot struct {
	activity
	// below is the index of the hold of the same handle under it, or of the next unused
	// slot, counted from 1; 0 is none.
	below int32
}

// held tells whether a handle is.
func (h *holds) held(handle int64) bool { return h.top[handle] != 0 }

func (h *holds) push(a activity) {
	i := h.free
	if i == 0 {
		h.slots = append(h.slots, slot{})
		i = int32(len(h.slots))
	} else {
		h.free = h.slots[i-1].below
	}
	h.slots[i-1] = slot{a, h.top[a.Handle]}
	h.top[a.Handle] = i
}

// pop takes off the latest hold of a handle that is held.
func (h *holds) pop(handle int64) activity {
	i := h.top[handle]
	s := &h.slots[i-1]
	if s.below == 0 {
		delete(h.top, handle)
	} else {
		h.top[handle] = s.below
	}
	s.below, h.free = h.free, i
	return s.activity
}

// taken are the times in which operations that wait have the component work, in order and
// apart from each other. Times that have passed are left out.
type taken struct {
	spans []span
	now   int64
}

type span struct{ from, to int64 }

func (k *taken) pass(now int64) {
	k.now = now
	n := 0
	for n < len(k.spans) && k.spans[n].to <= now {
		n++
	}
	k.spans = slices.Delete(k.spans, 0, n)
}

// wait takes the last free time before end for work, but none before begin, and returns when
// that begins. Where there is too little, the work lies over that of others.
func (k *taken) wait(begin, end, work int64) int64 {
	begin = min(max(begin, k.now), end)
	at, left := end, work
	// Spans from first on to last lie in that time, or touch it.
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
