package beside

import (
	"context"
	"errors"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An edge is what a counter read at the run's begin and end.
type edge struct {
	// before and after are readings around the moment that is looked at, met is set once
	// there is a first one.
	last  trace.Signal
	met   bool
	begin *int64
	end   *int64
}

// edges is a sink that finds the edges of a side's counters.
type edges struct {
	side *side
	end  int64
}

func (e *edges) Events([]trace.Event) error         { return nil }
func (e *edges) Samples([]trace.Sample) error       { return nil }
func (e *edges) TakeSignals() trace.SignalSink      { return e }
func (e *edges) Track(trace.Track) error            { return nil }
func (e *edges) Operations([]trace.Operation) error { return nil }
func (e *edges) Until(int64) error                  { return nil }

func (e *edges) Signals(batch []trace.Signal) error {
	for _, s := range batch {
		if s.Kind != trace.Drain {
			continue
		}
		s.Time += e.side.shift
		at := e.side.edges[s.Track]
		if at == nil {
			at = new(edge)
			e.side.edges[s.Track] = at
		}
		if at.met && at.last.Time < 0 && s.Time >= 0 {
			at.begin = between(at.last, s, 0)
		}
		if at.met && at.last.Time <= e.end && s.Time > e.end {
			at.end = between(at.last, s, e.end)
		}
		at.last, at.met = s, true
	}
	return nil
}

// between is what a counter read at a moment between two readings.
func between(a, b trace.Signal, moment int64) *int64 {
	value := a.Value + units.MulDiv(b.Value-a.Value, moment-a.Time, b.Time-a.Time)
	return &value
}

// A stream is the signals of a side within the run, on the run's timeline.
type stream struct {
	batches chan delivery
	next    []trace.Signal
	// numbers are the tracks as the joined run numbers them.
	numbers []trace.TrackID
	done    bool
}

// A delivery is a track's definition, some signals or an error.
type delivery struct {
	track   *trace.Track
	signals []trace.Signal
	err     error
}

// newStream begins to scan a side, a batch ahead of whoever takes its signals. The scan ends
// with ctx, or at the end of the run.
func newStream(ctx context.Context, s *side, end int64) *stream {
	st := &stream{batches: make(chan delivery)}
	go func() {
		defer close(st.batches)
		w := &window{ctx: ctx, side: s, end: end, out: st.batches, held: make(map[track]trace.Signal)}
		_, err := s.Recording.Scan(ctx, w)
		if err == nil {
			err = w.leave()
		}
		if err != nil && !errors.Is(err, errEnd) {
			w.send(delivery{err: err})
		}
	}()
	return st
}

// peek returns the next signal, nil if there is none.
func (s *stream) peek(j *joiner) (*trace.Signal, error) {
	for len(s.next) == 0 && !s.done {
		d, ok := <-s.batches
		switch {
		case !ok:
			s.done = true
		case d.err != nil:
			s.done = true
			return nil, d.err
		case d.track != nil:
			id, err := j.define(*d.track)
			if err != nil {
				return nil, err
			}
			s.numbers = append(s.numbers, id)
		default:
			for i := range d.signals {
				d.signals[i].Track = s.numbers[d.signals[i].Track]
			}
			s.next = d.signals
		}
	}
	if len(s.next) == 0 {
		return nil, nil
	}
	return &s.next[0], nil
}

// errEnd ends a scan at the end of the run.
var errEnd = errors.New("the run is over")

// A track is a kind of signals on a track.
type track struct {
	id   trace.TrackID
	kind trace.SignalKind
}

// A window is the sink of a side: it lets through what lies within the run.
type window struct {
	ctx  context.Context
	side *side
	end  int64
	out  chan<- delivery
	// held are the latest signals from before the run, in any order.
	held    map[track]trace.Signal
	entered bool
}

func (w *window) Events([]trace.Event) error         { return nil }
func (w *window) Samples([]trace.Sample) error       { return nil }
func (w *window) TakeSignals() trace.SignalSink      { return w }
func (w *window) Operations([]trace.Operation) error { return nil }
func (w *window) Until(int64) error                  { return nil }

// send hands on a delivery unless nobody takes it any more.
func (w *window) send(d delivery) error {
	select {
	case w.out <- d:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

func (w *window) Track(t trace.Track) error { return w.send(delivery{track: &t}) }

func (w *window) Signals(batch []trace.Signal) error {
	// The batch is the decoder's again once this returns.
	within := make([]trace.Signal, 0, len(batch))
	over := false
	for _, s := range batch {
		s.Time += w.side.shift
		if s.Thread >= 0 && s.Kind == trace.Switch {
			s.Thread = w.side.threads[s.Thread]
		}
		if s.Time < 0 {
			w.held[track{s.Track, s.Kind}] = s
			continue
		}
		if !w.entered {
			within = append(within, w.enter()...)
		}
		if over = s.Time > w.end; over {
			break
		}
		within = append(within, s)
	}
	if len(within) > 0 {
		if err := w.send(delivery{signals: within}); err != nil {
			return err
		}
	}
	if over {
		return w.leave()
	}
	return nil
}

// enter says at the run's begin what held before it.
func (w *window) enter() []trace.Signal {
	w.entered = true
	var out []trace.Signal
	for of, s := range w.held {
		s.Time = 0
		if of.kind == trace.Drain {
			if e := w.side.edges[of.id]; e != nil && e.begin != nil {
				s.Value = *e.begin
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b trace.Signal) int {
		if a.Track != b.Track {
			return int(a.Track - b.Track)
		}
		return int(a.Kind) - int(b.Kind)
	})
	return out
}

// leave says at the run's end what the counters read there.
func (w *window) leave() error {
	var out []trace.Signal
	if !w.entered {
		// All lies before the run: what held then holds in it.
		out = w.enter()
	}
	for id, e := range w.side.edges {
		if e.end != nil {
			out = append(out, trace.Signal{Time: w.end, Value: *e.end, Track: id, Thread: trace.NoThread, Kind: trace.Drain})
		}
	}
	slices.SortStableFunc(out, func(a, b trace.Signal) int {
		if a.Time != b.Time {
			return int(min(1, max(-1, a.Time-b.Time)))
		}
		return int(a.Track - b.Track)
	})
	if len(out) > 0 {
		if err := w.send(delivery{signals: out}); err != nil {
			return err
		}
	}
	return errEnd
}
