// Package firefox reads profiles of the Firefox Profiler: what Firefox itself hands out
// (the gecko format, versions up to 36), and what the profiler's page saves and many others
// write (the processed format, versions up to 75). docs/formats/firefox.md describes them.
//
// A profile has threads, each with samples: a stack and a moment. A sample stands for the
// time up to the next one of its thread, or for the weight that it states. Where all
// samples say what processor time their threads spent, that is the clock; else elapsed
// time, waiting included. A thread whose name ends in a unit of energy in parentheses, as
// in "app.trace (nJ)", has weights of that unit.
//
// Counters are signals: those of power meters are what a track has drained, others gauges.
//
// Firefox moves its format every few weeks. What is read are the tables of stacks, which
// change seldom; a profile that has them in another form is an error.
//
// A profile is read once and its tables are kept, 8 bytes for each number.
package firefox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// Options say what to read.
type Options struct {
	// SampleType is "cpu" or "wall"; empty is processor time where the profile has it.
	SampleType string
	// Process is the number of the process to read, or its name; empty reads all.
	Process string
}

// Sniff says whether a file begins as a profile does.
func Sniff(head []byte) bool {
	paths := document.Head(head)
	return paths["meta.preprocessedProfileVersion"] || paths["meta.interval"] && (paths["meta.startTime"] || paths["meta.stackwalk"] || paths["meta.processType"]) ||
		paths["libs.breakpadId"] || paths["profile.libs.breakpadId"] || paths["profile.meta.interval"]
}

// Decode reads a profile from r to its end, and hands its samples to sink. Errors of the
// file are *syntax.Error.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := &decoder{budget: budget{in: document.NewReader(r)}, opts: o, names: stacks.NewTable(), trace: trace.Trace{Format: "firefox", Technique: trace.Sampled}}
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
	d.trace.Warnings = append(d.trace.Warnings, warnings...)
	return &d.trace, nil
}

// located says where the file is wrong.
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

// maxThreads bounds the threads, with those of all processes.
const maxThreads = 1 << 16

// A decoder holds what was read.
type decoder struct {
	budget
	opts     Options
	names    *stacks.Table
	trace    trace.Trace
	threads  []*thread
	counters []*counter
	// epoch is when the first process began, in nanoseconds since 1970; 0 if nobody says.
	epoch int64
	// quantity is what is read.
	quantity quantity
	// own is set where diffprof wrote the file, comparison where that is of two runs.
	own, comparison bool
	// backward counts samples that come before the one ahead of them.
	backward int
}

// A part is a profile, or one of a process within it, and what it says of its threads.
type part struct {
	tables
	// paths are the stacks of the tables.
	paths *stacks.Paths
	// start is when it began, in nanoseconds since 1970, interval the time between samples.
	start, interval int64
	// ticks are the nanoseconds of a unit of threadCPUDelta; 0 if that is no time.
	ticks int64
}

// profile reads a profile, or a process within one.
func (d *decoder) profile(ctx context.Context) error {
	p := &part{interval: 1e6, ticks: 1e3}
	first := len(d.threads)
	if err := d.in.Members(func(name []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch string(name) {
		case "profile": // the developer tools save one within another object
			return d.profile(ctx)
		case "meta":
			return d.meta(p)
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
	if d.epoch == 0 || p.start > 0 && p.start < d.epoch {
		d.epoch = p.start
	}
	for _, t := range d.threads[first:] {
		if t.part != p {
			continue // of a process within this one
		}
		if err := t.complete(d); err != nil {
			return fmt.Errorf("thread %q: %w", t.name, err)
		}
	}
	return nil
}

// meta reads what is said of the whole process.
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

// millisecond is a number of milliseconds in nanoseconds.
const millisecond = 1e6

func (d *decoder) warn(code, message string) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: message})
}
