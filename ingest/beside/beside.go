// Package beside lays recordings of one run side by side: what the app did, and what a
// meter, the system or the phone's battery said meanwhile. The joined run has the events of
// the first recording and the signals of all, on the first one's timeline.
//
// Where two recordings read the same clock of the machine, that says how they lie. Else
// somebody has to say it, or it is found from when the app was busy and when the device
// drained more: the shift at which the two go together best. That is an estimate, which
// says how good it is; where no shift stands out there is none.
//
// Of signals and operations only those within the run count. What held at its begin, and what
// was begun and had not ended, is said there again; what
// a counter read at its begin and at its end is taken to lie evenly between the readings
// around.
package beside

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// A Side is a recording that lies beside another one.
type Side struct {
	// Name is what errors call it, such as a path.
	Name      string
	Recording trace.Recording
}

// An Alignment says how recordings lie. The zero Alignment goes by clocks.
type Alignment struct {
	// Shift, if not nil, is the moment of the first recording at which the others begin.
	Shift *time.Duration
	// Auto finds it from the activity where no clock is in common.
	Auto bool
}

// A Place says how a recording was laid beside another.
type Place struct {
	Name string
	// Shift is what is added to its moments.
	Shift time.Duration
	// By is "clock", "shift" or "activity". Clock names the clock.
	By    string
	Clock trace.SystemClock
	// Residual is how far off the place may be: the most by which the clock's readings
	// disagree, or the width of the steps that activity was compared in; 0 if nobody can
	// say.
	Residual time.Duration
	// Correlation is that of the activities, from -1 to 1; 0 where they were not compared.
	Correlation float64
}

// A Run is a recording with others beside it. It is a trace.Recording, and may be scanned
// as its recordings may.
type Run struct {
	main   trace.Recording
	sides  []side
	end    int64
	Places []Place
	// warnings are those of the sides.
	warnings []trace.Warning
}

// A side is a Side that has its place.
type side struct {
	Side
	shift   int64
	threads []trace.ThreadID
	// handles is added to the numbers of what is open, so that no two recordings share one.
	handles int64
	// edges are readings of counters at the run's begin and end, by track.
	edges map[trace.TrackID]*edge
}

// Join lays sides beside main. It scans main once and the others twice.
func Join(ctx context.Context, main trace.Recording, sides []Side, o Alignment) (*Run, error) {
	var did activity
	t, err := main.Scan(ctx, &did)
	if err != nil {
		return nil, err
	}
	run := &Run{main: main, end: max(int64(t.Elapsed), did.end)}
	for _, s := range sides {
		drained := activity{sides: true}
		beside, err := s.Recording.Scan(ctx, &drained)
		if err != nil {
			return nil, err
		}
		if len(beside.Tracks) == 0 {
			return nil, fmt.Errorf("%s has no signals: only what was measured can lie beside a run", s.Name)
		}
		p, err := place(t, beside, &did, &drained, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		p.Name = s.Name
		if begin, end := drained.begin+int64(p.Shift), drained.end+int64(p.Shift); end < 0 || begin > run.end {
			return nil, fmt.Errorf("%s lies outside of the run: it is from %v to %v, and the run from 0 s to %v",
				s.Name, rounded(begin), rounded(end), rounded(run.end))
		}
		at := side{Side: s, shift: int64(p.Shift), threads: sameThreads(beside.Threads, t.Threads), edges: make(map[trace.TrackID]*edge)}
		if _, err := s.Recording.Scan(ctx, &edges{side: &at, end: run.end}); err != nil {
			return nil, err
		}
		for _, w := range beside.Warnings {
			w.Message = s.Name + ": " + w.Message
			run.warnings = append(run.warnings, w)
		}
		at.handles = sideHandles * int64(1+len(run.sides))
		run.sides = append(run.sides, at)
		run.Places = append(run.Places, p)
	}
	return run, nil
}

// sideHandles is more handles than a recording has.
const sideHandles = 1 << 52

// rounded is a moment as people read it.
func rounded(ns int64) time.Duration { return time.Duration(ns).Round(time.Millisecond) }

// place finds how a recording lies beside another.
func place(main, beside *trace.Trace, did, drained *activity, o Alignment) (Place, error) {
	if o.Shift != nil {
		return Place{Shift: *o.Shift, By: "shift"}, nil
	}
	for _, clock := range []trace.SystemClock{trace.Boottime, trace.Monotonic, trace.Realtime} {
		a, spreadA, okA := zero(main.Timeline, clock)
		b, spreadB, okB := zero(beside.Timeline, clock)
		if okA && okB {
			return Place{Shift: time.Duration(b - a), By: "clock", Clock: clock, Residual: time.Duration(max(spreadA, spreadB))}, nil
		}
	}
	if !o.Auto {
		return Place{}, errors.New("it shares no clock with the recording; say where it begins, as --align 1.5s, or have that found from the activity with --align auto")
	}
	return correlate(did, drained)
}

// zero is what a clock read at the begin of a timeline, and by how much its readings
// disagree of it.
func zero(timeline []trace.Reading, clock trace.SystemClock) (at, spread int64, ok bool) {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for _, r := range timeline {
		if r.Clock == clock {
			z := r.Value - r.Time
			if !ok {
				at = z
			}
			ok = true
			least, most = min(least, z), max(most, z)
		}
	}
	if ok {
		spread = most - least
	}
	return at, spread, ok
}

// sameThreads finds threads of a recording in another by the system's numbers, NoThread
// for those that it has not.
func sameThreads(of, in []trace.Thread) []trace.ThreadID {
	known := make(map[int64]trace.ThreadID)
	for i, t := range in {
		if _, twice := known[t.ID]; !twice {
			known[t.ID] = trace.ThreadID(i)
		}
	}
	out := make([]trace.ThreadID, len(of))
	for i, t := range of {
		n, ok := known[t.ID]
		if !ok {
			n = trace.NoThread
		}
		out[i] = n
	}
	return out
}

// Scan implements trace.Recording.
func (r *Run) Scan(ctx context.Context, to trace.Sink) (*trace.Trace, error) {
	ctx, cancel := context.WithCancel(ctx)
	j := &joiner{to: to, begin: func() []*stream {
		var streams []*stream
		for i := range r.sides {
			streams = append(streams, newStream(ctx, &r.sides[i], r.end))
		}
		return streams
	}}
	// Whoever fills a stream ends with it.
	defer func() {
		cancel()
		for _, s := range j.streams {
			for range s.batches {
			}
		}
	}()
	t, err := r.main.Scan(ctx, j)
	if err == nil {
		err = j.until(math.MaxInt64)
	}
	if err != nil {
		return nil, err
	}
	out := *t
	out.Warnings = slices.Concat(t.Warnings, r.warnings)
	if j.signals != nil {
		out.Tracks = j.tracks
	}
	return &out, nil
}

// A joiner is the sink of the first recording: it lets the signals of the others in where
// they belong.
type joiner struct {
	to trace.Sink
	// begin begins the streams, once signals is known not to be nil.
	begin   func() []*stream
	signals trace.SignalSink
	streams []*stream
	tracks  []trace.Track
	// own numbers the tracks of the first recording.
	own   []trace.TrackID
	batch []trace.Signal
}

// Start implements trace.StartSink. A recording without signals never asks for the sink of
// them, so that the joiner does.
func (j *joiner) Start(clock trace.Clock, energy trace.Provenance) {
	trace.Start(j.to, clock, energy)
	if j.signals = trace.Signals(j.to); j.signals != nil {
		j.streams = j.begin()
	}
}

// TakeNames implements trace.NameTaker.
func (j *joiner) TakeNames(names trace.Names) { trace.GiveNames(j.to, names) }

// TakeSignals implements trace.SignalTaker.
func (j *joiner) TakeSignals() trace.SignalSink {
	if j.signals == nil {
		return nil
	}
	return (*ownSignals)(j)
}

// Events implements trace.Sink.
func (j *joiner) Events(batch []trace.Event) error {
	if err := j.until(batch[len(batch)-1].Time); err != nil {
		return err
	}
	return j.to.Events(batch)
}

// Samples implements trace.Sink.
func (j *joiner) Samples(batch []trace.Sample) error {
	if err := j.until(batch[len(batch)-1].Time); err != nil {
		return err
	}
	return j.to.Samples(batch)
}

// define defines a track and returns its number.
func (j *joiner) define(t trace.Track) (trace.TrackID, error) {
	j.tracks = append(j.tracks, t)
	return trace.TrackID(len(j.tracks) - 1), j.signals.Track(t)
}

// until lets in all signals up to a moment, in the order of their times.
func (j *joiner) until(moment int64) error {
	for {
		var first *stream
		for _, s := range j.streams {
			next, err := s.peek(j)
			if err != nil {
				return err
			}
			if next != nil && next.Time <= moment && (first == nil || next.Time < first.next[0].Time) {
				first = s
			}
		}
		if first == nil {
			return j.flush()
		}
		next := first.next[0]
		first.next = first.next[1:]
		if next.asked != nil {
			// Signals and operations are in one order.
			if err := j.flush(); err != nil {
				return err
			}
			if err := j.signals.Operations([]trace.Operation{*next.asked}); err != nil {
				return err
			}
			continue
		}
		j.batch = append(j.batch, next.Signal)
		if len(j.batch) == cap(j.batch) && len(j.batch) >= 1024 {
			if err := j.flush(); err != nil {
				return err
			}
		}
	}
}

// flush hands on the signals that were let in.
func (j *joiner) flush() error {
	if len(j.batch) == 0 {
		return nil
	}
	err := j.signals.Signals(j.batch)
	j.batch = j.batch[:0]
	return err
}

// ownSignals takes the signals of the first recording.
type ownSignals joiner

// Track implements trace.SignalSink.
func (o *ownSignals) Track(t trace.Track) error {
	id, err := (*joiner)(o).define(t)
	o.own = append(o.own, id)
	return err
}

// Signals implements trace.SignalSink.
func (o *ownSignals) Signals(batch []trace.Signal) error {
	j := (*joiner)(o)
	for len(batch) > 0 {
		// As many as lie before the next signal of another recording.
		n, limit := 0, int64(math.MaxInt64)
		for _, s := range j.streams {
			next, err := s.peek(j)
			if err != nil {
				return err
			}
			if next != nil {
				limit = min(limit, next.Time)
			}
		}
		for n < len(batch) && batch[n].Time <= limit {
			batch[n].Track = o.own[batch[n].Track]
			n++
		}
		if n > 0 {
			if err := j.signals.Signals(batch[:n]); err != nil {
				return err
			}
		}
		batch = batch[n:]
		if len(batch) > 0 {
			if err := j.until(batch[0].Time); err != nil {
				return err
			}
		}
	}
	return nil
}

// Operations implements trace.SignalSink.
func (o *ownSignals) Operations(batch []trace.Operation) error {
	if err := (*joiner)(o).until(batch[0].Time); err != nil {
		return err
	}
	return o.signals.Operations(batch)
}

// Until implements trace.SignalSink.
func (o *ownSignals) Until(time int64) error {
	if err := (*joiner)(o).until(time); err != nil {
		return err
	}
	return o.signals.Until(time)
}
