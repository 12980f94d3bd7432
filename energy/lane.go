package energy

import (
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxSpans is how many spans of one component a lane keeps at most: more than a screen has
// columns.
const maxSpans = 4096

// A Lane says when a component was in which state, for drawing. However long a run is, it
// has a bounded number of spans: where there would be more, spans that lie closer together
// than a resolution become one, and the resolution doubles. The energy of the spans stays
// that of the component's states, to the nanojoule.
type Lane struct {
	// Spans are in order of time and do not overlap. Between them the component was in its
	// base state.
	Spans []Span
	// Resolution is the time below which spans were put together, 0 where none were.
	Resolution time.Duration
}

// A Span is a while in one state, or in several of which this one took longest.
type Span struct {
	// Begin and End are moments on the trace's timeline, in nanoseconds.
	Begin, End int64
	// State is an index of Component.States, Part says whether the component waited.
	State  int
	Part   trace.Part
	Energy units.Energy

	// longest is how long the component was in State.
	longest int64
}

// add adds a span. Spans come in order of time.
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

// joins makes the next span a part of this one, if they are one state without a gap, or lie
// within the resolution together.
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
	// The first resolution is such that a lane may be full of spans as short as it.
	l.Resolution = max(2*l.Resolution, time.Duration((last-first)/maxSpans), 1)
	kept := l.Spans[:1]
	for i := 1; i < len(l.Spans); i++ {
		if !kept[len(kept)-1].joins(&l.Spans[i], int64(l.Resolution)) {
			kept = append(kept, l.Spans[i])
		}
	}
	l.Spans = kept
}
