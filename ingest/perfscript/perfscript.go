// Package perfscript reads the output of perf script. It also reads the output of simpleperf's
// report_sample.py, which has the same form.
//
// A sample has a line with the thread, the time and the event. A line per frame follows, the
// innermost frame first:
//
//	V8 WorkerThread 24636/25607 [000] 94564.109216:    1001001 cpu-clock:u:
//	          98a87 malloc+0x157 (/usr/lib/libc.so.6)
//	           17e0 main (/home/me/server)
//
// The text before the time has the name of the thread, its number, and the processor. The name may
// contain spaces. The number of the process and a slash may precede the number of the thread. The
// number before the event is the count of the sample, which perf omits if all counts are equal. A
// frame has an address, a name, the offset from the start of the function, and the file in
// parentheses. All except the name are optional. The time is optional, too. If a sample has no
// stack, its only frame is on its first line.
//
// # Values
//
// The package reads the samples of one event: [Options].SampleType, or else the choice of package
// event. A sample without a count represents the period in the header, or a count of one if the
// header has none. Samples of clock events on idle processors are not counted.
//
// # Frames
//
// Frames are named as for perf.data (package perf). If perf wrote source positions (-F +srcline),
// each follows its frame. The position of a caller is read only if the header states that perf
// unwound the stacks with DWARF, because perf then uses the address of the call. Otherwise perf
// uses the return address, whose line may be after the call. Other lines between samples, such as
// messages of perf, are skipped and counted in a warning.
package perfscript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Sniff reports whether head, the start of a file, is output of perf script: a header or the first
// line of a sample.
func Sniff(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(stacks.ByteOrderMark))
	for line := range bytes.Lines(head) {
		switch {
		case bytes.HasPrefix(line, []byte("# captured on")):
			return true
		case len(bytes.TrimSpace(line)) == 0, line[0] == '#':
			continue
		}
		s, ok := parseSample(line)
		return ok && (s.timed || stacked(head, line))
	}
	return false
}

// stacked reports whether a line of head is followed by a frame with an address.
func stacked(head, line []byte) bool {
	_, rest, _ := bytes.Cut(head, line)
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	f, ok := parseFrame(bytes.TrimSpace(next))
	return ok && f.addressed && f.file != nil && isSpace(next[0])
}

// Options state how to read the text.
type Options struct {
	// SampleType is the event to read, such as cpu-clock. If it is empty, the decoder chooses.
	SampleType string
	// Process is the process to read, by name or number. If it is empty, all processes are read.
	Process string
	// Frequency converts cycles to processor time. 0 means the frequency in the header, if the
	// header has one.
	Frequency units.Frequency
}

// Decode reads the text, and sends its samples to sink. open returns a reader from the start of the
// text, and is called more than once. Errors in the text are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	s := newSurvey()
	if _, err := each(ctx, open, s); err != nil {
		return nil, err
	}
	d, err := newDecoder(s, sink, o)
	if err != nil {
		return nil, located(0, err)
	}
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	skipped, err := each(ctx, open, d)
	if d.refused == nil && err == nil {
		d.refused = d.batch.Flush()
	}
	if d.refused != nil {
		return nil, d.refused
	}
	if err != nil {
		return nil, err
	}
	return d.finish(skipped), nil
}

// A reader receives the parts of the text. It must not keep its arguments.
type reader interface {
	comment(line []byte)
	sample(s sample) error
	frame(f frame) error
	// line receives the source line of the latest frame. inlined is set if the frame's function was
	// inlined into the next frame's function.
	line(number int32, inlined bool)
	// end ends a sample. It may be called for a sample that has ended already.
	end() error
}

// eachLines is the number of lines between two checks of ctx.
const eachLines = 1 << 10

// each reads the text line by line. It returns the number of lines that it did not recognize.
func each(ctx context.Context, open func() (io.ReadCloser, error), to reader) (skipped int64, err error) {
	in, err := open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	lines := stacks.NewLines(in)
	for {
		if lines.Number%eachLines == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = one(line, to, &skipped)
		}
		if err != nil {
			return 0, located(lines.Number, err)
		}
	}
	if err := to.end(); err != nil {
		return 0, located(lines.Number, err)
	}
	return skipped, nil
}

// one reads a line.
func one(line []byte, to reader, skipped *int64) error {
	bare := bytes.TrimSpace(line)
	switch {
	case len(bare) == 0:
		return to.end()
	case line[0] == '#':
		to.comment(bare)
		return nil
	}
	if s, ok := parseSample(line); ok {
		if err := to.end(); err != nil {
			return err
		}
		if err := to.sample(s); err != nil {
			return err
		}
		if f, ok := parseFrame(s.rest); ok && f.file != nil && f.addressed {
			return to.frame(f)
		}
		return nil
	}
	if line[0] == ' ' || line[0] == '\t' {
		if number, inlined, ok := parseLine(bare); ok {
			to.line(number, inlined)
			return nil
		}
		if f, ok := parseFrame(bare); ok {
			return to.frame(f)
		}
	}
	*skipped++
	return nil
}

// located adds the line to an error. Line 0 means the whole file. It returns errors of the
// context unchanged.
func located(line int, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &syntax.Error{Format: "perf script", Line: line, Offset: -1, Err: err}
}

// A survey is the result of the first pass over the text.
type survey struct {
	events []event.Event
	byName map[string]int
	// uncounted has the events with at least one sample that states no count.
	uncounted map[string]bool
	// processes lists the processes that have samples, in the order of their first samples.
	processes []trace.Process
	byID      map[int64]int
	// numbered is set if every sample states its process.
	numbered bool
	first    int64
	last     int64
	header
}

func newSurvey() *survey {
	return &survey{byName: make(map[string]int), uncounted: make(map[string]bool), byID: make(map[int64]int), numbered: true, first: -1,
		header: header{periods: make(map[string]int64)}}
}

func (s *survey) comment(line []byte) { s.header.read(line) }
func (s *survey) frame(frame) error   { return nil }
func (s *survey) line(int32, bool)    {}
func (s *survey) end() error          { return nil }

// maxEvents limits the number of events, because their names are arbitrary texts in the file.
const maxEvents = 1 << 12

func (s *survey) sample(x sample) error {
	i, ok := s.byName[string(x.event)]
	if !ok {
		if i = len(s.events); i == maxEvents {
			return fmt.Errorf("more than %d events", maxEvents)
		}
		name := string(x.event)
		s.events = append(s.events, event.Event{Name: name})
		s.byName[name] = i
	}
	s.events[i].Samples++
	if !x.counted {
		s.uncounted[s.events[i].Name] = true
	}
	if s.first < 0 || x.time < s.first {
		s.first = x.time
	}
	s.last = max(s.last, x.time)
	if x.process < 0 {
		s.numbered = false
		return nil
	}
	p, ok := s.byID[x.process]
	if !ok {
		p = len(s.processes)
		s.byID[x.process] = p
		s.processes = append(s.processes, trace.Process{ID: x.process, Name: text(x.name)})
	} else if x.process == x.thread && s.processes[p].Name != string(x.name) {
		s.processes[p].Name = text(x.name)
	}
	return nil
}
