package atrace

import (
	"bytes"
	"strconv"

	"github.com/diffprof/diffprof/ingest/ftrace"
)

// kind is the kind of an event.
type kind uint8

const (
	other kind = iota
	schedSwitch
	mark
	note // any other message that a program wrote to the log
	frequency
	idle
	sysEnter
	sysExit
)

// An event is one line of the log. Its byte slices are parts of that line.
type event struct {
	time int64 // time is in nanoseconds.
	core int
	// tgid is -1 if the log does not state the process.
	tid, tgid  int64
	comm, args []byte
	kind       kind
	// prev and next are the threads of a context switch. gone is set if prev has ended.
	prev, next side
	gone       bool
	mark       ftrace.Mark
	// state depends on the event: the frequency of stateCore in kilohertz, its idle state, or the
	// number of a system call.
	state     int64
	stateCore int
	// words has the arguments of a system call, and given says how many there are. result is the
	// return value.
	words  [ftrace.MaxArgs]uint64
	given  int
	result int64
}

// A side is one of the two threads of a context switch.
type side struct {
	tid  int64
	comm []byte
}

// maxTID is above all thread numbers of Linux.
const maxTID = 1 << 22

// read reads a line, and reports whether it is an event.
func (e *event) read(line []byte) bool {
	rest, ok := e.readCore(line)
	if !ok {
		return false
	}
	// Flags may precede the time.
	stamp, rest, _ := bytes.Cut(rest, []byte(": "))
	if i := bytes.LastIndexByte(stamp, ' '); i >= 0 {
		stamp = stamp[i+1:]
	}
	if e.time, ok = moment(stamp); !ok {
		return false
	}
	name, args, ok := bytes.Cut(rest, []byte(":"))
	if !ok {
		return false
	}
	e.args = bytes.TrimLeft(args, " ")
	switch string(name) {
	case "sched_switch":
		e.kind = schedSwitch
		return e.readSides()
	case "tracing_mark_write", "print", "0": // Kernels without symbols write the address 0.
		if e.mark, ok = ftrace.ReadMark(e.args); ok {
			e.kind = mark
		} else {
			e.kind = note
		}
	case "cpu_frequency":
		e.kind = frequency
		return e.readState()
	case "cpu_idle":
		e.kind = idle
		return e.readState()
	case "sys_enter":
		e.kind = sysEnter
		return e.readCall()
	case "sys_exit":
		e.kind = sysExit
		return e.readResult()
	default:
		e.kind = other
	}
	return true
}

// readCore reads the thread and the core, and returns the rest of the line. It finds the core as
// [003] between spaces. The name of a thread may also contain brackets.
func (e *event) readCore(line []byte) (rest []byte, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '[')
		if i < 0 {
			return nil, false
		}
		from += i + 1
		j := bytes.IndexByte(line[from:], ']')
		if j < 0 {
			return nil, false
		}
		core, isNumber := number(line[from : from+j])
		end := from + j + 1
		if isNumber && core < maxTID && end < len(line) && line[end] == ' ' && e.readTask(line[:from-1]) {
			e.core = int(core)
			return bytes.TrimLeft(line[end:], " "), true
		}
	}
}

// readTask reads the part of a line before the core: the name, a dash, the number of the thread,
// and the process in parentheses.
func (e *event) readTask(task []byte) bool {
	task = bytes.TrimRight(task, " ")
	e.tgid = -1
	if n := len(task); n > 0 && task[n-1] == ')' {
		i := bytes.LastIndexByte(task, '(')
		if i < 0 {
			return false
		}
		if tgid, ok := number(bytes.TrimLeft(task[i+1:n-1], " ")); ok && tgid < maxTID {
			e.tgid = tgid
		}
		task = bytes.TrimRight(task[:i], " ")
	}
	i := bytes.LastIndexByte(task, '-')
	if i < 0 {
		return false
	}
	var ok bool
	e.tid, ok = number(task[i+1:])
	e.comm = known(bytes.TrimLeft(task[:i], " "))
	return ok && e.tid < maxTID
}

// known returns a thread's name. It returns nil for a placeholder such as <...>.
func known(comm []byte) []byte {
	if len(comm) == 0 || comm[0] == '<' && comm[len(comm)-1] == '>' {
		return nil
	}
	return comm
}

// readSides reads both threads of a sched_switch.
func (e *event) readSides() bool {
	before, after, ok := bytes.Cut(e.args, []byte(" ==> "))
	if ok {
		e.prev, ok = readSide(before, "prev_comm=", " prev_pid=")
	}
	if ok {
		e.next, ok = readSide(after, "next_comm=", " next_pid=")
	}
	_, state, _ := bytes.Cut(before[max(bytes.LastIndexByte(before, ' '), 0):], []byte("prev_state="))
	e.gone = len(state) > 0 && bytes.IndexByte([]byte("xXZ"), state[0]) >= 0
	return ok
}

func readSide(text []byte, comm, pid string) (side, bool) {
	if len(text) < len(comm) || string(text[:len(comm)]) != comm {
		return side{}, false
	}
	text = text[len(comm):]
	i := bytes.LastIndex(text, []byte(pid))
	if i < 0 {
		return side{}, false
	}
	digits, _, _ := bytes.Cut(text[i+len(pid):], []byte(" "))
	tid, ok := number(digits)
	return side{tid, known(text[:i])}, ok && tid < maxTID
}

// readState reads the fields of cpu_frequency and cpu_idle, such as state=300000 cpu_id=4.
func (e *event) readState() bool {
	before, after, _ := bytes.Cut(e.args, []byte(" "))
	before, first := bytes.CutPrefix(before, []byte("state="))
	after, second := bytes.CutPrefix(after, []byte("cpu_id="))
	state, isState := number(before)
	id, isCore := number(after)
	e.state, e.stateCore = state, int(id)
	return first && second && isState && isCore && state <= 1<<32 && id < maxTID
}

// readCall reads the fields of sys_enter, such as NR 63 (5, 7ff0a, 400, 0, 0, 0). The arguments are
// hexadecimal.
func (e *event) readCall() bool {
	rest, ok := bytes.CutPrefix(e.args, []byte("NR "))
	if !ok {
		return false
	}
	digits, list, _ := bytes.Cut(rest, []byte(" ("))
	if e.state, ok = number(digits); !ok {
		return false
	}
	list, ok = bytes.CutSuffix(bytes.TrimRight(list, " "), []byte(")"))
	for e.given = 0; ok && e.given < len(e.words); e.given++ {
		word, more, several := bytes.Cut(list, []byte(", "))
		w, err := strconv.ParseUint(string(word), 16, 64)
		if err != nil {
			e.given = 0 // The list of arguments is truncated.
			break
		}
		e.words[e.given] = w
		if list = more; !several {
			e.given++
			break
		}
	}
	return true
}

// readResult reads the fields of sys_exit, such as NR 63 = -11.
func (e *event) readResult() bool {
	rest, ok := bytes.CutPrefix(e.args, []byte("NR "))
	if !ok {
		return false
	}
	digits, result, _ := bytes.Cut(rest, []byte(" = "))
	e.state, ok = number(digits)
	var err error
	e.result, err = strconv.ParseInt(string(bytes.TrimRight(result, " ")), 10, 64)
	return ok && err == nil
}

// number reads decimal digits. It fails for more than 18 digits.
func number(digits []byte) (n int64, ok bool) {
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// moment parses seconds with a fraction, and returns them in nanoseconds.
func moment(text []byte) (ns int64, ok bool) {
	i := bytes.IndexByte(text, '.')
	if i < 0 || i > 9 || len(text)-i > 10 {
		return 0, false
	}
	seconds, whole := number(text[:i])
	fraction, part := number(text[i+1:])
	for range 10 - (len(text) - i) {
		fraction *= 10
	}
	return seconds*1e9 + fraction, whole && part
}
