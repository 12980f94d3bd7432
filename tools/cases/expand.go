package main

import (
	"cmp"
	"fmt"
	"slices"
)

// A thread is one thread of a run.
type thread struct {
	// id is 0 until the run assigns ids to its threads. The main thread always has id 1.
	id    uint32
	name  string
	calls []*node
}

// A moment is an event of one thread. Times are in microseconds since the previous moment.
type moment struct {
	n         *node
	exit      bool
	cpu, wall int64
	idle      bool
}

// expand generates the events of a thread's calls. solve must have been called for root. span is
// how long the thread lasts in microseconds. Idle calls fill what is left of it.
func expand(root *node, span int64) ([]moment, error) {
	e := &expander{}
	root.made = 0
	if err := e.call(root, 0); err != nil {
		return nil, err
	}
	var wall int64
	idle := 0
	for _, m := range e.moments {
		wall += m.wall
		if m.idle {
			idle++
		}
	}
	if wall > span {
		return nil, fmt.Errorf("%d ms of work in a span of %d ms", wall/1000, span/1000)
	}
	waited, k := int64(0), 0
	for i := range e.moments {
		if m := &e.moments[i]; m.idle {
			upTo := part(span-wall, k+1, idle, 17)
			m.wall += upTo - waited
			waited, k = upTo, k+1
		}
	}
	return e.moments, nil
}

type expander struct {
	moments   []moment
	cpu, wall int64 // times since the last moment
}

func (e *expander) emit(n *node, exit, idle bool) {
	e.moments = append(e.moments, moment{n, exit, e.cpu, e.wall, idle})
	e.cpu, e.wall = 0, 0
}

func (e *expander) spend(micros int64) {
	e.cpu += micros
	// Another thread sometimes gets the core.
	e.wall += micros
	if len(e.moments)%32 == 0 {
		e.wall += micros / 8
	}
}

// call generates the k-th of n calls.
func (e *expander) call(n *node, k int) error {
	n.made++
	self := part(n.selfCPU, k+1, n.calls, n.salt()) - part(n.selfCPU, k, n.calls, n.salt())
	kids := n.kidCalls(k)
	virtual := n.method.Name == ""
	if !n.unseen && !virtual {
		e.emit(n, false, false)
	}
	// The time of a call is distributed over the gaps around its callees. If a call is unseen, the
	// time before its first event is not recorded. If a call is open, the time after its last event
	// is not recorded.
	parts := int64(len(kids) + 1)
	first := int64(0)
	if n.unseen {
		first = 1
		parts--
	}
	if n.open {
		parts--
	}
	if parts <= 0 && self > 0 {
		return fmt.Errorf("%s: no room for its own time", n.label)
	}
	for i, kid := range kids {
		if int64(i) >= first {
			at := int64(i) - first
			e.spend(self*(at+1)/parts - self*at/parts)
		}
		if err := e.call(kid, kid.made); err != nil {
			return err
		}
	}
	if n.open || virtual {
		return nil
	}
	if parts > 0 {
		e.spend(self - self*(parts-1)/parts)
	}
	e.emit(n, true, n.idle)
	return nil
}

// kidCalls returns the callees of the k-th call of n, in order.
func (n *node) kidCalls(k int) []*node {
	if n.one && len(n.order) > 0 {
		return n.order[k : k+1]
	}
	type turn struct {
		at  float64
		kid *node
	}
	var turns []turn
	for _, kid := range n.kids {
		from, to := k*kid.calls/n.calls, (k+1)*kid.calls/n.calls
		if n.one {
			from, to = 0, kid.calls
		}
		for i := from; i < to; i++ {
			at := (float64(i-from) + 0.5) / float64(to-from)
			if kid.unseen {
				at = -1
			} else if kid.open {
				at = 2
			} else if kid.late {
				at += 0.06
			}
			turns = append(turns, turn{at, kid})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	kids := make([]*node, 0, len(turns))
	for _, t := range turns {
		kids = append(kids, t.kid)
	}
	if n.one && len(kids) > 0 {
		n.order = kids
		return kids[k : k+1]
	}
	return kids
}

// salt makes the timing differ between methods.
func (n *node) salt() uint64 {
	h := uint64(14695981039346656037)
	for i := range len(n.label) {
		h = (h ^ uint64(n.label[i])) * 1099511628211
	}
	return h
}

// part returns the share of total for the first k of n calls: about k/n of total with some
// variation, and exactly total for k = n.
func part(total int64, k, n int, salt uint64) int64 {
	if k <= 0 {
		return 0
	}
	if k >= n {
		return total
	}
	uneven := float64(mix(salt+uint64(k))%8)/20 - 0.175
	return int64(float64(total) * (float64(k) + uneven) / float64(n))
}

// mix distributes the bits of x. It is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
