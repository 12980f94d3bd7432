// Package atrace reads the text of Linux's ftrace, as Android's atrace and systrace write it. The
// text is either a file of its own or part of an HTML page.
//
// A line has the name and the number of a thread, the number of its process in parentheses, the
// core in brackets, flags, the time in seconds, the name of an event, and the event's fields. Old
// logs lack the process.
//
//	RenderThread-2381 ( 2340) [003] d..3 5213.417701: sched_switch: prev_comm=RenderThread prev_pid=2381 …
//	com.mine-2340     ( 2340) [001] ...1 5213.417733: tracing_mark_write: B|2340|inflate
//
// The package reads sched_switch, the marks B, E and C of tracing_mark_write, the clocks in
// trace_event_clock_sync, cpu_frequency, cpu_idle, sys_enter and sys_exit. Package ftrace converts
// them to trace events. All other events are skipped, and so are the marks S and F of asynchronous
// slices.
//
// In an HTML page, the data is in script elements of the class trace-data, some MiB after the
// start. In old pages, it is in a JavaScript string.
//
// The system may reuse the number of a thread that has ended. The decoder treats the new thread as
// a separate thread. A switch from a thread in the state x, X or Z marks the end of that thread.
//
// A log is read twice. The first reading finds the threads, and the second reading sends the
// events. Memory grows with the number of threads and names.
//
// # Bad input
//
// The first lines of a log state the number of its events. A log with fewer events is truncated,
// which is an error unless [Options].Partial is set. Warnings count the lines that are not events,
// and the events that the kernel reports as lost. A file without any event is an error.
package atrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// Options state how to read a log.
type Options struct {
	// Process is the process to read, by name or number. If it is empty, the decoder chooses.
	Process string
	// Partial reads a truncated log to its end.
	Partial bool
	// Triggers says which system calls use components of the device. nil means the built-in table.
	Triggers *trigger.Table
}

var (
	title = []byte("<title>Android System Trace</title>")
	// begins matches the first line of a log that is not a comment.
	begins = regexp.MustCompile(`^(# tracer: |\s*\S[^\n]*-\d+\s+(\([ \d-]+\)\s+)?\[\d{3,}\]\s+(\S{4,6}\s+)?\d+\.\d{6,9}: \w+: )`)
)

// Sniff reports whether a file begins with a log or with an HTML page that contains a log.
func Sniff(head []byte) bool {
	if at := dataAt(head); at > 0 {
		head = head[at:]
	}
	return begins.Match(bytes.TrimLeft(head, "\r\n")) || isPage(head)
}

// dataAt returns the offset of the data after a line TRACE:, or 0 if there is no such line.
// Messages of atrace may precede the line.
func dataAt(head []byte) int {
	before, after, ok := bytes.Cut(head[:min(len(head), 128)], []byte("TRACE:\n"))
	if !ok || len(before) > 0 && before[len(before)-1] != '\n' {
		return 0
	}
	return len(head[:min(len(head), 128)]) - len(after)
}

// isPage reports whether head is the start of an HTML page.
func isPage(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<")) && bytes.Contains(head, title)
}

var (
	errCut   = errors.New("the log is cut")
	errEmpty = errors.New("the log has no events")
)

// Decode reads a log, and sends its events to sink. open returns a reader from the start of the
// log, and is called more than once. Errors of the file are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	s := survey{tasks: ftrace.NewTasks(), roster: make(roster), first: math.MaxInt64}
	s.tasks.Number = numberOf
	log, err := each(ctx, open, o, func(e *event) error { s.event(e); return nil })
	switch {
	case err != nil:
		return nil, err
	case s.events == 0:
		return nil, located(0, errEmpty)
	case log.promised > s.events && !o.Partial:
		return nil, located(log.line, fmt.Errorf("%w: it has %d of %d events", errCut, s.events, log.promised))
	}
	options := ftrace.Options{Process: o.Process, Triggers: o.Triggers, Switches: s.switches > 0}
	if first, last, outside := s.span.Bounds(); outside > 0 {
		s.first, s.last, options.End = first, last, last
	}
	if s.first > s.last {
		s.first, s.last = 0, 0 // No event has a time other than 0.
	}
	options.Origin = s.first
	m, err := ftrace.New(s.tasks, sink, options)
	if err != nil {
		return nil, located(0, err)
	}
	d := decoder{machine: m, roster: make(roster), origin: s.first, last: s.last}
	if _, err := each(ctx, open, o, d.event); err != nil {
		return nil, err
	}
	t, err := m.Finish(s.last)
	if err != nil {
		return nil, err
	}
	t.Format = "atrace"
	t.Timeline = d.readings
	t.Warnings = append(t.Warnings, s.warnings(log)...)
	t.Overflow = log.lost > 0
	return t, nil
}

// each calls f for each event of a log.
func each(ctx context.Context, open func() (io.ReadCloser, error), o Options, f func(*event) error) (*log, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	l := newLog(r)
	var e event
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		err := l.next(&e)
		switch {
		case err == io.EOF:
			return l, nil
		case errors.Is(err, io.ErrUnexpectedEOF) && o.Partial:
			l.cut = true
			return l, nil
		case err != nil:
			return nil, err
		}
		if err := f(&e); err != nil {
			return nil, err
		}
	}
}

// located adds the line to an error. Line 0 means the whole file.
func located(line int, err error) error {
	e := &syntax.Error{Format: "atrace log", Line: line, Offset: -1, Err: err}
	if errors.Is(err, errCut) {
		e.Hint = "fetch the file again, or read it as far as it goes with --partial"
	}
	return e
}

// A survey collects facts about the log in the first reading.
type survey struct {
	tasks  *ftrace.Tasks
	roster roster
	span   ftrace.Span
	// events, switches and slices are counts. first and last are times in nanoseconds.
	events, switches, slices int64
	first, last              int64
}

// isDummy reports whether e is the event with time 0 that systrace adds at the end of a page.
func (e *event) isDummy() bool { return e.kind == note && e.time == 0 }

// event counts an event and records its threads.
func (s *survey) event(e *event) {
	s.events++
	s.roster.take(e)
	if e.isDummy() {
		return
	}
	s.span.Add(e.time)
	s.first, s.last = min(s.first, e.time), max(s.last, e.time)
	s.tasks.Thread(e.tid, e.tgid, e.comm)
	switch {
	case e.kind == schedSwitch:
		s.switches++
		s.tasks.Thread(e.prev.tid, -1, e.prev.comm)
		s.tasks.Thread(e.next.tid, -1, e.next.comm)
	case e.kind == mark && e.mark.Letter == 'B':
		if e.tgid < 0 {
			s.tasks.Thread(e.tid, e.mark.Process, nil)
		}
		s.tasks.AddSlices(e.tid, 1)
		s.slices++
	case e.kind == sysEnter:
		s.tasks.Call(e.tid, e.state)
	}
}

// warnings returns the warnings about the log.
func (s *survey) warnings(l *log) []trace.Warning {
	var all []trace.Warning
	warn := func(code, format string, args ...any) {
		all = append(all, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
	}
	if l.cut || l.promised > s.events {
		warn("truncated", "the log is cut: it has %d of %d events", s.events, max(s.events, l.promised))
	}
	if l.lost > 0 {
		warn("lost-events", "the recorder's buffer overflowed, and %d {event is|events are} lost", l.lost)
	}
	if l.bad > 0 {
		warn("bad-lines", "%d {line is not an event|lines are not events} of ftrace, and {is|are} not read; the first is line %d", l.bad, l.firstBad)
	}
	if s.switches == 0 {
		warn("no-switches", "the log has no thread switches, and so no processor time: the time of threads outside of slices is not recorded, and belongs to no method; record with atrace's category sched")
	}
	if s.slices == 0 {
		warn("no-slices", "the log has no slices of programs; record with atrace's categories gfx, view and am, and with -a and the name of the app")
	}
	return all
}

// A decoder passes the events to an ftrace.Machine.
type decoder struct {
	machine  *ftrace.Machine
	roster   roster
	origin   int64
	last     int64
	readings []trace.Reading
}

func (d *decoder) event(e *event) error {
	m := d.machine
	d.roster.take(e)
	switch e.kind {
	case schedSwitch:
		m.Switch(e.time, e.core, e.prev.tid, e.next.tid)
		if e.gone {
			m.ThreadExit(e.time, e.prev.tid)
		}
	case mark:
		switch e.mark.Letter {
		case 'B':
			m.Begin(e.time, e.tid, e.mark.Text)
		case 'E':
			m.End(e.time, e.tid)
		case 'C':
			m.Counter(e.time, e.mark.Process, e.mark.Text, e.mark.Value)
		case 'S', 'F':
			m.Async(e.time, e.tid, e.mark)
		}
	case note:
		d.clock(e)
	case frequency:
		m.Frequency(e.time, e.stateCore, e.state*1000) // The field is in kilohertz.
	case idle:
		m.Idle(e.time, e.stateCore, int64(int32(e.state)))
	case sysEnter:
		m.SysEnter(e.time, e.tid, e.state, e.words[:e.given])
	case sysExit:
		m.SysExit(e.time, e.tid, e.state, e.result)
	}
	return m.Err()
}

// maxReadings limits the stored clock readings. A log normally states each clock once.
const maxReadings = 1 << 10

// clock records a reading of one of the machine's clocks.
func (d *decoder) clock(e *event) {
	if len(d.readings) >= maxReadings || e.isDummy() || e.time > d.last {
		return
	}
	text, ok := bytes.CutPrefix(e.args, []byte("trace_event_clock_sync: "))
	if !ok {
		return
	}
	at := max(e.time-d.origin, 0)
	if n := len(d.readings); n > 0 {
		at = max(at, d.readings[n-1].Time)
	}
	if seconds, ok := bytes.CutPrefix(text, []byte("parent_ts=")); ok {
		if ns, ok := moment(seconds); ok {
			d.readings = append(d.readings, trace.Reading{Clock: trace.Monotonic, Time: at, Value: ns})
		}
	}
	if ms, ok := bytes.CutPrefix(text, []byte("realtime_ts=")); ok {
		if ms, ok := number(ms); ok && ms < math.MaxInt64/1_000_000 {
			d.readings = append(d.readings, trace.Reading{Clock: trace.Realtime, Time: at, Value: ms * 1e6})
		}
	}
}
