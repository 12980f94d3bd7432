package ftrace

import (
	"bytes"
	"strconv"

	"github.com/diffprof/diffprof/trace"
)

// mostMarks is how many numbers marks have, in turn. A mark's number is free again once its
// operation was handed on, which happens with the batch of its event or the next one.
const mostMarks = 4 * batchSize

// NoTask stands for no thread where an operation is of none that is known.
const NoTask = -1

// Operation hands on what a thread asked of a part of the device, at the moment; NoTask if
// nobody knows which. A thread that is read is the operation's, and the innermost slice that
// is open on it is marked as who asked.
func (m *Machine) Operation(moment, tid int64, o trace.Operation) {
	m.at(moment)
	o.Time = m.now
	m.asked(tid, o)
}

// asked hands on an operation that began at its Time, and ends now or is over by then.
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

// wakeLock is what Android calls the slices of a process that holds a wakelock, with its tag in
// parentheses. It begins when the app acquires the lock, on the thread that does.
const wakeLock = "WakeLock ("

// Async takes a slice that one thread begins (the letter S) and another may end (F). Those by
// which an app that is read says that it holds a wakelock are operations; others tell nothing.
func (m *Machine) Async(moment, tid int64, mark Mark) {
	m.at(moment)
	tag, isLock := bytes.CutPrefix(mark.Text, []byte(wakeLock))
	if !isLock || m.signals.sink == nil || !m.reads(mark.Process) {
		return
	}
	verb := trace.OpAcquire
	if mark.Letter == 'F' {
		verb = trace.OpRelease
	}
	handle := m.Handle(strconv.FormatInt(mark.Process, 10) + "|" + string(mark.Text))
	if i := bytes.LastIndexByte(tag, '|'); i >= 0 {
		tag = tag[:i]
	}
	m.Operation(moment, tid, trace.Operation{Verb: verb, Component: "wakelock", Name: printable(bytes.TrimSuffix(tag, []byte(")"))), Handle: handle})
}

// Handle numbers a text that tells apart what is open at one time; 0 once there are too many.
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

// handles is beyond the numbers that recordings themselves have for what is open.
const handles = 1 << 40
