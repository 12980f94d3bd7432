package energy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Frequency returns a recording that charges the threads of rec with processor energy. A thread
// that runs on a core is charged the active power of the core's operating point. Idle power, the
// shared power of a cluster, and the energy of other processes are unattributed.
//
// r must have been read from rec. Frequency returns rec unchanged in three cases: rec has samples,
// rec lacks switches or frequencies, or the device has no operating points.
//
// Account 0 is the use of the component "cpu". Its provenance is Scaled if rails measured all
// clusters, and Modelled otherwise. Account 1 is the unattributed energy.
//
// The energy of an event is what the thread used since its previous event. The order of events of
// different threads does not change it, unless an event arrives later than signals. Such an event
// is charged up to the moment of the latest signal.
func Frequency(rec trace.Recording, r *Rails) trace.Recording {
	if r == nil || !r.clocked || r.device.CPU == nil {
		return rec
	}
	return &clocked{rec: rec, rails: r}
}

// clocked is a recording whose processor energy depends on the frequencies.
type clocked struct {
	rec   trace.Recording
	rails *Rails
}

// provenance returns the provenance of the processor's energy.
func (c *clocked) provenance() trace.Provenance {
	if slices.Contains(c.rails.clusters, nil) {
		return trace.Modelled
	}
	return trace.Scaled
}

// Scan implements trace.Recording.
func (c *clocked) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	for _, cluster := range c.rails.clusters {
		if cluster != nil {
			cluster.begin()
		}
	}
	s := &clocking{sink: sink, rails: c.rails, as: c.provenance(), signals: math.MinInt64}
	s.cores = newCores(c.rails.device.CPU, c.rails.first, s.piece)
	t, err := c.rec.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	return s.finish(t)
}

// clocking is the sink that charges events. Events wait until the signals of the same time have
// arrived. The batches are then passed on in order.
type clocking struct {
	sink  trace.Sink
	next  trace.SignalSink
	rails *Rails
	as    trace.Provenance
	cores *cores
	held  []delivery
	// count is the number of events, samples and signals that are held back.
	count int
	// signals is the moment up to which signals have arrived.
	signals int64
	threads []drainer
	// others is the unattributed energy of clusters without a rail.
	others spent
	last   trace.Event
	any    bool
	// ran is the running time of threads according to the switches. clocked is their running time
	// according to the thread clocks. Both are in nanoseconds.
	ran, clocked int64
}

// A drainer has the energy of a thread. drained is its energy on clusters without a rail, of which
// the part charged is already in events. scaled is its energy on clusters with a rail since its
// latest event.
type drainer struct {
	drained spent
	charged uint64
	scaled  units.Energy
}

// A delivery is a batch that is held back.
type delivery struct {
	events  []trace.Event
	samples []trace.Sample
	signals []trace.Signal
	asked   []trace.Operation
	track   *trace.Track
	until   *int64
}

// Start implements trace.StartSink.
func (s *clocking) Start(clock trace.Clock, _ trace.Provenance) { trace.Start(s.sink, clock, s.as) }

// TakeNames implements trace.NameTaker.
func (s *clocking) TakeNames(names trace.Names) { trace.GiveNames(s.sink, names) }

// TakeSignals implements trace.SignalTaker.
func (s *clocking) TakeSignals() trace.SignalSink {
	s.next = trace.Signals(s.sink)
	return s
}

// piece records the energy of p.
func (s *clocking) piece(p piece) {
	var cluster *rail
	if p.thread != trace.NoThread {
		s.ran += p.end - p.begin
	}
	if p.cluster >= 0 {
		cluster = s.rails.clusters[p.cluster]
	}
	switch {
	case p.thread == trace.NoThread && cluster == nil:
		s.others.add(p.power, p.end-p.begin)
	case p.thread == trace.NoThread: // The rail computes the unattributed energy.
	case cluster == nil:
		s.thread(p.thread).drained.add(p.power, p.end-p.begin)
	default:
		var sum spent
		e := sum.add(p.power, p.end-p.begin)
		s.thread(p.thread).scaled += cluster.scale(p.begin, p.end, e)
	}
}

// thread returns the state of a thread.
func (s *clocking) thread(id trace.ThreadID) *drainer {
	for int(id) >= len(s.threads) {
		s.threads = append(s.threads, drainer{})
	}
	return &s.threads[id]
}

// Events implements trace.Sink.
func (s *clocking) Events(batch []trace.Event) error {
	s.count += len(batch)
	s.held = append(s.held, delivery{events: slices.Clone(batch)})
	return s.release()
}

// Samples implements trace.Sink.
func (s *clocking) Samples(batch []trace.Sample) error {
	batch = slices.Clone(batch)
	for i := range batch {
		batch[i].Stack, batch[i].Lines = slices.Clone(batch[i].Stack), slices.Clone(batch[i].Lines)
	}
	s.count += len(batch)
	s.held = append(s.held, delivery{samples: batch})
	return s.release()
}

// Track implements trace.SignalSink.
func (s *clocking) Track(t trace.Track) error {
	s.held = append(s.held, delivery{track: &t})
	return nil
}

// Signals implements trace.SignalSink.
func (s *clocking) Signals(batch []trace.Signal) error {
	s.signals = max(s.signals, batch[len(batch)-1].Time)
	s.count += len(batch)
	s.held = append(s.held, delivery{signals: slices.Clone(batch)})
	if s.count > maxHeld {
		return s.release()
	}
	return nil
}

// Operations implements trace.SignalSink.
func (s *clocking) Operations(batch []trace.Operation) error {
	s.held = append(s.held, delivery{asked: slices.Clone(batch)})
	return nil
}

// Until implements trace.SignalSink.
func (s *clocking) Until(time int64) error {
	s.signals = max(s.signals, time)
	s.held = append(s.held, delivery{until: &time})
	return s.release()
}

// maxHeld bounds the number of events, samples and signals that are held back.
const maxHeld = 1 << 16

// release charges batches and passes them on, but keeps two kinds:
//
//   - Events that are later than the signals, and all batches after them.
//   - Signals at the end. They may be newer than events that are still to come, unless a call of
//     Until after them promised that none will come.
//
// If too much is held, release passes on everything.
func (s *clocking) release() error {
	if s.count > maxHeld {
		return s.passOn(len(s.held))
	}
	n := slices.IndexFunc(s.held, func(d delivery) bool { return s.isAhead(&d) })
	if n < 0 {
		n = len(s.held)
	}
	for n > 0 && s.held[n-1].until == nil && s.held[n-1].events == nil && s.held[n-1].samples == nil {
		n--
	}
	return s.passOn(n)
}

// isAhead reports whether a delivery has events that are later than the signals.
func (s *clocking) isAhead(d *delivery) bool {
	for i := range d.events {
		if d.events[i].Time > s.signals {
			return true
		}
	}
	return false
}

// passOn charges the first n batches and passes them on.
func (s *clocking) passOn(n int) error {
	if n == 0 {
		return nil
	}
	s.charge(s.held[:n])
	for i := range s.held[:n] {
		if err := s.pass(&s.held[i]); err != nil {
			return err
		}
	}
	s.held = slices.Delete(s.held, 0, n)
	return nil
}

// charge sets the energies of the events in held. The batches overlap in time, so charge visits
// their events and signals in order of time.
func (s *clocking) charge(held []delivery) {
	var events []*trace.Event
	var signals []*trace.Signal
	for i := range held {
		if held[i].track != nil {
			s.cores.track(*held[i].track)
		}
		for j := range held[i].events {
			events = append(events, &held[i].events[j])
		}
		for j := range held[i].signals {
			signals = append(signals, &held[i].signals[j])
		}
		s.count -= len(held[i].events) + len(held[i].samples) + len(held[i].signals)
	}
	slices.SortStableFunc(events, func(a, b *trace.Event) int { return cmp.Compare(a.Time, b.Time) })
	for _, e := range events {
		for len(signals) > 0 && signals[0].Time <= e.Time {
			s.cores.signal(signals[0])
			signals = signals[1:]
		}
		s.cores.ran(e.Thread, e.Time)
		e.Energy = s.settle(e.Thread)
		s.clocked += e.CPU
		s.last, s.any = *e, true
	}
	for _, x := range signals {
		s.cores.signal(x)
	}
}

// settle returns the energy that a thread has used since the previous call of settle.
func (s *clocking) settle(id trace.ThreadID) units.Energy {
	th := s.thread(id)
	now := th.drained.whole / 1000
	e := units.Energy(now-th.charged) + th.scaled
	th.charged, th.scaled = now, 0
	return e
}

// pass passes a batch to the next sink.
func (s *clocking) pass(d *delivery) error {
	switch {
	case d.events != nil:
		return s.sink.Events(d.events)
	case d.samples != nil:
		return s.sink.Samples(d.samples)
	case s.next == nil:
		return nil
	case d.track != nil:
		return s.next.Track(*d.track)
	case d.signals != nil:
		return s.next.Signals(d.signals)
	case d.asked != nil:
		return s.next.Operations(d.asked)
	}
	// A call of Until is not passed on, because unattributed energy is charged at the time of the
	// latest event.
	return nil
}

// finish charges the remaining energy, and returns the charged trace.
func (s *clocking) finish(t *trace.Trace) (*trace.Trace, error) {
	if err := s.passOn(len(s.held)); err != nil {
		return nil, err
	}
	s.cores.finish(int64(t.Elapsed))
	out := *t
	out.Energy = s.as
	out.Accounts = []trace.Account{{Component: processor, Provenance: s.as}, {Component: processor, Part: trace.Rest, Provenance: s.as}}
	if missing := s.clocked - s.ran; missing > s.clocked/20 {
		// The switches may come from a system trace that was recorded beside the run. It may cover
		// only a part of the run.
		out.Warnings = append(slices.Clip(t.Warnings), trace.Warning{Code: "unseen-switches", Message: fmt.Sprintf(
			"threads ran %v by their own clocks, but the switches and frequencies show only %v; the rest is unattributed",
			time.Duration(s.clocked).Round(time.Microsecond), time.Duration(s.ran).Round(time.Microsecond))})
	}
	if !s.any {
		return &out, nil // There is no thread that can be charged.
	}
	out.Threads = slices.Clone(t.Threads)
	var charges []trace.Event
	for i := range s.threads {
		// A thread's energy after its latest event is charged to the process.
		if e := s.settle(trace.ThreadID(i)); e > 0 {
			charges = append(charges, trace.Event{Energy: e})
		}
	}
	charges = append(charges, trace.Event{Energy: s.rest(), Account: 1})
	for i := range charges {
		charges[i].Time, charges[i].Thread, charges[i].Kind, charges[i].Ref = s.last.Time, s.last.Thread, trace.Charge, trace.NoRef
	}
	out.Threads[s.last.Thread].Events += int64(len(charges))
	out.Events += int64(len(charges))
	return &out, s.sink.Events(charges)
}

// rest returns the unattributed energy.
func (s *clocking) rest() units.Energy {
	sum := units.Energy(s.others.whole / 1000)
	for _, cluster := range s.rails.clusters {
		if cluster != nil {
			sum += cluster.rest() + cluster.outside.goal - cluster.outside.given
		}
	}
	return sum
}
