package tracetest

import (
	"hash/maphash"

	"github.com/diffprof/diffprof/trace"
)

// signals is the state of a checker's signals.
type signals struct {
	tracks []trace.Track
	// drained is the latest Drain of each track.
	drained map[trace.TrackID]int64
	// latest is the time of the latest signal or operation. until is the time of the latest promise
	// (see trace.SignalSink).
	latest, until int64
}

// A signalChecker is the sink of signals of a checker.
type signalChecker struct{ *checker }

// TakeSignals implements trace.SignalTaker.
func (c *checker) TakeSignals() trace.SignalSink {
	if c.started == 0 || c.count > 0 || c.drained != nil {
		c.fail("signals are asked for before Start, after the first batch, or twice")
	}
	c.drained = make(map[trace.TrackID]int64)
	return signalChecker{c}
}

// Track implements trace.SignalSink.
func (c signalChecker) Track(t trace.Track) error {
	c.tracks = append(c.tracks, t)
	if t.Core < -1 || t.UID < -1 || t.Resolution < 0 {
		c.fail("track %d has core %d, user %d and resolution %d", len(c.tracks)-1, t.Core, t.UID, t.Resolution)
	}
	return c.broken
}

// Signals implements trace.SignalSink.
func (c signalChecker) Signals(batch []trace.Signal) error {
	for i := range batch {
		s := &batch[i]
		maphash.WriteComparable(&c.hash, *s)
		if s.Track < 0 || int(s.Track) >= len(c.tracks) {
			c.fail("a signal of track %d, which is not defined yet", s.Track)
			return c.broken
		}
		c.inOrder(s.Time)
		c.signal(s)
		*s = trace.Signal{Time: -1, Value: -1, Track: -1, Thread: -2}
	}
	return c.broken
}

// signal checks the value and the thread of a signal against its kind.
func (c signalChecker) signal(s *trace.Signal) {
	least, most := int64(0), int64(1<<62)
	switch s.Kind {
	case trace.Switch:
		most = 0
	case trace.Idle:
		least = -1
	case trace.Gauge:
		least = -1 << 62
	case trace.Suspend:
		most = 1
	case trace.Drain:
		least = c.drained[s.Track]
		c.drained[s.Track] = s.Value
	case trace.Level:
		most = 1 << 31
	case trace.Frequency, trace.State:
	default:
		c.fail("signal of kind %d", s.Kind)
	}
	if s.Value < least || s.Value > most {
		c.fail("a signal of kind %d has value %d, not %d to %d", s.Kind, s.Value, least, most)
	}
	if s.Kind == trace.Switch && s.Thread != trace.NoThread {
		c.thread(s.Thread)
	} else if s.Thread != trace.NoThread {
		c.fail("a signal of kind %d has thread %d", s.Kind, s.Thread)
	}
}

// Operations implements trace.SignalSink.
func (c signalChecker) Operations(batch []trace.Operation) error {
	for i := range batch {
		o := &batch[i]
		maphash.WriteComparable(&c.hash, *o)
		c.inOrder(o.Time)
		if o.Thread != trace.NoThread {
			c.thread(o.Thread)
		}
		_, seen := c.stacks[o.Stack]
		switch {
		case o.Verb > trace.OpStop:
			c.fail("verb %d", o.Verb)
		case o.Component == "":
			c.fail("an operation without a component")
		case o.Duration < 0 || o.Bytes < 0:
			c.fail("an operation takes %d ns and moves %d bytes", o.Duration, o.Bytes)
		case o.Mark != trace.NoRef && !c.marked[o.Mark]:
			c.fail("an operation of mark %d, which was not made yet", o.Mark)
		case o.Stack != trace.NoStack && !seen:
			c.fail("an operation of stack number %d, which was not seen yet", o.Stack)
		case o.Mark != trace.NoRef && o.Stack != trace.NoStack:
			c.fail("an operation with both mark %d and stack number %d", o.Mark, o.Stack)
		}
		*o = trace.Operation{Time: -1, Duration: -1, Thread: -2}
	}
	return c.broken
}

// Until implements trace.SignalSink.
func (c signalChecker) Until(time int64) error {
	if time < c.until {
		c.fail("the promise of %d follows the promise of %d", time, c.until)
	}
	c.until = time
	return c.broken
}

// inOrder checks and records the time of a signal or an operation.
func (c signalChecker) inOrder(time int64) {
	c.fresh(time)
	if time < c.latest {
		c.fail("signals and operations are out of order: %d after %d", time, c.latest)
	}
	c.latest = time
	if time > 0 && c.clock&trace.WallClock == 0 {
		c.fail("time %d with clock %v", time, c.clock)
	}
}

// fresh checks that a time is not earlier than the latest promise.
func (c *checker) fresh(time int64) {
	if time < c.until {
		c.fail("moment %d comes after the promise that nothing is older than %d", time, c.until)
	}
}
