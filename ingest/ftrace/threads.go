package ftrace

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/trace"
)

const (
	// oneApp is what the call for a process is called where one alone is read, whatever the
	// process is called, so that those of two apps are one.
	oneApp = "(app)"
	// noProcess is the process of threads whose process nobody states.
	noProcess = "(no process stated)"
	// unnamed is what the calls for processes without a name are called.
	unnamed = "(process without a name)"
)

// addTasks takes the threads over, in the order of their numbers, and the processes that are
// read.
func (m *Machine) addTasks(tasks *Tasks) {
	of := make(map[int64]int, len(m.choice.processes)) // the processes that are read
	var calls []trace.MethodID
	read := func(id int64, p trace.Process) {
		call := oneApp
		switch {
		case m.choice.read < 0 && p.Name == "":
			call = unnamed
		case m.choice.read < 0:
			call = string(Plain(nil, []byte(p.Name)))
		}
		of[id] = len(calls)
		calls = append(calls, m.add(name.OfProcess(call, p.Name)))
		m.trace.Processes = append(m.trace.Processes, p)
	}
	for i, p := range m.choice.processes {
		if m.choice.read < 0 || m.choice.read == i {
			read(p.ID, p)
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(tasks.threads)) {
		known := tasks.threads[tid]
		i, ok := of[known.process]
		if !ok && m.choice.read < 0 {
			// Where all is read, what nobody states is too.
			i, ok = len(calls), true
			read(unknownProcess, trace.Process{Name: noProcess})
		}
		m.ids[tid] = int32(len(m.threads))
		if !ok {
			m.threads = append(m.threads, thread{id: trace.NoThread, core: -1, stray: known.process == unknownProcess})
			continue
		}
		m.threads = append(m.threads, thread{id: trace.ThreadID(len(m.trace.Threads)), process: calls[i], core: -1})
		m.trace.Threads = append(m.trace.Threads, trace.Thread{ID: tid, Name: known.name, Process: i})
	}
}

// thread returns the index of a thread, -1 for the idle one. The tasks may lack threads:
// those are of no process.
func (m *Machine) thread(tid int64) int32 {
	if tid <= 0 {
		return -1
	}
	i, ok := m.ids[tid]
	switch {
	case ok:
		return i
	case len(m.threads) >= maxTasks:
		m.fail(errTasks)
		return -1
	}
	i = int32(len(m.threads))
	m.ids[tid] = i
	m.threads = append(m.threads, thread{id: trace.NoThread, core: -1, stray: true})
	return i
}

// reads says whether a process is read.
func (m *Machine) reads(pid int64) bool {
	return m.choice.read < 0 || m.choice.processes[m.choice.read].ID == pid
}
