// Package chrome reads traces of Chrome, which Node, Android's WebView, React Native's
// Hermes and many others write as well, and CPU profiles of V8, which stand in files of
// their own or within such a trace. docs/formats/chrome.md describes both.
//
// A trace is a list of events. What a thread did is slices, which a pair of events (B, E)
// or one event (X) states, and which nest. Files are in no order, so that the slices of a
// trace are kept, 56 bytes each, put in order, and then handed on as calls, all threads by
// their time. The clocks are the wall clock, and processor time where every slice states
// its own.
//
// The other run that a trace may hold is samples of stacks: V8's profiles, or Hermes'. A
// sample stands for the time up to the next one of its thread. V8 says when a thread waits
// for work, by the frame (idle): this time is no processor time, and is left out unless
// [Options.SampleType] is "wall".
//
// # Bad input
//
// A trace may end within its list, as that of a program that was killed does: what stands
// before is the run, with a warning. Ends without a begin, slices that overlap and clocks
// that run backwards are warnings with counts.
package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// Options say what to read.
type Options struct {
	// SampleType is "slices", or "cpu" or "wall" for samples. Empty takes the processor time
	// of samples, and slices where there are none.
	SampleType string
	// Process is the process to read, by its name or its number; empty reads all.
	Process string
}

// Sniff says whether a file begins as a trace does.
func Sniff(head []byte) bool {
	paths := document.Head(head)
	isList := bytes.HasPrefix(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n"), []byte("["))
	return paths["traceEvents"] || isList && paths["ph"] || paths["metadata.clock-domain"] || paths["metadata.source"] && paths["metadata.startTime"]
}

// SniffProfile says whether a file begins as a CPU profile of V8 does.
func SniffProfile(head []byte) bool {
	paths := document.Head(head)
	return paths["nodes.callFrame"] || paths["head.functionName"] || paths["samples"] && paths["startTime"] && paths["timeDeltas"]
}

// Decode reads a trace from r to its end, and hands its calls or its samples to sink.
// Errors of the file are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := newDecoder("chrome", r, o)
	err := d.document(ctx)
	switch {
	case errors.Is(err, document.ErrCut) && d.seen > 0:
		d.warn("truncated", "the list of events has no end; what stands before the end of the file is read")
	case err != nil:
		return nil, d.located(err)
	}
	for _, t := range d.threads {
		t.complete()
	}
	if err := d.choose(); err != nil {
		return nil, d.located(err)
	}
	return d.emit(ctx, sink)
}

// DecodeProfile reads a CPU profile of V8 from r to its end, as Decode reads a trace.
func DecodeProfile(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	if o.SampleType == slicesType {
		return nil, located(-1, errors.New("a CPU profile has no slices; its sample types are cpu and wall"))
	}
	d := newDecoder("cpuprofile", r, o)
	p := d.profile(d.thread(nil, nil))
	d.trace.Processes = nil // the file says of none
	if err := p.read(ctx, d.in, d.names); err != nil {
		return nil, d.located(err)
	}
	if err := d.choose(); err != nil {
		return nil, d.located(err)
	}
	return d.emit(ctx, sink)
}

// The names of what is read.
const (
	slicesType = "slices"
	cpuType    = "cpu"
	wallType   = "wall"
)

// The bounds of what is kept of a trace.
const (
	maxSlices  = 1 << 25
	maxSamples = 1 << 26
	maxNodes   = 1 << 24
	maxThreads = 1 << 16
	maxID      = 1 << 8
)

// A decoder holds what was read, until all of it can be put in order.
type decoder struct {
	in    *document.Reader
	opts  Options
	names *stacks.Table
	trace trace.Trace
	// seen counts events of all kinds, slices and flows those that are kept.
	seen, slices, flows int
	// others counts events that no stack has: of asynchronous work.
	others int
	// untimed is whether a slice lacks its processor time, given whether one has energy, and
	// unstated whether that is in a unit that nobody stated.
	untimed, given, unstated bool
	// placed is whether a slice with energy lies where it happened, sampled whether it is one of
	// samples.
	placed, sampled bool
	threads         []*thread
	byID            map[string]*thread
	processes       map[string]int
	// profiles are those of all threads, numbered those that events give numbers to.
	profiles []*profile
	numbered map[string]*profile
	hermes   hermes
	// args is the JSON of an event's arguments, which stand before what they are for.
	args []byte
	// kind is slicesType, cpuType or wallType once it is chosen.
	kind string
}

func newDecoder(format string, r io.Reader, o Options) *decoder {
	return &decoder{
		in: document.NewLoose(r), opts: o, names: stacks.NewTable(),
		trace: trace.Trace{Format: format},
		byID:  make(map[string]*thread), processes: make(map[string]int), numbered: make(map[string]*profile),
	}
}

// document reads a list of events, or an object that has one.
func (d *decoder) document(ctx context.Context) error {
	if d.in.Is('[') {
		return d.events(ctx)
	}
	return d.in.Members(func(name []byte) error {
		switch string(name) {
		case "traceEvents":
			return d.events(ctx)
		case "samples":
			return d.hermes.readSamples(d)
		case "stackFrames":
			return d.hermes.readFrames(d)
		}
		return d.in.Skip()
	})
}

// choose says which of the runs of the file is read.
func (d *decoder) choose() error {
	if err := d.hermes.deal(d); err != nil {
		return err
	}
	samples := 0
	for _, p := range d.profiles {
		samples += len(p.samples)
	}
	switch d.kind = d.opts.SampleType; d.kind {
	case "":
		d.kind = slicesType
		if samples > 0 {
			d.kind = cpuType
		}
	case slicesType, cpuType, wallType:
	default:
		return fmt.Errorf("no sample type is called %q; there are cpu and wall for samples, and slices", d.kind)
	}
	if err := d.keep(d.opts.Process); err != nil {
		return err
	}
	switch {
	case d.kind == slicesType && d.slices == 0:
		return errors.New("the trace has no slices (events B, E or X)")
	case d.kind != slicesType && samples == 0:
		return errors.New("there are no samples of stacks")
	case d.kind == slicesType && samples > 0:
		d.warn("other-samples", trace.Counted("%d {sample|samples} of stacks {is|are} not read; --sample-type cpu reads those", samples))
	case d.kind != slicesType && d.slices > 0:
		d.warn("other-slices", trace.Counted("%d {slice is|slices are} not read; --sample-type slices reads those", d.slices))
	}
	if d.others > 0 && d.kind == slicesType {
		d.warn("async-slices", trace.Counted("%d {event|events} of asynchronous work {is|are} of no thread, and no processor time", d.others))
	}
	return nil
}

// emit hands the chosen run to the sink.
func (d *decoder) emit(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	write := d.emitSamples
	if d.kind == slicesType {
		write = d.emitSlices
	}
	if err := write(ctx, sink); err != nil {
		return nil, err
	}
	methods, warnings := d.names.Finish()
	d.trace.Methods = methods
	d.trace.Warnings = append(d.trace.Warnings, warnings...)
	return &d.trace, nil
}

func (d *decoder) warn(code, message string) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: message})
}

// located says where the file is wrong.
func (d *decoder) located(err error) error {
	return located(d.in.Offset(), err)
}

func located(offset int64, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &syntax.Error{Format: "Chrome trace", Offset: offset, Err: err}
	if errors.Is(err, document.ErrCut) {
		e.Hint = "fetch it again"
	}
	return e
}

// maxMoment bounds moments, so that differences of two do not overflow.
const maxMoment = math.MaxInt64 / 4

// moment reads a time in microseconds and returns it in nanoseconds.
func moment(in *document.Reader) (int64, error) {
	ns, err := in.Scaled(1000, 1)
	if err == nil && (ns > maxMoment || ns < -maxMoment) {
		err = fmt.Errorf("the time %d ns is out of range", ns)
	}
	return ns, err
}
