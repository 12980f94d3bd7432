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

// A Replay hands out the calls of a recording one by one, as they happened. Stacks are repaired as
// Build repairs them: calls that were open at the start begin with their thread's first event, those
// without an exit end with the call around them, and those open at the end with their thread's last
// event. A stack that was sampled is calls that last to the thread's next sample: what two samples
// in a row share goes on.
type Replay struct {
	rec    trace.Recording
	limits Limits
	// Trace is what is known of the run beside its events.
	Trace *trace.Trace
	// Moments says whether the events say when they happened.
	Moments bool
	initial map[trace.ThreadID][]trace.MethodID
}

// A Call is a call that begins or ends.
type Call struct {
	Thread trace.ThreadID
	// Method is NoMethod for what lies outside of calls.
	Method trace.MethodID
	// Time is the moment, CPU the processor time that the thread had spent by then; both in
	// nanoseconds.
	Time, CPU int64
	// Energy is what a call that ends has drained itself, All that with what it called. Both are 0 for
	// one that begins.
	Energy, All units.Energy
}

// A Player takes the calls of a Replay. Those of a thread nest, and are in order of time. What a
// *Call says is good until the method returns; an error ends the replay.
type Player interface {
	Open(c *Call) error
	Close(c *Call) error
	// Apart takes energy that is of no open call: of one that has ended, whose Method it has, as a
	// trace.Charge says; or what a thread drained outside of calls, once it has ended.
	Apart(c *Call) error
	// Drained takes energy as it is spent, up to a moment, whosever it is. Those of all calls and apart
	// from them add up to the same.
	Drained(at int64, thread trace.ThreadID, account trace.AccountID, energy units.Energy) error
}

// bytesOpen is what an open call takes.
const bytesOpen = 80

// NewReplay scans a recording once. It finds out which calls are open at the start.
func NewReplay(ctx context.Context, rec trace.Recording, limits Limits) (*Replay, error) {
	s := &stage{most: limits.open(bytesOpen)}
	t, err := rec.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	r := &Replay{rec: rec, limits: limits, Trace: t, Moments: s.latest > 0, initial: make(map[trace.ThreadID][]trace.MethodID)}
	for id, l := range s.lanes {
		if l != nil && len(l.orphans) > 0 {
			slices.Reverse(l.orphans) // the innermost ended first
			r.initial[trace.ThreadID(id)] = l.orphans
		}
	}
	return r, nil
}

// Play scans the recording again, and hands its calls to a player. Memory is that of the open calls,
// whatever the number of events.
func (r *Replay) Play(ctx context.Context, to Player) error {
	s := &stage{to: to, most: r.limits.open(bytesOpen), initial: r.initial, methods: len(r.Trace.Methods)}
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

// open is how many calls of so many bytes each may be open at once.
func (l Limits) open(bytes int64) int64 {
	if l.Bytes <= 0 {
		return math.MaxInt64
	}
	return l.Bytes / bytes
}

// A stage is the sink of a replay. Without a player it is the rehearsal.
type stage struct {
	to      Player
	initial map[trace.ThreadID][]trace.MethodID
	lanes   []*lane
	marks   []standing
	methods int
	latest  int64
	// open counts the open calls of all threads, of which there may be most.
	open, most int64
	energy     units.Energy
	// call is the one that the player is told of.
	call Call
}

// A lane is a thread and its open calls, the outermost first. The first one is what lies outside of
// calls. What lies from base on was seen to begin.
type lane struct {
	calls []standing
	base  int
	// counts are the calls of each method from base on, kept once an exit did not fit.
	counts  map[trace.MethodID]int
	orphans []trace.MethodID
	// time and cpu are those of the latest event. A stack that was sampled lasts until ends, which
	// is took after it was seen.
	time, cpu  int64
	ends, took int64
	begun      int64
}

// A standing call is an open one. number tells apart those that stand at one depth in turn.
type standing struct {
	thread      trace.ThreadID
	method      trace.MethodID
	depth       int
	number      int64
	energy, all units.Energy
}

// lane returns a thread's lane; at is the moment of the event that asks for it.
func (s *stage) lane(id trace.ThreadID, at int64) (*lane, error) {
	if id < 0 {
		return nil, errors.New("an event has a negative thread")
	}
	for int(id) >= len(s.lanes) {
		s.lanes = append(s.lanes, nil)
	}
	if l := s.lanes[id]; l != nil {
		return l, nil
	}
	l := &lane{calls: []standing{{thread: id, method: NoMethod}}, base: 1, time: at}
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
func (s *stage) Events(batch []trace.Event) error {
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

// spend takes in what a thread spent up to its latest moment; own says whether the energy is that of
// its innermost call.
func (s *stage) spend(l *lane, id trace.ThreadID, account trace.AccountID, cpu int64, energy units.Energy, own bool) error {
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
	return s.to.Drained(l.time, id, account, energy)
}

// enter opens a call.
func (s *stage) enter(id trace.ThreadID, l *lane, m trace.MethodID) error {
	if s.open++; s.open > s.most {
		return fmt.Errorf("%w: more than %d calls are open at once", ErrTooLarge, s.most)
	}
	if l.counts != nil {
		l.counts[m]++
	}
	l.begun++
	l.calls = append(l.calls, standing{thread: id, method: m, depth: len(l.calls), number: l.begun})
	if s.to == nil {
		return nil
	}
	if m < 0 || int(m) >= s.methods {
		return fmt.Errorf("an event names method %d of %d", m, s.methods)
	}
	s.call = Call{Thread: id, Method: m, Time: l.time, CPU: l.cpu}
	return s.to.Open(&s.call)
}

// exit closes the innermost call of a method, and those within it.
func (s *stage) exit(id trace.ThreadID, l *lane, m trace.MethodID) error {
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

// close closes the innermost call.
func (s *stage) close(l *lane) error {
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

// mark remembers the innermost call.
func (s *stage) mark(l *lane, ref int) {
	if ref < 0 {
		return
	}
	for ref >= len(s.marks) {
		s.marks = append(s.marks, standing{thread: trace.NoThread, method: NoMethod})
	}
	s.marks[ref] = l.calls[len(l.calls)-1]
}

// charge gives the energy of an event to the remembered call. What nobody caused lies outside of
// calls.
func (s *stage) charge(l *lane, e *trace.Event) error {
	if e.Ref < 0 || int(e.Ref) >= len(s.marks) || s.marks[e.Ref].thread == trace.NoThread {
		l.calls[0].energy += e.Energy
		return nil
	}
	to := s.marks[e.Ref]
	of := s.lanes[to.thread]
	if to.depth < len(of.calls) && of.calls[to.depth].number == to.number {
		of.calls[to.depth].energy += e.Energy
		return nil
	}
	if s.to == nil || e.Energy == 0 {
		return nil
	}
	s.call = Call{Thread: to.thread, Method: to.method, Time: e.Time, CPU: of.cpu, Energy: e.Energy, All: e.Energy}
	return s.to.Apart(&s.call)
}

// Samples implements trace.Sink.
func (s *stage) Samples(batch []trace.Sample) error {
	for i := range batch {
		sample := &batch[i]
		l, err := s.lane(sample.Thread, sample.Time)
		if err != nil {
			return err
		}
		if err := s.restack(l, sample); err != nil {
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

// restack closes the calls that a sample does not show, and opens those that the one before did not. A
// stack that has not been seen for twice its own time has ended.
func (s *stage) restack(l *lane, sample *trace.Sample) error {
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

// closeTo closes calls until so many are open.
func (s *stage) closeTo(l *lane, open int) error {
	for len(l.calls)-1 > open {
		if err := s.close(l); err != nil {
			return err
		}
	}
	return nil
}

// end closes what a thread has open, and tells what it drained outside of calls.
func (s *stage) end(id trace.ThreadID) error {
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
	return s.to.Apart(&s.call)
}
