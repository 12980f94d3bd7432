package ftrace

import (
	"slices"
	"sort"

	"github.com/diffprof/diffprof/trace"
)

// mostHeld bounds what is held back. It is less than there are marks, so that no operation that
// waits loses its mark to another.
const mostHeld = 2 * batchSize

// held is what waits, in the order of time, because an operation is under way that began before it
// and is known only at its end.
type held struct {
	on   bool
	list []entry
	// passed is the moment up to which all was handed on; fresh counts what came since then.
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

// add puts an entry at its place. An operation that began before what was handed on begins there.
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

// before returns how many entries lie before a moment or at it, or are too many.
func (h *held) before(until int64) int {
	n := sort.Search(len(h.list), func(k int) bool { return h.list[k].at > until })
	return max(n, len(h.list)-mostHeld)
}

// drop takes off the first entries, which were handed on together with all up to a moment.
func (h *held) drop(n int, until int64) {
	if n > 0 {
		until = max(until, h.list[n-1].at)
	}
	h.passed, h.fresh = max(h.passed, until), 0
	h.list = slices.Delete(h.list, 0, n)
}
