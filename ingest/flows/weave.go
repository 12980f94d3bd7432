package flows

import (
	"fmt"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// batchSize is the number of events in a batch for the sink.
const batchSize = 1024

// A Weaver inserts hand-overs into the events of one scan. It is not safe for concurrent use.
type Weaver struct {
	sink    trace.Sink
	wall    bool // wall is set if hand-overs have wall clock times.
	thread  func(trace.ThreadID) (id, cpu int64)
	flows   *Flows
	marks   map[int64][]mark // marks has the marks of threads that had no event yet, by thread id.
	threads []thread
	out     []trace.Event
	// newest is the latest time passed to the sink. skew is the largest amount by which a later
	// event had an earlier time than newest. Both are in nanoseconds.
	newest, skew int64
}

// A thread has what a Weaver knows about one thread.
type thread struct {
	seen  bool
	clock int64 // clock is the thread's latest time on the hand-overs' clock, in nanoseconds.
	time  int64 // time is the time of the latest event.
	marks []mark
	woven int64
}

// Weave returns a Weaver that sends events and hand-overs to sink. clock is the clock of the
// events. The function about is called for threads with events. It returns the thread's id in the
// recording and the first reading of its thread clock, in nanoseconds.
func (f *Flows) Weave(sink trace.Sink, clock trace.Clock, about func(trace.ThreadID) (id, cpu int64)) *Weaver {
	w := &Weaver{
		sink: sink, wall: clock&trace.WallClock != 0, thread: about, flows: f,
		marks: make(map[int64][]mark), out: make([]trace.Event, 0, batchSize),
	}
	for _, m := range f.marks {
		if m.flow >= 0 {
			w.marks[m.thread] = append(w.marks[m.thread], m)
		}
	}
	return w
}

// Events sends a batch. Before each event, it inserts the hand-overs that precede the event.
func (w *Weaver) Events(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		s := w.state(e)
		if w.wall {
			s.clock = e.Time
		} else {
			s.clock += e.CPU
		}
		for len(s.marks) > 0 && s.marks[0].time*1000 < s.clock {
			if err := w.weave(s, e.Thread); err != nil {
				return err
			}
		}
		s.time = e.Time
		if err := w.send(*e); err != nil {
			return err
		}
	}
	return nil
}

// state returns the state of an event's thread. It creates the state at the first event.
func (w *Weaver) state(e *trace.Event) *thread {
	for len(w.threads) <= int(e.Thread) {
		w.threads = append(w.threads, thread{})
	}
	s := &w.threads[e.Thread]
	if !s.seen {
		id, cpu := w.thread(e.Thread)
		*s = thread{seen: true, clock: cpu, time: e.Time, marks: w.marks[id]}
		delete(w.marks, id)
	}
	return s
}

// weave sends the next hand-over of a thread.
func (w *Weaver) weave(s *thread, id trace.ThreadID) error {
	m := s.marks[0]
	s.marks = s.marks[1:]
	s.woven++
	kind := trace.Enqueue
	if m.dispatch {
		kind = trace.Dispatch
	}
	return w.send(trace.Event{Time: s.time, Ref: trace.Ref(m.flow), Thread: id, Kind: kind})
}

func (w *Weaver) send(e trace.Event) error {
	w.newest = max(w.newest, e.Time)
	w.skew = max(w.skew, w.newest-e.Time)
	w.out = append(w.out, e)
	if len(w.out) < batchSize {
		return nil
	}
	return w.flush()
}

func (w *Weaver) flush() error {
	batch := w.out
	w.out = w.out[:0]
	if len(batch) == 0 {
		return nil
	}
	return w.sink.Events(batch)
}

// Finish sends the hand-overs after the last events, and adds the number of hand-overs to t. All
// other fields of t must be set.
func (w *Weaver) Finish(t *trace.Trace) error {
	for i := range w.threads {
		for s := &w.threads[i]; len(s.marks) > 0; {
			if err := w.weave(s, trace.ThreadID(i)); err != nil {
				return err
			}
		}
		t.Threads[i].Events += w.threads[i].woven
		t.Events += w.threads[i].woven
	}
	t.Flows = w.flows.resolved
	t.Skew = max(t.Skew, time.Duration(w.skew))
	if n := w.flows.orphans; n > 0 {
		t.Warnings = append(t.Warnings, warning("unresolved-flows", n, "dispatch", "dispatches", "without an earlier enqueue"))
	}
	lost := 0
	for _, marks := range w.marks {
		lost += len(marks)
	}
	if lost > 0 {
		t.Warnings = append(t.Warnings, warning("unplaced-flows", lost, "hand-over", "hand-overs", "on threads without events"))
	}
	return w.flush()
}

func warning(code string, n int, one, many, what string) trace.Warning {
	if n != 1 {
		one = many
	}
	return trace.Warning{Code: code, Message: fmt.Sprintf("%d %s in the flows file %s", n, one, what)}
}
