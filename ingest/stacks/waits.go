package stacks

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// Waits computes the time from each sample of a thread to the thread's next sample. simpleperf's
// reports do the same if waiting threads were traced. The zero Waits has no samples. It must not be
// used concurrently.
type Waits struct {
	held map[trace.ThreadID]*waiting
}

// waiting is the latest sample of a thread. stopped is set if the thread stopped running.
type waiting struct {
	time    uint64
	stopped bool
	stack   []Code
}

// Next adds a sample. stopped means that the scheduler made the sample because the thread stopped
// running. If the thread has a previous sample, Next calls add for that sample, with the time
// between both samples, in nanoseconds and at least 1, and with the thread's activity in this time.
// add must not keep the stack.
func (w *Waits) Next(thread trace.ThreadID, time uint64, stopped bool, stack []Code,
	add func(time uint64, took int64, did trace.Activity, stack []Code) error,
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
