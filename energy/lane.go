package energy

import (
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxSpans bounds the spans per component. This is more than the columns of a screen.
const maxSpans = 4096

// A Lane records the states of a component over time, for drawing. If there are too many spans, the
// resolution doubles, and spans within one resolution are merged. The energies of the spans add up
// exactly to the energy of the component's states.
type Lane struct {
	// Spans are in order of time and do not overlap. Between spans, the component was in its base
	// state.
	Spans []Span
	// Resolution is the maximum time over which spans were merged. It is 0 if no spans were merged.
	Resolution time.Duration
}

// A Span is a period in one state, or a merged period in several states. State is the state with
// the longest time in the span.
type Span struct {
	// Begin and End are moments on the trace's timeline, in nanoseconds.
	Begin, End int64
	// State is an index in Component.States. Part is use or tail.
	State  int
	Part   trace.Part
	Energy units.Energy

	// longest is the time spent in State.
	longest int64
}

// add adds a span. Spans must be added in order of time.
func (l *Lane) add(next Span) {
	next.longest = next.End - next.Begin
	if n := len(l.Spans); n > 0 && l.Spans[n-1].joins(&next, int64(l.Resolution)) {
		return
	}
	l.Spans = append(l.Spans, next)
	for len(l.Spans) > maxSpans {
		l.coarsen()
	}
}

// joins merges the span next into s if possible, and reports whether it did. It merges two adjacent
// spans of one state, and spans that together fit in the resolution.
func (s *Span) joins(next *Span, resolution int64) bool {
	same := s.State == next.State && s.Part == next.Part && s.End == next.Begin
	moment := next.Begin == next.End && next.Begin == s.End
	if !same && !moment && next.End-s.Begin > resolution {
		return false
	}
	s.Energy += next.Energy
	s.End = max(s.End, next.End)
	switch {
	case same:
		s.longest += next.longest
	case next.longest > s.longest:
		s.State, s.Part, s.longest = next.State, next.Part, next.longest
	}
	return true
}

// coarsen doubles the resolution.
func (l *Lane) coarsen() {
	first, last := l.Spans[0].Begin, l.Spans[len(l.Spans)-1].End
	// The first resolution divides the time of the lane by maxSpans.
	l.Resolution = max(2*l.Resolution, time.Duration((last-first)/maxSpans), 1)
	kept := l.Spans[:1]
	for i := 1; i < len(l.Spans); i++ {
		if !kept[len(kept)-1].joins(&l.Spans[i], int64(l.Resolution)) {
			kept = append(kept, l.Spans[i])
		}
	}
	l.Spans = kept
}
