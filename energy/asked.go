package energy

import (
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

const never = math.MaxInt64

// A ledger is also a sink of signals, because it reads the operations of the recording.

// Track implements trace.SignalSink.
func (l *ledger) Track(t trace.Track) error {
	l.levels = append(l.levels, l.levelled(t))
	if l.signals == nil {
		return nil
	}
	return l.signals.Track(t)
}

// Signals implements trace.SignalSink.
func (l *ledger) Signals(batch []trace.Signal) error {
	for i := range batch {
		if batch[i].Kind == trace.Level {
			l.level(&batch[i])
		}
	}
	if l.signals == nil {
		return nil
	}
	return l.signals.Signals(batch)
}

// Until implements trace.SignalSink. It does not forward the promise that no earlier event follows,
// because a charge has the time of its thread's latest event, which may be earlier.
func (l *ledger) Until(int64) error { return nil }

// Operations implements trace.SignalSink.
func (l *ledger) Operations(batch []trace.Operation) error {
	for i := range batch {
		if err := l.operation(&batch[i]); err != nil {
			return err
		}
	}
	if l.signals == nil {
		return nil
	}
	for i := range batch {
		batch[i].Mark = trace.Ref(l.owners.marked(batch[i].Mark))
	}
	return l.signals.Operations(batch)
}

// operation queues an operation that is in the recording, as opposed to a call of a trigger.
func (l *ledger) operation(o *trace.Operation) error {
	part := l.part(o.Component)
	if part < 0 {
		l.unserved[o.Component]++
		return nil
	}
	next := operation{
		begin: o.Time, end: o.Time + o.Duration, bytes: o.Bytes, handle: o.Handle,
		part: part, owner: nobody, thread: o.Thread, verb: o.Verb, whole: o.Whole,
	}
	l.parts[part].stated++
	switch mark := l.owners.marked(o.Mark); {
	case mark != nobody:
		next.owner = l.owners.asked(mark, part)
	case o.Stack != trace.NoStack && int(o.Stack) < len(l.stacks):
		next.stack = o.Stack
	case o.Thread != trace.NoThread:
		th, err := l.calls.thread(o.Thread)
		if err != nil {
			return err
		}
		if len(th.asked) < maxWaiting {
			th.asked = append(th.asked, next)
			l.placing++
			return nil
		}
		l.stray++
	default:
		l.stray++
	}
	*l.queue.push(next.begin, next.thread) = next
	return nil
}

// place attributes a thread's waiting operations that began before moment. They belong to the
// innermost open call of the thread.
func (l *ledger) place(th *caller, id trace.ThreadID, moment int64) {
	n := 0
	for ; n < len(th.asked) && th.asked[n].begin < moment; n++ {
		o := &th.asked[n]
		if th.met && len(th.stack) > 0 {
			o.owner = l.owners.call(id, o.part, l.context(th.stack))
			l.mark(th, id, o.owner)
		} else {
			l.stray++
		}
		*l.queue.push(o.begin, o.thread) = *o
	}
	th.asked = slices.Delete(th.asked, 0, n)
	l.placing -= n
}

// note records what operations need from samples: the stacks to which they may refer, and the
// latest time of each thread.
func (l *ledger) note(batch []trace.Sample) error {
	for i := range batch {
		s := &batch[i]
		th, err := l.calls.thread(s.Thread)
		if err != nil {
			return err
		}
		th.time, th.met = max(th.time, s.Time), true
		if l.slots != nil && l.elapsed {
			if s.Activity.Costs() {
				l.slots.run(s.Time, s.Wall)
			}
		} else if l.slots != nil {
			l.slots.run(s.Time, s.CPU)
		}
		if s.ID <= trace.NoStack || !l.requested {
			continue
		}
		for int(s.ID) >= len(l.stacks) {
			l.stacks = append(l.stacks, seen{})
		}
		if w := &l.stacks[s.ID]; w.stack == nil {
			*w = seen{slices.Clone(s.Stack), s.Thread}
		}
	}
	return nil
}
