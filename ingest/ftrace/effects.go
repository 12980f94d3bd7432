package ftrace

import (
	"math"

	"github.com/diffprof/diffprof/ingest/abi"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// An effect is what a finished system call does, for example open a descriptor. Only the numbers in
// its arguments are known: no paths, no addresses, and no data in memory.
type effect func(m *Machine, tid int64, c *call, result int64)

// Constants of Linux, which are the same in all ABIs.
const (
	closeOnExec = 0o2000000 // O_CLOEXEC and SOCK_CLOEXEC
	inProgress  = -115      // -EINPROGRESS
	duplicateFD = 0         // F_DUPFD
	setFlags    = 2         // F_SETFD
	duplicateEx = 1030      // F_DUPFD_CLOEXEC
	shutBoth    = 2         // SHUT_RDWR
	rangeExec   = 4         // CLOSE_RANGE_CLOEXEC
	maxFamilies = 64
)

// families has the socket families that tables of triggers may name, indexed by number.
var families = [maxFamilies]string{
	1: "AF_UNIX", 2: "AF_INET", 3: "AF_AX25", 4: "AF_IPX", 5: "AF_APPLETALK", 10: "AF_INET6", 15: "AF_KEY", 16: "AF_NETLINK", 17: "AF_PACKET",
	29: "AF_CAN", 30: "AF_TIPC", 31: "AF_BLUETOOTH", 38: "AF_ALG", 39: "AF_NFC", 40: "AF_VSOCK", 42: "AF_QIPCRTR", 44: "AF_XDP",
}

// effectsOf returns the effects of an ABI's system calls, indexed by number. The entry of an
// ignored call is nil. For an unknown ABI, effectsOf returns nil.
func effectsOf(a abi.ABI, t *trigger.Table) []effect {
	if a == abi.Unknown {
		return nil
	}
	names := a.Names()
	effects := make([]effect, len(names))
	for number, name := range names {
		if name != "" {
			effects[number] = effectOf(name, t)
		}
	}
	return effects
}

// effectOf returns the effect of the system call called name, or nil.
func effectOf(name string, t *trigger.Table) effect {
	switch name {
	case "open", "creat":
		return opens(1)
	case "openat":
		return opens(2)
	case "openat2":
		return opens(MaxArgs) // The flags are in memory, so they are unknown.
	case "socket":
		return socket
	case "connect":
		return connect
	case "accept":
		return accept(MaxArgs)
	case "accept4":
		return accept(3)
	case "dup":
		return duplicates(MaxArgs)
	case "dup2":
		return duplicates(MaxArgs)
	case "dup3":
		return duplicates(2)
	case "fcntl", "fcntl64":
		return controls
	case "close":
		return closes
	case "close_range":
		return closesRange
	case "shutdown":
		return shuts
	case "execve", "execveat":
		return executes
	case "sendfile", "sendfile64":
		return copies(1, 0)
	case "splice", "copy_file_range":
		return copies(0, 2)
	case "eventfd", "eventfd2", "epoll_create", "epoll_create1", "timerfd_create", "signalfd", "signalfd4",
		"inotify_init", "inotify_init1", "memfd_create", "pidfd_open", "userfaultfd", "perf_event_open":
		return makes
	case "io_uring_enter", "io_submit", "socketcall":
		return func(m *Machine, _ int64, _ *call, _ int64) { m.calls.faults.hidden++ }
	}
	switch t.Call(name) {
	case trigger.Receives:
		return moves(true, name != "recvmmsg" && name != "recvmmsg_time64")
	case trigger.Sends:
		return moves(false, name != "sendmmsg")
	case trigger.Syncs:
		return syncs
	}
	return nil
}

// flagged reports whether an argument was recorded and has a flag.
func (c *call) flagged(arg int, flag int64) bool { return arg < c.given && c.args[arg]&flag != 0 }

// opens returns the effect of opening a file. The path of the file is unknown, so it gets the
// component of the most common paths. flags is the index of the argument with the flags.
func opens(flags int) effect {
	return func(m *Machine, tid int64, c *call, fd int64) {
		if fd < 0 {
			return
		}
		o := m.object(m.calls.triggers.File("/"))
		o.Path = true
		m.put(tid, c, fd, o, c.flagged(flags, closeOnExec))
		m.begin(tid, c, o)
	}
}

// makes is the effect of creating a descriptor without a device component, such as a pipe.
func makes(m *Machine, tid int64, c *call, fd int64) {
	if fd >= 0 {
		m.put(tid, c, fd, m.object(""), true)
	}
}

func socket(m *Machine, tid int64, c *call, fd int64) {
	if fd < 0 || c.given == 0 {
		return
	}
	component := ""
	if family := c.args[0]; 0 <= family && family < maxFamilies {
		component = m.calls.triggers.Socket(families[family])
	}
	m.put(tid, c, fd, m.object(component), c.flagged(1, closeOnExec))
}

func connect(m *Machine, tid int64, c *call, result int64) {
	if o := m.descriptorAt(c, 0); o != nil && (result >= 0 || result == inProgress) {
		m.begin(tid, c, o)
	}
}

func accept(flags int) effect {
	return func(m *Machine, tid int64, c *call, fd int64) {
		if fd < 0 {
			return
		}
		if from := m.descriptorAt(c, 0); from != nil {
			o := m.object(from.Component)
			m.put(tid, c, fd, o, c.flagged(flags, closeOnExec))
			m.begin(tid, c, o)
		}
	}
}

func duplicates(flags int) effect {
	return func(m *Machine, tid int64, c *call, fd int64) {
		if fd < 0 {
			return
		}
		if o := m.descriptorAt(c, 0); o != nil && fd != int64(int32(c.args[0])) {
			m.put(tid, c, fd, o, c.flagged(flags, closeOnExec))
		}
	}
}

func controls(m *Machine, tid int64, c *call, result int64) {
	if result < 0 || c.given < 3 {
		return
	}
	switch c.args[1] {
	case duplicateFD, duplicateEx:
		if o := m.descriptorAt(c, 0); o != nil {
			m.put(tid, c, result, o, c.args[1] == duplicateEx)
		}
	case setFlags:
		c.by.files.Closes(int64(int32(c.args[0])), c.args[2]&1 != 0)
	}
}

func closes(m *Machine, tid int64, c *call, _ int64) {
	if c.given > 0 {
		m.end(tid, c, c.by.files.Drop(int64(int32(c.args[0]))))
	}
}

func closesRange(m *Machine, tid int64, c *call, result int64) {
	if result < 0 || c.given < 2 {
		return
	}
	first, last := c.args[0], c.args[1]
	if last < 0 || last > math.MaxInt32 {
		last = math.MaxInt32 // The argument ~0U means no upper limit.
	}
	inside := func(fd int64, _ bool) bool { return first <= fd && fd <= last }
	if !c.flagged(2, rangeExec) {
		m.drop(tid, c, inside)
		return
	}
	for _, fd := range c.by.files.Which(inside) {
		c.by.files.Closes(fd, true)
	}
}

func executes(m *Machine, tid int64, c *call, result int64) {
	if result >= 0 {
		m.drop(tid, c, func(_ int64, closes bool) bool { return closes })
	}
}

// drop closes the descriptors for which f returns true.
func (m *Machine) drop(tid int64, c *call, f func(fd int64, closes bool) bool) {
	for _, fd := range c.by.files.Which(f) {
		m.end(tid, c, c.by.files.Drop(fd))
	}
}

func shuts(m *Machine, tid int64, c *call, result int64) {
	if result >= 0 && c.given > 1 && c.args[1] == shutBoth {
		m.end(tid, c, m.descriptorAt(c, 0))
	}
}

// moves returns the effect of a call that reads or writes the descriptor in its first argument. If
// bytes is set, the result of the call is a number of bytes, and otherwise a number of messages.
func moves(in, bytes bool) effect {
	return func(m *Machine, tid int64, c *call, result int64) {
		if result < 0 || in && result == 0 {
			return
		}
		if !bytes {
			result = 0
		}
		if o := m.descriptorAt(c, 0); o != nil {
			m.move(tid, c, o, in, result)
		}
	}
}

// copies returns the effect of a call that copies data between two descriptors. from and to are the
// indices of their arguments.
func copies(from, to int) effect {
	return func(m *Machine, tid int64, c *call, result int64) {
		if result <= 0 {
			return
		}
		if o := m.descriptorAt(c, from); o != nil {
			m.move(tid, c, o, true, result)
		}
		if o := m.descriptorAt(c, to); o != nil {
			m.move(tid, c, o, false, result)
		}
	}
}

func syncs(m *Machine, tid int64, c *call, result int64) {
	if o := m.descriptorAt(c, 0); o != nil && result >= 0 {
		m.operate(tid, c, o, trace.OpWrite, 0)
	}
}
