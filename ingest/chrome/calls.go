package chrome

import (
	"container/heap"
	"context"
	"errors"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxEvents is the number of events in a batch for the sink.
const maxEvents = 1 << 12

// A merge sorts the slices of all threads by time, and converts the slices to calls.
type merge struct {
	*decoder
	queue   queue
	sink    trace.Sink
	batch   []trace.Event
	origin  int64
	energy  int64
	flowing map[string]trace.Ref
}

// emitSlices sends the slices to the sink.
func (d *decoder) emitSlices(ctx context.Context, sink trace.Sink) error {
	m := &merge{decoder: d, sink: sink, batch: make([]trace.Event, 0, maxEvents), flowing: make(map[string]trace.Ref)}
	t := &d.trace
	t.Technique, t.Calls, t.Clock = trace.Instrumented, trace.CountedCalls, trace.WallClock
	if !d.untimed {
		t.Clock |= trace.ThreadCPU
	}
	if d.given {
		t.Energy, t.Accounts, t.Unstated = trace.Given, []trace.Account{{Provenance: trace.Given}}, d.unstated
	}
	switch {
	case d.given && !d.placed:
		// diffprof wrote this trace from a call tree. A slice represents all calls of its calling
		// context, and its place depends on its energy. So its times have no meaning.
		t.Technique, t.Calls, t.Clock = trace.UnknownTechnique, trace.EstimatedCalls, 0
	case d.sampled:
		t.Technique, t.Calls = trace.Sampled, trace.EstimatedCalls
	}
	m.origin = never
	for i, th := range d.threads {
		t.Threads = append(t.Threads, trace.Thread{ID: th.id, Name: th.name, Process: th.process})
		c := &cursor{thread: th, id: trace.ThreadID(i), pending: trace.NoRef}
		if len(th.slices) > 0 {
			m.origin = min(m.origin, th.slices[0].begin)
			m.queue = append(m.queue, c)
		}
	}
	trace.Start(sink, t.Clock, t.Energy)
	trace.GiveNames(sink, d.sliceMethods.names(d.names.Name))
	heap.Init(&m.queue)
	for len(m.queue) > 0 {
		c := m.queue[0]
		if what, at := c.next(); what == over {
			heap.Pop(&m.queue)
		} else {
			if err := m.step(c, what, at); err != nil {
				return err
			}
			heap.Fix(&m.queue, 0)
		}
		if len(m.batch) >= maxEvents-2 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.flush(); err != nil {
				return err
			}
		}
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.imperfect()
	return nil
}

func (m *merge) flush() error {
	if len(m.batch) == 0 {
		return nil
	}
	err := m.sink.Events(m.batch)
	m.batch = m.batch[:0]
	return err
}

// step converts a thread's next position (a slice's begin or end, or a flow point) to events.
func (m *merge) step(c *cursor, what step, at int64) error {
	switch what {
	case point:
		m.flow(c, at)
	case leave:
		if s := c.leave(); !s.endless {
			return m.exit(c, &s, at)
		}
	case enter:
		s := c.begin()
		if s == nil {
			return nil
		}
		if s.headless {
			return m.exit(c, s, at)
		}
		m.add(c, trace.Event{Kind: trace.Enter, Ref: m.sliceMethods.method(s), CPU: m.spent(c, s.cpu)}, at)
		if c.pending != trace.NoRef {
			m.add(c, trace.Event{Kind: trace.Dispatch, Ref: c.pending}, at)
			c.pending = trace.NoRef
		}
	}
	return nil
}

// exit ends a slice. The event's energy excludes inner slices.
func (m *merge) exit(c *cursor, s *slice, at int64) error {
	if m.energy += s.energy; m.energy < 0 {
		return errors.New("the sum of the energies is too large")
	}
	m.add(c, trace.Event{Kind: trace.Exit, Ref: m.sliceMethods.method(s), CPU: m.spent(c, s.cpuEnd), Energy: units.Energy(s.energy)}, at)
	return nil
}

// spent returns the processor time of a thread since its previous event, or 0 if the trace has no
// thread clock.
func (m *merge) spent(c *cursor, now int64) int64 {
	if m.trace.Clock&trace.ThreadCPU == 0 {
		return 0
	}
	return c.spent(now, m.trace.Threads[c.id].Events == 0)
}

// add adds an event of a thread, and counts it.
func (m *merge) add(c *cursor, e trace.Event, at int64) {
	e.Thread = c.id
	if m.trace.Clock&trace.WallClock != 0 {
		e.Time = at - m.origin
	}
	th := &m.trace.Threads[c.id]
	if th.Events == 0 {
		c.first = e.Time
	}
	th.Events++
	th.CPU += time.Duration(e.CPU)
	th.Wall = time.Duration(e.Time - c.first)
	m.trace.Elapsed = max(m.trace.Elapsed, time.Duration(e.Time))
	m.trace.Events++
	m.batch = append(m.batch, e)
}

// flow converts a flow point to an event. At the start and at steps of a flow, the slice around the
// point hands over work, usually to another thread.
func (m *merge) flow(c *cursor, at int64) {
	f := &c.flows[c.flow]
	c.flow++
	if f.phase != 's' {
		ref, ok := m.flowing[f.id]
		switch {
		case !ok:
			return
		case f.phase == 'f' && !f.enclosing:
			c.pending = ref
			return
		case len(c.open) > 0:
			m.add(c, trace.Event{Kind: trace.Dispatch, Ref: ref}, at)
		}
	}
	if f.phase != 'f' && len(c.open) > 0 {
		ref := trace.Ref(m.trace.Flows)
		m.trace.Flows++
		m.flowing[f.id] = ref
		m.add(c, trace.Event{Kind: trace.Enqueue, Ref: ref}, at)
	}
}

// imperfect adds warnings about ends without a begin, overlapping slices and decreasing clocks.
func (m *merge) imperfect() {
	var unmatched, overlapping, backward int64
	for _, t := range m.threads {
		unmatched += t.unmatched
		overlapping += t.overlapping
		backward += t.backward
	}
	if unmatched > 0 {
		m.warn("unmatched-ends", trace.Counted("%d {end matches|ends match} no open slice, and {is|are} not counted", unmatched))
	}
	if overlapping > 0 {
		m.warn("overlapping-slices", trace.Counted("%d {slice ends|slices end} after the enclosing slice, and {is|are} cut there", overlapping))
	}
	if backward > 0 {
		m.warn("backward-clock", trace.Counted("the processor time of a thread runs backwards %d {time|times}; it counts as stopped there", backward))
	}
}

// A queue is a heap of threads. At the top is the thread with the earliest next event.
type queue []*cursor

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	_, a := q[i].next()
	_, b := q[j].next()
	return a < b || a == b && q[i].id < q[j].id
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*cursor)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
