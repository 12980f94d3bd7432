package art

import (
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
)

const (
	// observeEvents is the number of events that technique examines. It is enough to decide, and
	// small enough not to slow down the reading of long traces.
	observeEvents = 1 << 17
	// shortStep is far below the usual sampling intervals, which are at least 1 ms, and far above
	// the time of an instrumented call.
	shortStep = int64(100 * time.Microsecond)
	// minSteps is the number of clock steps that are needed to decide.
	minSteps = 8
)

// technique infers from the events whether the recorder sampled stacks or instrumented calls. The
// file does not state this.
//
//   - Sampled: ART compares two successive stacks of a thread, and writes the difference as exits and
//     enters with equal clock readings. Such groups of events are at least one sampling interval
//     apart. No call ends in the group in which it begins.
//   - Instrumented: events are microseconds apart. A short call may end at the clock reading at which
//     it began.
type technique struct {
	seen    int64
	groups  int64 // groups counts the events with the same clock reading as the thread's previous event.
	steps   int64 // steps counts the events with a later wall clock reading than the thread's previous event.
	short   int64 // short counts the steps below shortStep.
	flashes int64 // flashes counts the exits that directly follow an enter with the same reading.
	last    []before
	// newest is the latest time over all threads. ticks has the steps of newest that are at least
	// shortStep. For a sampler, they are its intervals, because it visits all threads at about the
	// same time.
	newest int64
	ticks  []int64
}

// before has the time and the kind of a thread's latest event.
type before struct {
	time int64
	kind trace.Kind
}

func (t *technique) observe(batch []trace.Event) {
	if t.seen >= observeEvents {
		return
	}
	t.seen += int64(len(batch))
	for i := range batch {
		e := &batch[i]
		for len(t.last) <= int(e.Thread) {
			t.last = append(t.last, before{time: -1})
		}
		last := &t.last[e.Thread]
		if step := e.Time - t.newest; step > 0 {
			if step >= shortStep {
				t.ticks = append(t.ticks, step)
			}
			t.newest = e.Time
		}
		if last.time < 0 {
			// This is the thread's first event. It cannot be a flash, so pretend that an Exit
			// precedes it.
			*last = before{e.Time, trace.Exit}
		}
		switch {
		case e.Time > last.time:
			t.steps++
			if e.Time-last.time < shortStep {
				t.short++
			}
		case e.CPU == 0:
			t.groups++
			if e.Kind == trace.Exit && last.kind == trace.Enter {
				t.flashes++
			}
		}
		*last = before{e.Time, e.Kind}
	}
}

// interval returns the median time between samples. It returns 0 if there are too few samples.
func (t *technique) interval() time.Duration {
	if len(t.ticks) < minSteps {
		return 0
	}
	slices.Sort(t.ticks)
	return time.Duration(t.ticks[len(t.ticks)/2])
}

// verdict returns UnknownTechnique unless the events are clear. Without a wall clock, only flashes
// decide, because a thread may work for less than a sampling interval.
func (t *technique) verdict(clock trace.Clock) trace.Technique {
	switch {
	case t.flashes*1000 > t.seen:
		return trace.Instrumented
	case clock&trace.WallClock == 0 || t.steps < minSteps:
		return trace.UnknownTechnique
	case t.short*5 > t.steps:
		return trace.Instrumented
	case t.short*50 < t.steps && t.groups > t.steps && t.flashes == 0:
		return trace.Sampled
	}
	return trace.UnknownTechnique
}
