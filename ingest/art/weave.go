package art

import "github.com/diffprof/diffprof/trace"

// A weaver puts hand-overs among the events: each after the events of its thread
// that are not later, and at the moment of the latest of them. They take no time of
// their own, so that the sums over a thread's events stay what they were.
type weaver struct {
	d        *decoder
	wall     bool // hand-overs are timed by the wall clock
	marks    map[int64][]mark
	resolved int
	state    []weft
	out      []trace.Event
}

// A weft is how far a thread has come.
type weft struct {
	seen  bool
	clock int64 // the latest reading that hand-overs are timed by, in nanoseconds
	time  int64 // the moment of the latest event
	marks []mark
	woven int64
}

func newWeaver(f *Flows, d *decoder) *weaver {
	w := &weaver{
		d: d, wall: d.tr.Clock&trace.WallClock != 0, resolved: f.resolved,
		marks: make(map[int64][]mark), out: make([]trace.Event, 0, batchSize),
	}
	for _, m := range f.marks {
		if m.flow >= 0 {
			w.marks[m.thread] = append(w.marks[m.thread], m)
		}
	}
	if f.orphans > 0 {
		d.warn("unresolved-flows", "%s in the flows file that no enqueue comes before", count(int64(f.orphans), "dispatch"))
	}
	return w
}

// emit sends a batch on, with what belongs among its events.
func (w *weaver) emit(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		s := w.thread(e)
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

// thread returns the state of an event's thread, set up at the first.
func (w *weaver) thread(e *trace.Event) *weft {
	id := e.Thread
	for len(w.state) <= int(id) {
		w.state = append(w.state, weft{})
	}
	s := &w.state[id]
	if !s.seen {
		th := &w.d.threads.list[id]
		s.seen = true
		s.clock, s.time = th.firstCPU*int64(w.d.unit), e.Time
		s.marks = w.marks[th.id]
		delete(w.marks, th.id)
	}
	return s
}

// weave sends the next mark of a thread.
func (w *weaver) weave(s *weft, id trace.ThreadID) error {
	m := s.marks[0]
	s.marks = s.marks[1:]
	s.woven++
	w.d.happened(s.time)
	kind := trace.Enqueue
	if m.dispatch {
		kind = trace.Dispatch
	}
	return w.send(trace.Event{Time: s.time, Ref: trace.Ref(m.flow), Thread: id, Kind: kind})
}

func (w *weaver) send(e trace.Event) error {
	w.out = append(w.out, e)
	if len(w.out) < batchSize {
		return nil
	}
	return w.flush()
}

func (w *weaver) flush() error {
	batch := w.out
	w.out = w.out[:0]
	if len(batch) == 0 {
		return nil
	}
	return w.d.sink.Events(batch)
}

// finish sends the marks that lie after a thread's last event.
func (w *weaver) finish() error {
	for i := range w.state {
		for s := &w.state[i]; len(s.marks) > 0; {
			if err := w.weave(s, trace.ThreadID(i)); err != nil {
				return err
			}
		}
		w.d.threads.list[i].events += w.state[i].woven
	}
	lost := 0
	for _, marks := range w.marks {
		lost += len(marks)
	}
	if lost > 0 {
		w.d.warn("unplaced-flows", "%s in the flows file on threads that have no events", count(int64(lost), "hand-over"))
	}
	return w.flush()
}
