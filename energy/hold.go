package energy

import "github.com/diffprof/diffprof/trace"

// A slice that acquires a component holds it under a handle. heldHandles is the first of these
// handles. Handles in recordings are smaller, and handles assigned by pairs are larger.
const heldHandles = 1 << 61

// hold begins the hold of a slice. It queues the acquire at once and not when the slice ends,
// because queues can only sort operations that are close in time.
func (l *ledger) hold(th *caller, id trace.ThreadID, a *ask) {
	l.held++
	a.handle = heldHandles + l.held
	o := l.queue.push(a.begin, id)
	o.end, o.handle, o.verb = a.begin, a.handle, l.calls.triggers[a.trigger].Verb
	o.part, o.owner, o.class = l.calls.triggers[a.trigger].part, a.owner, a.class
	l.owners.list[a.owner].uses++ // removed by release
}

// release ends the hold of a slice when the slice ends.
func (l *ledger) release(id trace.ThreadID, a *ask, end int64) {
	if a.endless {
		return
	}
	t := &l.calls.triggers[a.trigger]
	o := l.queue.push(end, id)
	o.end, o.handle, o.verb, o.part, o.class = end, a.handle, t.Verb.Ending(), t.part, a.class
	o.owner = l.owners.asked(a.owner, t.part)
	l.owners.drop(a.owner)
}

// keep marks slices that are still open at the end of the recording.
func (th *caller) keep() {
	for i := range th.asks {
		th.asks[i].endless = true
	}
}
