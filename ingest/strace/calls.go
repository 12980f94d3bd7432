package strace

import (
	"bytes"
	"math"
	"strings"

	"github.com/diffprof/diffprof/ingest/descriptor"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// A call is a finished system call.
type call struct {
	thread *thread
	name   string
	args   []byte
	result []byte
	// begin and end are times on the timeline.
	begin, end int64
	// stack is the id of the stack that made the system call.
	stack trace.StackID
}

// An effect is what a system call does to descriptors and components. It receives the arguments.
type effect func(*decoder, *call, [][]byte)

// effects returns the effects of system calls, by name. The table of triggers defines the calls
// that move data. This package defines the calls that create, copy and close descriptors.
func effects(t *trigger.Table) map[string]effect {
	all := map[string]effect{
		"open": opens(0), "openat": opens(1), "openat2": opens(1), "creat": opens(0),
		"socket": socket, "connect": connect, "accept": accept, "accept4": accept,
		"socketpair": pair, "pipe": pair, "pipe2": pair,
		"dup": duplicate, "dup2": duplicate, "dup3": duplicate, "fcntl": control, "fcntl64": control, "ioctl": control,
		"close": closes, "close_range": closesRange, "shutdown": shuts, "execve": executes, "execveat": executes,
		"sendfile": copies(1, 0), "sendfile64": copies(1, 0), "splice": copies(0, 2), "copy_file_range": copies(0, 2),
	}
	for does, effect := range map[trigger.Effect]effect{trigger.Receives: moves(true), trigger.Sends: moves(false), trigger.Syncs: syncs} {
		for _, name := range t.Calls(does) {
			if _, known := all[name]; !known {
				all[name] = effect
			}
		}
	}
	for _, name := range []string{
		"eventfd", "eventfd2", "epoll_create", "epoll_create1", "timerfd_create", "signalfd", "signalfd4", "inotify_init", "inotify_init1",
		"memfd_create", "pidfd_open", "userfaultfd", "fanotify_init", "perf_event_open", "bpf", "io_uring_setup",
	} {
		all[name] = makes
	}
	return all
}

// opens returns the effect of opening a file. path is the index of the argument with the path.
func opens(path int) effect {
	return func(d *decoder, c *call, args [][]byte) {
		fd, note, ok := readDescriptor(c.result)
		if !ok {
			return
		}
		o := d.object(text(part(args, path)))
		o.Component, o.Path = d.triggers.File(o.Name), true
		if len(note) > 0 {
			o.Component, o.Path, _ = d.ofNote(note)
		}
		o.Ready = !strings.HasPrefix(o.Name, "/dev/") // A relative path does not name a device.
		d.put(c, fd, o, bytes.Contains(c.args, []byte("O_CLOEXEC")))
		d.begin(c, o)
	}
}

// makes is the effect of creating a descriptor that belongs to no component.
func makes(d *decoder, c *call, _ [][]byte) {
	if fd, _, ok := readDescriptor(c.result); ok {
		d.put(c, fd, d.object(""), bytes.Contains(c.args, []byte("CLOEXEC")))
	}
}

func socket(d *decoder, c *call, args [][]byte) {
	if fd, _, ok := readDescriptor(c.result); ok {
		o := d.object("")
		o.Component = d.triggers.Socket(string(part(args, 0)))
		d.put(c, fd, o, bytes.Contains(c.args, []byte("SOCK_CLOEXEC")))
	}
}

func connect(d *decoder, c *call, args [][]byte) {
	o := d.at(c, part(args, 0))
	a := ofAddress(c.args)
	if o == nil || a.family == nil {
		return
	}
	if o.Unknown {
		o.Component, o.Unknown = d.triggers.Socket(string(a.family)), false
	}
	if a.local {
		o.Component = ""
	}
	o.Name = a.text
	_, ok := count(c.result)
	switch failed := failure(c.result); {
	case ok, failed == "EISCONN":
		d.connected(o, c.begin)
		if ok {
			d.begin(c, o)
		}
	case failed == "EINPROGRESS":
		d.inProgress(c, o)
	}
}

func accept(d *decoder, c *call, args [][]byte) {
	fd, note, ok := readDescriptor(c.result)
	if !ok {
		return
	}
	a := ofAddress(c.args)
	o := d.object(a.text)
	if from := d.at(c, part(args, 0)); from != nil {
		o.Component = from.Component
	}
	if component, path, ok := d.ofNote(note); ok {
		o.Component, o.Path = component, path
	}
	if a.local {
		o.Component = ""
	}
	d.put(c, fd, o, bytes.Contains(c.args, []byte("SOCK_CLOEXEC")))
	d.begin(c, o)
}

// pair is the effect of a call that creates two connected descriptors within the machine.
func pair(d *decoder, c *call, _ [][]byte) {
	if _, ok := count(c.result); !ok {
		return
	}
	end := bytes.LastIndexByte(c.args, ']')
	begin := bytes.LastIndexByte(c.args[:max(end, 0)], '[')
	if note := bytes.IndexByte(c.args, '['); bytes.Contains(c.args, []byte(":[")) {
		begin = note // Annotations of descriptors contain brackets, too.
	}
	if begin < 0 || end < begin {
		return
	}
	for _, one := range parts(nil, c.args[begin+1:end]) {
		if fd, _, ok := readDescriptor(one); ok {
			d.put(c, fd, d.object(""), bytes.Contains(c.args[end:], []byte("CLOEXEC")))
		}
	}
}

func duplicate(d *decoder, c *call, args [][]byte) {
	if fd, _, ok := readDescriptor(c.result); ok {
		if o := d.at(c, part(args, 0)); o != nil && !bytes.Equal(digits(part(args, 0)), digits(c.result)) {
			d.put(c, fd, o, bytes.Contains(c.args, []byte("O_CLOEXEC")))
		}
	}
}

// digits returns the digits at the start of a text.
func digits(text []byte) []byte {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return text[:n]
}

// control is the effect of fcntl and ioctl.
func control(d *decoder, c *call, args [][]byte) {
	fd, _, ok := readDescriptor(part(args, 0))
	if _, done := count(c.result); !ok || !done {
		return
	}
	switch command := string(part(args, 1)); command {
	case "F_DUPFD", "F_DUPFD_CLOEXEC":
		if to, _, ok := readDescriptor(c.result); ok {
			if o := d.at(c, part(args, 0)); o != nil {
				d.put(c, to, o, command == "F_DUPFD_CLOEXEC")
			}
		}
	case "F_SETFD", "FIOCLEX", "FIONCLEX":
		c.thread.files.Closes(fd, command == "FIOCLEX" || bytes.Contains(part(args, 2), []byte("FD_CLOEXEC")))
	}
}

func closes(d *decoder, c *call, args [][]byte) {
	if fd, _, ok := readDescriptor(part(args, 0)); ok {
		d.end(c, c.thread.files.Drop(fd))
	}
}

func closesRange(d *decoder, c *call, args [][]byte) {
	first, ok := number(part(args, 0))
	if _, done := count(c.result); !ok || !done {
		return
	}
	last, ok := number(part(args, 1))
	if !ok {
		last = math.MaxInt64 // The argument ~0U means no upper limit.
	}
	inside := func(fd int64, _ bool) bool { return first <= fd && fd <= last }
	if !bytes.Contains(part(args, 2), []byte("CLOEXEC")) {
		d.drop(c, inside)
		return
	}
	for _, fd := range c.thread.files.Which(inside) {
		c.thread.files.Closes(fd, true)
	}
}

func shuts(d *decoder, c *call, args [][]byte) {
	if _, ok := count(c.result); ok && string(part(args, 1)) == "SHUT_RDWR" {
		if o := d.at(c, part(args, 0)); o != nil {
			d.end(c, o)
		}
	}
}

func executes(d *decoder, c *call, _ [][]byte) {
	if _, ok := count(c.result); ok {
		d.drop(c, func(_ int64, closes bool) bool { return closes })
	}
}

// moves returns the effect of a call that moves data to or from the descriptor in its first
// argument.
func moves(in bool) effect {
	return func(d *decoder, c *call, args [][]byte) {
		n, ok := count(c.result)
		if !ok {
			return
		}
		o := d.at(c, part(args, 0))
		if o == nil || ofAddress(c.args).local {
			return
		}
		if c.name == "recvmmsg" || c.name == "sendmmsg" {
			n = messages(c.args)
		}
		d.move(c, o, in, n)
	}
}

// messages returns the total size of the messages of a call.
func messages(args []byte) int64 {
	sum := int64(0)
	for {
		_, rest, ok := bytes.Cut(args, []byte("msg_len="))
		if !ok {
			return sum
		}
		if n, ok := number(digits(rest)); ok && n < 1<<31 {
			sum += n
		}
		args = rest
	}
}

// copies returns the effect of a call that moves data from one descriptor to another. The
// parameters are the indices of the two arguments.
func copies(from, to int) effect {
	return func(d *decoder, c *call, args [][]byte) {
		n, ok := count(c.result)
		if !ok || n == 0 {
			return
		}
		if o := d.at(c, part(args, from)); o != nil {
			d.move(c, o, true, n)
		}
		if o := d.at(c, part(args, to)); o != nil {
			d.move(c, o, false, n)
		}
	}
}

func syncs(d *decoder, c *call, args [][]byte) {
	if _, ok := count(c.result); ok {
		if o := d.at(c, part(args, 0)); o != nil {
			d.ask(c, o, trace.OpWrite, 0)
		}
	}
}

// move adds an operation that moves data: into the program if in is set, otherwise out of it.
func (d *decoder) move(c *call, o *descriptor.Object, in bool, bytes int64) {
	d.connected(o, c.begin)
	if in && bytes == 0 { // Reading nothing means the end of the input.
		return
	}
	d.ask(c, o, o.Moves(in), bytes)
}
