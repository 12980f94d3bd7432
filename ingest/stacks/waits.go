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

// waiting is a sample without a next one so far. stopped is set if its thread stopped running.
type waiting struct {
	time    uint64
	stopped bool
	stack   []trace.MethodID
}

// Next adds a sample. stopped is set if the scheduler made it because the thread stopped running.
// Next calls add for the previous sample of the same thread, if there is one, with the nanoseconds
// between the two, at least 1, and what the thread did meanwhile. add must not keep the stack.
func (w *Waits) Next(thread trace.ThreadID, time uint64, stopped bool, stack []trace.MethodID,
	add func(time uint64, took int64, did trace.Activity, stack []trace.MethodID) error,
) error {
	h := w.held[thread]
	if h == nil {
		if w.held == nil {
			w.held = make(map[trace.ThreadID]*waiting)
		}
		w.held[thread] = &waiting{time, stopped, slices.Clone(stack)}
		return nil
	}
	took := uint64(1)
	if time > h.time {
		took = min(time-h.time, math.MaxInt64)
	}
	did := trace.Working
	if h.stopped {
		did = trace.Waiting
	}
	err := add(h.time, int64(took), did, h.stack)
	h.time, h.stopped, h.stack = time, stopped, append(h.stack[:0], stack...)
	return err
}
