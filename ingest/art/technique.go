package art

import (
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
)

const (
	// observeEvents is the number of events that technique examines: enough for a verdict, and
	// few enough not to slow down long traces.
	observeEvents = 1 << 17
	// shortStep is far below the usual sampling intervals of 1 ms and more, and far above the
	// cost of an instrumented call.
	shortStep = int64(100 * time.Microsecond)
	// leastSteps is the number of clock steps needed for a verdict.
	leastSteps = 8
)

// technique infers from the events whether they were sampled. No version of the format states
// it.
//
// ART's sampler writes the difference between two stacks of a thread as exits and enters with
// equal clock readings. Sampled events therefore come in groups without time between them, the
// groups are at least an interval apart, and no call ends in the group in which it begins.
// Instrumented events are microseconds apart, and short calls end at the reading at which they
// began.
type technique struct {
	seen    int64
	groups  int64 // events at the reading of the previous event
	steps   int64 // events at a later wall reading
	short   int64 // steps below shortStep
	flashes int64 // exits right after an enter, at its reading
	last    []before
	// newest is the latest moment of all threads. ticks are the steps between successive values
	// of newest of at least shortStep. A sampler visits all threads at about the same time.
	newest int64
	ticks  []int64
}

// before is the latest event of a thread.
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
			// A thread's first event has no step. Recording it as an exit keeps it out of the
			// counts below.
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

// interval returns the median time between samples, 0 if there are too few.
func (t *technique) interval() time.Duration {
	if len(t.ticks) < leastSteps {
		return 0
	}
	slices.Sort(t.ticks)
	return time.Duration(t.ticks[len(t.ticks)/2])
}

// verdict returns unknown unless the events decide. Without a wall clock only flashes count,
// because a thread may work for less than an interval between samples.
func (t *technique) verdict(clock trace.Clock) trace.Technique {
	switch {
	case t.flashes*1000 > t.seen:
		return trace.Instrumented
	case clock&trace.WallClock == 0 || t.steps < leastSteps:
		return trace.UnknownTechnique
	case t.short*5 > t.steps:
		return trace.Instrumented
	case t.short*50 < t.steps && t.groups > t.steps && t.flashes == 0:
		return trace.Sampled
	}
	return trace.UnknownTechnique
}
