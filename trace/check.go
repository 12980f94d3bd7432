package trace

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// Check scans rec twice and returns an error that names the first law of the
// package that it breaks. Errors of the scans come back wrapped. It needs memory
// for the threads and not for the events, and takes twice the time of a scan; it
// is meant for the tests of decoders.
func Check(ctx context.Context, rec Recording) error {
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
		return errors.New("a second scan gives other events")
	case !slices.Equal(t.Methods, again.Methods):
		return errors.New("a second scan gives other methods")
	case !slices.Equal(t.Threads, again.Threads):
		return errors.New("a second scan gives other threads")
	case t.Events != again.Events || t.Flows != again.Flows || t.Clock != again.Clock || t.Energy != again.Energy:
		return errors.New("a second scan gives another trace")
	}
	return nil
}

// A checker is a sink that notes what its events break.
type checker struct {
	hash    maphash.Hash
	broken  error
	started int
	clock   Clock
	energy  Provenance
	count   int64
	// methods and flows are the largest numbers that were named.
	methods, flows int64
	threads        []totals
}

// totals are the sums over a thread's events.
type totals struct{ events, cpu, wall int64 }

func newChecker(seed maphash.Seed) *checker {
	c := &checker{methods: -1, flows: -1}
	c.hash.SetSeed(seed)
	return c
}

func (c *checker) fail(format string, args ...any) {
	if c.broken == nil {
		c.broken = fmt.Errorf("event %d: %w", c.count, fmt.Errorf(format, args...))
	}
}

// Start implements StartSink.
func (c *checker) Start(clock Clock, energy Provenance) {
	if c.count > 0 || c.started > 0 {
		c.fail("Start is called after the first batch, or twice")
	}
	c.started++
	c.clock, c.energy = clock, energy
}

// Events implements Sink.
func (c *checker) Events(batch []Event) error {
	for i := range batch {
		e := &batch[i]
		maphash.WriteComparable(&c.hash, *e)
		switch e.Kind {
		case Enter, Exit:
			c.method(e.Method)
		case Enqueue, Dispatch:
			c.flows = max(c.flows, int64(e.Method))
			if e.Method < 0 {
				c.fail("flow %d", e.Method)
			}
		default:
			c.fail("kind %d", e.Kind)
		}
		c.event(e.Thread, e.CPU, e.Wall, e.Energy)
		// What a decoder must not rely on is that a sink leaves its batch alone.
		*e = Event{CPU: -1, Wall: -1, Energy: -1, Method: -1, Thread: -1}
	}
	return c.broken
}

// Samples implements Sink.
func (c *checker) Samples(batch []Sample) error {
	for i := range batch {
		s := &batch[i]
		maphash.WriteComparable(&c.hash, [5]int64{int64(s.Thread), s.CPU, s.Wall, int64(s.Energy), s.Calls})
		for _, m := range s.Stack {
			maphash.WriteComparable(&c.hash, m)
			c.method(m)
		}
		if s.Calls < 0 {
			c.fail("%d calls", s.Calls)
		}
		c.event(s.Thread, s.CPU, s.Wall, s.Energy)
	}
	return c.broken
}

func (c *checker) method(m MethodID) {
	c.methods = max(c.methods, int64(m))
	if m < 0 {
		c.fail("method %d", m)
	}
}

func (c *checker) event(thread ThreadID, cpu, wall int64, energy units.Energy) {
	switch {
	case c.started == 0:
		c.fail("the sink was not told the clocks")
	case thread < 0 || thread > 1<<24:
		c.fail("thread %d", thread)
		return
	case cpu < 0 || wall < 0:
		c.fail("time runs backwards: cpu %d, wall %d", cpu, wall)
	case cpu > 0 && c.clock&ThreadCPU == 0, wall > 0 && c.clock&WallClock == 0:
		c.fail("cpu %d and wall %d with clock %v", cpu, wall, c.clock)
	case energy != 0 && c.energy == NoEnergy:
		c.fail("energy %d in a recording without", energy)
	}
	for len(c.threads) <= int(thread) {
		c.threads = append(c.threads, totals{})
	}
	t := &c.threads[thread]
	t.events++
	t.cpu += cpu
	t.wall += wall
	c.count++
}

// verdict holds what the sink saw against the tables.
func (c *checker) verdict(t *Trace) error {
	switch {
	case c.broken != nil:
		return c.broken
	case c.methods >= int64(len(t.Methods)):
		return fmt.Errorf("method %d of %d", c.methods, len(t.Methods))
	case c.flows >= int64(t.Flows):
		return fmt.Errorf("flow %d of %d", c.flows, t.Flows)
	case len(c.threads) > len(t.Threads):
		return fmt.Errorf("thread %d of %d", len(c.threads)-1, len(t.Threads))
	case c.count != t.Events:
		return fmt.Errorf("%d events, and the trace says %d", c.count, t.Events)
	case c.started > 0 && (c.clock != t.Clock || c.energy != t.Energy):
		return fmt.Errorf("started with clock %v and energy %v, and the trace says %v and %v", c.clock, c.energy, t.Clock, t.Energy)
	case t.Unlisted < 0 || t.Unlisted > len(t.Methods):
		return fmt.Errorf("%d of %d methods are not listed", t.Unlisted, len(t.Methods))
	}
	for i, th := range t.Threads {
		var sum totals
		if i < len(c.threads) {
			sum = c.threads[i]
		}
		if got := (totals{th.Events, int64(th.CPU), int64(th.Wall)}); got != sum {
			return fmt.Errorf("thread %d has %d events, %d ns of processor time and %d ns of wall time, and the table says %d, %d and %d",
				i, sum.events, sum.cpu, sum.wall, got.events, got.cpu, got.wall)
		}
	}
	return nil
}
