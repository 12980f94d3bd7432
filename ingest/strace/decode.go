package strace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/descriptor"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

const (
	// maxFrames limits the frames of a stack. maxKeys limits the total size of the keys of stacks.
	maxFrames = 1 << 16
	maxKeys   = 64 << 20
	// farthest is how far a frame may be from its symbol. nearest is the limit for the dynamic
	// loader, which exports few of its functions.
	farthest = 64 << 10
	nearest  = 1 << 10
	// rounding is how much a call may overlap with the thread's previous call. Times and durations
	// come from two clocks, so calls may seem to overlap.
	rounding = int64(time.Millisecond)
)

// A thread is the state of a thread.
type thread struct {
	id    trace.ThreadID
	read  bool // read is set if the thread's process is read.
	files *descriptor.Table
	// begun is the unfinished call. Its name is empty if there is no unfinished call.
	begun struct {
		name string
		args []byte
		at   int64
	}
	// latest is the end of the thread's latest call.
	latest int64
}

// A decoder converts the log to samples and operations.
type decoder struct {
	survey *survey
	clock
	roster
	only    int // only is the index of the process to read, or -1 for all processes.
	signals trace.SignalSink
	// triggers states which calls are requests to components.
	triggers *trigger.Table
	names    *stacks.Table
	batch    *stacks.Batch
	trace    trace.Trace
	threads  map[id]*thread
	ids      map[id]trace.ThreadID
	effects  map[string]effect
	args     [][]byte

	// open is set while frames of the current call may follow. held has the texts of the call.
	// codes has its stack so far, the innermost frame first.
	open    bool
	current call
	// took is the duration of the current call. torn is set if lines of other threads interrupt the
	// call.
	took  int64
	torn  bool
	held  []byte
	codes []stacks.Code

	codeOf map[string]stacks.Code
	kernel map[string]trace.MethodID
	// stacks maps the methods of a stack to the stack's id. keys is the total size of the keys.
	stacks map[string]trace.StackID
	keys   int
	key    []byte

	operations operations
	// connecting has the connections in progress. ready is the latest end of a call such as poll
	// that found a ready descriptor.
	connecting []connecting
	ready      int64
	// waited is the total duration of calls that wait. delayed is the total duration of calls that
	// ended late because strace was writing the stacks of other threads.
	waited, delayed time.Duration
	faults          struct{ headless, unknown, hidden, untimed int64 }
}

func newDecoder(s *survey, sink trace.Sink, only int, triggers *trigger.Table) *decoder {
	d := &decoder{
		survey: s, only: only, triggers: triggers, roster: newRoster(s.main),
		names: stacks.NewTable(), batch: stacks.NewBatch(sink),
		trace:   trace.Trace{Format: "strace", Technique: trace.Instrumented, Calls: trace.CountedCalls, Processes: s.processes},
		threads: make(map[id]*thread), ids: make(map[id]trace.ThreadID), effects: effects(triggers),
		codeOf: make(map[string]stacks.Code), kernel: make(map[string]trace.MethodID), stacks: make(map[string]trace.StackID),
	}
	if s.met || s.durations {
		d.trace.Clock = trace.WallClock
	}
	if s.met && s.scale == since1970 {
		d.trace.Timeline = []trace.Reading{{Clock: trace.Realtime, Value: s.first}}
	}
	return d
}

// take processes a line.
func (d *decoder) take(l *line) error {
	switch {
	case l.kind == isFrame && d.open && len(d.codes) < maxFrames:
		d.codes = append(d.codes, d.code(&l.frame))
		return nil
	case l.kind == isFrame || l.kind == isOther:
		return nil
	}
	if err := d.settle(); err != nil || l.kind == isSignal {
		return err
	}
	d.pass(l.moment)
	task := d.roster.thread(l)
	th := d.thread(task)
	switch l.kind {
	case isExit:
		d.exit(task, th)
	case isBegin:
		th.begun.name, th.begun.at = string(l.name), d.moment()
		th.begun.args = append(th.begun.args[:0], l.args...)
	case isCall:
		d.over(task, th, l, nil, d.moment())
	case isEnd:
		begin, before := d.moment(), th.begun.args
		switch {
		case th.begun.name == string(l.name):
			begin = th.begun.at
		default:
			d.faults.headless++
			begin, before = max(0, begin-max(0, l.took)), nil
		}
		d.over(task, th, l, before, begin)
		th.begun.name = ""
	}
	return nil
}

// moment returns the current time on the timeline.
func (d *decoder) moment() int64 { return d.now - d.survey.first }

// over processes a finished call. Its stack may follow.
func (d *decoder) over(task id, th *thread, l *line, before []byte, begin int64) {
	d.held = append(append(append(d.held[:0], before...), l.args...), l.result...)
	args := len(before) + len(l.args)
	d.open, d.codes, d.took, d.torn = true, d.codes[:0], l.took, l.kind == isEnd
	d.current = call{
		thread: th, name: string(l.name), args: d.held[:args:args], result: d.held[args:],
		begin: begin, end: begin + max(0, l.took),
	}
	if l.kind == isEnd && l.took < 0 {
		d.current.end = max(begin, d.moment())
	}
	if makesThread(l.name) {
		if n, ok := count(l.result); ok && n < again {
			child := d.child(task, n)
			_, met := d.ids[child]
			if t := d.survey.tasks[child]; !met && t != nil && t.parent >= 0 {
				d.thread(child)
			}
		}
	}
}

// settle completes the current call, once all frames of its stack were read.
func (d *decoder) settle() error {
	if !d.open {
		return nil
	}
	d.open = false
	c := &d.current
	th := c.thread
	d.args = parts(d.args, c.args)
	if th.read {
		switch {
		case d.took > 0 && d.waits(c, d.args):
			d.waited += time.Duration(d.took)
			d.took = 0
		case d.took > 0 && d.torn && d.survey.stacks:
			d.delayed += time.Duration(d.took)
			d.took = 0
		}
		if th.latest > c.end && th.latest-c.end < rounding {
			c.end = th.latest
		}
		c.end = max(c.end, c.begin)
		th.latest = max(th.latest, c.end)
		d.sample(c)
	}
	if f, ok := d.effects[c.name]; ok {
		f(d, c, d.args)
	}
	if len(d.connecting) > 0 {
		d.progress(c, d.args)
	}
	if strings.HasPrefix(c.name, "io_uring_enter") || c.name == "io_submit" {
		d.faults.hidden++
	}
	if d.batch.Full() || d.operations.full() {
		return d.flush()
	}
	return nil
}

// sample adds a call as a sample, and gives its stack an id.
func (d *decoder) sample(c *call) {
	slices.Reverse(d.codes)
	own, ok := d.kernel[c.name]
	if !ok {
		own = d.names.ID([]byte("[kernel]`" + c.name))
		d.kernel[c.name] = own
	}
	d.key = d.key[:0]
	for _, code := range stacks.Tidy(d.codes) {
		d.batch.Push(code.Method, 0)
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(code.Method))
	}
	d.batch.Push(own, 0)
	d.key = binary.LittleEndian.AppendUint32(d.key, uint32(own))
	id, ok := d.stacks[string(d.key)]
	if !ok && d.keys < maxKeys {
		id = trace.StackID(len(d.stacks) + 1)
		d.stacks[string(d.key)] = id
		d.keys += len(d.key)
	}
	c.stack = id
	wall := max(0, d.took)
	d.batch.Add(trace.Sample{Time: c.end, Thread: c.thread.id, ID: id, Wall: wall, Calls: 1})
	d.trace.Events++
	listed := &d.trace.Threads[c.thread.id]
	listed.Events++
	listed.Wall += time.Duration(wall)
	d.trace.Elapsed = max(d.trace.Elapsed, time.Duration(c.end))
}

// code returns the code of a frame.
func (d *decoder) code(f *frame) stacks.Code {
	file := bytes.TrimSuffix(f.file, []byte(" (deleted)"))
	d.key = append(append(append(d.key[:0], file...), 0), f.symbol...)
	if len(f.symbol) == 0 {
		d.key = binary.LittleEndian.AppendUint64(append(d.key, 0), f.address)
	}
	c, ok := d.codeOf[string(d.key)]
	if !ok {
		switch {
		case len(file) == 0:
			c = d.names.Nowhere()
		case len(f.symbol) == 0:
			c = d.names.Place(string(file), f.address)
		default:
			c = d.names.Function(string(file), string(f.symbol))
		}
		d.codeOf[string(d.key)] = c
	}
	return c
}

// thread returns a thread. A new thread gets the descriptors of its creator.
func (d *decoder) thread(task id) *thread {
	if th, ok := d.threads[task]; ok {
		return th
	}
	th := &thread{}
	d.threads[task] = th
	t := d.survey.tasks[task]
	p := d.survey.process[task]
	th.read = d.only < 0 || p == d.only
	if id, ok := d.ids[task]; ok {
		th.id = id
	} else {
		th.id = trace.ThreadID(len(d.trace.Threads))
		d.ids[task] = th.id
		called := ""
		if t != nil {
			called = t.called
		}
		if called == "" && d.survey.processes[p].ID == task.number() {
			called = d.survey.processes[p].Name
		}
		d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: task.number(), Name: strings.ToValidUTF8(called, "\uFFFD"), Process: p})
	}
	var parent *thread
	if t != nil && t.parent >= 0 {
		parent = d.threads[t.parent]
	}
	switch {
	case parent == nil:
		th.files = descriptor.New()
	case t.shares || t.files:
		th.files = parent.files.Share()
	default:
		th.files = parent.files.Fork()
	}
	return th
}

// exit ends a thread. If it is the last thread of its process, exit closes the process's
// descriptors.
func (d *decoder) exit(task id, th *thread) {
	if th.files.Leave() {
		at := d.moment()
		d.drop(&call{thread: th, begin: at, end: at}, func(int64, bool) bool { return true })
	}
	delete(d.threads, task)
}

// close sends the remaining samples and operations.
func (d *decoder) close() error {
	if err := d.settle(); err != nil {
		return located(0, err)
	}
	d.unconnected()
	if err := d.batch.Flush(); err != nil {
		return err
	}
	return d.operations.hand(d.signals, math.MaxInt64)
}

// flush sends the samples. It also sends the operations that began before all unfinished calls and
// connections.
func (d *decoder) flush() error {
	if err := d.batch.Flush(); err != nil {
		return errSink{err}
	}
	oldest := d.moment()
	for _, th := range d.threads {
		if _, ok := d.effects[th.begun.name]; ok {
			oldest = min(oldest, th.begun.at)
		}
	}
	for i := range d.connecting {
		oldest = min(oldest, d.connecting[i].by.begin)
	}
	if err := d.operations.hand(d.signals, oldest); err != nil {
		return errSink{err}
	}
	return nil
}

// finish completes the trace.
func (d *decoder) finish() *trace.Trace {
	t := &d.trace
	t.Methods, t.Warnings = d.names.Finish()
	d.batch.Finish(t)
	if d.only < 0 {
		t.Warnings = append(t.Warnings, process.Several(t.Processes)...)
	}
	f := &d.faults
	t.Warnings = append(t.Warnings, trace.Counts(
		trace.Count{N: d.backward, Code: "backward-clock", Text: "%d {line is|lines are} earlier than the line above, and {gets|get} its time"},
		trace.Count{N: f.headless, Code: "headless-calls", Text: "%d {call|calls} began before the log, or in a missing line; {its|their} arguments are unknown"},
		trace.Count{N: f.unknown, Code: "unknown-descriptors", Text: "%d {call uses a descriptor|calls use descriptors} opened before the log; strace -yy shows the files and sockets"},
		trace.Count{N: f.hidden, Code: "hidden-operations", Text: "%d {call submits|calls submit} work to the kernel that the log does not show, such as io_uring; it is not counted"},
		trace.Count{N: f.untimed, Code: "no-moments", Text: "%d {call|calls} made a request to a component, but the log has no times; record with -ttt"},
	)...)
	if d.waited > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "waiting-calls", Message: fmt.Sprintf(
			"waiting calls lasted %v, which is not counted; the duration of the other calls is an upper bound of their processor time, and the log does not show the work between calls",
			d.waited.Round(time.Microsecond))})
	}
	if d.delayed > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "delayed-calls", Message: fmt.Sprintf(
			"some calls waited until strace had written the stacks of other threads; these calls lasted %v, which is not counted; record without -k to measure them",
			d.delayed.Round(time.Microsecond))})
	}
	if !d.survey.durations {
		t.Warnings = append(t.Warnings, trace.Warning{Code: "no-durations", Message: "the log has no durations of calls; record with -T"})
	}
	return t
}
