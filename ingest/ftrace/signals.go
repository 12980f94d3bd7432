package ftrace

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// maxTracks limits the number of tracks of a recording.
const maxTracks = 1 << 16

// signals sends signals and operations to a sink in batches. Without a sink, it drops them.
type signals struct {
	sink   trace.SignalSink
	err    error
	batch  []trace.Signal
	asked  []trace.Operation
	held   eventQueue
	tracks []trace.Track
	// cores has 1 + the track of each core, or 0 for a core without a track.
	cores []trace.TrackID
	// counters has the tracks of the named counters.
	counters map[counter]trace.TrackID
}

// A counter is a named counter of a process.
type counter struct {
	pid  int64
	name string
}

// track defines a track.
func (s *signals) track(t trace.Track) trace.TrackID {
	if s.sink == nil || s.err != nil {
		return 0
	}
	if len(s.tracks) >= maxTracks {
		s.err = fmt.Errorf("there are more than %d tracks of signals", maxTracks)
		return 0
	}
	s.tracks = append(s.tracks, t)
	s.err = s.sink.Track(t)
	return trace.TrackID(len(s.tracks) - 1)
}

// core returns the track of a core.
func (s *signals) core(number int) trace.TrackID {
	if s.sink == nil {
		return 0
	}
	for len(s.cores) <= number {
		s.cores = append(s.cores, 0)
	}
	if s.cores[number] == 0 {
		s.cores[number] = 1 + s.track(trace.Track{Name: fmt.Sprintf("cpu%d", number), Component: "cpu", Core: number, UID: -1})
	}
	return s.cores[number] - 1
}

// add queues a signal for the sink, after all signals and operations queued before.
func (s *signals) add(signal trace.Signal) {
	switch {
	case s.sink == nil:
	case s.held.on:
		s.held.add(entry{signal: signal, at: signal.Time})
	default:
		s.handOperations()
		s.batch = append(s.batch, signal)
	}
}

// operation queues an operation for the sink.
func (s *signals) operation(o trace.Operation) {
	switch {
	case s.sink == nil:
	case s.held.on:
		s.held.add(entry{operation: o, isOperation: true, at: o.Time})
	default:
		s.handSignals()
		s.asked = append(s.asked, o)
	}
}

// hold delays signals and operations from now on. It is called when a system call begins that may
// become an operation at its end.
func (s *signals) hold(now int64) {
	if !s.held.on {
		s.held.on, s.held.passed = true, now
	}
}

// release sends the delayed entries up to a time. If too many entries wait, it sends more.
func (s *signals) release(until int64) {
	n := s.held.before(until)
	for i := range s.held.list[:n] {
		e := &s.held.list[i]
		if e.isOperation {
			s.handSignals()
			s.asked = append(s.asked, e.operation)
		} else {
			s.handOperations()
			s.batch = append(s.batch, e.signal)
		}
	}
	s.held.drop(n, until)
}

func (s *signals) full() bool { return max(len(s.batch), len(s.asked), s.held.fresh) >= batchSize-1 }

func (s *signals) handSignals() {
	if s.err == nil && len(s.batch) > 0 {
		s.err = s.sink.Signals(s.batch)
	}
	s.batch = s.batch[:0]
}

func (s *signals) handOperations() {
	if s.err == nil && len(s.asked) > 0 {
		s.err = s.sink.Operations(s.asked)
	}
	s.asked = s.asked[:0]
}

// flush sends the queued signals and operations. Later entries may still be preceded by an
// operation that began at the time oldest and has not ended, so they stay in the queue. flush then
// tells the sink up to which time it has everything.
func (s *signals) flush(oldest, now int64) error {
	if s.sink == nil {
		return nil
	}
	if s.held.on {
		s.release(oldest)
		s.held.on = oldest < now || len(s.held.list) > 0
		now = s.held.passed
	}
	s.handSignals()
	s.handOperations()
	if s.err == nil {
		s.err = s.sink.Until(now)
	}
	return s.err
}

// Frequency sets the frequency of a core, in hertz.
func (m *Machine) Frequency(moment int64, core int, hertz int64) {
	m.ofCore(moment, core, trace.Frequency, max(0, hertz))
}

// Idle sets the idle state of a core. States count from 0, and -1 means that the core leaves idle.
func (m *Machine) Idle(moment int64, core int, state int64) {
	m.ofCore(moment, core, trace.Idle, max(-1, state))
}

func (m *Machine) ofCore(moment int64, number int, kind trace.SignalKind, value int64) {
	m.at(moment)
	if m.core(number) != nil {
		m.Signal(moment, m.signals.core(number), kind, value)
	}
}

// Counter sets a named counter of a process. It ignores counters of processes that are not read,
// except for the counters of the screen.
func (m *Machine) Counter(moment, pid int64, text []byte, value int64) {
	m.at(moment)
	if m.signals.sink == nil || m.display(moment, string(text), value) || !m.reads(pid) {
		return
	}
	track, ok := m.signals.counters[counter{pid, string(text)}]
	if !ok {
		track = m.signals.track(trace.Track{Name: printable(text), Core: -1, UID: -1})
		if m.signals.counters == nil {
			m.signals.counters = make(map[counter]trace.TrackID)
		}
		m.signals.counters[counter{pid, string(text)}] = track
	}
	m.Signal(moment, track, trace.Gauge, value)
}

// Track defines a track for [Machine.Signal].
func (m *Machine) Track(t trace.Track) trace.TrackID { return m.signals.track(t) }

// Signal adds a signal without a thread.
func (m *Machine) Signal(moment int64, track trace.TrackID, kind trace.SignalKind, value int64) {
	m.at(moment)
	m.signals.add(trace.Signal{Time: m.now, Value: value, Track: track, Thread: trace.NoThread, Kind: kind})
	m.drain()
}
