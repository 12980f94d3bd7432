package ftrace

import (
	"slices"
	"sort"

	"github.com/diffprof/diffprof/trace"
)

// mostHeld bounds the held entries. It is below the number of marks, so that a waiting
// operation never loses its mark.
const mostHeld = 2 * batchSize

// held is the queue of entries, in order of time, that wait for an operation that began earlier
// and is known only at its end.
type held struct {
	on   bool
	list []entry
	// passed is the moment up to which everything was sent. fresh counts the entries since
	// then.
	passed int64
	fresh  int
}

// An entry is a signal or an operation.
type entry struct {
	at          int64
	signal      trace.Signal
	operation   trace.Operation
	isOperation bool
}

// add inserts an entry in order. An operation that began before passed begins at passed.
func (h *held) add(e entry) {
	if late := h.passed - e.at; late > 0 && e.isOperation {
		e.at = h.passed
		e.operation.Time, e.operation.Duration = h.passed, max(0, e.operation.Duration-late)
	}
	i := len(h.list)
	if i > 0 && h.list[i-1].at > e.at {
		i = sort.Search(i, func(k int) bool { return h.list[k].at > e.at })
	}
	h.list = slices.Insert(h.list, i, e)
	h.fresh++
}

// before returns the number of entries up to a moment, or the number that exceeds the limit if
// that is larger.
func (h *held) before(until int64) int {
	n := sort.Search(len(h.list), func(k int) bool { return h.list[k].at > until })
	return max(n, len(h.list)-mostHeld)
}

// drop removes the first n entries, which were sent with everything up to a moment.
func (h *held) drop(n int, until int64) {
	if n > 0 {
		until = max(until, h.list[n-1].at)
	}
	h.passed, h.fresh = max(h.passed, until), 0
	h.list = slices.Delete(h.list, 0, n)
}
