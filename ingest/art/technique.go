package art

import (
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
)

const (
	// observeEvents is how many events technique looks at: enough to tell, and so
	// few that long traces do not pay for it.
	observeEvents = 1 << 17
	// shortStep is far below the sampling intervals in use, 1 ms and more, and far
	// above what an instrumented call costs.
	shortStep = int64(100 * time.Microsecond)
	// leastSteps is how many steps of a clock it takes to say anything.
	leastSteps = 8
)

// technique works out from the events whether they were sampled, which no version
// of the format states.
//
// ART's sampler writes the difference between two stacks of a thread as exits and
// enters that all have one reading of the clocks. So sampled events come in groups
// without time between them, the groups stand at least an interval apart, and no
// call ends in the group that it begins in. Instrumented events stand microseconds
// apart, and short calls end at the reading that they began at.
type technique struct {
	seen    int64
	groups  int64 // events at the reading of the one before
	steps   int64 // events at a later wall reading
	short   int64 // steps below shortStep
	flashes int64 // exits right after an enter, at its reading
	last    []before
	// newest is the latest moment of all threads, ticks the steps from one to the next
	// that are no shorter than shortStep: a sampler takes a moment for each thread.
	newest int64
	ticks  []int64
}

// before is what is remembered of a thread's latest event.
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
			// A thread's first event has no step; as an exit it counts for nothing below.
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

// verdict leaves open what the events do not show. Without a wall clock only
// flashes speak: a thread may well work for less than an interval between samples.
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
