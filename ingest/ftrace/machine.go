package ftrace

import (
	"fmt"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
	"github.com/diffprof/diffprof/units"
)

const (
	batchSize = 1024
	// deepest is the largest number of open slices per thread.
	deepest = 1 << 12
	// maxNames limits the number of different slice names. All further names share one method.
	maxNames = 1 << 18
	// maxCores is larger than the number of cores of any machine. maxCores and span together keep
	// the sum of all times within 63 bits.
	maxCores = 1 << 10
	// span limits the length of a recording to 52 days, in nanoseconds.
	span = 1 << 52
)

// Options state what a machine reads.
type Options struct {
	// Process is the name or the number of the process to read, or process.All. If it is empty, the
	// machine chooses a process.
	Process string
	// Apps are the names of the recorded apps, if known. If Process is empty, the machine chooses
	// one of them that runs.
	Apps []string
	// Origin is the earliest time of the recording on its own clock, in nanoseconds. It is time 0
	// of the trace.
	Origin int64
	// End is the latest time of the recording, as a Span finds it, or 0 if unknown. An event after
	// End has a damaged time.
	End int64
	// Switches is set if the recording has context switches. Threads then have processor time.
	Switches bool
	// Given is set if the recording states the energy of slices. Estimated is set if the slices
	// represent samples, not calls.
	Given, Estimated bool
	// Machine is the machine's name as uname prints it, or empty. Triggers says which system calls
	// use components of the device. nil means the built-in table. SysEnter uses both.
	Machine  string
	Triggers *trigger.Table
	// Samples is set for a recording of stack samples. The machine then creates no calls.
	Samples *Samples
}

// Samples describe a recording of stack samples. The decoder sends the samples to the sink and
// counts them in the trace. The machine lists their threads and sends the signals.
type Samples struct {
	// Trace has the clocks, the energy and the technique of the run.
	Trace trace.Trace
	// Flush sends the samples so far. The machine calls it before each trace.SignalSink.Until.
	Flush func() error
}

// A Machine converts events to a trace. Its methods take times on the recording's clock, in
// nanoseconds, and these must not decrease from one call to the next. Threads and processes have
// the system's numbers. Methods do not keep the byte slices that they receive. After an error,
// methods do nothing; Err returns the error. A Machine must not be used concurrently.
type Machine struct {
	sink    trace.Sink
	origin  int64
	ends    int64 // ends is the end of the recording on the timeline, or 0 if unknown.
	now     int64 // now is the current time on the timeline.
	err     error
	batch   []trace.Event
	trace   trace.Trace
	choice  choice
	number  func(id int64) int64
	threads []thread
	ids     map[int64]int32 // ids maps the system's number of a thread to its index in threads.
	cores   []core
	names   map[string]trace.MethodID
	flows   map[uint64]trace.Ref
	plain   []byte
	signals signals
	faults  faults
	screen  screen
	calls   calls
	// marks is the number of marks so far.
	marks   int
	handles map[string]int64
	// exchanges has the exchanges that have not ended, by process and text. remembered is the number
	// of their marks so far.
	exchanges  map[string]exchange
	remembered int
	// energy is the energy of all slices.
	energy units.Energy
	// samples flushes the stack samples. It is nil for a recording of slices.
	samples func() error
}

// A thread is the state of a thread.
type thread struct {
	// id is the thread's index in the trace. It is trace.NoThread if the thread is not read.
	id trace.ThreadID
	// process is the method of the thread's outermost call, which represents its process.
	process trace.MethodID
	// core is the core that runs the thread, or -1. Processor time was counted up to the time
	// since.
	core  int
	since int64
	met   bool
	stray bool // stray means that the thread's process is unknown.
	gone  bool // gone means that the thread has ended.
	// cpu and energy are the thread's processor time and energy since its latest event. first is
	// the time of the thread's first event.
	cpu, first int64
	energy     units.Energy
	// inside is set if a slice was open after the latest event.
	inside bool
	// open has the methods of the open slices. deeper counts open slices above the limit deepest.
	open   []trace.MethodID
	deeper int
}

// A core runs a thread. thread is -1 if the core is idle or its thread is unknown.
type core struct {
	thread int32
	met    bool
}

// faults counts the defects of a recording.
type faults struct {
	orphans, open, deep, missed, backwards, outside, beyond, cores, again int64
	names, flows                                                          int64
	exchanges                                                             int64 // exchanges counts asynchronous slices that move data.
	stray                                                                 int64 // stray is the processor time of threads whose process is unknown.
}

// New returns a machine that sends the trace to sink. It passes the clocks and names to sink. It
// returns an error if Options.Process is invalid.
func New(tasks *Tasks, sink trace.Sink, o Options) (*Machine, error) {
	c, err := tasks.choose(o.Process, o.Apps)
	if err != nil {
		return nil, err
	}
	triggers, err := trigger.OrBuiltIn(o.Triggers)
	if err != nil {
		return nil, err
	}
	c.votes = tasks.callers()
	m := &Machine{
		sink: sink, origin: o.Origin, choice: c, number: tasks.number, calls: calls{triggers: triggers, machine: o.Machine},
		batch: make([]trace.Event, 0, batchSize),
		ids:   make(map[int64]int32, len(tasks.threads)),
		names: make(map[string]trace.MethodID), flows: make(map[uint64]trace.Ref),
		trace: trace.Trace{Clock: trace.WallClock, Technique: trace.Instrumented, Calls: trace.CountedCalls},
	}
	if o.Switches {
		m.trace.Clock |= trace.ThreadCPU
	}
	if o.End > o.Origin {
		m.ends = o.End - o.Origin
	}
	if o.Given {
		m.trace.Energy, m.trace.Accounts = trace.Given, []trace.Account{{Provenance: trace.Given}}
	}
	if o.Estimated {
		m.trace.Technique, m.trace.Calls = trace.Sampled, trace.EstimatedCalls
	}
	if o.Samples != nil {
		m.trace, m.samples = o.Samples.Trace, o.Samples.Flush
	}
	m.addTasks(tasks)
	if o.Samples == nil {
		trace.GiveFirstNames(sink, m.name)
	}
	trace.Start(sink, m.trace.Clock, m.trace.Energy)
	if o.Samples == nil {
		trace.GiveNames(sink, m.name)
	}
	m.signals.sink = trace.Signals(sink)
	return m, nil
}

// Process returns the process that is read. It returns false if several processes are read.
func (m *Machine) Process() (trace.Process, bool) {
	if m.choice.read < 0 {
		return trace.Process{}, false
	}
	return m.choice.processes[m.choice.read], true
}

// Thread returns the index of a thread in the trace, and false if the thread is not read.
func (m *Machine) Thread(tid int64) (trace.ThreadID, bool) {
	i := m.thread(tid)
	if i < 0 || m.threads[i].id < 0 {
		return trace.NoThread, false
	}
	return m.threads[i].id, true
}

// Wants reports whether the sink takes signals. If it does not, a decoder need not call Frequency,
// Idle, Counter and Signal.
func (m *Machine) Wants() bool { return m.signals.sink != nil }

// Err returns the first error. It is an error of the sink, or there are too many threads.
func (m *Machine) Err() error { return m.err }

// at advances the current time.
func (m *Machine) at(moment int64) {
	t := moment - m.origin
	switch {
	case m.ends > 0 && (moment < m.origin || t > m.ends):
		m.faults.outside++
	case moment < m.origin || t >= 0 && t < m.now:
		m.faults.backwards++
	case t < 0 || t > span: // t is negative if the subtraction overflowed.
		m.faults.beyond++
	default:
		m.now = t
	}
}

// Switch switches a core from the thread prev to the thread next. Thread 0 means that the core is
// idle.
func (m *Machine) Switch(moment int64, number int, prev, next int64) {
	m.at(moment)
	c := m.core(number)
	if c == nil {
		return
	}
	left, entered := m.thread(prev), m.thread(next)
	if c.met && c.thread != left {
		m.faults.missed++
	}
	if c.thread >= 0 && m.threads[c.thread].core == number {
		m.stop(&m.threads[c.thread])
	}
	c.thread, c.met = entered, true
	id := trace.NoThread
	if entered >= 0 {
		th := &m.threads[entered]
		id = th.id
		m.start(th, number)
	}
	m.signals.add(trace.Signal{Time: m.now, Track: m.signals.core(number), Thread: id, Kind: trace.Switch})
	m.drain()
}

// start makes a thread run on a core.
func (m *Machine) start(th *thread, core int) {
	if th.core >= 0 {
		m.faults.missed++ // A thread cannot run on two cores.
		m.stop(th)
	}
	if th.gone {
		th.gone = false
		m.faults.again++
	}
	th.core, th.since = core, m.now
	m.firstEvent(th)
}

// stop ends a thread's time on its core.
func (m *Machine) stop(th *thread) {
	m.spend(th)
	th.core = -1
}

// spend adds a running thread's time since the last update to its processor time.
func (m *Machine) spend(th *thread) {
	if th.core < 0 {
		return
	}
	th.cpu += m.now - th.since
	if th.stray {
		m.faults.stray += m.now - th.since
	}
	th.since = m.now
}

// Begin begins a slice of a thread.
func (m *Machine) Begin(moment, tid int64, text []byte) {
	m.at(moment)
	th := m.read(tid)
	switch {
	case th == nil:
	case len(th.open) >= deepest:
		th.deeper++
		m.faults.deep++
	default:
		id := m.method(text)
		th.open = append(th.open, id)
		m.event(th, trace.Enter, trace.Ref(id))
	}
}

// End ends the innermost slice of a thread.
func (m *Machine) End(moment, tid int64) {
	m.at(moment)
	th := m.read(tid)
	switch {
	case th == nil:
	case th.deeper > 0:
		th.deeper--
	case len(th.open) == 0:
		m.faults.orphans++
	default:
		id := th.open[len(th.open)-1]
		th.open = th.open[:len(th.open)-1]
		m.event(th, trace.Exit, trace.Ref(id))
	}
}

// AddEnergy adds energy to the thread's innermost slice, which must end next. The energy excludes
// inner slices. If the thread has no open slice, the energy belongs to the thread. AddEnergy
// returns an error if the energy is impossible.
func (m *Machine) AddEnergy(moment, tid int64, energy units.Energy) error {
	m.at(moment)
	th := m.read(tid)
	if th == nil {
		return nil
	}
	total, ok := units.Add(m.energy, energy)
	if energy < 0 || !ok {
		return fmt.Errorf("a slice with %d nJ makes the energy of the run negative or more than 9.2 GJ", energy)
	}
	m.energy = total
	th.energy += energy
	return nil
}

// Enqueue says that the thread hands over work. flow identifies the work in Dispatch.
func (m *Machine) Enqueue(moment, tid int64, flow uint64) {
	m.at(moment)
	th := m.read(tid)
	if th == nil {
		return
	}
	if _, again := m.flows[flow]; !again && len(m.flows) >= maxNames {
		m.faults.flows++
		return
	}
	ref := trace.Ref(m.trace.Flows)
	m.trace.Flows++
	m.flows[flow] = ref
	m.event(th, trace.Enqueue, ref)
}

// Dispatch says that the thread's innermost slice does the work that Enqueue announced. The slice
// must have just begun. Dispatch does nothing if there is no slice or no such work.
func (m *Machine) Dispatch(moment, tid int64, flow uint64) {
	m.at(moment)
	ref, ok := m.flows[flow]
	if !ok {
		return
	}
	if th := m.read(tid); th != nil && len(th.open) > 0 {
		delete(m.flows, flow)
		m.event(th, trace.Dispatch, ref)
	}
}

// firstEvent begins the call that represents a thread's process, at the thread's first event.
func (m *Machine) firstEvent(th *thread) {
	if th.met || th.id < 0 || m.samples != nil {
		return
	}
	th.met, th.first = true, m.now
	m.event(th, trace.Enter, trace.Ref(th.process))
}

// event sends an event of a thread, with the processor time since the thread's previous event.
func (m *Machine) event(th *thread, kind trace.Kind, ref trace.Ref) {
	m.spend(th)
	e := trace.Event{Time: m.now, Ref: ref, Thread: th.id, Kind: kind, Energy: th.energy}
	listed := &m.trace.Threads[th.id]
	if m.trace.Clock&trace.ThreadCPU != 0 {
		e.CPU = th.cpu
		listed.CPU += time.Duration(th.cpu)
	} else if !th.inside {
		e.Activity = trace.Unrecorded
	}
	th.inside = len(th.open) > 0
	th.cpu, th.energy = 0, 0
	listed.Wall = time.Duration(m.now - th.first)
	listed.Events++
	m.trace.Events++
	m.batch = append(m.batch, e)
	m.drain()
}

// fail records the first error.
func (m *Machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// drain sends all batches if one of them is full.
func (m *Machine) drain() {
	if len(m.batch) >= batchSize-1 || m.signals.full() {
		m.flush()
	}
}

// flush sends all batches.
func (m *Machine) flush() {
	if m.err == nil && len(m.batch) > 0 {
		m.err = m.sink.Events(m.batch)
	}
	m.batch = m.batch[:0]
	if m.err == nil && m.samples != nil {
		m.err = m.samples()
	}
	if m.err == nil {
		m.err = m.signals.flush(m.oldest(), m.now)
	}
}

// read returns the thread with a number, or nil if the thread is not read.
func (m *Machine) read(tid int64) *thread {
	i := m.thread(tid)
	if i < 0 || m.threads[i].id < 0 || m.err != nil || m.samples != nil {
		return nil
	}
	th := &m.threads[i]
	m.firstEvent(th)
	return th
}

// core returns the core with a number, or nil if the number is invalid.
func (m *Machine) core(number int) *core {
	if number < 0 || number >= maxCores {
		m.faults.cores++
		return nil
	}
	for len(m.cores) <= number {
		m.cores = append(m.cores, core{thread: -1})
	}
	return &m.cores[number]
}

// method returns the method for a slice's name.
func (m *Machine) method(text []byte) trace.MethodID {
	// If diffprof wrote the recording, slices have the names of methods. The numbers in these names
	// must be kept.
	if m.plain = append(m.plain[:0], text...); m.trace.Energy != trace.Given {
		m.plain = name.PlainSlice(m.plain[:0], text)
	}
	id, ok := m.names[string(m.plain)]
	if ok {
		return id
	}
	plain := printable(m.plain)
	switch {
	case len(m.names) >= maxNames:
		m.faults.names++
		plain = "(other)"
		if id, ok = m.names[plain]; ok {
			return id
		}
	case plain == "":
		plain = "(no name)"
	}
	id = m.add(name.OfSlice(plain))
	m.names[string(m.plain)] = id
	m.names[plain] = id
	return id
}

// name implements trace.Names.
func (m *Machine) name(id trace.MethodID) (name.Method, bool) {
	if id < 0 || int(id) >= len(m.trace.Methods) {
		return name.Method{}, false
	}
	return m.trace.Methods[id], true
}

// add adds a method to the table.
func (m *Machine) add(method name.Method) trace.MethodID {
	m.trace.Methods = append(m.trace.Methods, method)
	return trace.MethodID(len(m.trace.Methods) - 1)
}
