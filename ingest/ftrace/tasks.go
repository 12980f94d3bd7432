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
	// maxTasks bounds the threads and the processes; Linux has no more than four times as
	// many at one time.
	maxTasks = 1 << 20
	// unknownProcess is the process of threads whose process nobody states.
	unknownProcess = -1
)

var errTasks = errors.New("there are more than a million threads or processes, more than a system runs")

// Tasks are the threads and the processes of a recording. A reader tells what it knows
// before it makes a [Machine], in any order and as often as it likes; what is said later
// counts. They are for one goroutine.
type Tasks struct {
	// Number returns the system's number of a thread or a process; nil is that all are told by it.
	// A reader that tells apart those of one number tells them by numbers of its own.
	Number func(id int64) int64

	threads   map[int64]*task
	processes map[int64]*task
	// votes count the system calls of threads.
	votes map[int64]*abi.Votes
	err   error
}

// A task is a thread or a process.
type task struct {
	id, process int64
	name        string
	slices      int64
}

// NewTasks returns tasks without any.
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

// Process says that there is a process, and what it is called; an empty name says nothing of
// that.
func (t *Tasks) Process(pid int64, name []byte) {
	if p := t.find(t.processes, pid); p != nil && len(name) > 0 && p.name != string(name) {
		p.name = printable(name)
	}
}

// Thread says that there is a thread, of a process, and what it is called. A negative process
// and an empty name say nothing of these. Thread 0 is the kernel's idle thread, and none.
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

// Called says what the kernel calls a thread, which counts where nothing else names it.
func (t *Tasks) Called(tid int64, name []byte) {
	if th := t.threads[tid]; th != nil && th.name == "" {
		th.name = printable(name)
	}
}

// Slices says that a thread began so many slices. Where no process is asked for, the slices
// tell which are apps.
func (t *Tasks) Slices(tid, n int64) {
	if th := t.threads[tid]; th != nil {
		th.slices += n
	}
}

// Call says that a thread made a system call of a number, which tells what code it runs.
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

// callers are the votes of each process.
func (t *Tasks) callers() map[int64]*abi.Votes {
	if t.votes == nil {
		return nil
	}
	of := make(map[int64]*abi.Votes)
	for tid, votes := range t.votes {
		process := int64(unknownProcess)
		if th := t.threads[tid]; th != nil {
			process = th.process
		}
		if of[process] == nil {
			of[process] = new(abi.Votes)
		}
		for i, n := range votes {
			of[process][i] += n
		}
	}
	return of
}

// find returns a task, which it makes if there is room.
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

// printable makes text of a name.
func printable(name []byte) string { return strings.ToValidUTF8(string(name), "\uFFFD") }

// list returns the processes that have threads, those first that a reader may mean: apps
// before the system's, and among them those with the most slices.
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
			name = main.name // all that the kernel knows of a process's name
		}
		all = append(all, &task{id: p.id, name: name, slices: n})
	}
	slices.SortFunc(all, func(a, b *task) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.slices, a.slices), cmp.Compare(a.id, b.id))
	})
	return all
}

// rank is 2 for apps with slices, 1 for other apps, 0 for what else runs.
func rank(p *task) int {
	switch {
	case !isApp(p.name):
		return 0
	case p.slices == 0:
		return 1
	}
	return 2
}

// isApp says whether a process has the name of an app that is not the system's own. Apps are
// called by their package, with dots and no path.
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

// A choice is which process is read.
type choice struct {
	processes []trace.Process
	// read is the index of the one process, -1 for all.
	read    int
	warning *trace.Warning
	// votes tell by system calls what code each process runs.
	votes map[int64]*abi.Votes
}

// choose finds the process that is wanted; process.All is all of them. Empty takes an app: one of those that the
// recording names, if it runs, or else of all; the one with the most slices, where there are
// several.
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
			"%s (%d) alone is read of %d processes; --process reads another", p.Name, p.ID, len(all))}
		if apps > 1 {
			c.warning = &trace.Warning{Code: "several-apps", Message: fmt.Sprintf(
				"%d apps ran; %s (%d), which has the most slices, is read, and --process reads another", apps, p.Name, p.ID)}
		}
		return c, nil
	}
	c.warning = &trace.Warning{Code: "all-processes", Message: fmt.Sprintf(
		"%d processes are read together, which is the device and no app; --process reads one, such as %s", len(all), cmp.Or(all[0].name, fmt.Sprint(numbered[0].ID)))}
	return c, nil
}
