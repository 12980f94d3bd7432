// Package profilo reads the traces of Profilo, Facebook's recorder for Android apps.
//
// A trace is text. It has a head of keys and values, a blank line, and one entry per line. An entry
// has a number, a type, a time, a thread and three more numbers. All values except the type are
// differences from the previous entry:
//
//	dt
//	ver|3
//	prec|6
//	pid|23725
//
//	1|STACK_FRAME|-772742|-7|0|0|4500632377604
//
// Entries of type STRING_KEY and STRING_VALUE have a number, the number of the entry that they
// describe, and a text. The differences in the next entry are not relative to them. The key prec in
// the head is the number of decimals of a second.
//
// # Stacks
//
// The STACK_FRAME entries of one thread at one time are a stack, the outermost frame first. A frame
// is the number of a method in the DEX files of the app. The trace has no names, so the method gets
// a name as in Profilo's own scripts, such as _4500632377604. The numbers are equal in all runs of
// one APK. The trace does not state the value of a sample, so each sample has the value 1 in
// [Options].Unit. Slices (MARK_PUSH) and counters are not read.
//
// # Bad input
//
// A line that is not an entry is an error with the line number. Memory grows with the number of
// methods, and has one stack per thread.
package profilo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	// maxLine limits the length of a line. deepest limits the depth of a stack. maxThreads limits
	// the number of threads.
	maxLine    = 1 << 16
	deepest    = 1 << 12
	maxThreads = 1 << 16
	// digits is the number of decimals of a second in nanoseconds.
	digits = 9
)

// begins matches the head of a trace.
var begins = regexp.MustCompile(`^(dt\r?\n)?ver\|\d+\r?\n([a-z]+\|[^\n]*\n)*?prec\|\d`)

// Sniff reports whether head is the start of a trace.
func Sniff(head []byte) bool { return begins.Match(head) }

// Options state how to read a trace.
type Options struct {
	// Unit is the unit of the samples, which have the value 1. The zero Unit is an unknown unit.
	Unit units.ValueUnit
	// Voltage converts charge to energy. 0 means units.DefaultVoltage.
	Voltage units.Voltage
}

var (
	errHead  = errors.New("the head has no line prec with the number of decimals of times")
	errEntry = errors.New("not an entry: a number, a type, and up to five numbers, separated by |")
)

// Decode reads a trace from r to its end, and sends its stacks to sink. Errors in the text are
// *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d, err := newDecoder(sink, o)
	if err != nil {
		return nil, err
	}
	err = stacks.ShortLines(ctx, r, maxLine, located, func(number int, line []byte, last bool) error {
		if err := d.line(line, last); err != nil {
			return located(number, err)
		}
		if d.batch.Full() {
			return d.batch.Flush()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if d.inHead {
		return nil, located(0, errHead)
	}
	for i := range d.threads {
		d.end(trace.ThreadID(i))
	}
	if err := d.batch.Flush(); err != nil {
		return nil, err
	}
	if d.trace.Events == 0 {
		return nil, located(0, errors.New("the trace has no stacks"))
	}
	return d.finish(), nil
}

// located adds the line to an error. Line 0 means the whole file.
func located(line int, err error) error {
	return &syntax.Error{Format: "Profilo trace", Line: line, Offset: -1, Err: err}
}

// A decoder has the values of the previous entry. The next entry states its differences from them.
type decoder struct {
	batch *stacks.Batch
	trace trace.Trace
	// value is the value of a sample. timed is set if the value is a time.
	value int64
	timed bool
	// inHead is set before the blank line. unit is the unit of times in nanoseconds, or 0 until it
	// is known.
	inHead bool
	unit   int64
	// id, at, tid and arg are the number, the time, the thread and the last number of the previous
	// entry.
	id, tid int32
	at, arg int64
	first   int64
	started bool
	// newest is the latest time of a sample.
	newest  int64
	ids     map[int32]trace.ThreadID
	threads []thread
	methods map[int64]trace.MethodID
	names   map[int32]string // names has the names of threads.
	about   about
}

// about is the latest entry that names a thread or lists the processes. It is followed by a text
// with a key and a text with the value. For a thread, these are its id and its name. key is the
// number of the first text.
type about struct {
	entry, key int32
	thread     bool
	tid        int32
}

// A thread has a stack to which the next entry may add a frame. stated is the time of the stack in
// the trace. at is that time on the timeline, which never decreases.
type thread struct {
	stated, at int64
	frames     []trace.MethodID
}

func newDecoder(sink trace.Sink, o Options) (*decoder, error) {
	if o.Voltage == 0 {
		o.Voltage = units.DefaultVoltage
	}
	num, den := o.Unit.Scale(o.Voltage)
	value, err := units.Decimal("1", num, den)
	if err != nil {
		return nil, err
	}
	d := &decoder{
		batch: stacks.NewBatch(sink), value: value, timed: o.Unit.IsTime(), inHead: true,
		ids: make(map[int32]trace.ThreadID), methods: make(map[int64]trace.MethodID), names: make(map[int32]string),
		trace: trace.Trace{Format: "profilo", VM: "art", Technique: trace.Sampled, Processes: []trace.Process{{}}},
	}
	if d.timed {
		d.trace.Clock = trace.ThreadCPU
	} else {
		d.trace.Energy, d.trace.Unstated = trace.Given, !o.Unit.Stated()
		d.trace.Accounts = []trace.Account{{Provenance: trace.Given}}
	}
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	return d, nil
}

// line reads a line. last is set for a line without a line break, which may be incomplete.
func (d *decoder) line(line []byte, last bool) error {
	if len(line) == 0 {
		if d.inHead && !last && d.unit == 0 {
			return errHead
		}
		d.inHead = d.inHead && last
		return nil
	}
	if d.inHead {
		return d.head(line)
	}
	number, rest, ok := bytes.Cut(line, []byte("|"))
	kind, rest, more := bytes.Cut(rest, []byte("|"))
	id, err := strconv.ParseInt(string(number), 10, 32)
	if !ok || !more || err != nil {
		return errEntry
	}
	if bytes.HasPrefix(kind, []byte("STRING_")) {
		first, text, ok := bytes.Cut(rest, []byte("|"))
		parent, err := strconv.ParseInt(string(first), 10, 32)
		if !ok || err != nil {
			return errEntry
		}
		d.text(int32(id), int32(parent), string(kind), text)
		return nil
	}
	var numbers [5]int64 // numbers has the time, the thread and three more numbers.
	for i := range numbers {
		part := rest
		part, rest, more = bytes.Cut(rest, []byte("|"))
		if numbers[i], err = strconv.ParseInt(string(part), 10, 64); err != nil || more == (i == len(numbers)-1) {
			return errEntry
		}
	}
	return d.entry(string(kind), int32(id), numbers)
}

// head reads a line of the head.
func (d *decoder) head(line []byte) error {
	key, value, _ := strings.Cut(string(line), "|")
	switch key {
	case "prec":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > digits {
			return fmt.Errorf("the number of decimals %.20q is not from 0 to %d", value, digits)
		}
		d.unit = int64(math.Pow10(digits - n))
	case "pid":
		pid, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return fmt.Errorf("the process id %.20q is not a number", value)
		}
		d.trace.Processes[0].ID = pid
	}
	return nil
}

// entry reads an entry. Differences have the same widths in bits as in Profilo.
func (d *decoder) entry(kind string, id int32, by [5]int64) error {
	d.id += id
	d.tid += int32(by[1])
	d.arg += by[4]
	d.at += by[0] * d.unit
	if !d.started {
		d.started, d.first = true, d.at
	}
	switch kind {
	case "STACK_FRAME":
		return d.frame()
	case "TRACE_THREAD_NAME":
		d.about = about{entry: d.id, thread: true}
	case "PROCESS_LIST":
		d.about = about{entry: d.id}
	}
	d.trace.Elapsed = max(d.trace.Elapsed, time.Duration(d.at-d.first))
	return nil
}

// frame adds a frame to the stack of its thread.
func (d *decoder) frame() error {
	id, ok := d.ids[d.tid]
	if !ok {
		if len(d.threads) >= maxThreads {
			return fmt.Errorf("there are more than %d threads", maxThreads)
		}
		id = trace.ThreadID(len(d.threads))
		d.ids[d.tid] = id
		d.threads = append(d.threads, thread{})
		d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: int64(d.tid)})
	}
	th := &d.threads[id]
	if d.at != th.stated {
		d.end(id)
		th.stated, th.at = d.at, max(th.at, d.at-d.first)
	}
	if len(th.frames) >= deepest {
		return fmt.Errorf("a stack has more than %d frames", deepest)
	}
	th.frames = append(th.frames, d.method(d.arg))
	return nil
}

// end sends the stack of a thread, if the thread has one.
func (d *decoder) end(id trace.ThreadID) {
	th := &d.threads[id]
	if len(th.frames) == 0 {
		return
	}
	for _, m := range th.frames {
		d.batch.Push(m, 0)
	}
	th.frames = th.frames[:0]
	s := trace.Sample{Time: th.at, Thread: id, Count: 1}
	listed := &d.trace.Threads[id]
	if d.timed {
		s.CPU = d.value
		listed.CPU += time.Duration(d.value)
	} else {
		s.Energy = units.Energy(d.value)
	}
	listed.Events++
	d.trace.Events++
	d.newest = max(d.newest, th.at)
	d.trace.Skew = max(d.trace.Skew, time.Duration(d.newest-th.at))
	d.batch.Add(s)
}

// method returns the method with a number.
func (d *decoder) method(number int64) trace.MethodID {
	id, ok := d.methods[number]
	if !ok {
		id = trace.MethodID(len(d.trace.Methods))
		d.methods[number] = id
		d.trace.Methods = append(d.trace.Methods, name.Method{Name: fmt.Sprintf("_%d", number)})
	}
	return id
}

// text reads a text that describes an entry: a thread's name, or the list of processes.
func (d *decoder) text(id, parent int32, kind string, text []byte) {
	switch about := &d.about; {
	case about.entry == 0:
	case kind == "STRING_KEY" && parent == about.entry:
		about.key = id
		if tid, err := strconv.ParseInt(string(text), 10, 32); err == nil {
			about.tid = int32(tid)
		}
	case kind != "STRING_VALUE" || parent != about.key || about.key == 0:
	case about.thread && len(d.names) < maxThreads:
		d.names[about.tid] = string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	case !about.thread:
		d.nameProcess(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))))
	}
}

// nameProcess finds the recorded process in a list such as com.mine(23725),com.mine:remote(23726).
func (d *decoder) nameProcess(list string) {
	p := &d.trace.Processes[0]
	for one := range strings.SplitSeq(list, ",") {
		if called, ok := strings.CutSuffix(one, fmt.Sprintf("(%d)", p.ID)); ok {
			p.Name = called
		}
	}
}

// finish completes the trace.
func (d *decoder) finish() *trace.Trace {
	t := &d.trace
	t.Unlisted = len(t.Methods)
	for i := range t.Threads {
		th := &t.Threads[i]
		if th.Name = d.names[int32(th.ID)]; th.Name == "" && th.ID == t.Processes[0].ID {
			th.Name = "main"
		}
	}
	return t
}
