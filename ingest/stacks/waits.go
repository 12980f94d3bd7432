package stacks

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// Waits computes for each sample of a thread the time to the thread's next one, as simpleperf's
// reports do for traced waiting threads. The zero Waits has no samples. It must not be used
// concurrently.
type Waits struct {
	held map[trace.ThreadID]*waiting
}

// waiting is a sample without a next one so far.
type waiting struct {
	time  uint64
	stack []trace.MethodID
}

// Next adds a sample. It calls add for the previous sample of the same thread, if there is one,
// with the nanoseconds between the two, at least 1. add must not keep the stack.
func (w *Waits) Next(thread trace.ThreadID, time uint64, stack []trace.MethodID, add func(time uint64, took int64, stack []trace.MethodID) error) error {
	h := w.held[thread]
	if h == nil {
		if w.held == nil {
			w.held = make(map[trace.ThreadID]*waiting)
		}
		w.held[thread] = &waiting{time, slices.Clone(stack)}
		return nil
	}
	took := uint64(1)
	if time > h.time {
		took = min(time-h.time, math.MaxInt64)
	}
	err := add(h.time, int64(took), h.stack)
	h.time, h.stack = time, append(h.stack[:0], stack...)
	return err
}
