package energy

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Track summarizes the signals of one kind on a track of the recording.
type Track struct {
	trace.Track
	Kind trace.SignalKind
	// Signals counts the signals. Begin is the time of the first signal. For a Drain, End is the
	// time of the last signal. For other kinds, it is the end of the run.
	Signals    int64
	Begin, End int64
	// Energy is the energy between the first and the last reading of a Drain.
	Energy units.Energy
	// Curve has the readings of a Drain, beginning with the first one.
	Curve Curve
	// Least, Most and Mean summarize the values of a Frequency, a Gauge or a Level. The mean is
	// weighted by time.
	Least, Most int64
	Mean        float64
	// Active is a duration that depends on the kind of signals. For a Switch, it is the time for
	// which the core ran one of the recording's threads. For an Idle, it is the time for which the
	// core was idle. For a State, it is the time outside of the base state. For a Suspend, it is
	// the duration of the suspend.
	Active time.Duration
}

// Total returns the total measured energy, and the tracks whose energies were added. It uses meters
// of the whole device only if no part has a meter. It uses the battery only if there is no other
// meter.
func Total(tracks []Track) (total units.Energy, by []Track) {
	var meters, batteries []Track
	for _, t := range tracks {
		switch {
		case t.Kind != trace.Drain, t.Begin == t.End: // A single reading contains no energy.
		case t.Component == battery:
			batteries = append(batteries, t)
		case t.Component == device:
			meters = append(meters, t)
		default:
			by = append(by, t)
		}
	}
	if len(by) == 0 {
		by = meters
	}
	if len(by) == 0 {
		by = batteries
	}
	for _, t := range by {
		total += t.Energy
	}
	return total, by
}

// OperationCount counts the operations of a component that are in the recording.
type OperationCount struct {
	Component  string
	Operations int64
}

// Measuring is a recording whose scans summarize its signals. It must not be scanned concurrently.
type Measuring struct {
	rec    trace.Recording
	tracks []Track
	asked  []OperationCount
}

// Measure returns a recording that summarizes the signals of rec during each scan.
func Measure(rec trace.Recording) *Measuring { return &Measuring{rec: rec} }

// Scan implements trace.Recording.
func (m *Measuring) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	s := &measuring{sink: sink, index: make(map[trackKind]int)}
	t, err := m.rec.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	m.tracks, m.asked = s.result(int64(t.Elapsed)), s.asked
	return t, nil
}

// Tracks returns the summaries of the last scan, or nil if there were no signals. Tracks without a
// core come first. The others are sorted by core, then in the order of the recording, then by kind.
func (m *Measuring) Tracks() []Track { return m.tracks }

// OperationCounts returns the number of operations that the last scan found, for each component in
// the order in which they appeared. It does not count calls of triggers.
func (m *Measuring) OperationCounts() []OperationCount { return m.asked }

// A trackKind identifies the signals of one kind on a track.
type trackKind struct {
	track trace.TrackID
	kind  trace.SignalKind
}

// measuring is a sink. It summarizes the signals and passes them on.
type measuring struct {
	sink    trace.Sink
	signals trace.SignalSink
	defined []trace.Track
	tracks  []trackBuilder
	index   map[trackKind]int
	asked   []OperationCount
}

// A trackBuilder accumulates a Track.
type trackBuilder struct {
	Track
	key trackKind
	// first and last are the values of the first and the latest signal. weighed is the sum of
	// values, weighted by time.
	first, last int64
	weighed     float64
	skip        int64 // readings left out between two readings of Curve
}

// Events implements trace.Sink.
func (m *measuring) Events(batch []trace.Event) error { return m.sink.Events(batch) }

// Samples implements trace.Sink.
func (m *measuring) Samples(batch []trace.Sample) error { return m.sink.Samples(batch) }

// Start implements trace.StartSink.
func (m *measuring) Start(clock trace.Clock, energy trace.Provenance) {
	trace.Start(m.sink, clock, energy)
}

// TakeNames implements trace.NameTaker.
func (m *measuring) TakeNames(names trace.Names) { trace.GiveNames(m.sink, names) }

// TakeSignals implements trace.SignalTaker.
func (m *measuring) TakeSignals() trace.SignalSink {
	m.signals = trace.Signals(m.sink)
	return m
}

// Track implements trace.SignalSink.
func (m *measuring) Track(t trace.Track) error {
	m.defined = append(m.defined, t)
	if m.signals == nil {
		return nil
	}
	return m.signals.Track(t)
}

// Signals implements trace.SignalSink.
func (m *measuring) Signals(batch []trace.Signal) error {
	for i := range batch {
		m.add(&batch[i])
	}
	if m.signals == nil {
		return nil
	}
	return m.signals.Signals(batch)
}

// Operations implements trace.SignalSink.
func (m *measuring) Operations(batch []trace.Operation) error {
	for i := range batch {
		component := batch[i].Component
		at := slices.IndexFunc(m.asked, func(a OperationCount) bool { return a.Component == component })
		if at < 0 {
			at = len(m.asked)
			m.asked = append(m.asked, OperationCount{Component: component})
		}
		m.asked[at].Operations++
	}
	if m.signals == nil {
		return nil
	}
	return m.signals.Operations(batch)
}

// Until implements trace.SignalSink.
func (m *measuring) Until(time int64) error {
	if m.signals == nil {
		return nil
	}
	return m.signals.Until(time)
}

// add adds a signal to the tally of its track.
func (m *measuring) add(s *trace.Signal) {
	key := trackKind{s.Track, s.Kind}
	value := s.Value
	if s.Kind == trace.Switch {
		// It matters whether a thread runs, but not which.
		value = 0
		if s.Thread != trace.NoThread {
			value = 1
		}
	}
	i, known := m.index[key]
	if !known {
		i = len(m.tracks)
		m.index[key] = i
		m.tracks = append(m.tracks, trackBuilder{
			Track: Track{Track: m.defined[s.Track], Kind: s.Kind, Begin: s.Time, End: s.Time, Least: value, Most: value},
			key:   key, first: value, last: value,
		})
	}
	t := &m.tracks[i]
	t.pass(s.Time)
	if s.Kind == trace.Drain {
		t.Curve, t.skip = t.Curve.add(Reading{s.Time, units.Energy(value)}, t.Signals, t.skip)
	}
	t.Signals++
	t.last, t.End = value, s.Time
	t.Least, t.Most = min(t.Least, value), max(t.Most, value)
}

// pass advances the tally to a moment: it adds the current value, weighted by the time since the
// latest signal.
func (t *trackBuilder) pass(moment int64) {
	held := moment - t.End
	t.weighed += float64(t.last) * float64(held)
	base := int64(0)
	if t.Kind == trace.Idle {
		base = -1
	}
	if t.last != base {
		t.Active += time.Duration(held)
	}
}

// result ends the tallies at end or, if that is later, at the last signal. A signal applies until
// the next signal, and the last signal applies until the end. A Drain ends at its last reading.
func (m *measuring) result(end int64) []Track {
	for i := range m.tracks {
		end = max(end, m.tracks[i].End)
	}
	for i := range m.tracks {
		if t := &m.tracks[i]; t.Kind != trace.Drain {
			t.pass(end)
			t.End = end
		}
	}
	slices.SortFunc(m.tracks, func(a, b trackBuilder) int {
		return cmp.Or(cmp.Compare(a.Core, b.Core), cmp.Compare(a.key.track, b.key.track), cmp.Compare(a.key.kind, b.key.kind))
	})
	tracks := make([]Track, len(m.tracks))
	for i := range m.tracks {
		t := &m.tracks[i]
		t.Mean = float64(t.last)
		if t.End > t.Begin {
			t.Mean = t.weighed / float64(t.End-t.Begin)
		}
		switch t.Kind {
		case trace.Drain:
			t.Energy = units.Energy(t.last - t.first)
			if n := len(t.Curve); n > 0 && t.Curve[n-1].Time < t.End {
				t.Curve = append(t.Curve, Reading{t.End, units.Energy(t.last)})
			}
			t.Active, t.Mean, t.Least, t.Most = 0, 0, 0, 0
		case trace.Frequency, trace.Gauge, trace.Level:
			t.Active = 0
		default:
			t.Mean, t.Least, t.Most = 0, 0, 0
		}
		tracks[i] = t.Track
	}
	return tracks
}
