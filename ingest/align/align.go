// Package align joins several recordings of one run of an app. The main recording has the events of
// the app. Side recordings have measurements by a meter, the system or the battery. The joined
// recording has the main recording's events and all measurements, on the main recording's timeline.
//
// The time shift between two recordings comes from one of these:
//
//   - A clock that both recordings have read.
//   - The shift that the user states.
//   - An estimate from the activity: the shift with the highest correlation between the app's
//     processor time and the device's energy. The result states the quality of the estimate. If no
//     shift is clearly the best, the estimate fails.
//   - An estimate from bursts of load that the app made for this purpose.
//
// Only signals and operations within the run are used. Component states and operations that began
// before the run and still hold are repeated at its start. Energy counters are interpolated at the
// start and at the end of the run.
package align

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// A Side is a side recording, which is joined to the main recording.
type Side struct {
	// Name identifies the recording in errors, for example by its path.
	Name      string
	Recording trace.Recording
}

// An Alignment says how to align recordings. The zero Alignment uses common clocks.
type Alignment struct {
	// Shift, if not nil, is the start of the side recordings on the main recording's timeline.
	Shift *time.Duration
	// Auto allows estimates if the recordings have no common clock. It uses bursts of load if the
	// main recording has some, and otherwise the activity.
	Auto bool
	// Bursts aligns by short bursts of load that the app made so that they show in a meter's
	// readings (trace.Trace.Bursts). It also measures the drift of the meter's clock.
	Bursts bool
}

// A Place says how a side recording was aligned with the main recording.
type Place struct {
	Name string
	// Shift is added to the times of the side recording.
	Shift time.Duration
	// Drift is the relative speed difference of the clocks, such as 1e-5. Times of the side
	// recording are multiplied by 1 + Drift before Shift is added. Drift is 0 if unknown.
	// DriftResidual is its possible error.
	Drift, DriftResidual float64
	// By is the method of alignment: "clock", "shift", "bursts" or "activity". Clock is the common
	// clock for the method "clock".
	By    string
	Clock trace.SystemClock
	// Residual is the possible error of Shift, or 0 if unknown. For the method "clock", it is the
	// largest disagreement between readings of the clock.
	Residual time.Duration
	// Correlation is the correlation of the side recording with the activity or the bursts, from -1
	// to 1. It is 0 for other methods.
	Correlation float64
}

// A Run is a main recording joined with side recordings. It is a trace.Recording. It may be scanned
// concurrently if all its recordings may be.
type Run struct {
	main   trace.Recording
	sides  []side
	end    int64
	Places []Place
	// warnings are the warnings of the side recordings.
	warnings []trace.Warning
}

// A side is a Side with its alignment.
type side struct {
	Side
	shift   int64
	drift   float64
	threads []trace.ThreadID
	// handles is added to the ids of operations (Operation.Handle), so that operations of different
	// recordings have different ids.
	handles int64
	// edges has, for each energy counter, its values at the start and the end of the run.
	edges map[trace.TrackID]*edge
}

// Join joins side recordings to a main recording. It scans main once and each side recording up to
// twice.
func Join(ctx context.Context, main trace.Recording, sides []Side, o Alignment) (*Run, error) {
	var did activity
	t, err := main.Scan(ctx, &did)
	if err != nil {
		return nil, err
	}
	run := &Run{main: main, end: max(int64(t.Elapsed), did.end)}
	for _, s := range sides {
		drained := activity{sides: true}
		k := &kept{Recording: s.Recording}
		s.Recording = k
		other, err := k.first(ctx, &drained)
		if err != nil {
			return nil, err
		}
		if len(other.Tracks) == 0 {
			return nil, fmt.Errorf("%s contains no measurements, so it cannot be joined to a run", s.Name)
		}
		p, err := place(t, other, &did, &drained, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		p.Name = s.Name
		if begin, end := drained.begin+int64(p.Shift), drained.end+int64(p.Shift); end < 0 || begin > run.end {
			what := ""
			if off := zone(begin, end, run.end); off != 0 && o.Shift == nil {
				what = fmt.Sprintf("; in a time zone %v away it would be within the run: state the zone in its times, or set --align", time.Duration(off))
			}
			return nil, fmt.Errorf("%s is outside of the run: it is from %v to %v, and the run from 0 s to %v%s",
				s.Name, rounded(begin), rounded(end), rounded(run.end), what)
		}
		at := side{Side: s, shift: int64(p.Shift), drift: p.Drift, threads: sameThreads(other.Threads, t.Threads), edges: make(map[trace.TrackID]*edge)}
		if _, err := s.Recording.Scan(ctx, &edges{side: &at, end: run.end}); err != nil {
			return nil, err
		}
		for _, w := range other.Warnings {
			w.Message = s.Name + ": " + w.Message
			run.warnings = append(run.warnings, w)
		}
		at.handles = sideHandles * int64(1+len(run.sides))
		run.sides = append(run.sides, at)
		run.Places = append(run.Places, p)
	}
	return run, nil
}

// sideHandles is larger than all handles in a recording.
const sideHandles = 1 << 52

// rounded rounds a time for display.
func rounded(ns int64) time.Duration { return time.Duration(ns).Round(time.Millisecond) }

// place finds the alignment of a side recording with main.
func place(main, other *trace.Trace, did, drained *activity, o Alignment) (Place, error) {
	if o.Shift != nil {
		return Place{Shift: *o.Shift, By: "shift"}, nil
	}
	if o.Bursts {
		return alignBursts(main.Bursts, drained)
	}
	for _, clock := range []trace.SystemClock{trace.Boottime, trace.Monotonic, trace.Realtime} {
		a, spreadA, okA := zero(main.Timeline, clock)
		b, spreadB, okB := zero(other.Timeline, clock)
		if okA && okB {
			return Place{Shift: time.Duration(b - a), By: "clock", Clock: clock, Residual: time.Duration(max(spreadA, spreadB))}, nil
		}
	}
	if !o.Auto {
		return Place{}, errors.New("it shares no clock with the recording; set its start, such as --align 1.5s, or estimate it from the activity with --align auto")
	}
	if len(main.Bursts) > 0 {
		return alignBursts(main.Bursts, drained)
	}
	return correlate(did, drained)
}

// moment converts a time of the side recording to the run's timeline.
func (s *side) moment(t int64) int64 {
	if s.drift != 0 {
		t += int64(math.Round(float64(t) * s.drift))
	}
	return t + s.shift
}

// zero returns the value of a clock at time 0 of a timeline. The clock's readings may disagree
// about this value: spread is the largest difference.
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

// sameThreads returns, for each thread of a side recording, the same thread in the main recording.
// These are threads with equal system ids. If there is none, the entry is NoThread.
func sameThreads(threads, in []trace.Thread) []trace.ThreadID {
	known := make(map[int64]trace.ThreadID)
	for i, t := range in {
		if _, twice := known[t.ID]; !twice {
			known[t.ID] = trace.ThreadID(i)
		}
	}
	out := make([]trace.ThreadID, len(threads))
	for i, t := range threads {
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
	// The goroutines that fill the streams must end before Scan returns.
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

// A joiner is the sink of the main recording. It inserts the signals of the side recordings in time
// order.
type joiner struct {
	to trace.Sink
	// begin starts the streams. It is called only if signals is not nil.
	begin   func() []*stream
	signals trace.SignalSink
	streams []*stream
	tracks  []trace.Track
	// own maps tracks of the main recording to tracks of the joined recording.
	own   []trace.TrackID
	batch []trace.Signal
}

// Start implements trace.StartSink. It starts the streams here and not in TakeSignals, which the
// decoder of a recording without signals never calls.
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

// define adds a track to the joined recording and returns its id.
func (j *joiner) define(t trace.Track) (trace.TrackID, error) {
	j.tracks = append(j.tracks, t)
	return trace.TrackID(len(j.tracks) - 1), j.signals.Track(t)
}

// until sends the side recordings' signals and operations up to a time, in time order.
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
			// Earlier signals must be sent before this operation.
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

// flush sends the collected signals of side recordings.
func (j *joiner) flush() error {
	if len(j.batch) == 0 {
		return nil
	}
	err := j.signals.Signals(j.batch)
	j.batch = j.batch[:0]
	return err
}

// ownSignals is the sink for the signals of the main recording.
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
		// The first n signals must be sent before the next signal of any side recording.
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

// zone looks for a wrong time zone in the times of a recording outside of the run. It returns the
// difference that would put most of the recording within the run, or 0 if there is none.
func zone(begin, end, length int64) int64 {
	const step, most = int64(15 * time.Minute), int64(26 * time.Hour)
	for off := -most; off <= most; off += step {
		if within := min(end-off, length) - max(begin-off, 0); off != 0 && 2*within > end-begin {
			return off
		}
	}
	return 0
}
