package cct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Replay plays the calls of a recording one by one, in order of time. It repairs stacks like
// Build:
//
//   - A call that was open at the start begins with its thread's first event.
//   - A call without an exit ends with the call around it.
//   - A call that is open at the end ends with its thread's last event.
//
// Sampled stacks become calls. A frame that two consecutive samples share is one call. Any other
// frame lasts until the thread's next sample.
type Replay struct {
	rec    trace.Recording
	limits Limits
	// Trace describes the run, without its events.
	Trace *trace.Trace
	// HasTimes is true if the events have times.
	HasTimes bool
	// Sampled is true if the recording has samples. A sample may represent many calls, so the
	// number and the order of the replayed calls may differ from the run.
	Sampled bool
	initial map[trace.ThreadID][]trace.MethodID
}

// A Call is a call that begins or ends.
type Call struct {
	Thread trace.ThreadID
	// Method is NoMethod for time outside of calls.
	Method trace.MethodID
	// Time is the time of the event. CPU is the processor time of the thread so far. Both are in
	// nanoseconds.
	Time, CPU int64
	// Energy is the exclusive energy of a call that ends. All is its inclusive energy. Both are 0
	// for a call that begins.
	Energy, All units.Energy
}

// A Player receives the calls of a Replay. The calls of a thread nest, and are in order of
// time. A *Call is valid until the method returns. An error ends the replay.
type Player interface {
	Open(c *Call) error
	Close(c *Call) error
	// Extra receives energy that no Close reports. During the run, it is energy that a trace.Charge
	// assigned to c.Method after that call ended. At the end, it is a thread's energy outside
	// calls.
	Extra(c *Call) error
	// Drain receives all energy in the order of its use. The thread used the energy up to the
	// given time, perhaps outside calls. The sum equals the sum over all calls and Extra.
	Drain(at int64, thread trace.ThreadID, account trace.AccountID, energy units.Energy) error
}

// bytesOpen is the size of an open call in bytes.
const bytesOpen = 80

// NewReplay scans a recording once to find the calls that are open at the start.
func NewReplay(ctx context.Context, rec trace.Recording, limits Limits) (*Replay, error) {
	s := &replaySink{most: limits.open(bytesOpen)}
	t, err := rec.Scan(ctx, s)
	if err == nil && t.Again {
		s = &replaySink{most: limits.open(bytesOpen)}
		t, err = rec.Scan(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	r := &Replay{rec: rec, limits: limits, Trace: t, HasTimes: s.latest > 0, Sampled: s.sampled, initial: make(map[trace.ThreadID][]trace.MethodID)}
	for id, l := range s.lanes {
		if l != nil && len(l.orphans) > 0 {
			slices.Reverse(l.orphans) // the innermost ended first
			r.initial[trace.ThreadID(id)] = l.orphans
		}
	}
	return r, nil
}

// Play scans the recording again and passes its calls to a player. Its memory grows with the
// open calls, and not with the number of events.
func (r *Replay) Play(ctx context.Context, to Player) error {
	s := &replaySink{to: to, most: r.limits.open(bytesOpen), initial: r.initial, methods: len(r.Trace.Methods)}
	if _, err := r.rec.Scan(ctx, s); err != nil {
		return err
	}
	for id := range s.lanes {
		if err := s.end(trace.ThreadID(id)); err != nil {
			return err
		}
	}
	return nil
}

// open returns the largest number of calls of the given size that may be open at the same time.
func (l Limits) open(bytes int64) int64 {
	if l.Bytes <= 0 {
		return math.MaxInt64
	}
	return l.Bytes / bytes
}

// A replaySink is the sink of a replay. In the first scan it has no player.
type replaySink struct {
	to      Player
	initial map[trace.ThreadID][]trace.MethodID
	lanes   []*threadReplay
	marks   []openCall
	methods int
	latest  int64
	// sampled is set once a sample arrives.
	sampled bool
	// open counts the open calls of all threads. most is its limit.
	open, most int64
	energy     units.Energy
	// call is the argument for the player. It is reused.
	call Call
}

// A threadReplay is the stack of one thread: its open calls, outermost first. The first entry is
// the time outside calls. Calls from index base on began during the recording.
type threadReplay struct {
	calls []openCall
	base  int
	// counts has the number of calls of each method from base on. It is nil until an exit does not
	// match the innermost call.
	counts  map[trace.MethodID]int
	orphans []trace.MethodID
	// time and cpu are the times of the latest event. For a sampled stack, took is its duration,
	// and ends is its end.
	time, cpu  int64
	ends, took int64
	begun      int64
}

// An openCall is a call on a stack. number distinguishes successive calls at the same depth.
type openCall struct {
	thread      trace.ThreadID
	method      trace.MethodID
	depth       int
	number      int64
	energy, all units.Energy
}

// threadReplay returns a thread's lane. at is the time of the current event.
func (s *replaySink) lane(id trace.ThreadID, at int64) (*threadReplay, error) {
	if id < 0 {
		return nil, errors.New("an event has a negative thread")
	}
	for int(id) >= len(s.lanes) {
		s.lanes = append(s.lanes, nil)
	}
	if l := s.lanes[id]; l != nil {
		return l, nil
	}
	l := &threadReplay{calls: []openCall{{thread: id, method: NoMethod}}, base: 1, time: at}
	s.lanes[id] = l
	for _, m := range s.initial[id] {
		if err := s.enter(id, l, m); err != nil {
			return nil, err
		}
	}
	l.base = len(l.calls)
	return l, nil
}

// Events implements trace.Sink.
func (s *replaySink) Events(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		l, err := s.lane(e.Thread, e.Time)
		if err != nil {
			return err
		}
		l.time = e.Time
		if err := s.spend(l, e.Thread, e.Account, e.CPU, e.Energy, e.Kind != trace.Charge); err != nil {
			return err
		}
		switch e.Kind {
		case trace.Enter:
			err = s.enter(e.Thread, l, trace.MethodID(e.Ref))
		case trace.Exit:
			err = s.exit(e.Thread, l, trace.MethodID(e.Ref))
		case trace.Mark:
			s.mark(l, int(e.Ref))
		case trace.Charge:
			err = s.charge(l, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// spend adds the energy and processor time since the thread's last event. own is true if the energy
// belongs to the innermost call.
func (s *replaySink) spend(l *threadReplay, id trace.ThreadID, account trace.AccountID, cpu int64, energy units.Energy, own bool) error {
	s.latest = max(s.latest, l.time)
	if cpu < 0 || l.cpu+cpu < 0 || energy < 0 || l.time < 0 {
		return errors.New("an event spends less than nothing")
	}
	total, ok := units.Add(s.energy, energy)
	if !ok {
		return errors.New("the sum of energy over the run leaves 63 bits")
	}
	s.energy = total
	l.cpu += cpu
	if own {
		l.calls[len(l.calls)-1].energy += energy
	}
	if s.to == nil || energy == 0 {
		return nil
	}
	return s.to.Drain(l.time, id, account, energy)
}

func (s *replaySink) enter(id trace.ThreadID, l *threadReplay, m trace.MethodID) error {
	if s.open++; s.open > s.most {
		return fmt.Errorf("%w: more than %d calls are open at once", ErrTooLarge, s.most)
	}
	if l.counts != nil {
		l.counts[m]++
	}
	l.begun++
	l.calls = append(l.calls, openCall{thread: id, method: m, depth: len(l.calls), number: l.begun})
	if s.to == nil {
		return nil
	}
	if m < 0 || int(m) >= s.methods {
		return fmt.Errorf("an event refers to unknown method %d (the recording has %d)", m, s.methods)
	}
	s.call = Call{Thread: id, Method: m, Time: l.time, CPU: l.cpu}
	return s.to.Open(&s.call)
}

// exit closes the innermost call of a method, and the calls within it.
func (s *replaySink) exit(id trace.ThreadID, l *threadReplay, m trace.MethodID) error {
	if len(l.calls) == l.base {
		switch {
		case s.to == nil:
			if s.open++; s.open > s.most {
				return fmt.Errorf("%w: more than %d calls were open at the start", ErrTooLarge, s.most)
			}
			l.orphans = append(l.orphans, m)
		case l.base > 1:
			l.base--
			return s.close(l)
		}
		return nil
	}
	if l.counts == nil {
		if l.calls[len(l.calls)-1].method == m {
			return s.close(l)
		}
		l.counts = make(map[trace.MethodID]int)
		for _, c := range l.calls[l.base:] {
			l.counts[c.method]++
		}
	}
	if l.counts[m] == 0 {
		return nil
	}
	for {
		top := l.calls[len(l.calls)-1].method
		if l.counts[top]--; l.counts[top] == 0 {
			delete(l.counts, top)
		}
		if err := s.close(l); err != nil || top == m {
			return err
		}
	}
}

func (s *replaySink) close(l *threadReplay) error {
	last := len(l.calls) - 1
	c := l.calls[last]
	c.all += c.energy
	l.calls = l.calls[:last]
	l.calls[last-1].all += c.all
	s.open--
	if s.to == nil {
		return nil
	}
	s.call = Call{Thread: c.thread, Method: c.method, Time: l.time, CPU: l.cpu, Energy: c.energy, All: c.all}
	return s.to.Close(&s.call)
}

// mark marks the innermost call, so that a later event can charge it.
func (s *replaySink) mark(l *threadReplay, ref int) {
	if ref < 0 {
		return
	}
	for ref >= len(s.marks) {
		s.marks = append(s.marks, openCall{thread: trace.NoThread, method: NoMethod})
	}
	s.marks[ref] = l.calls[len(l.calls)-1]
}

// charge assigns the energy of an event to the marked call. Energy that no call caused counts as
// outside of calls.
func (s *replaySink) charge(l *threadReplay, e *trace.Event) error {
	if e.Ref < 0 || int(e.Ref) >= len(s.marks) || s.marks[e.Ref].thread == trace.NoThread {
		l.calls[0].energy += e.Energy
		return nil
	}
	to := s.marks[e.Ref]
	line := s.lanes[to.thread]
	if to.depth < len(line.calls) && line.calls[to.depth].number == to.number {
		line.calls[to.depth].energy += e.Energy
		return nil
	}
	if s.to == nil || e.Energy == 0 {
		return nil
	}
	s.call = Call{Thread: to.thread, Method: to.method, Time: e.Time, CPU: line.cpu, Energy: e.Energy, All: e.Energy}
	return s.to.Extra(&s.call)
}

// Samples implements trace.Sink.
func (s *replaySink) Samples(batch []trace.Sample) error {
	s.sampled = true
	for i := range batch {
		sample := &batch[i]
		l, err := s.lane(sample.Thread, sample.Time)
		if err != nil {
			return err
		}
		if err := s.replaceStack(l, sample); err != nil {
			return err
		}
		if err := s.spend(l, sample.Thread, sample.Account, sample.CPU, sample.Energy, true); err != nil {
			return err
		}
		l.took = max(sample.CPU, sample.Wall)
		l.ends = sample.Time + l.took
	}
	return nil
}

// replaceStack replaces the open calls by a sample's stack. Outer calls that are in both stay open.
// If the previous stack ended more than its duration ago, all calls close at its end instead.
func (s *replaySink) replaceStack(l *threadReplay, sample *trace.Sample) error {
	same := 0
	if l.took == 0 || sample.Time-l.ends <= l.took {
		for same < len(sample.Stack) && same+1 < len(l.calls) && l.calls[same+1].method == sample.Stack[same] {
			same++
		}
	} else {
		l.time = l.ends
		if err := s.closeTo(l, 0); err != nil {
			return err
		}
	}
	l.time = sample.Time
	if err := s.closeTo(l, same); err != nil {
		return err
	}
	for _, m := range sample.Stack[same:] {
		if err := s.enter(sample.Thread, l, m); err != nil {
			return err
		}
	}
	return nil
}

// closeTo closes calls until the given number is open.
func (s *replaySink) closeTo(l *threadReplay, open int) error {
	for len(l.calls)-1 > open {
		if err := s.close(l); err != nil {
			return err
		}
	}
	return nil
}

// end closes the open calls of a thread, and reports its energy outside of calls.
func (s *replaySink) end(id trace.ThreadID) error {
	l := s.lanes[id]
	if l == nil {
		return nil
	}
	l.time = max(l.time, l.ends)
	if err := s.closeTo(l, 0); err != nil {
		return err
	}
	outside := l.calls[0].energy
	if outside == 0 {
		return nil
	}
	s.call = Call{Thread: id, Method: NoMethod, Time: l.time, CPU: l.cpu, Energy: outside, All: outside}
	return s.to.Extra(&s.call)
}
