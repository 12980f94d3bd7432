// Package folded reads folded stacks. FlameGraph's stackcollapse programs, async-profiler,
// simpleperf and many others write this text. Any program can write it as input for diffprof.
//
// A line is a stack, white space and a value:
//
//	[main];android.os.Looper.loop()V;app.Feed.load(I)Lapp/Post;;app.Json.read()V 1200@3
//
// A stack is a list of frames separated by ';', the outermost first. The value is the last field of
// the line, so frames may contain spaces. Its unit is [Options].Unit. An energy belongs to the
// innermost frame. A time is converted to energy by package energy. The value is a decimal number,
// not negative, and is converted exactly. It is rounded to the nearest nanojoule or nanosecond,
// with ties to even.
//
// Blank lines and lines that begin with '#' are skipped. The reader accepts a byte order mark, and
// the line ends of all systems. Equal stacks may occur any number of times.
//
// # Frames
//
// A JVM descriptor may contain ';' itself. Such a ';' does not separate frames. A descriptor
// follows a name and has the form '(' parameter types ')' return type. A type is one of BCDFIJSZ,
// or L class ';', or '[' type. The return type may also be V. For example,
// app.Feed.load(I)Lapp/Post; is one frame, and the next ';' separates it from the frame after it. A
// ';' in other parentheses, as in operator()(int) or foo (inlined), does separate frames. White
// space around a frame does not belong to the frame. Empty frames are dropped.
//
// A frame's text is the method's label, except that JVM names are normalized.
// java/lang/Thread.run()V becomes java.lang.Thread.run()V. io/netty/Channel:.read_[j], from perf's
// maps, becomes io.netty.Channel.read_[j]. Package name describes how the names of each language
// are parsed.
//
// The form of a frame identifies its language, as in net/http.(*conn).serve and
// art::Monitor::Wait(art::Thread*). Some forms occur in several languages, such as time.Sleep. Such
// a frame gets the language of most frames in the file. If no frame identifies a language, it is
// the JVM.
//
// Frames of py-spy, rbspy, Austin, Python's profiling.sampling and async-profiler's jfrconv --lines
// have the line of the sample, as in load (feed.py:12) and com/mine/Feed.load:12. This line becomes
// the line of the frame, and is not part of the method. Other numbers at the end of a frame belong
// to the name.
//
// The samples of py-spy and rbspy count elapsed time, so they may be of waiting threads. Unless the
// user states the unit of the values, the whole energy is marked as uncertain, with a warning.
//
// If the first frame is in brackets, such as [main], it is not a frame but the name of a thread. In
// async-profiler's [main tid=42], the number is the id of the thread. If a line has only a thread,
// its value belongs to the thread and to no method.
//
// # Calls
//
// Folded stacks count samples or energy, not calls. As an extension, diffprof reads the number of
// calls of the innermost frame: the value 1200@3 is 1200 units over 3 calls. A file counts calls if
// any of its lines states calls. Its other lines then have an unknown number of calls.
//
// # Bad input
//
// These are errors:
//
//   - a line without a value
//   - a negative value
//   - an overflow of a sum
//   - a line longer than 16 MiB
//   - a file in which every line has two values, as FlameGraph's difffolded.pl writes them for two
//     runs
//
// Memory grows with the number of different frames and with the longest line, but not with the
// file.
package folded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// formatName is the name of the format in errors.
const formatName = "folded stacks"

// Options state how to read values. The zero Options read values as nanojoules.
type Options struct {
	// Unit is the unit of the values.
	Unit units.ValueUnit
	// Voltage converts µAh to energy. 0 means units.DefaultVoltage.
	Voltage units.Voltage
	// Comma is set if a comma separates the stack from the value, as in files of JoularJX.
	Comma bool
}

// Decode reads folded stacks from r to its end, and sends one Sample per line to sink. For
// energies, the trace has the energy Given. For times, it has the clock ThreadCPU. Errors in the
// text are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := newDecoder(sink, o)
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	lines := stacks.NewLines(r)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			if err = d.line(line); isBare(line) && d.bare == 0 {
				d.bare = lines.Number
			}
		}
		if err != nil {
			return nil, located(lines.Number, err)
		}
		if d.batch.Full() || lines.Number%eachLines == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := d.batch.Flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := d.batch.Flush(); err != nil {
		return nil, err
	}
	switch d.trace.Events {
	case 0:
		return nil, located(0, errEmpty)
	case d.stackless:
		return nil, located(d.bare, errNoStack)
	case d.twice:
		return nil, located(0, errTwice)
	}
	return d.finish(), nil
}

// Errors for which there is a hint.
var (
	errNoValue = errors.New("no value after the stack")
	errNoStack = errors.New("no stack before the value")
	errEmpty   = errors.New("no stacks in the file")
	errTwice   = errors.New("every line has two values, as in the difference of two runs; read the two runs instead")
)

// located adds the line to an error. Line 0 means the whole file.
func located(line int, err error) error {
	e := &syntax.Error{Format: formatName, Line: line, Offset: -1, Err: err}
	if errors.Is(err, errNoValue) || errors.Is(err, errNoStack) || errors.Is(err, errEmpty) {
		e.Hint = "write each line as frames joined by ';', a space and a number"
	}
	return e
}

// eachLines is the number of lines, including comments, between two checks of ctx.
const eachLines = 1 << 10

// A decoder has the tables and the current batch.
type decoder struct {
	timed    bool
	fields   func(line []byte) (stack, last []byte)
	num, den int64
	trace    trace.Trace
	methods  *stacks.Table
	threads  map[string]trace.ThreadID
	batch    *stacks.Batch
	last     lastStack
	// room is a buffer for the text of a frame.
	room []byte
	// sum is the sum of all values, and calls is the total number of calls.
	sum, calls int64
	// twice counts lines that perhaps have two values, because their stack ends in a number.
	twice int64
	// stackless counts the lines with a value and no stack. bare is the number of the first such
	// line.
	stackless int64
	bare      int
	// elapsed is set if a recorder of elapsed time, such as py-spy, wrote the frames.
	elapsed bool
}

func newDecoder(sink trace.Sink, o Options) *decoder {
	d := &decoder{
		fields:  fields,
		timed:   o.Unit.IsTime(),
		trace:   trace.Trace{Format: "folded", Energy: trace.Given, Unstated: !o.Unit.Stated()},
		methods: stacks.NewTable(),
		threads: map[string]trace.ThreadID{},
		batch:   stacks.NewBatch(sink),
	}
	if o.Comma {
		d.fields = commaFields
	}
	if d.timed {
		d.trace.Energy, d.trace.Clock = trace.NoEnergy, trace.ThreadCPU
	} else {
		d.trace.Accounts = []trace.Account{{Provenance: trace.Given}}
	}
	if o.Voltage == 0 {
		o.Voltage = units.DefaultVoltage
	}
	d.num, d.den = o.Unit.Scale(o.Voltage)
	return d
}

// line reads one line without its line break.
func (d *decoder) line(line []byte) error {
	stack, field := d.fields(line)
	if len(stack) == 0 && len(field) == 0 {
		return nil
	}
	value, calls, err := d.value(field)
	switch {
	case len(stack) == 0 && err != nil:
		return errNoValue
	case isBare(line): // py-spy writes such lines for threads without frames.
		d.stackless++
		d.batch.Push(d.methods.ID([]byte(stacks.Unknown)), 0)
	case len(stack) == 0:
		return errNoStack
	case err != nil:
		return err
	}
	if second := lastField(stack); second != nil {
		if _, _, err := d.value(second); err == nil {
			d.twice++
		}
	}
	thread := d.frames(stack)
	if thread == nil && d.batch.Depth() == 0 {
		return errNoStack
	}
	if d.sum, err = add(d.sum, value, "values"); err != nil {
		return err
	}
	if d.calls, err = add(d.calls, calls, "calls"); err != nil {
		return err
	}
	s := trace.Sample{Thread: d.thread(thread), Calls: calls}
	th := &d.trace.Threads[s.Thread]
	th.Events++
	if d.timed {
		s.CPU = value
		th.CPU += time.Duration(value)
	} else {
		s.Energy = units.Energy(value)
	}
	d.trace.Events++
	d.batch.Add(s)
	return nil
}

// frames adds the frames of a stack to the batch. If the stack begins with a thread, frames returns
// it. Frames that are the same as in the previous stack are not looked up again.
func (d *decoder) frames(stack []byte) (thread []byte) {
	at := 0
	for _, f := range d.last.reuse(stack) {
		switch f.method {
		case noMethod:
		case threadName:
			thread = bytes.TrimSpace(stack[at : f.end-1])
		default:
			d.batch.Push(f.method, f.line)
		}
		at = f.end
	}
	for at < len(stack) {
		text, rest, own := cut(stack[at:])
		frame := bytes.TrimSpace(text)
		f := known{end: len(stack) - len(rest), method: noMethod, own: own}
		switch {
		case len(frame) == 0:
		case at == 0 && isThread(frame):
			thread, f.method = frame, threadName
		default:
			whole := frame
			frame, f.line, d.room = cutLine(frame, d.room)
			d.elapsed = d.elapsed || f.line > 0 && isElapsed(whole)
			f.method = d.methods.ID(frame)
			d.batch.Push(f.method, f.line)
		}
		d.last.frames = append(d.last.frames, f)
		at = f.end
	}
	return thread
}

// value parses the last field of a line, such as 1200 or 1200@3.
func (d *decoder) value(field []byte) (value, calls int64, err error) {
	number, rest, counted := bytes.Cut(field, []byte{'@'})
	value, err = units.Decimal(number, d.num, d.den)
	if err != nil {
		if !isNumeric(field) {
			return 0, 0, errNoValue
		}
		return 0, 0, fmt.Errorf("value %s %w", quote(number), err)
	}
	if counted {
		if calls, err = strconv.ParseInt(string(rest), 10, 64); err != nil || calls < 0 {
			return 0, 0, fmt.Errorf("number of calls %s is not a whole number that fits", quote(rest))
		}
	}
	return value, calls, nil
}

// add returns sum + x, or an error if that overflows. x must not be negative.
func add(sum, x int64, what string) (int64, error) {
	if x > math.MaxInt64-sum {
		return 0, fmt.Errorf("the sum of the %s up to here is too large", what)
	}
	return sum + x, nil
}

// thread returns a thread's id. All lines without a thread belong to one thread without a name.
func (d *decoder) thread(frame []byte) trace.ThreadID {
	if id, ok := d.threads[string(frame)]; ok {
		return id
	}
	id := trace.ThreadID(len(d.trace.Threads))
	th := trace.Thread{ID: int64(id) + 1}
	if frame != nil {
		th.Name = string(bytes.ToValidUTF8(frame[1:len(frame)-1], []byte("\uFFFD")))
		if name, tid, ok := cutLast(th.Name, " tid="); ok {
			if n, err := strconv.ParseInt(tid, 10, 64); err == nil && n >= 0 {
				th.Name, th.ID = name, n
			}
		}
	}
	d.trace.Threads = append(d.trace.Threads, th)
	d.threads[string(frame)] = id
	return id
}

func (d *decoder) finish() *trace.Trace {
	if d.calls > 0 {
		d.trace.Calls = trace.CountedCalls
	}
	d.trace.Methods, d.trace.Warnings = d.methods.Finish()
	if d.elapsed && d.trace.Unstated {
		d.trace.Uncertain = units.Energy(d.sum)
		d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
			Code:    "elapsed-samples",
			Message: "py-spy and rbspy sample elapsed time, so threads may have waited in a part of the samples; --folded-unit with a unit of time reads them as processor time",
		})
	}
	if d.stackless > 0 {
		d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
			Code:    "lost-stacks",
			Message: trace.Counted("%d {line has|lines have} a value without a stack; {its|their} function is unknown", d.stackless),
		})
	}
	return &d.trace
}
