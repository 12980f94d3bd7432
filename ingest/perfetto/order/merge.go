package order

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
)

// maxWaiting limits the waiting records of a stream. A record waits while a later run may have an
// earlier record. Beyond the limit, the earlier half is passed on without waiting.
const maxWaiting = 1 << 17

// A Record is a value of a stream at a time.
type Record[T any] struct {
	Time int64
	Data T
}

// A Reader decodes the packets of one stream. Read appends the records in a run to list, in file
// order, and returns the list. It skips packets of other streams. data stays unchanged until Merge
// has passed all of these records to f.
type Reader[T any] interface {
	Read(at int64, data []byte, list []Record[T]) ([]Record[T], error)
}

// A stream is the state of a merge for one stream.
type stream[T any] struct {
	reader Reader[T]
	runs   []run
	buf    []byte
	// records is in time order. records[:next] were passed to f. records[next:ready] can be passed
	// to f, because no later run of the stream has an earlier record.
	records     []Record[T]
	next, ready int
	// head is the time of the next record, or a lower bound of it.
	head   int64
	number int
}

// A merger has the streams in a heap. The stream with the smallest head is at the top.
type merger[T any] struct {
	r    io.ReaderAt
	heap []*stream[T]
	free []buffers[T]
	// scratch holds records while other records are moved.
	scratch []Record[T]
}

// buffers are the buffers for reading a stream.
type buffers[T any] struct {
	bytes   []byte
	records []Record[T]
}

// Merge calls f for the records of all streams in an index, in time order. Records with equal times
// are in the order of their streams or, within a stream, in file order. The order is wrong only for
// a very late record: one behind more than a hundred thousand records of its stream that have later
// times. f must not keep a record. Add must not be called after Merge.
func Merge[T any](ctx context.Context, r io.ReaderAt, x *Index, open func(stream int) Reader[T], f func(*Record[T]) error) error {
	if !x.sealed {
		x.seal()
	}
	m := &merger[T]{r: r}
	for i, runs := range x.streams {
		if len(runs) > 0 {
			m.heap = append(m.heap, &stream[T]{reader: open(i), runs: runs, head: runs[0].floor, number: i})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	for len(m.heap) > 0 {
		s := m.heap[0]
		if s.next == s.ready {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.load(s); err != nil {
				return err
			}
		} else {
			limit, ok := m.second()
			for s.next < s.ready && (!ok || s.records[s.next].Time < limit || s.records[s.next].Time == limit && s.first(m)) {
				if err := f(&s.records[s.next]); err != nil {
					return err
				}
				s.next++
			}
		}
		if !m.settle(s) {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		if len(m.heap) > 0 {
			m.down(0)
		}
	}
	return nil
}

// second returns the second smallest head of all streams. It returns false if there is only one
// stream.
func (m *merger[T]) second() (int64, bool) {
	switch len(m.heap) {
	case 1:
		return 0, false
	case 2:
		return m.heap[1].head, true
	}
	return min(m.heap[1].head, m.heap[2].head), true
}

// first reports whether s, the top of the heap, precedes all other streams with the same head.
func (s *stream[T]) first(m *merger[T]) bool {
	for _, other := range m.heap[1:min(3, len(m.heap))] {
		if other.head == s.records[s.next].Time && (other.next == other.ready || other.number < s.number) {
			return false
		}
	}
	return true
}

// load reads the next run of a stream.
func (m *merger[T]) load(s *stream[T]) error {
	if s.buf == nil && len(m.free) > 0 {
		last := len(m.free) - 1
		s.buf, s.records = m.free[last].bytes, m.free[last].records
		m.free = m.free[:last]
	}
	r := s.runs[0]
	s.runs = s.runs[1:]
	waiting := len(s.records) - s.next
	if waiting > 0 || int64(cap(s.buf)) < r.size {
		// Waiting records may refer to the old buffer, so it is not overwritten.
		s.buf = make([]byte, r.size)
	}
	s.buf = s.buf[:r.size]
	if s.next > 0 {
		s.records = s.records[:copy(s.records, s.records[s.next:])]
		s.next = 0
	}
	if n, err := m.r.ReadAt(s.buf, r.at); err != nil && n < len(s.buf) {
		return fmt.Errorf("reading %d bytes at offset %d: %w", r.size, r.at, err)
	}
	var err error
	if s.records, err = s.reader.Read(r.at, s.buf, s.records); err != nil {
		return err
	}
	m.sort(s.records, waiting)
	s.ready = len(s.records)
	if len(s.runs) > 0 {
		floor := s.runs[0].floor
		for s.ready > 0 && s.records[s.ready-1].Time > floor {
			s.ready--
		}
		if len(s.records)-s.ready > maxWaiting {
			s.ready = len(s.records) / 2
		}
	}
	return nil
}

// sort sorts records by time. records[:from] must be sorted already. Records with equal times keep
// their order.
func (m *merger[T]) sort(records []Record[T], from int) {
	fresh := records[from:]
	for i := 1; i < len(fresh); i++ {
		if fresh[i].Time < fresh[i-1].Time {
			slices.SortStableFunc(fresh, func(a, b Record[T]) int { return cmp.Compare(a.Time, b.Time) })
			break
		}
	}
	if from == 0 || len(fresh) == 0 || records[from-1].Time <= fresh[0].Time {
		return
	}
	m.scratch = append(m.scratch[:0], fresh...)
	old, next := from-1, len(m.scratch)-1
	for i := len(records) - 1; next >= 0; i-- {
		if old >= 0 && records[old].Time > m.scratch[next].Time {
			records[i] = records[old]
			old--
		} else {
			records[i] = m.scratch[next]
			next--
		}
	}
}

// settle updates the head of a stream after its records changed. It returns false at the end of the
// stream.
func (m *merger[T]) settle(s *stream[T]) bool {
	switch {
	case s.next < s.ready:
		s.head = s.records[s.next].Time
		return true
	case len(s.runs) > 0:
		s.head = s.runs[0].floor
	}
	if s.next == len(s.records) && s.buf != nil {
		m.free = append(m.free, buffers[T]{s.buf[:0], s.records[:0]})
		s.buf, s.records, s.next, s.ready = nil, nil, 0, 0
	}
	return len(s.runs) > 0
}

// down moves the stream at index i to its position in the heap. If two streams have the same head,
// the stream whose next run is still unread comes first.
func (m *merger[T]) down(i int) {
	for {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(m.heap) && m.heap[child].before(m.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

func (s *stream[T]) before(other *stream[T]) bool {
	unread, otherUnread := s.next == s.ready, other.next == other.ready
	switch {
	case s.head != other.head:
		return s.head < other.head
	case unread != otherUnread:
		return unread
	}
	return s.number < other.number
}
