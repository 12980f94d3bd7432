package image

import "slices"

const (
	// maxOfSpace is Linux's limit for the mappings of a process.
	maxOfSpace = 1 << 16
	// maxEntries limits the mappings of all processes together.
	maxEntries = 1 << 21
	// flagJIT marks a mapping of just-in-time compiled code. Its functions are found by their
	// addresses in memory.
	flagJIT = 0x4000
)

// A space is the address space of a process: mappings sorted by address, without overlaps.
type space struct {
	entries []entry
	// shared is set if another process shares the entries.
	shared bool
}

// An entry is a mapping of the addresses from start to last, inclusive.
type entry struct {
	start, last, offset uint64
	object              *Object
	jit                 bool
}

// search returns the index of the first entry that ends at or after an address.
func (s *space) search(at uint64) int {
	i, _ := slices.BinarySearchFunc(s.entries, at, func(e entry, at uint64) int {
		if e.last < at {
			return -1
		}
		return 1
	})
	return i
}

// find returns the entry at an address, or nil if there is none.
func (s *space) find(at uint64) *entry {
	if s == nil {
		return nil
	}
	if i := s.search(at); i < len(s.entries) && s.entries[i].start <= at {
		return &s.entries[i]
	}
	return nil
}

// insert adds an entry. It removes the parts of other entries that overlap with it.
func (s *space) insert(e entry) {
	from := s.search(e.start)
	to := from
	var with [3]entry
	put := with[:0]
	if from < len(s.entries) && s.entries[from].start < e.start {
		left := s.entries[from]
		left.last = e.start - 1
		put = append(put, left)
	}
	put = append(put, e)
	for ; to < len(s.entries) && s.entries[to].start <= e.last; to++ {
		if right := s.entries[to]; right.last > e.last {
			right.offset += e.last + 1 - right.start
			right.start = e.last + 1
			put = append(put, right)
		}
	}
	s.entries = slices.Replace(s.entries, from, to, put...)
}
