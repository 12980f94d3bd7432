package ftrace

import (
	"slices"
	"sort"

	"github.com/diffprof/diffprof/trace"
)

// maxHeld limits the number of entries that wait. It is smaller than maxMarks, so the mark of a
// waiting operation is not reused.
const maxHeld = 2 * batchSize

// eventQueue is a queue that keeps signals and operations in time order. An operation is known only
// at its end, so later entries wait here until then.
type eventQueue struct {
	on   bool
	list []entry
	// passed is the time up to which all entries were sent. fresh counts the entries added since.
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

// add inserts an entry in time order. If an operation began before h.passed, its start is cut off.
func (h *eventQueue) add(e entry) {
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

// before returns how many entries to send: those up to the given time. If more than maxHeld
// entries would remain, it returns more.
func (h *eventQueue) before(until int64) int {
	n := sort.Search(len(h.list), func(k int) bool { return h.list[k].at > until })
	return max(n, len(h.list)-maxHeld)
}

// drop removes the first n entries. The caller has sent all entries up to the given time.
func (h *eventQueue) drop(n int, until int64) {
	if n > 0 {
		until = max(until, h.list[n-1].at)
	}
	h.passed, h.fresh = max(h.passed, until), 0
	h.list = slices.Delete(h.list, 0, n)
}
