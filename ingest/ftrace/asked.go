package ftrace

import (
	"bytes"
	"strconv"

	"github.com/diffprof/diffprof/trace"
)

// mostMarks is the number of refs for marks, which are used in turn. A ref is free again after
// its operation was sent, with the batch of its event or the next one.
const mostMarks = 4 * batchSize

// NoTask means that the thread of an operation is unknown.
const NoTask = -1

// Operation adds an operation of a thread, NoTask if it is unknown. If the thread is read, the
// operation belongs to it, and its innermost open slice is marked as the caller.
func (m *Machine) Operation(moment, tid int64, o trace.Operation) {
	m.at(moment)
	o.Time = m.now
	m.asked(tid, o)
}

// asked sends an operation that began at its Time and has ended.
func (m *Machine) asked(tid int64, o trace.Operation) {
	o.Thread, o.Mark = trace.NoThread, trace.NoRef
	if m.signals.sink == nil {
		return
	}
	if tid != NoTask {
		if id, ok := m.Thread(tid); ok {
			o.Thread = id
		}
		if th := m.read(tid); th != nil && len(th.open) > 0 {
			o.Mark = trace.Ref(m.marks % mostMarks)
			m.marks++
			m.trace.Marks = min(m.marks, mostMarks)
			m.event(th, trace.Mark, o.Mark)
		}
	}
	m.signals.ask(o)
	m.drain()
}

// wakeLock is the start of the names that Android gives to asynchronous slices of a held
// wakelock; the tag follows in parentheses. Such a slice begins on the thread that acquires the
// lock.
const wakeLock = "WakeLock ("

// Async adds the start (the letter S) or the end (F) of an asynchronous slice. In an app that is
// read, slices of a held wakelock and slices that a table of triggers lets acquire or start
// something are operations. Others are ignored: they show a wait.
func (m *Machine) Async(moment, tid int64, mark Mark) {
	m.at(moment)
	if m.signals.sink == nil || !m.reads(mark.Process) {
		return
	}
	called := mark.Text
	if i := bytes.LastIndexByte(called, '|'); i >= 0 {
		called = called[:i] // without the number of the slice
	}
	o, ok := m.async(called)
	if !ok {
		return
	}
	if mark.Letter == 'F' {
		o.Verb = o.Verb.Ending()
	}
	o.Handle = m.Handle(strconv.FormatInt(mark.Process, 10) + "|" + string(mark.Text))
	m.Operation(moment, tid, o)
}

// async returns the operation that the start of an asynchronous slice is.
func (m *Machine) async(called []byte) (trace.Operation, bool) {
	if tag, ok := bytes.CutPrefix(called, []byte(wakeLock)); ok {
		return trace.Operation{Verb: trace.OpAcquire, Component: "wakelock", Name: printable(bytes.TrimSuffix(tag, []byte(")")))}, true
	}
	if !m.calls.triggers.Sliced() {
		return trace.Operation{}, false
	}
	m.plain = Plain(m.plain[:0], called)
	g := m.calls.triggers.Slice(printable(m.plain))
	if g == nil || g.Verb != trace.OpAcquire && g.Verb != trace.OpStart {
		return trace.Operation{}, false
	}
	return trace.Operation{Verb: g.Verb, Component: g.Component, Name: printable(called)}, true
}

// Handle returns a number for a text that identifies an open resource, 0 once there are too
// many.
func (m *Machine) Handle(text string) int64 {
	h, ok := m.handles[text]
	if !ok && len(m.handles) < maxNames {
		if m.handles == nil {
			m.handles = make(map[string]int64)
		}
		h = handles + int64(len(m.handles))
		m.handles[text] = h
	}
	return h
}

// handles is above the handles that recordings themselves contain.
const handles = 1 << 40
