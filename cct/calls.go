package cct

import "github.com/diffprof/diffprof/trace"

// calls maps a context and a callee to the node that the call leads to: an
// open-addressing table with linear probing, at most half full. It is asked at
// nearly every enter event, where Go's map would take half of the whole time.
type calls struct {
	slots []call
	used  int
}

type call struct {
	// from is the context's index plus one: 0 marks an empty slot.
	from   int32
	method trace.MethodID
	// target is the node, or the complement of its index if the call is recursive.
	target int32
}

// find returns the slot of a call, or the one to insert it in.
func (c *calls) find(from int32, m trace.MethodID) (slot int, found bool) {
	if len(c.slots) == 0 {
		c.slots = make([]call, 1<<10)
	}
	mask := len(c.slots) - 1
	slot = int(hash(from, m)) & mask
	for {
		switch s := &c.slots[slot]; {
		case s.from == from+1 && s.method == m:
			return slot, true
		case s.from == 0:
			return slot, false
		}
		slot = (slot + 1) & mask
	}
}

// insert fills the slot that find returned.
func (c *calls) insert(slot int, from int32, m trace.MethodID, target int32) {
	c.slots[slot] = call{from + 1, m, target}
	if c.used++; 2*c.used <= len(c.slots) {
		return
	}
	old := c.slots
	c.slots = make([]call, 2*len(old))
	for _, s := range old {
		if s.from != 0 {
			slot, _ := c.find(s.from-1, s.method)
			c.slots[slot] = s
		}
	}
}

// hash mixes a pair of small numbers: a multiplication by 2⁶⁴/φ and a fold of the
// high half, which holds the well-mixed bits.
func hash(from int32, m trace.MethodID) uint32 {
	x := (uint64(uint32(from))<<32 | uint64(uint32(m))) * 0x9E3779B97F4A7C15
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	return uint32(x >> 32)
}
