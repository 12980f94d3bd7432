package data

import (
	"context"
	"math"
	"slices"
)

// maxHeld limits the bytes of records that wait to be sorted.
const maxHeld = 64 << 20

// Survey calls visit for each record in file order. It also determines whether file order is time
// order. The names of all events are known only after Survey.
func (f *File) Survey(ctx context.Context, visit func(*Record) error) error {
	f.disorder = false
	last := uint64(0)
	defer f.nameEvents()
	return f.each(ctx, func(r *Record) error {
		if t := f.Time(r); ordered(t) {
			f.disorder = f.disorder || t < last
			last = t
		}
		return visit(r)
	})
}

// ordered reports whether a record with this time can be sorted. Records that describe the state
// before the recording have no time.
func ordered(time uint64) bool { return time != 0 && time != math.MaxUint64 }

// Each calls visit for each record in time order. perf writes the records of all cores in rounds.
// After round 3, for example, no record should be older than the newest record of round 2. late
// counts the records that are visited after newer records.
func (f *File) Each(ctx context.Context, visit func(*Record) error) (late int64, err error) {
	if !f.disorder {
		return 0, f.each(ctx, visit)
	}
	q := queue{visit: visit}
	var newest, limit uint64
	err = f.each(ctx, func(r *Record) error {
		if r.Type == recordRound {
			err := q.release(limit)
			limit = newest
			return err
		}
		t := f.Time(r)
		if !ordered(t) {
			return visit(r)
		}
		newest = max(newest, t)
		if len(q.bytes)+len(r.Body) > maxHeld {
			if err := q.release(q.middle()); err != nil {
				return err
			}
		}
		q.add(t, r)
		return nil
	})
	if err == nil {
		err = q.release(math.MaxUint64)
	}
	return q.late, err
}

// A queue holds copies of records until they can be visited in time order.
type queue struct {
	visit func(*Record) error
	held  []held
	bytes []byte
	// released is the time of the newest record that was visited.
	released uint64
	late     int64
}

// A held is a record whose body is bytes[from:to].
type held struct {
	time     uint64
	from, to int
	record   Record
}

func (q *queue) add(time uint64, r *Record) {
	from := len(q.bytes)
	q.bytes = append(q.bytes, r.Body...)
	q.held = append(q.held, held{time, from, len(q.bytes), Record{Type: r.Type, Misc: r.Misc, At: r.At}})
}

// middle returns the median time.
func (q *queue) middle() uint64 {
	times := make([]uint64, len(q.held))
	for i, h := range q.held {
		times[i] = h.time
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// release visits the records up to the time limit, in time order.
func (q *queue) release(limit uint64) error {
	slices.SortStableFunc(q.held, func(a, b held) int {
		switch {
		case a.time < b.time:
			return -1
		case a.time > b.time:
			return 1
		}
		return 0
	})
	n := 0
	for n < len(q.held) && q.held[n].time <= limit {
		h := &q.held[n]
		if h.time < q.released {
			q.late++
		}
		q.released = max(q.released, h.time)
		h.record.Body = q.bytes[h.from:h.to]
		if err := q.visit(&h.record); err != nil {
			return err
		}
		n++
	}
	q.held = slices.Delete(q.held, 0, n)
	// Bodies of the remaining records move to the front of bytes and keep their order.
	rest := make([]int, len(q.held))
	for i := range rest {
		rest[i] = i
	}
	slices.SortFunc(rest, func(a, b int) int { return q.held[a].from - q.held[b].from })
	end := 0
	for _, i := range rest {
		h := &q.held[i]
		size := copy(q.bytes[end:], q.bytes[h.from:h.to])
		h.from, h.to = end, end+size
		end += size
	}
	q.bytes = q.bytes[:end]
	return nil
}
