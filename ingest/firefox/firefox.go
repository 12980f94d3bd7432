// Package firefox reads profiles of the Firefox Profiler. It reads the gecko format of Firefox
// itself (versions up to 36), and the processed format (versions up to 75), which the profiler's
// web page and many other tools save. docs/formats/firefox.md describes both formats.
//
// A profile has threads. Each thread has samples, and each sample has a stack and a time. How much
// a sample counts depends on the profile:
//
//   - If the name of a thread ends in a unit of energy, as in "app.trace (nJ)", the weights of its
//     samples are energies in that unit.
//   - If all samples state processor time, this time is read.
//   - Otherwise samples count elapsed time, which includes waiting. This is the weight of a sample or,
//     without a weight, the time up to the next sample of its thread.
//
// Counters become signals. Counters of power meters become energy, and other counters become
// gauges.
//
// Firefox changes its format every few weeks. This package reads only the tables of stacks, which
// seldom change. It fails if a profile has these tables in another form.
//
// The decoder reads a profile once and stores its tables, with 8 bytes per number.
package firefox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// Options state what to read.
type Options struct {
	// SampleType is "cpu" or "wall". If it is empty, the decoder reads processor time if the
	// profile has it.
	SampleType string
	// Process is the number or name of the process to read. If it is empty, all processes are read.
	Process string
	// Files has programs and libraries. They are used to name functions that the profile does not
	// name. Symbols is a list of such functions that samply wrote, and SymbolsPath is its path for
	// messages. Files and Symbols may be nil.
	Files       fs.FS
	Symbols     io.Reader
	SymbolsPath string
}

// Sniff reports whether head is the start of a profile.
func Sniff(head []byte) bool {
	paths := document.Head(head)
	return paths["meta.preprocessedProfileVersion"] || paths["meta.interval"] && (paths["meta.startTime"] || paths["meta.stackwalk"] || paths["meta.processType"]) ||
		paths["libs.breakpadId"] || paths["profile.libs.breakpadId"] || paths["profile.meta.interval"]
}

// Decode reads a profile from r to its end, and sends its samples to sink. Errors in the file are
// *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := &decoder{budget: budget{in: document.NewReader(r)}, opts: o, names: stacks.NewTable(), trace: trace.Trace{Format: "firefox", Technique: trace.Sampled}}
	d.symbols.files = o.Files
	if o.Symbols != nil {
		if err := d.symbols.list(o.Symbols); err != nil {
			return nil, &syntax.Error{Format: "list of samply's symbols", File: o.SymbolsPath, Offset: -1, Err: err, Hint: "record again, or remove the file"}
		}
	}
	if err := d.profile(ctx); err != nil {
		return nil, located(d.in.Offset(), err)
	}
	if err := d.choose(); err != nil {
		return nil, located(-1, err)
	}
	if err := d.emit(ctx, sink); err != nil {
		return nil, err
	}
	methods, warnings := d.names.Finish()
	d.trace.Methods = methods
	for m, file := range d.symbols.sources {
		methods[m] = methods[m].At(file, methods[m].Line)
	}
	d.trace.Warnings = append(append(d.trace.Warnings, warnings...), d.symbols.warnings()...)
	return &d.trace, nil
}

// located adds the position in the file to an error.
func located(offset int64, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &syntax.Error{Format: "Firefox profile", Offset: offset, Err: err}
	if errors.Is(err, document.ErrCut) {
		e.Hint = "fetch it again"
	}
	return e
}

// maxThreads limits the total number of threads of all processes.
const maxThreads = 1 << 16

// A decoder has the data of a profile.
type decoder struct {
	budget
	opts     Options
	names    *stacks.Table
	symbols  symbols
	trace    trace.Trace
	threads  []*thread
	counters []*counter
	// epoch is the start of the first process, in nanoseconds since 1970. It is 0 if unknown.
	epoch int64
	// quantity says what the samples count, such as energy or elapsed time.
	quantity quantity
	// own is set if diffprof wrote the file. comparison is set if such a file compares two runs.
	own, comparison bool
	// backward counts samples that are earlier than the sample before them in the file.
	backward int
	// lost counts stacks with an unknown frame. rootless counts stacks whose caller is not in the
	// table. strayed counts samples with an unknown stack.
	lost, rootless, strayed int
}

// A part is a profile, or the profile of one process within it. It has what its threads share.
type part struct {
	tables
	// paths are the stacks of the tables.
	paths *stacks.Paths
	// start is the start of the process, in nanoseconds since 1970. interval is the time between
	// samples.
	start, interval int64
	// ticks is the number of nanoseconds per unit of threadCPUDelta. It is 0 if the unit is not a
	// time.
	ticks int64
}

// profile reads a profile, or the profile of a process within one.
func (d *decoder) profile(ctx context.Context) error {
	p := &part{interval: 1e6, ticks: 1e3}
	first, firstCounter := len(d.threads), len(d.counters)
	if err := d.in.Members(func(name []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch string(name) {
		case "profile": // The developer tools wrap the profile in another object.
			return d.profile(ctx)
		case "meta":
			return d.meta(p)
		case "libs":
			return p.member(&d.budget, name)
		case "shared":
			return d.in.Members(func(name []byte) error { return p.member(&d.budget, name) })
		case "threads":
			return d.in.Elements(func() error { return d.thread(p) })
		case "counters":
			return d.in.Elements(func() error { return d.counter(p) })
		case "processes":
			return d.in.Elements(func() error { return d.profile(ctx) })
		}
		return d.in.Skip()
	}); err != nil {
		return err
	}
	// In the file, the processes may precede the threads of the outer profile. In the trace, the
	// outer profile comes first.
	slices.SortStableFunc(d.threads[first:], func(a, b *thread) int { return within(p, a.part, b.part) })
	slices.SortStableFunc(d.counters[firstCounter:], func(a, b *counter) int { return within(p, a.part, b.part) })
	if d.epoch == 0 || p.start > 0 && p.start < d.epoch {
		d.epoch = p.start
	}
	for _, t := range d.threads[first:] {
		if t.part != p {
			continue // Inner processes are complete already.
		}
		if err := t.complete(d); err != nil {
			return fmt.Errorf("thread %q: %w", t.name, err)
		}
	}
	return nil
}

// within compares the parts a and b for sorting. The part p comes first, and others keep their
// order.
func within(p, a, b *part) int {
	switch {
	case (a == p) == (b == p):
		return 0
	case a == p:
		return -1
	}
	return 1
}

// meta reads what the file states for the whole process.
func (d *decoder) meta(p *part) error {
	return d.in.Members(func(name []byte) (err error) {
		switch string(name) {
		case "startTime":
			p.start, err = d.in.Scaled(millisecond, 1)
		case "interval":
			p.interval, err = d.in.Scaled(millisecond, 1)
		case "importedFrom":
			text, err := d.in.Text()
			d.own = strings.HasPrefix(string(text), "diffprof")
			d.comparison = d.own && strings.HasSuffix(string(text), "comparison")
			return err
		case "sampleUnits":
			return d.in.Members(func(name []byte) error {
				text, err := d.in.Text()
				if string(name) == "threadCPUDelta" {
					p.ticks = map[string]int64{"ns": 1, "µs": 1e3, "us": 1e3}[string(text)]
				}
				return err
			})
		default:
			err = d.in.Skip()
		}
		return err
	})
}

// millisecond is a millisecond in nanoseconds.
const millisecond = 1e6

func (d *decoder) warn(code, message string) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: message})
}
