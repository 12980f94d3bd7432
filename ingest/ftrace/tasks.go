package ftrace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/abi"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/trace"
)

const (
	// maxTasks limits the number of threads and of processes. It is a quarter of the number that
	// Linux can have at one time.
	maxTasks = 1 << 20
	// unknownProcess is the process of threads whose process the recording does not state.
	unknownProcess = -1
)

var errTasks = errors.New("there are more than a million threads or processes, more than a system runs")

// Tasks are the threads and the processes of a recording. A decoder fills them before it creates a
// [Machine]. It may add values in any order and repeatedly. Later values replace earlier ones.
// Tasks must not be used concurrently.
type Tasks struct {
	// Number converts ids of threads and processes to the system's numbers. It is for decoders that
	// give reused numbers different ids. If Number is nil, ids are the system's numbers.
	Number func(id int64) int64

	threads   map[int64]*task
	processes map[int64]*task
	// votes counts the system calls of each thread, to infer its ABI.
	votes map[int64]*abi.Votes
	err   error
}

// A task is a thread or a process.
type task struct {
	id, process int64
	name        string
	slices      int64
}

// NewTasks returns empty Tasks.
func NewTasks() *Tasks {
	return &Tasks{threads: make(map[int64]*task), processes: make(map[int64]*task)}
}

// number returns the system's number of a thread or a process.
func (t *Tasks) number(id int64) int64 {
	if t.Number == nil {
		return id
	}
	return t.Number(id)
}

// Process adds a process with its name. The name may be empty.
func (t *Tasks) Process(pid int64, name []byte) {
	if p := t.find(t.processes, pid); p != nil && len(name) > 0 && p.name != string(name) {
		p.name = printable(name)
	}
}

// Thread adds a thread with its process and name. A negative process or an empty name means
// unknown. Thread 0 is the kernel's idle thread and is ignored.
func (t *Tasks) Thread(tid, pid int64, name []byte) {
	if tid <= 0 {
		return
	}
	th := t.find(t.threads, tid)
	if th == nil {
		return
	}
	if len(name) > 0 && th.name != string(name) {
		th.name = printable(name)
	}
	if pid >= 0 && th.process != pid {
		th.process = pid
		t.find(t.processes, pid)
	}
}

// SetName sets the kernel's name for a thread. It is used if the thread has no other name.
func (t *Tasks) SetName(tid int64, name []byte) {
	if th := t.threads[tid]; th != nil && th.name == "" {
		th.name = printable(name)
	}
}

// AddSlices adds n to the number of a thread's slices. The numbers help to choose a process,
// because apps have many slices.
func (t *Tasks) AddSlices(tid, n int64) {
	if th := t.threads[tid]; th != nil {
		th.slices += n
	}
}

// Call counts a system call of a thread. Its number helps to infer the thread's ABI.
func (t *Tasks) Call(tid, number int64) {
	v := t.votes[tid]
	if v == nil {
		if len(t.votes) >= maxTasks {
			return
		}
		if t.votes == nil {
			t.votes = make(map[int64]*abi.Votes)
		}
		v = new(abi.Votes)
		t.votes[tid] = v
	}
	v.Add(number)
}

// callers sums the votes for the ABI of each process over its threads.
func (t *Tasks) callers() map[int64]*abi.Votes {
	if t.votes == nil {
		return nil
	}
	byProcess := make(map[int64]*abi.Votes)
	for tid, votes := range t.votes {
		process := int64(unknownProcess)
		if th := t.threads[tid]; th != nil {
			process = th.process
		}
		if byProcess[process] == nil {
			byProcess[process] = new(abi.Votes)
		}
		for i, n := range votes {
			byProcess[process][i] += n
		}
	}
	return byProcess
}

// find returns the task with an id. It creates a missing task, unless there are too many.
func (t *Tasks) find(among map[int64]*task, id int64) *task {
	if found := among[id]; found != nil {
		return found
	}
	if len(among) >= maxTasks {
		t.err = errTasks
		return nil
	}
	made := &task{id: id, process: unknownProcess}
	among[id] = made
	return made
}

// printable returns a name as valid UTF-8.
func printable(name []byte) string { return strings.ToValidUTF8(string(name), "\uFFFD") }

// list returns the processes that have threads, the most likely choice first. Apps come before
// system processes. Among apps, those with more slices come first.
func (t *Tasks) list() []*task {
	count := make(map[int64]int64, len(t.processes))
	for _, th := range t.threads {
		count[th.process] += th.slices
	}
	var all []*task
	for _, p := range t.processes {
		n, ran := count[p.id]
		if !ran {
			continue
		}
		name := p.name
		if main := t.threads[p.id]; name == "" && main != nil {
			name = main.name // the process has no name of its own
		}
		all = append(all, &task{id: p.id, name: name, slices: n})
	}
	slices.SortFunc(all, func(a, b *task) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.slices, a.slices), cmp.Compare(a.id, b.id))
	})
	return all
}

// rank returns 2 for apps with slices, 1 for other apps, and 0 for other processes.
func rank(p *task) int {
	switch {
	case !isApp(p.name):
		return 0
	case p.slices == 0:
		return 1
	}
	return 2
}

// isApp reports whether a process has the name of an app that is not part of the system, such as
// com.mine. It has dots and is not a path.
func isApp(name string) bool {
	if !strings.Contains(name, ".") || strings.ContainsAny(name, "/@ ") {
		return false
	}
	for _, own := range []string{"com.android.", "android.", "com.google.", "com.qualcomm.", "com.qti.", "vendor.", "media.", "webview_zygote"} {
		if strings.HasPrefix(name, own) {
			return false
		}
	}
	return true
}

// A choice says which processes to read.
type choice struct {
	processes []trace.Process
	// read is the index of the chosen process, or -1 if all processes are read.
	read    int
	warning *trace.Warning
	// votes has, for each process, the votes for its ABI.
	votes map[int64]*abi.Votes
}

// choose chooses the process to read. It takes the first of these that exists:
//
//   - the process called wanted, or all processes for process.All
//   - the app with the most slices among the named ones
//   - the app with the most slices
//   - all processes
//
// If wanted is set, the others are not considered.
func (t *Tasks) choose(wanted string, named []string) (choice, error) {
	if t.err != nil {
		return choice{}, t.err
	}
	all := t.list()
	c := choice{read: -1}
	numbered := make([]trace.Process, len(all))
	for i, p := range all {
		c.processes = append(c.processes, trace.Process{ID: p.id, Name: p.name})
		numbered[i] = trace.Process{ID: t.number(p.id), Name: p.name}
	}
	var err error
	switch {
	case wanted == process.All:
		return c, nil
	case wanted != "":
		c.read, err = process.Find(numbered, wanted)
		return c, err
	case len(all) == 0:
		return c, nil
	case len(all) == 1:
		c.read = 0
		return c, nil
	}
	apps := 0
	for i, p := range slices.Backward(c.processes) {
		is := func(app string) bool {
			_, err := process.Find([]trace.Process{p}, app)
			return err == nil
		}
		if slices.ContainsFunc(named, is) {
			c.read = i
			apps++
		}
	}
	for c.read < 0 && apps < len(all) && rank(all[apps]) == 2 {
		apps++
	}
	if apps > 0 {
		c.read = max(c.read, 0)
		p := numbered[c.read]
		c.warning = &trace.Warning{Code: "one-process", Message: fmt.Sprintf(
			"only %s (%d) of %d processes is read; --process chooses another", p.Name, p.ID, len(all))}
		if apps > 1 {
			c.warning = &trace.Warning{Code: "several-apps", Message: fmt.Sprintf(
				"%d apps ran; %s (%d), which has the most slices, is read; --process chooses another", apps, p.Name, p.ID)}
		}
		return c, nil
	}
	c.warning = &trace.Warning{Code: "all-processes", Message: fmt.Sprintf(
		"%d processes are read together, as the whole device; --process chooses one, such as %s", len(all), cmp.Or(all[0].name, fmt.Sprint(numbered[0].ID)))}
	return c, nil
}
