package ftrace

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/abi"
	"github.com/diffprof/diffprof/ingest/descriptor"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// MaxArgs is the largest number of arguments of a system call.
const MaxArgs = 6

// calls tracks the system calls of the processes that are read. It knows which file descriptors
// they open, and finds the operations on these descriptors.
type calls struct {
	triggers *trigger.Table
	// machine is the machine's name as printed by uname. It may be empty.
	machine string
	// processes are the processes that make system calls, by their index in trace.Processes.
	processes map[int]*caller
	// open has the unfinished call of each thread, unless the call is ignored.
	open map[int64]*call
	free []*call
	// objects counts the descriptor objects created so far.
	objects int64
	// guessed lists the ABIs that were inferred from system call numbers, because the machine is
	// unknown.
	guessed []string
	faults  callFaults
}

// callFaults counts calls about which something is unknown.
type callFaults struct {
	// nameless counts calls of processes with an unknown ABI. unknown counts calls on descriptors
	// that were opened before the recording. bare counts calls without recorded arguments. hidden
	// counts calls that start I/O or other work that the recording does not show.
	nameless, unknown, bare, hidden int64
	// files counts operations on files with unknown paths. sockets counts operations on
	// sockets.
	files, sockets int64
}

// A caller is a process that makes system calls.
type caller struct {
	effects []effect
	files   *descriptor.Table
	// wide is set for a 64-bit process.
	wide bool
}

// A call is an unfinished system call.
type call struct {
	number int64
	at     int64 // at is the start of the call on the timeline.
	args   [MaxArgs]int64
	given  int
	effect effect
	by     *caller
	// holds is set if the call may become an operation. Later signals and operations then wait for
	// the end of the call, so that they can be sent in time order.
	holds bool
}

// caller returns the process of a thread, or nil if the thread is not read.
func (m *Machine) caller(tid int64) *caller {
	id, ok := m.Thread(tid)
	if !ok {
		return nil
	}
	p := m.trace.Threads[id].Process
	c := m.calls.processes[p]
	if c == nil {
		votes := m.choice.votes[m.trace.Processes[p].ID]
		if votes == nil {
			votes = new(abi.Votes)
		}
		best := votes.Choose(abi.Of(m.calls.machine))
		if m.calls.machine == "" && best != abi.Unknown && !slices.Contains(m.calls.guessed, best.String()) {
			m.calls.guessed = append(m.calls.guessed, best.String())
		}
		c = &caller{files: descriptor.New(), effects: effectsOf(best, m.calls.triggers), wide: best == abi.ARM64 || best == abi.AMD64}
		if m.calls.processes == nil {
			m.calls.processes, m.calls.open = make(map[int]*caller), make(map[int64]*call)
		}
		m.calls.processes[p] = c
	}
	return c
}

// SysEnter begins a system call of a thread. args has the arguments as far as they are recorded.
func (m *Machine) SysEnter(moment, tid, number int64, args []uint64) {
	m.at(moment)
	if m.signals.sink == nil {
		return
	}
	by := m.caller(tid)
	switch {
	case by == nil:
		return
	case by.effects == nil:
		m.calls.faults.nameless++
		return
	case number < 0 || number >= int64(len(by.effects)) || by.effects[number] == nil:
		return
	}
	c := m.calls.open[tid]
	if c == nil {
		if n := len(m.calls.free); n > 0 {
			c, m.calls.free = m.calls.free[n-1], m.calls.free[:n-1]
		} else {
			c = new(call)
		}
		m.calls.open[tid] = c
	}
	*c = call{number: number, at: m.now, by: by, effect: by.effects[number], given: min(len(args), MaxArgs)}
	for i := range c.given {
		if c.args[i] = int64(args[i]); !by.wide {
			c.args[i] = int64(int32(args[i]))
		}
	}
	if c.given > 0 {
		o := by.files.At(int64(int32(c.args[0])))
		c.holds = o != nil && o.Component != ""
	}
	if c.holds {
		m.signals.hold(m.now)
	}
}

// SysExit ends a system call of a thread with its result.
func (m *Machine) SysExit(moment, tid, number, result int64) {
	m.at(moment)
	c := m.calls.open[tid]
	if c == nil {
		return
	}
	if c.number == number {
		if !c.by.wide {
			result = int64(int32(result))
		}
		c.effect(m, tid, c, result)
	}
	delete(m.calls.open, tid)
	m.calls.free = append(m.calls.free, c)
	m.drain()
}

// oldest returns the earliest start of an unfinished call that may become an operation. If there is
// none, it returns the current time.
func (m *Machine) oldest() int64 {
	at := m.now
	for _, c := range m.calls.open {
		if c.holds {
			at = min(at, c.at)
		}
	}
	return at
}

// object returns a new object. component is the device component that its use involves, or "".
func (m *Machine) object(component string) *descriptor.Object {
	m.calls.objects++
	return &descriptor.Object{Handle: objects + m.calls.objects, Component: component}
}

// objects is added to the handles of objects. It is larger than all other handles.
const objects = 1 << 50

// descriptorAt returns the object of the descriptor in an argument, or nil if it is unknown.
func (m *Machine) descriptorAt(c *call, arg int) *descriptor.Object {
	if arg >= c.given {
		m.calls.faults.bare++
		return nil
	}
	fd := int64(int32(c.args[arg]))
	o := c.by.files.At(fd)
	if o == nil && fd > 2 { // The first three descriptors usually refer to a terminal.
		m.calls.faults.unknown++
	}
	return o
}

// put makes a descriptor refer to an object.
func (m *Machine) put(tid int64, c *call, fd int64, o *descriptor.Object, closes bool) {
	m.end(tid, c, c.by.files.Put(fd, o, closes))
}

// begin adds the operation that opens an object, unless it was added already. The method end adds
// the operation that closes it.
func (m *Machine) begin(tid int64, c *call, o *descriptor.Object) {
	if !o.Begun {
		o.Begun = true
		m.operate(tid, c, o, trace.OpOpen, 0)
	}
}

func (m *Machine) end(tid int64, c *call, o *descriptor.Object) {
	if o != nil && o.Begun {
		o.Begun = false
		m.operate(tid, c, o, trace.OpClose, 0)
	}
}

// operate adds an operation on an object. It does nothing if the object has no component.
func (m *Machine) operate(tid int64, c *call, o *descriptor.Object, verb trace.Verb, bytes int64) {
	if o.Component == "" {
		return
	}
	if o.Path {
		m.calls.faults.files++
	} else {
		m.calls.faults.sockets++
	}
	at := m.now
	if c.holds { // Later entries waited for this call.
		at = c.at
	}
	m.asked(tid, trace.Operation{Time: at, Duration: m.now - at, Verb: verb, Component: o.Component, Bytes: bytes, Handle: o.Handle})
}

// move adds an operation that moves data into the program (in is set) or out of it.
func (m *Machine) move(tid int64, c *call, o *descriptor.Object, in bool, bytes int64) {
	m.operate(tid, c, o, o.Moves(in), bytes)
}

// warnings returns the warnings about operations by system calls.
func (c *calls) warnings() []trace.Warning {
	f := &c.faults
	all := trace.Counts(
		trace.Count{N: f.nameless, Code: "unknown-abi", Text: "%d system {call is|calls are} not read, because the recording does not state the processor architecture"},
		trace.Count{N: f.bare, Code: "bare-calls", Text: "%d system {call has|calls have} no arguments in the recording, and {its effect is|their effects are} unknown; newer versions of Perfetto record arguments"},
		trace.Count{N: f.unknown, Code: "unknown-descriptors", Text: "%d system {call uses a descriptor|calls use descriptors} opened before the recording, and {is|are} counted for no component"},
		trace.Count{N: f.hidden, Code: "hidden-operations", Text: "%d system {call submits|calls submit} work that the recording does not show, such as io_uring; it is not counted"},
		trace.Count{N: f.files, Code: "assumed-files", Text: "%d {operation is|operations are} on files with unknown paths; these files are assumed to be in the device's storage, not in memory, in /dev or in /proc"},
		trace.Count{N: f.sockets, Code: "assumed-peers", Text: "%d {operation is|operations are} on sockets with unknown peers; the peers are assumed to be on another machine"},
	)
	if len(c.guessed) > 0 {
		all = append(all, trace.Warning{Code: "guessed-abi", Message: "the recording does not state the processor architecture; judging by their most frequent calls, processes run code for " + strings.Join(c.guessed, " and ")})
	}
	return all
}
