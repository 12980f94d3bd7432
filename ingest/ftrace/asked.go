package ftrace

import (
	"bytes"
	"strconv"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// maxMarks is the number of ids for marks. A mark is an event that links an operation to its
// caller. Ids are reused in rotation. This is safe because an operation is sent with the batch of
// its mark or with the next one.
const maxMarks = 4 * batchSize

// NoTask means that the operation's thread is unknown.
const NoTask = -1

// Operation adds an operation of the thread tid, which may be NoTask. If the thread is read, its
// innermost open slice is the caller of the operation.
func (m *Machine) Operation(moment, tid int64, o trace.Operation) {
	m.at(moment)
	o.Time = m.now
	m.asked(tid, o)
}

// asked sends a complete operation.
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
			o.Mark = trace.Ref(m.marks % maxMarks)
			m.marks++
			m.trace.Marks = min(m.marks, maxMarks)
			m.event(th, trace.Mark, o.Mark)
		}
	}
	m.signals.ask(o)
	m.drain()
}

// wakeLock is the start of a slice name such as "WakeLock (tag)". Such an asynchronous slice shows
// that a wakelock is held. It begins on the thread that acquires the lock.
const wakeLock = "WakeLock ("

// Async adds the start (Letter S) or the end (Letter F) of an asynchronous slice. Two kinds of
// slices become operations, if their process is read: those of a held wakelock, and those for which
// the table of triggers has a start or an acquire. Other slices are ignored. A warning counts the
// slices that move data according to the table.
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
	if mark.Letter == 'F' {
		o.Verb = o.Verb.Ending()
	}
	o.Handle = m.Handle(strconv.FormatInt(mark.Process, 10) + "|" + string(mark.Text))
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
	if g != nil && g.Verb <= trace.OpWrite {
		// Such a slice cannot become an operation: its duration is known only at its end, when
		// later operations are already sent.
		m.faults.moving++
	}
	if g == nil || g.Verb != trace.OpAcquire && g.Verb != trace.OpStart {
		return trace.Operation{}, false
	}
	return trace.Operation{Verb: g.Verb, Component: g.Component, Name: printable(called)}, true
}

// Handle returns the handle of the open resource that text identifies. It returns 0 if there are
// too many resources.
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

// handles is larger than all handles in recordings.
const handles = 1 << 40
