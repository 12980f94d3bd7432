package stacks

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// Durations turns samples into durations: each sample lasts until the thread's next sample.
// simpleperf report does the same for recordings with waiting threads. The zero Durations has no
// samples. It must not be used concurrently.
type Durations struct {
	held map[trace.ThreadID]*waiting
}

// waiting is the latest sample of a thread. stopped is set if the thread stopped running.
type waiting struct {
	time    uint64
	stopped bool
	stack   []Code
}

// Next adds a sample, and calls add for the thread's previous sample, if there is one. took is the
// time between the two samples in nanoseconds, and at least 1. did is trace.Waiting if stopped was
// set for the previous sample, which means that the thread then stopped running. add must not keep
// the stack.
func (w *Durations) Next(thread trace.ThreadID, time uint64, stopped bool, stack []Code,
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
