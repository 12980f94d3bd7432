package strace

import (
	"bytes"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// A clock turns moments into those of one scale.
type clock struct {
	scale scale
	// now is the latest moment, met is set by the first one.
	now int64
	met bool
	// days are those that midnight began, in nanoseconds.
	days int64
	// backward counts moments before an earlier one, which are taken for that one.
	backward int64
}

// halfDay is more than any call that was begun is behind.
const halfDay = 12 * int64(time.Hour)

// pass goes on to a moment, if there is one.
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

// A roster tells which thread a line without a number is of. strace leaves the number out as
// long as there is one thread alone.
type roster struct {
	// main is the first thread, 0 while no line has said its number.
	main int64
	live map[int64]bool
}

// thread returns the thread of a line.
func (r *roster) thread(l *line) int64 {
	id := l.thread
	if id == 0 {
		if id = r.main; len(r.live) == 1 {
			for only := range r.live {
				id = only
			}
		}
	}
	if l.kind == isExit {
		delete(r.live, id)
	} else {
		r.live[id] = true
	}
	return id
}

// A task is what the log says of a thread.
type task struct {
	id int64
	// parent made it, -1 if the log does not show that. shares says that it is of the same
	// process, files that the two have the same descriptors.
	parent        int64
	shares, files bool
	// called is its own name, program what its process runs, empty as long as that is the
	// parent's.
	called, program string
}

// maxTasks bounds the threads of a log.
const maxTasks = 1 << 20

// A survey is what a first pass over the log finds.
type survey struct {
	clock
	roster
	tasks map[int64]*task
	order []*task
	// begun has the arguments of calls that are not finished and make threads.
	begun map[int64][]byte
	calls int64
	// first is the earliest moment; durations and stacks say that calls have theirs.
	first             int64
	durations, stacks bool

	// processes and process, by the number of the thread, are known once all is settled.
	processes []trace.Process
	process   map[int64]int
}

func newSurvey() *survey {
	return &survey{
		roster: roster{live: make(map[int64]bool)},
		tasks:  make(map[int64]*task), begun: make(map[int64][]byte), process: make(map[int64]int),
	}
}

// take takes in a line.
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
	id := s.roster.thread(l)
	t, err := s.task(id)
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
		delete(s.begun, id)
		return nil
	case isBegin:
		if makesThread(l.name) || string(l.name) == "execve" {
			s.begun[id] = bytes.Clone(l.args)
		}
		return nil
	}
	s.calls++
	s.durations = s.durations || l.took >= 0
	args := l.args
	if before, ok := s.begun[id]; ok && l.kind == isEnd {
		args = append(before, args...)
		delete(s.begun, id)
	}
	return s.call(t, string(l.name), args, l.result)
}

// adopt says that lines without a number were of a thread. While these make another thread,
// that one's number may be seen first.
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

// task returns what is known of a thread.
func (s *survey) task(id int64) (*task, error) {
	t, ok := s.tasks[id]
	if !ok {
		if len(s.order) == maxTasks {
			return nil, errors.New("more than 1048576 threads")
		}
		t = &task{id: id, parent: -1}
		s.tasks[id] = t
		s.order = append(s.order, t)
	}
	return t, nil
}

// makesThread says whether a call makes a thread or a process.
func makesThread(name []byte) bool {
	switch string(name) {
	case "clone", "clone2", "clone3", "fork", "vfork":
		return true
	}
	return false
}

// call takes in a call that is over.
func (s *survey) call(t *task, name string, args, result []byte) error {
	n, ok := count(result)
	switch {
	case !ok:
	case makesThread([]byte(name)) && n > 0 && n != t.id:
		child, err := s.task(n)
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

// settle finds the processes.
func (s *survey) settle() {
	leaders := make(map[int64]int)
	for _, t := range s.order {
		leader := t
		for range s.order { // numbers that are used again may make a circle
			parent, ok := s.tasks[leader.parent]
			if !leader.shares || !ok {
				break
			}
			leader = parent
		}
		p, ok := leaders[leader.id]
		if !ok {
			p = len(s.processes)
			leaders[leader.id] = p
			s.processes = append(s.processes, trace.Process{ID: leader.id})
		}
		s.process[t.id] = p
		if t.program != "" {
			s.processes[p].Name = t.program
		}
	}
	// A process that runs no program of its own runs its parent's.
	for i := range s.processes {
		t := s.tasks[s.processes[i].ID]
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
