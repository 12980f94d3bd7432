package align

import (
	"context"
	"errors"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An edge has the values of an energy counter at the start and the end of the run.
type edge struct {
	// begin and end are interpolated values, or nil. last is the latest reading. met is set once
	// there is a reading.
	last  trace.Signal
	met   bool
	begin *int64
	end   *int64
}

// edges is a sink that finds the edges of a side recording's energy counters.
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
		s.Time = e.side.moment(s.Time)
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

// between interpolates a counter at a time between the readings a and b.
func between(a, b trace.Signal, moment int64) *int64 {
	value := a.Value + units.MulDiv(b.Value-a.Value, moment-a.Time, b.Time-a.Time)
	return &value
}

// A stream delivers the part of a side recording that is within the run. Its times are on the run's
// timeline.
type stream struct {
	batches chan delivery
	next    []item
	// numbers maps tracks of the side recording to tracks of the joined recording.
	numbers []trace.TrackID
	done    bool
}

// An item is a signal or an operation. For an operation, Signal has only the time.
type item struct {
	trace.Signal
	asked *trace.Operation
}

// A delivery has one of three things: the definition of a track, a list of items, or an error.
type delivery struct {
	track *trace.Track
	items []item
	err   error
}

// newStream starts to scan a side recording in a goroutine. The scan is at most one batch ahead of
// the reader. It ends when ctx is done, or at the end of the run.
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

// peek returns the next item without consuming it, or nil at the end of the stream.
func (s *stream) peek(j *joiner) (*item, error) {
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
			for i := range d.items {
				if d.items[i].asked == nil {
					d.items[i].Track = s.numbers[d.items[i].Track]
				}
			}
			s.next = d.items
		}
	}
	if len(s.next) == 0 {
		return nil, nil
	}
	return &s.next[0], nil
}

// errEnd stops a scan at the end of the run.
var errEnd = errors.New("the run is over")

// track is a key for signals: their track and their kind.
type track struct {
	id   trace.TrackID
	kind trace.SignalKind
}

// A window is the sink of a side recording. It forwards the part that is within the run.
type window struct {
	ctx  context.Context
	side *side
	end  int64
	out  chan<- delivery
	// held has the latest signal of each kind and track before the run. open has operations that
	// began before the run and have not ended.
	held    map[track]trace.Signal
	open    []trace.Operation
	entered bool
}

func (w *window) Events([]trace.Event) error    { return nil }
func (w *window) Samples([]trace.Sample) error  { return nil }
func (w *window) TakeSignals() trace.SignalSink { return w }
func (w *window) Until(int64) error             { return nil }

// send sends a delivery unless the reader has stopped.
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
	// The decoder reuses the batch after this method returns.
	within := make([]item, 0, len(batch))
	for _, s := range batch {
		s.Time = w.side.moment(s.Time)
		if s.Thread >= 0 && s.Kind == trace.Switch {
			s.Thread = w.side.threads[s.Thread]
		}
		if s.Time < 0 {
			w.held[track{s.Track, s.Kind}] = s
			continue
		}
		within = append(within, item{Signal: s})
	}
	return w.pass(within)
}

// Operations implements trace.SignalSink. If the main recording has the operation's thread, the
// operation belongs to the innermost call of that thread. Otherwise it belongs to no thread.
func (w *window) Operations(batch []trace.Operation) error {
	within := make([]item, 0, len(batch))
	for _, o := range batch {
		o.Time = w.side.moment(o.Time)
		if o.Mark, o.Stack = trace.NoRef, trace.NoStack; o.Thread >= 0 {
			o.Thread = w.side.threads[o.Thread]
		}
		if o.Handle != 0 {
			o.Handle += w.side.handles
		}
		if o.Time < 0 {
			w.before(o)
			continue
		}
		within = append(within, item{trace.Signal{Time: o.Time}, &o})
	}
	return w.pass(within)
}

// maxOpen limits the number of operations that are open at the start of the run.
const maxOpen = 1 << 12

// before keeps an operation that began before the run, until the operation ends.
func (w *window) before(o trace.Operation) {
	switch o.Verb {
	case trace.OpAcquire, trace.OpStart, trace.OpOpen:
		if len(w.open) < maxOpen {
			w.open = append(w.open, o)
		}
	case trace.OpRelease, trace.OpStop, trace.OpClose:
		i := slices.IndexFunc(w.open, func(b trace.Operation) bool { return b.Component == o.Component && b.Handle == o.Handle })
		if i >= 0 {
			w.open = slices.Delete(w.open, i, i+1)
		}
	}
}

// pass sends the items that are within the run. It ends the scan at the first item after the run.
func (w *window) pass(within []item) error {
	over := false
	if i := slices.IndexFunc(within, func(x item) bool { return x.Time > w.end }); i >= 0 {
		over, within = true, within[:i]
	}
	if !w.entered && (len(within) > 0 || over) {
		within = slices.Concat(w.enter(), within)
	}
	if len(within) > 0 {
		if err := w.send(delivery{items: within}); err != nil {
			return err
		}
	}
	if over {
		return w.leave()
	}
	return nil
}

// enter returns the signals and operations to repeat at the start of the run.
func (w *window) enter() []item {
	w.entered = true
	var out []item
	for key, s := range w.held {
		s.Time = 0
		if key.kind == trace.Drain {
			if e := w.side.edges[key.id]; e != nil && e.begin != nil {
				s.Value = *e.begin
			}
		}
		out = append(out, item{Signal: s})
	}
	slices.SortFunc(out, func(a, b item) int {
		if a.Track != b.Track {
			return int(a.Track - b.Track)
		}
		return int(a.Kind) - int(b.Kind)
	})
	for _, o := range w.open {
		o.Time, o.Duration = 0, 0
		out = append(out, item{asked: &o})
	}
	return out
}

// leave sends the energy counters' values at the end of the run, and ends the scan.
func (w *window) leave() error {
	var out []item
	if !w.entered {
		// The whole side recording is before the run. Its last states hold during the run.
		out = w.enter()
	}
	for id, e := range w.side.edges {
		if e.end != nil {
			out = append(out, item{Signal: trace.Signal{Time: w.end, Value: *e.end, Track: id, Thread: trace.NoThread, Kind: trace.Drain}})
		}
	}
	slices.SortStableFunc(out, func(a, b item) int {
		if a.Time != b.Time {
			return int(min(1, max(-1, a.Time-b.Time)))
		}
		return int(a.Track - b.Track)
	})
	if len(out) > 0 {
		if err := w.send(delivery{items: out}); err != nil {
			return err
		}
	}
	return errEnd
}
