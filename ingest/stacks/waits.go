package stacks

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// Waits gives each sample of a thread the time to the thread's next one, as simpleperf's
// reports do where it traced waiting threads. The zero Waits holds no samples. It is for one
// goroutine.
type Waits struct {
	held map[trace.ThreadID]*waiting
}

// waiting is a sample that waits for the thread's next one.
type waiting struct {
	time  uint64
	stack []trace.MethodID
}

// Next takes in a sample and calls add for the one before it of the same thread, if there is
// one, with the nanoseconds between the two, at least 1. The stack that add gets is good
// until it returns.
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
