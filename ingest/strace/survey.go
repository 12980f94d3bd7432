package strace

import (
	"bytes"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// A clock converts the times in a log to one timeline.
type clock struct {
	scale scale
	// now is the latest time. met is set once the log has a time.
	now int64
	met bool
	// days is the time of the days that have passed, for times that count from midnight.
	days int64
	// backward counts the times that are earlier than the time before. The time before is used
	// instead.
	backward int64
}

// halfDay is longer than any call lasts.
const halfDay = 12 * int64(time.Hour)

// pass advances the clock to the time m, unless m is empty.
func (c *clock) pass(m moment) {
	switch {
	case m.scale == noScale || c.met && m.scale != c.scale:
		return
	case !c.met:
		c.scale, c.met, c.now = m.scale, true, m.at
		return
	}
	at := m.at + c.days
	switch {
	case m.scale == sinceLast:
		at = c.now + m.at
	case m.scale == ofDay && at < c.now-halfDay:
		c.days += 2 * halfDay
		at += 2 * halfDay
	}
	if at < c.now {
		c.backward++
		at = c.now
	}
	c.now = at
}

// A task describes a thread.
type task struct {
	id id
	// parent is the thread that created this thread, or -1 if unknown. shares is set if the two are
	// in the same process. files is set if they share descriptors.
	parent        id
	shares, files bool
	// called is the name of the thread. program is the program of the thread's process, or empty if
	// the process still runs its parent's program.
	called, program string
}

// maxTasks limits the number of threads in a log.
const maxTasks = 1 << 20

// A survey is the result of the first pass over the log.
type survey struct {
	clock
	roster
	tasks map[id]*task
	order []*task
	// begun has the arguments of unfinished calls that create threads or start programs.
	begun map[id][]byte
	calls int64
	// first is the earliest time. durations and stacks are set if the log has durations and stacks.
	first             int64
	durations, stacks bool

	// processes, and process for each thread, are valid after settle.
	processes []trace.Process
	process   map[id]int
}

func newSurvey() *survey {
	return &survey{
		roster: newRoster(0),
		tasks:  make(map[id]*task), begun: make(map[id][]byte), process: make(map[id]int),
	}
}

// take processes a line.
func (s *survey) take(l *line) error {
	s.stacks = s.stacks || l.kind == isFrame
	if l.kind == isFrame || l.kind == isOther || l.kind == isSignal {
		return nil
	}
	met := s.met
	s.pass(l.moment)
	if !met {
		s.first = s.now
	}
	who := s.roster.thread(l)
	t, err := s.task(who)
	if err != nil {
		return err
	}
	if _, forking := s.begun[0]; s.main == 0 && l.thread != 0 && t.parent < 0 && (!forking || l.kind == isEnd) {
		s.adopt(t)
	}
	if len(l.called) > 0 {
		t.called = string(l.called)
	}
	switch l.kind {
	case isExit:
		delete(s.begun, who)
		return nil
	case isBegin:
		if makesThread(l.name) || string(l.name) == "execve" {
			s.begun[who] = bytes.Clone(l.args)
		}
		return nil
	}
	s.calls++
	s.durations = s.durations || l.took >= 0
	args := l.args
	if before, ok := s.begun[who]; ok && l.kind == isEnd {
		args = append(before, args...)
		delete(s.begun, who)
	}
	return s.call(t, string(l.name), args, l.result)
}

// adopt makes t the thread of all lines without a number. The first number in the log is not always
// this thread, because a line without a number may create another thread.
func (s *survey) adopt(t *task) {
	s.main = t.id
	if args, ok := s.begun[0]; ok {
		s.begun[t.id] = args
		delete(s.begun, 0)
	}
	if bare, ok := s.tasks[0]; ok {
		t.called, t.program = bare.called, bare.program
		delete(s.tasks, 0)
		for i := range s.order {
			if s.order[i] == bare {
				s.order = append(s.order[:i], s.order[i+1:]...)
				break
			}
		}
		for _, other := range s.order {
			if other.parent == 0 {
				other.parent = t.id
			}
		}
	}
	delete(s.live, 0)
}

// task returns the task of the thread who, and adds it if it is new.
func (s *survey) task(who id) (*task, error) {
	t, ok := s.tasks[who]
	if !ok {
		if len(s.order) == maxTasks {
			return nil, errors.New("more than 1048576 threads")
		}
		t = &task{id: who, parent: -1}
		s.tasks[who] = t
		s.order = append(s.order, t)
	}
	return t, nil
}

// makesThread reports whether a call creates a thread or a process.
func makesThread(name []byte) bool {
	switch string(name) {
	case "clone", "clone2", "clone3", "fork", "vfork":
		return true
	}
	return false
}

// call processes a finished call.
func (s *survey) call(t *task, name string, args, result []byte) error {
	n, ok := count(result)
	switch {
	case !ok:
	case makesThread([]byte(name)) && n > 0 && n < again && n != t.id.number():
		child, err := s.task(s.child(t.id, n))
		if err != nil {
			return err
		}
		if child.parent < 0 && child.id != s.main {
			child.parent = t.id
			child.shares = bytes.Contains(args, []byte("CLONE_THREAD"))
			child.files = bytes.Contains(args, []byte("CLONE_FILES"))
		}
	case name == "execve" || name == "execveat":
		t.program = path.Base(text(args))
	case name == "prctl" && bytes.HasPrefix(args, []byte("PR_SET_NAME")):
		t.called = text(args)
	}
	return nil
}

// settle determines the processes and their names.
func (s *survey) settle() {
	process := make(map[id]int) // process is indexed by the first thread of the process.
	var leaders []*task
	for _, t := range s.order {
		leader := t
		for range s.order { // The limit ends the loop if a damaged log has a cycle.
			parent, ok := s.tasks[leader.parent]
			if !leader.shares || !ok {
				break
			}
			leader = parent
		}
		p, ok := process[leader.id]
		if !ok {
			p = len(s.processes)
			process[leader.id] = p
			leaders = append(leaders, leader)
			s.processes = append(s.processes, trace.Process{ID: leader.id.number()})
		}
		s.process[t.id] = p
		if t.program != "" {
			s.processes[p].Name = t.program
		}
	}
	// A process that started no program runs the program of its parent.
	for i := range s.processes {
		t := leaders[i]
		for range s.order {
			if s.processes[i].Name != "" || t == nil {
				break
			}
			if t = s.tasks[t.parent]; t != nil {
				s.processes[i].Name = s.processes[s.process[t.id]].Name
			}
		}
		s.processes[i].Name = strings.ToValidUTF8(s.processes[i].Name, "\uFFFD")
	}
}
