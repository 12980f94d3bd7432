package cct

import "github.com/diffprof/diffprof/trace"

// calls maps a context and a callee to the node that the call leads to. It is an open-addressing
// table with linear probing, at most half full. Contexts that call many methods use it at every
// call, for which a Go map would take half of the total time.
type calls struct {
	slots []call
	used  int
}

type call struct {
	// from is the context's index plus one. 0 marks an empty slot.
	from   int32
	method trace.MethodID
	// target is the node, or the complement of its index if the call is recursive.
	target int32
}

// get returns the node that a call leads to, if known.
func (c *calls) get(from int32, m trace.MethodID) (target int32, ok bool) {
	if c.used == 0 {
		return 0, false
	}
	s := c.slot(from, m)
	return s.target, s.from != 0
}

// put stores the node that a call leads to. It replaces an earlier one.
func (c *calls) put(from int32, m trace.MethodID, target int32) {
	if 2*(c.used+1) > len(c.slots) {
		old := c.slots
		c.slots = make([]call, max(1<<10, 2*len(old)))
		for _, s := range old {
			if s.from != 0 {
				*c.slot(s.from-1, s.method) = s
			}
		}
	}
	if s := c.slot(from, m); s.from == 0 {
		*s = call{from + 1, m, target}
		c.used++
	}
}

// slot returns the slot of a call, or the empty slot for it.
func (c *calls) slot(from int32, m trace.MethodID) *call {
	mask := uint32(len(c.slots) - 1)
	for i := hash(from, m) & mask; ; i = (i + 1) & mask {
		if s := &c.slots[i]; s.from == 0 || s.from == from+1 && s.method == m {
			return s
		}
	}
}

// hash mixes a pair of small numbers. It multiplies by 2⁶⁴/φ and returns the high half, whose bits
// are mixed best.
func hash(from int32, m trace.MethodID) uint32 {
	x := (uint64(uint32(from))<<32 | uint64(uint32(m))) * 0x9E3779B97F4A7C15
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	return uint32(x >> 32)
}
