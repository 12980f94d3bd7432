package ftrace

import (
	"bytes"
	"strconv"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// wakeLock is the start of a slice name such as "WakeLock (tag)". Such an asynchronous slice shows
// that a wakelock is held. It begins on the thread that acquires the lock.
const wakeLock = "WakeLock ("

// maxExchanges is the number of exchanges whose caller is remembered. Their marks follow the marks
// that are reused.
const maxExchanges = 1 << 16

// An exchange is an asynchronous slice that moves data.
type exchange struct {
	thread trace.ThreadID
	mark   trace.Ref
}

// Async adds the start (Letter S) or the end (Letter F) of an asynchronous slice. Slices of a held
// wakelock, and those for which the table of triggers has a verb other than open, become operations
// if their process is read. Other slices are ignored.
func (m *Machine) Async(moment, tid int64, mark Mark) {
	m.at(moment)
	if m.signals.sink == nil || !m.reads(mark.Process) {
		return
	}
	called := mark.Text
	if i := bytes.LastIndexByte(called, '|'); i >= 0 {
		called = called[:i] // The number of the slice is not part of the name.
	}
	o, ok := m.async(called)
	if !ok {
		return
	}
	id := strconv.FormatInt(mark.Process, 10) + "|" + string(mark.Text)
	if o.Verb <= trace.OpWrite {
		m.exchange(tid, id, mark.Letter == 'S', o)
		return
	}
	if mark.Letter == 'F' {
		o.Verb = o.Verb.Ending()
	}
	o.Handle = m.Handle(id)
	m.Operation(moment, tid, o)
}

// async returns the operation that an asynchronous slice starts.
func (m *Machine) async(called []byte) (trace.Operation, bool) {
	if tag, ok := bytes.CutPrefix(called, []byte(wakeLock)); ok {
		return trace.Operation{Verb: trace.OpAcquire, Component: "wakelock", Name: printable(bytes.TrimSuffix(tag, []byte(")")))}, true
	}
	if !m.calls.triggers.HasSlices() {
		return trace.Operation{}, false
	}
	m.plain = name.PlainSlice(m.plain[:0], called)
	g := m.calls.triggers.Slice(printable(m.plain))
	if g == nil || g.Verb > trace.OpWrite && g.Verb != trace.OpAcquire && g.Verb != trace.OpStart {
		return trace.Operation{}, false
	}
	return trace.Operation{Verb: g.Verb, Component: g.Component, Name: printable(called)}, true
}

// exchange adds the start or the end of a slice that moves data. The trace shows neither how much
// data it moves, nor how long it waits for the other side. So it counts as one packet at each end.
// Both belong to the slice in which it started.
func (m *Machine) exchange(tid int64, id string, starts bool, o trace.Operation) {
	o.Time, o.Bytes = m.now, trace.PacketBytes
	switch {
	case starts:
		m.faults.exchanges++
		e := exchange{trace.NoThread, trace.NoRef}
		if m.remembered < maxExchanges {
			e.thread, e.mark = m.requester(tid, trace.Ref(maxMarks+m.remembered))
		}
		if e.mark != trace.NoRef {
			m.remembered++
			m.trace.Marks = maxMarks + m.remembered
		}
		if m.exchanges == nil {
			m.exchanges = make(map[string]exchange)
		}
		if len(m.exchanges) < maxNames {
			m.exchanges[id] = e
		}
		if o.Verb == trace.OpReceive {
			o.Verb = trace.OpSend // the request
		}
		o.Thread, o.Mark = e.thread, e.mark
	default:
		e, ok := m.exchanges[id]
		if !ok {
			m.asked(tid, o) // It started before the recording.
			return
		}
		delete(m.exchanges, id)
		if o.Verb == trace.OpSend {
			o.Verb = trace.OpReceive // the answer
		}
		if o.Mark = e.mark; e.mark == trace.NoRef {
			e.thread = trace.NoThread // The thread does other work now.
		}
		o.Thread = e.thread
	}
	m.operation(o)
}
