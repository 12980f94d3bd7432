package ftrace

import "github.com/diffprof/diffprof/trace"

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
	if m.signals.sink == nil {
		return
	}
	o.Thread, o.Mark = m.requester(tid, trace.Ref(m.marks%maxMarks))
	if o.Mark != trace.NoRef {
		m.marks++
		m.trace.Marks = max(m.trace.Marks, min(m.marks, maxMarks))
	}
	m.operation(o)
}

// requester returns the thread tid, which may be NoTask, and id. It remembers the innermost open
// slice of the thread under id. It returns trace.NoRef if there is none.
func (m *Machine) requester(tid int64, id trace.Ref) (trace.ThreadID, trace.Ref) {
	thread := trace.NoThread
	if tid == NoTask {
		return thread, trace.NoRef
	}
	if number, ok := m.Thread(tid); ok {
		thread = number
	}
	if th := m.read(tid); th != nil && len(th.open) > 0 {
		m.event(th, trace.Mark, id)
		return thread, id
	}
	return thread, trace.NoRef
}

// operation sends an operation with its thread and mark.
func (m *Machine) operation(o trace.Operation) {
	m.signals.operation(o)
	m.drain()
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
