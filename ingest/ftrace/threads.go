package ftrace

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

const (
	// oneApp names the call that represents a process if only one process is read. It is the same
	// for all apps, so that the calls of two apps match.
	oneApp = "(app)"
	// noProcess names the process of threads whose process is unknown.
	noProcess = "(no process stated)"
	// unnamed names the calls for processes without a name.
	unnamed = "(process without a name)"
)

// addTasks adds the threads, sorted by number, and the processes that are read.
func (m *Machine) addTasks(tasks *Tasks) {
	index := make(map[int64]int, len(m.choice.processes)) // by the id of a process
	var calls []trace.MethodID
	read := func(id int64, p trace.Process) {
		call := oneApp
		switch {
		case m.choice.read < 0 && p.Name == "":
			call = unnamed
		case m.choice.read < 0:
			call = string(name.PlainSlice(nil, []byte(p.Name)))
		}
		index[id] = len(calls)
		root := m.add(name.OfProcess(call, p.Name))
		calls = append(calls, root)
		m.trace.Roots = append(m.trace.Roots, root)
		m.trace.Processes = append(m.trace.Processes, p)
	}
	for i, p := range m.choice.processes {
		if m.choice.read < 0 || m.choice.read == i {
			read(p.ID, p)
		}
	}
	for _, tid := range slices.Sorted(maps.Keys(tasks.threads)) {
		known := tasks.threads[tid]
		i, ok := index[known.process]
		if !ok && m.choice.read < 0 {
			// If all processes are read, threads without a process are read too.
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

// thread returns the index of a thread, or -1 for the idle thread. A thread that is missing from
// the tasks is added without a process.
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

// reads reports whether the given process is read.
func (m *Machine) reads(pid int64) bool {
	return m.choice.read < 0 || m.choice.processes[m.choice.read].ID == pid
}
