// Package tracetest checks recordings against the laws of package trace. Tests of decoders and of
// their wrappers use it.
package tracetest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Check scans rec twice, and returns an error for the first law of package trace that rec breaks.
// It wraps errors of the scans. Its memory grows with the threads, the marks and the different
// stacks, but not with the events.
func Check(ctx context.Context, rec trace.Recording) error {
	seed := maphash.MakeSeed()
	first := newChecker(seed)
	t, err := rec.Scan(ctx, first)
	if err != nil {
		return fmt.Errorf("scanning: %w", err)
	}
	if err := first.verdict(t); err != nil {
		return err
	}
	second := newChecker(seed)
	again, err := rec.Scan(ctx, second)
	if err != nil {
		return fmt.Errorf("scanning again: %w", err)
	}
	switch {
	case first.hash.Sum64() != second.hash.Sum64():
		return errors.New("a second scan returns different events")
	case !reflect.DeepEqual(t, again):
		return errors.New("a second scan returns a different trace")
	}
	return nil
}

// A checker is a sink that checks the laws.
type checker struct {
	hash maphash.Hash
	// positions are the largest DEX code positions seen in each method.
	positions map[trace.MethodID]int32
	broken    error
	started   int
	clock     trace.Clock
	energy    trace.Provenance
	count     int64
	// calls is the number of calls that enters and samples represent.
	calls int64
	// methods, flows, marks and accounts are the largest indices seen.
	methods, flows, marks, accounts int64
	threads                         []totals
	// newest is the latest time so far. skew is the longest time by which an event was earlier than
	// newest when it arrived.
	newest, skew int64
	// marked are the refs of all Marks so far.
	marked map[trace.Ref]bool
	signals
	// stacks maps each id to its stack as text, and ids maps back.
	stacks  map[trace.StackID]string
	ids     map[string]trace.StackID
	weighed bool
	// names looks up methods. It is nil if the recording does not provide names. named has the
	// results for all methods that events have referred to.
	names trace.Names
	// first looks up methods as names does, and was given before Start. It is nil if the recording
	// gave no names then.
	first trace.Names
	named map[trace.MethodID]name.Method
}

// totals are the figures of a thread. events, cpu and wall are sums. last is the latest time of an
// event or a sample. event is the time of the latest event, or -1 before the first event.
type totals struct{ events, cpu, wall, last, event int64 }

func newChecker(seed maphash.Seed) *checker {
	c := &checker{
		methods: -1, flows: -1, marks: -1, accounts: -1,
		marked: make(map[trace.Ref]bool), stacks: make(map[trace.StackID]string), ids: make(map[string]trace.StackID),
	}
	c.named = make(map[trace.MethodID]name.Method)
	c.hash.SetSeed(seed)
	return c
}

func (c *checker) fail(format string, args ...any) {
	if c.broken == nil {
		c.broken = fmt.Errorf("event %d: %w", c.count, fmt.Errorf(format, args...))
	}
}

// Start implements trace.StartSink.
func (c *checker) Start(clock trace.Clock, energy trace.Provenance) {
	if c.count > 0 || c.started > 0 {
		c.fail("Start is called after the first batch, or twice")
	}
	c.started++
	c.clock, c.energy = clock, energy
}

// TakeFirstNames implements trace.FirstNameTaker.
func (c *checker) TakeFirstNames(names trace.Names) {
	if c.started > 0 || c.first != nil {
		c.fail("first names are given after Start, or twice")
	}
	c.first = names
}

// TakeNames implements trace.NameTaker.
func (c *checker) TakeNames(names trace.Names) {
	if c.started == 0 || c.count > 0 || c.names != nil {
		c.fail("names are given before Start, after the first batch, or twice")
	}
	c.names = names
}

// Events implements trace.Sink.
func (c *checker) Events(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		maphash.WriteComparable(&c.hash, *e)
		switch e.Kind {
		case trace.Enter:
			c.calls++
			c.method(trace.MethodID(e.Ref))
		case trace.Exit:
			c.method(trace.MethodID(e.Ref))
		case trace.Enqueue, trace.Dispatch:
			c.number("flow", e.Ref, &c.flows)
		case trace.Mark:
			c.number("mark", e.Ref, &c.marks)
			c.marked[e.Ref] = true
		case trace.Charge:
			if e.Ref != trace.NoRef && !c.marked[e.Ref] {
				c.fail("a charge to %d without an earlier mark", e.Ref)
			}
		default:
			c.fail("kind %d", e.Kind)
		}
		c.fresh(e.Time)
		c.happened(e.Thread, e.Time, true)
		c.spent(e.Thread, e.CPU, 0, e.Energy, e.Account)
		// A decoder must not rely on the sink leaving its batch unchanged.
		*e = trace.Event{Time: -1, CPU: -1, Energy: -1, Ref: math.MinInt32, Thread: -1, Account: math.MaxUint16}
	}
	return c.broken
}

// position records that a sample refers to a position in the DEX code of a method.
func (c *checker) position(m trace.MethodID, unit int32) {
	if c.positions == nil {
		c.positions = make(map[trace.MethodID]int32)
	}
	c.positions[m] = max(c.positions[m], unit)
}

// inCode returns an error if a position is beyond the code of its method.
func (c *checker) inCode(units []int32) error {
	for m, unit := range c.positions {
		if int(m) >= len(units) || units[m] > 0 && unit >= units[m] {
			return fmt.Errorf("position %d of method %d is not in its code", unit, m)
		}
	}
	return nil
}

// Samples implements trace.Sink.
func (c *checker) Samples(batch []trace.Sample) error {
	for i := range batch {
		s := &batch[i]
		maphash.WriteComparable(&c.hash, [...]int64{
			s.Time, int64(s.Thread), int64(s.ID), s.CPU, s.Wall, int64(s.Energy), int64(s.Account), s.Weight, s.Count, s.Calls,
		})
		for _, m := range s.Stack {
			maphash.WriteComparable(&c.hash, m)
			c.method(m)
		}
		for k, line := range s.Lines {
			maphash.WriteComparable(&c.hash, line)
			if line < 0 && k < len(s.Stack) {
				c.position(s.Stack[k], ^line)
			}
		}
		switch {
		case len(s.Lines) > 0 && len(s.Lines) != len(s.Stack):
			c.fail("%d lines for %d frames", len(s.Lines), len(s.Stack))
		case s.Calls < 0 || s.Weight < 0 || s.Count < 0:
			c.fail("%d calls, weight %d, count %d", s.Calls, s.Weight, s.Count)
		}
		c.calls += max(s.Calls, 0)
		c.weighed = c.weighed || s.Weight > 0
		c.stack(s)
		c.fresh(s.Time)
		c.happened(s.Thread, s.Time, false)
		c.spent(s.Thread, s.CPU, s.Wall, s.Energy, s.Account)
	}
	return c.broken
}

// stack compares a sample's stack with earlier stacks of the same id.
func (c *checker) stack(s *trace.Sample) {
	if s.ID == trace.NoStack {
		return
	}
	text := fmt.Sprint(s.Stack)
	known, numbered := c.stacks[s.ID]
	id, seen := c.ids[text]
	switch {
	case s.ID < 0 || int(s.ID) > len(c.stacks)+1:
		c.fail("stack number %d after %d different ones", s.ID, len(c.stacks))
	case numbered && known != text:
		c.fail("stack number %d is %s and %s", s.ID, known, text)
	case seen && id != s.ID:
		c.fail("the stack %s has the numbers %d and %d", text, id, s.ID)
	}
	c.stacks[s.ID], c.ids[text] = text, s.ID
}

func (c *checker) method(m trace.MethodID) {
	c.methods = max(c.methods, int64(m))
	if m < 0 {
		c.fail("method %d", m)
	}
	if _, asked := c.named[m]; asked {
		return
	}
	for _, names := range []trace.Names{c.first, c.names} {
		if names == nil {
			continue
		}
		if named, known := names(m); known {
			c.named[m] = named
		} else if c.first != nil {
			c.fail("method %d has no name when it first occurs", m)
		}
	}
}

// number checks the index of a flow or a mark and updates the largest index.
func (c *checker) number(what string, r trace.Ref, largest *int64) {
	*largest = max(*largest, int64(r))
	if r < 0 {
		c.fail("%s %d", what, r)
	}
}

// thread returns a thread's totals. It returns nil if the id is invalid.
func (c *checker) thread(id trace.ThreadID) *totals {
	if id < 0 || id > 1<<24 {
		c.fail("thread %d", id)
		return nil
	}
	for len(c.threads) <= int(id) {
		c.threads = append(c.threads, totals{event: -1})
	}
	return &c.threads[id]
}

// happened records the time of an event or a sample. The time between two events counts as the
// thread's elapsed time. A sample states its own elapsed time.
func (c *checker) happened(thread trace.ThreadID, time int64, event bool) {
	t := c.thread(thread)
	if t == nil {
		return
	}
	switch {
	case time < 0 || time < t.last:
		c.fail("time runs backwards in thread %d: %d after %d", thread, time, t.last)
	case event && time > 0 && c.clock&trace.WallClock == 0:
		c.fail("time %d with clock %v", time, c.clock)
	}
	if event {
		if t.event >= 0 {
			t.wall += time - t.event
		}
		t.event = time
	}
	t.last = time
	c.newest = max(c.newest, time)
	c.skew = max(c.skew, c.newest-time)
}

// spent adds the times and the energy of an event or a sample.
func (c *checker) spent(thread trace.ThreadID, cpu, wall int64, energy units.Energy, account trace.AccountID) {
	c.accounts = max(c.accounts, int64(account))
	t := c.thread(thread)
	switch {
	case c.started == 0:
		c.fail("the sink was not told the clocks")
	case t == nil:
		return
	case cpu < 0 || wall < 0:
		c.fail("time runs backwards: cpu %d, wall %d", cpu, wall)
	case cpu > 0 && c.clock&trace.ThreadCPU == 0, wall > 0 && c.clock&trace.WallClock == 0:
		c.fail("cpu %d and wall %d with clock %v", cpu, wall, c.clock)
	case energy != 0 && c.energy == trace.NoEnergy:
		c.fail("energy %d in a recording without", energy)
	}
	t.events++
	t.cpu += cpu
	t.wall += wall
	c.count++
}

// verdict compares the totals with the tables.
func (c *checker) verdict(t *trace.Trace) error {
	switch {
	case c.broken != nil:
		return c.broken
	case c.methods >= int64(len(t.Methods)):
		return fmt.Errorf("method %d of %d", c.methods, len(t.Methods))
	case c.calls > 0 && t.Calls == trace.NoCalls:
		return fmt.Errorf("%d calls in a recording without", c.calls)
	case c.flows >= int64(t.Flows):
		return fmt.Errorf("flow %d of %d", c.flows, t.Flows)
	case c.marks >= int64(t.Marks):
		return fmt.Errorf("mark %d of %d", c.marks, t.Marks)
	case c.accounts >= max(1, int64(len(t.Accounts))):
		return fmt.Errorf("account %d of %d", c.accounts, len(t.Accounts))
	case len(t.Accounts) > 0 && t.Accounts[0].Provenance != t.Energy:
		return fmt.Errorf("the first account is %v and the trace's energy %v", t.Accounts[0].Provenance, t.Energy)
	case !slices.Equal(c.tracks, t.Tracks):
		return fmt.Errorf("%d tracks were defined, and the trace has %d or others", len(c.tracks), len(t.Tracks))
	case len(c.threads) > len(t.Threads):
		return fmt.Errorf("thread %d of %d", len(c.threads)-1, len(t.Threads))
	case c.count != t.Events:
		return fmt.Errorf("%d events, and the trace says %d", c.count, t.Events)
	case c.skew > int64(t.Skew):
		return fmt.Errorf("an event comes %d ns after a later one, and the trace says %d at most", c.skew, int64(t.Skew))
	case c.weighed && t.Weight == "":
		return errors.New("samples have weights without a unit")
	case c.started > 0 && (c.clock != t.Clock || c.energy != t.Energy):
		return fmt.Errorf("started with clock %v and energy %v, and the trace says %v and %v", c.clock, c.energy, t.Clock, t.Energy)
	case len(t.CodeUnits) > len(t.Methods):
		return fmt.Errorf("%d lengths of code for %d methods", len(t.CodeUnits), len(t.Methods))
	case t.Unlisted < 0 || t.Unlisted > len(t.Methods):
		return fmt.Errorf("%d of %d methods are not listed", t.Unlisted, len(t.Methods))
	}
	if err := c.inCode(t.CodeUnits); err != nil {
		return err
	}
	for id, was := range c.named {
		if is := t.Methods[id]; was != is {
			return fmt.Errorf("method %d was %q as an event named it, and is %q in the table", id, was.Label(), is.Label())
		}
	}
	for i := 1; i < len(t.Timeline); i++ {
		if t.Timeline[i].Time < t.Timeline[i-1].Time {
			return fmt.Errorf("reading %d of the machine's clocks comes before the one it follows", i)
		}
	}
	for i, th := range t.Threads {
		if th.Process < 0 || th.Process >= max(1, len(t.Processes)) {
			return fmt.Errorf("thread %d is of process %d of %d", i, th.Process, len(t.Processes))
		}
		var sum totals
		if i < len(c.threads) {
			sum = c.threads[i]
		}
		if th.Events != sum.events || int64(th.CPU) != sum.cpu || int64(th.Wall) != sum.wall {
			return fmt.Errorf("thread %d has %d events, %d ns of processor time and %d ns of wall time, and the table says %d, %d and %d",
				i, sum.events, sum.cpu, sum.wall, th.Events, int64(th.CPU), int64(th.Wall))
		}
	}
	return nil
}
