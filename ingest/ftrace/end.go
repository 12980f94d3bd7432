package ftrace

import (
	"time"

	"github.com/diffprof/diffprof/trace"
)

// ThreadExit ends a thread and its slices. If the same thread number occurs later, it is another
// thread.
func (m *Machine) ThreadExit(moment, tid int64) {
	m.at(moment)
	if i := m.thread(tid); i >= 0 && m.err == nil {
		m.threads[i].gone = true
		m.close(&m.threads[i])
	}
}

// close ends the slices of a thread.
func (m *Machine) close(th *thread) {
	for len(th.open) > 0 {
		id := th.open[len(th.open)-1]
		th.open = th.open[:len(th.open)-1]
		m.event(th, trace.Exit, trace.Ref(id))
	}
	th.deeper = 0
}

// Finish ends all open slices at the end of the recording, and returns the trace. The caller adds
// what only its format states.
func (m *Machine) Finish(end int64) (*trace.Trace, error) {
	m.at(max(end, m.origin+m.now))
	for i := range m.threads {
		th := &m.threads[i]
		m.stop(th)
		if !th.met {
			continue
		}
		m.faults.open += int64(len(th.open))
		m.close(th)
		m.event(th, trace.Exit, trace.Ref(th.process))
	}
	clear(m.calls.open)
	m.flush()
	if m.err != nil {
		return nil, m.err
	}
	t := &m.trace
	t.Elapsed = time.Duration(m.now)
	if t.Clock&trace.ThreadCPU != 0 && m.samples == nil {
		for i := range m.cores {
			if m.cores[i].met {
				t.Cores++
			}
		}
	}
	t.Tracks = m.signals.tracks
	for i := range t.Threads {
		t.Threads[i].ID = m.number(t.Threads[i].ID)
	}
	for i := range t.Processes {
		t.Processes[i].ID = m.number(t.Processes[i].ID)
	}
	t.Warnings = m.warnings()
	return t, nil
}
