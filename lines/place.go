package lines

import "github.com/diffprof/diffprof/trace"

// A place is a line of a method. A negative line is the complement (^) of a position in DEX code.
// Line 0 represents the whole method.
type place struct {
	method trace.MethodID
	line   int32
}

// A placeTable maps places to numbers. Each frame of a recording needs a look-up, so the table is a
// hash table with open addressing: a look-up loads one cache line. The zero value is empty.
type placeTable struct {
	// slots has a power of two of elements. At most half of them are used.
	slots []placeSlot
	used  int
	shift uint
}

// A placeSlot is a place with its number plus one. The number 0 marks a free slot.
type placeSlot struct {
	place
	next trace.MethodID
}

// minSlots is the smallest size of a table that is not empty.
const minSlots = 1 << 10

func (t *placeTable) slot(at place) uint {
	key := uint64(uint32(at.method))<<32 | uint64(uint32(at.line))
	return uint(key * 0x9e3779b97f4a7c15 >> t.shift)
}

// find returns the number of a place.
func (t *placeTable) find(at place) (trace.MethodID, bool) {
	if t.used == 0 {
		return 0, false
	}
	mask := uint(len(t.slots) - 1)
	for i := t.slot(at); ; i = (i + 1) & mask {
		switch s := &t.slots[i&mask]; {
		case s.next == 0:
			return 0, false
		case s.place == at:
			return s.next - 1, true
		}
	}
}

// add adds a place that is not in the table.
func (t *placeTable) add(at place, id trace.MethodID) {
	if t.used*2 >= len(t.slots) {
		old := t.slots
		t.slots = make([]placeSlot, max(minSlots, 2*len(old)))
		t.shift = 64
		for n := len(t.slots); n > 1; n /= 2 {
			t.shift--
		}
		for _, s := range old {
			if s.next > 0 {
				t.put(s)
			}
		}
	}
	t.used++
	t.put(placeSlot{at, id + 1})
}

func (t *placeTable) put(s placeSlot) {
	mask := uint(len(t.slots) - 1)
	i := t.slot(s.place)
	for t.slots[i&mask].next > 0 {
		i++
	}
	t.slots[i&mask] = s
}
