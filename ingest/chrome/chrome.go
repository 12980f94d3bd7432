// Package chrome reads traces of Chrome, and CPU profiles of V8. Node, Android's WebView, React
// Native's Hermes and many others write such traces too. A CPU profile is either a file of its own
// or part of a trace. docs/formats/chrome.md describes both formats.
//
// A trace is a list of events. The activities of a thread are nested slices. A slice is either a
// pair of events (B, E) or one event (X). The events are not sorted, so the decoder stores the
// slices of a trace, in 56 bytes each, and sorts them. It then sends them as calls, with all
// threads in time order. The clocks are the wall clock and, if every slice states it, processor
// time.
//
// A trace may also contain samples of stacks, from V8's profiler or from Hermes. A sample
// represents the elapsed time up to the next sample of its thread. V8 marks a waiting thread by the
// frame (idle). Samples of perf have counts instead of times, as in perf's own recordings.
//
// # Bad input
//
// The trace of a program that was killed may end within its list. The decoder then reads the part
// before the end, and adds a warning. Warnings count the ends without a begin, the overlapping
// slices, and the clocks that run backwards.
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
	"github.com/diffprof/diffprof/units"
)

// Options state what to read.
type Options struct {
	// SampleType selects what to read:
	//
	//   - "slices": the slices.
	//   - "wall": all samples.
	//   - "cpu": the samples that are not idle. The user states that their elapsed time is processor
	//     time. Where V8 shows that the thread perhaps waited, this is not assumed.
	//   - "": all samples, or the slices if the trace has no samples.
	SampleType string
	// Process is the process to read, by name or number. If it is empty, all processes are read.
	Process string
	// Frequency converts cycles in samples of perf to processor time. It is 0 if unknown.
	Frequency units.Frequency
}

// Sniff reports whether head is the start of a trace.
func Sniff(head []byte) bool {
	paths := document.Head(head)
	isList := bytes.HasPrefix(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n"), []byte("["))
	isDart := paths["devToolsSnapshot"] || paths["samplePeriod"] && (paths["samples"] || paths["functions"] || paths["stackFrames"])
	return isDart || paths["traceEvents"] || isList && paths["ph"] || paths["metadata.clock-domain"] || paths["metadata.source"] && paths["metadata.startTime"]
}

// SniffProfile reports whether head is the start of a CPU profile of V8.
func SniffProfile(head []byte) bool {
	paths := document.Head(head)
	return paths["nodes.callFrame"] || paths["head.functionName"] || paths["samples"] && paths["startTime"] && paths["timeDeltas"]
}

// Decode reads a trace from r to its end, and sends its calls or samples to sink. Errors in the
// file are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := newDecoder("chrome", r, o)
	err := d.document(ctx)
	switch {
	case errors.Is(err, document.ErrCut) && d.seen > 0:
		d.warn("truncated", "the list of events has no end; it was read up to the end of the file")
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

// DecodeProfile is like Decode, but reads a CPU profile of V8.
func DecodeProfile(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	if o.SampleType == slicesType {
		return nil, located(-1, errors.New("a CPU profile has no slices; its sample types are cpu and wall"))
	}
	d := newDecoder("cpuprofile", r, o)
	p := d.profile(d.thread(nil, nil))
	d.trace.Processes = nil // The file states no process.
	if err := p.read(ctx, d.in, d.names); err != nil {
		return nil, d.located(err)
	}
	if err := d.choose(); err != nil {
		return nil, d.located(err)
	}
	return d.emit(ctx, sink)
}

// The sample types.
const (
	slicesType = "slices"
	cpuType    = "cpu"
	wallType   = "wall"
)

// Limits of the memory for a trace.
const (
	maxSlices  = 1 << 25
	maxSamples = 1 << 26
	maxNodes   = 1 << 24
	maxThreads = 1 << 16
	maxID      = 1 << 8
)

// A decoder stores the events until they can be sorted.
type decoder struct {
	in    *document.Reader
	opts  Options
	names *stacks.Table
	trace trace.Trace
	// seen counts events of all kinds. slices and flows count the stored slices and flow points.
	seen, slices, flows int
	// others counts events of asynchronous work, which are on no thread's stack.
	others int
	// running is set if the profiler sampled only running threads.
	running bool
	// stated is set if the user states that elapsed time is processor time. usual is then the
	// median time between two samples.
	stated bool
	usual  int64
	// lost counts samples whose node is not in the file.
	lost int
	// untimed is set if a slice lacks its processor time. given is set if a slice has energy.
	// unstated is set if the unit of that energy is unknown.
	untimed, given, unstated bool
	// placed is set if a slice with energy has its original time. sampled is set if a slice with
	// energy represents samples.
	placed, sampled bool
	threads         []*thread
	byID            map[string]*thread
	processes       map[string]int
	// profiles are the profiles of all threads. numbered has the profiles that events refer to by
	// id.
	profiles []*profile
	numbered map[string]*profile
	hermes   hermes
	// args is the JSON of an event's arguments. It is stored because the members that determine its
	// meaning may follow it.
	args []byte
	// kind is slicesType, cpuType or wallType. It is empty until choose sets it.
	kind string
	// sliceMethods is empty if slices are named after functions.
	sliceMethods sliceMethods
}

func newDecoder(format string, r io.Reader, o Options) *decoder {
	return &decoder{
		in: document.NewLoose(r), opts: o, names: stacks.NewTable(),
		trace: trace.Trace{Format: format},
		byID:  make(map[string]*thread), processes: make(map[string]int), numbered: make(map[string]*profile),
	}
}

// document reads a list of events, or an object that contains one.
func (d *decoder) document(ctx context.Context) error {
	if d.in.Is('[') {
		return d.events(ctx)
	}
	return d.object(ctx, true)
}

// object reads an object that contains a list of events. Exports of Dart's developer tools have
// such an object inside another one.
func (d *decoder) object(ctx context.Context, outermost bool) error {
	return d.in.Members(func(name []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch string(name) {
		case "traceEvents":
			return d.events(ctx)
		case "samples":
			return d.hermes.readSamples(d)
		case "stackFrames":
			return d.hermes.readFrames(d)
		case "functions":
			return d.hermes.readFunctions(d)
		case "samplePeriod":
			return d.hermes.readPeriod(d)
		case "pid":
			text, err := d.in.Text()
			d.hermes.process = append(d.hermes.process[:0], text[:min(len(text), maxID)]...)
			return err
		case "cpu-profiler":
			if outermost && d.in.Is('{') {
				return d.object(ctx, false)
			}
		}
		return d.in.Skip()
	})
}

// choose decides whether to read slices or samples.
func (d *decoder) choose() error {
	if err := d.hermes.distribute(d); err != nil {
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
			d.kind = wallType
		}
	case slicesType, cpuType, wallType:
	default:
		return fmt.Errorf("unknown sample type %q; the sample types are cpu and wall for samples, and slices", d.kind)
	}
	if err := d.keep(d.opts.Process); err != nil {
		return err
	}
	switch {
	case d.kind == slicesType && d.slices == 0:
		return errors.New("the trace has no slices (events B, E or X)")
	case d.kind != slicesType && samples == 0:
		return errors.New("the trace has no samples of stacks")
	case d.kind == slicesType && samples > 0:
		d.warn("other-samples", trace.Counted("%d {sample|samples} of stacks {is|are} not read; --sample-type wall reads them", samples))
	case d.kind != slicesType && d.slices > 0:
		d.warn("other-slices", trace.Counted("%d {slice is|slices are} not read; --sample-type slices reads them", d.slices))
	}
	if d.others > 0 && d.kind == slicesType {
		d.warn("async-slices", trace.Counted("%d {event|events} of asynchronous work {is|are} not read: {it has|they have} no thread and no processor time", d.others))
	}
	return nil
}

// emit sends the slices or the samples to the sink.
func (d *decoder) emit(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	// All names have been read.
	d.names.ResolveAmbiguous()
	write := d.emitSamples
	if d.kind == slicesType {
		methods, _ := d.names.Finish()
		d.sliceMethods = d.slicesOf(methods)
		write = d.emitSlices
	}
	trace.GiveFirstNames(sink, d.sliceMethods.names(d.names.Name))
	if err := write(ctx, sink); err != nil {
		return nil, err
	}
	methods, warnings := d.names.Finish()
	d.trace.Methods = methods
	if d.sliceMethods.ids != nil {
		d.trace.Methods = d.sliceMethods.methods
	}
	d.trace.Warnings = append(d.trace.Warnings, warnings...)
	return &d.trace, nil
}

func (d *decoder) warn(code, message string) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: message})
}

// located adds the current offset in the file to an error.
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

// maxMoment limits times, so that the difference of two times does not overflow.
const maxMoment = math.MaxInt64 / 4

// moment reads a time in microseconds and returns it in nanoseconds.
func moment(in *document.Reader) (int64, error) {
	ns, err := in.Scaled(1000, 1)
	if err == nil && (ns > maxMoment || ns < -maxMoment) {
		err = fmt.Errorf("the time %d ns is out of range", ns)
	}
	return ns, err
}
