// Package speedscope reads speedscope's file format. py-spy, rbspy, stackprof, dotnet-trace and
// many others write it. docs/formats/speedscope.md describes it.
//
// A file has frames and several profiles. A profile is a list of stacks with weights, or a list of
// events at which frames open and close. Each event has a value, usually a time. The difference
// between two consecutive events belongs to the stack that is open between them.
//
// Profiles with the same kind of values are read together, and each profile becomes a thread.
// [Options].SampleType selects the profiles. Without it, the order of preference is energy,
// processor time, elapsed time and other values.
//
// The format states a unit of time, or bytes, or no unit. The name of a profile may state more. If
// it ends in a unit of energy in parentheses, as in "app.trace (nJ)", the values are energy. If it
// has the word CPU, the values are processor time, except in files of pyinstrument, which uses that
// word for elapsed time. Values without a unit are in the unit Options.Unit.
//
// The decoder reads a file twice, because the weights of a profile follow its samples, and the
// frames may follow the profiles. It stores weights in 8 bytes per sample.
package speedscope

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Options state what to read.
type Options struct {
	// SampleType is the name of a profile. If it is empty, all profiles of the preferred kind are
	// read.
	SampleType string
	// Unit is the unit of values that have no unit in the file. Voltage converts charge to energy.
	Unit    units.ValueUnit
	Voltage units.Voltage
}

// Sniff reports whether head is the start of a speedscope file.
func Sniff(head []byte) bool {
	paths := document.Head(head)
	return len(paths) > 0 && bytes.Contains(head, []byte("speedscope.app/file-format-schema")) ||
		paths["shared.frames"] || paths["profiles.startValue"] || paths["profiles.samples"] && paths["profiles.type"]
}

// Decode reads a file and sends its stacks to sink. It calls open once for each pass. Errors in the
// file are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	d := &decoder{opts: o, names: stacks.NewTable(), trace: trace.Trace{Format: "speedscope", Technique: trace.Sampled}}
	if err := d.reading(open, func() error { return d.tables(ctx) }); err != nil {
		return nil, err
	}
	if d.again {
		d.known, d.profiles, d.methods, d.roles, d.lines, d.kept = d.profiles, nil, nil, nil, nil, 0
		if err := d.reading(open, func() error { return d.tables(ctx) }); err != nil {
			return nil, err
		}
	}
	if err := d.choose(); err != nil {
		return nil, located(-1, err)
	}
	if d.dotNet {
		if err := d.reading(open, func() error { return d.findPeriod(ctx) }); err != nil {
			return nil, err
		}
	}
	d.names.ResolveAmbiguous()
	trace.GiveFirstNames(sink, d.names.Name)
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	trace.GiveNames(sink, d.names.Name)
	d.sink, d.batch = sink, stacks.NewBatch(sink)
	if err := d.reading(open, func() error { return d.samples(ctx) }); err != nil {
		return nil, err
	}
	if err := cmp.Or(d.batch.Flush(), d.flush()); err != nil {
		return nil, err
	}
	return d.finish()
}

// Limits of memory.
const (
	maxFrames   = 1 << 24
	maxWeights  = 1 << 26
	maxProfiles = 1 << 14
	maxDepth    = 1 << 20
	maxEvents   = 1 << 12
)

// A decoder has the tables of a file.
type decoder struct {
	opts    Options
	in      *document.Reader
	names   *stacks.Table
	methods []trace.MethodID
	// roles has the role of each frame. dotNet is set if a recorder of .NET wrote the file. outer has
	// the frames whose method is not known yet.
	roles  []role
	dotNet bool
	outer  []outerFrame
	// period is the time between two samples of a recording of .NET, in nanoseconds, or 0 if unknown.
	period int64
	// lines are the lines of the frames. lined is set if they are the sampled lines, and not the
	// first lines of functions.
	lines    []int32
	lined    bool
	profiles []profile
	// again is set if another pass is needed. known has the profiles that the previous pass read.
	// kept counts the stored weights.
	again bool
	known []profile
	kept  int
	// comparison is set if diffprof wrote the file for a comparison of two runs.
	comparison bool
	// elapsed is set if the recorder measures elapsed time, even if profiles are named CPU.
	elapsed bool
	trace   trace.Trace
	sink    trace.Sink
	batch   *stacks.Batch
	events  []trace.Event
	// newest is the latest time so far.
	newest int64
	sum    int64
	// backward counts events that are earlier than the event before them. stray counts close events
	// of frames that are not open. left counts frames that are never closed. deep counts samples of
	// .NET with more than maxStack frames.
	backward, stray, left, deep int
}

// reading opens the file and calls read, which reads it once from the start.
func (d *decoder) reading(open func() (io.ReadCloser, error), read func() error) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	d.in = document.NewReader(r)
	if err := read(); err != nil {
		return located(d.in.Offset(), err)
	}
	return nil
}

// located adds the position in the file to an error.
func located(offset int64, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &syntax.Error{Format: "speedscope profile", Offset: offset, Err: err}
	if errors.Is(err, document.ErrCut) {
		e.Hint = "fetch it again"
	}
	return e
}

// choose chooses the profiles to read, and the kind of their values.
func (d *decoder) choose() error {
	if len(d.profiles) == 0 {
		return errors.New("the file has no profiles")
	}
	var names []string
	best := other
	for i := range d.profiles {
		p := &d.profiles[i]
		names = append(names, fmt.Sprintf("%q", p.name))
		p.classify(d.opts)
		if d.elapsed && p.kind == cpu {
			p.kind = wall
		}
		if p.chosen = d.opts.SampleType == p.name; p.chosen {
			best = p.kind
		} else if d.opts.SampleType == "" {
			best = min(best, p.kind)
		}
	}
	asked := d.opts.SampleType
	if asked == "" && d.comparison {
		return fmt.Errorf("the file compares two runs; choose one with --sample-type: %s", strings.Join(names, ", "))
	}
	chosen, others := 0, 0
	for i := range d.profiles {
		p := &d.profiles[i]
		if asked == "" {
			p.chosen = p.kind == best
		}
		if p.chosen {
			chosen++
		} else {
			others++
		}
	}
	if chosen == 0 {
		return fmt.Errorf("unknown profile %q; the profiles are %s", asked, strings.Join(names, ", "))
	}
	if others > 0 {
		d.warn("other-profiles", trace.Counted("%d of %d profiles {is|are} not read; --sample-type chooses one by its name", others, len(d.profiles)))
	}
	d.setKind(best)
	return nil
}

// setKind sets the fields of the trace that depend on the kind of the values.
func (d *decoder) setKind(k kind) {
	t := &d.trace
	if k == settled {
		if k = energy; d.opts.Unit.IsTime() {
			k = cpu
		}
	}
	switch k {
	case cpu:
		t.Clock = trace.ThreadCPU
	case wall:
		t.Clock = trace.WallClock
	default:
		t.Energy, t.Accounts = trace.Given, []trace.Account{{Provenance: trace.Given}}
		t.Unstated = k == other
	}
	for i := range d.profiles {
		p := &d.profiles[i]
		if p.chosen {
			p.thread = trace.ThreadID(len(t.Threads))
			t.Threads = append(t.Threads, trace.Thread{ID: int64(i) + 1, Name: p.name})
		}
		if p.chosen && p.unit == "bytes" {
			d.warn("other-unit", "the values are bytes, which is neither energy nor time")
		}
	}
}

// finish completes the trace.
func (d *decoder) finish() (*trace.Trace, error) {
	if d.trace.Events == 0 {
		return nil, located(-1, errors.New("the profiles have no samples"))
	}
	if d.backward > 0 {
		d.warn("backward-clock", trace.Counted("%d {event is|events are} earlier than the preceding one, and {takes|take} no time", d.backward))
	}
	if d.stray > 0 {
		d.warn("unmatched-ends", trace.Counted("%d {frame closes|frames close} without being open, and {is|are} not counted", d.stray))
	}
	if d.left > 0 {
		d.warn("open-at-end", trace.Counted("%d {frame is never closed; it ends with its profile|frames are never closed; they end with their profile}, or with the enclosing frame", d.left))
	}
	if d.deep > 0 {
		d.warn("deep-stacks", trace.Counted("%d {stack has|stacks have} more than %d frames; {its|their} innermost frames are left out", d.deep, maxStack))
	}
	d.trace.Bound = d.bound()
	methods, warnings := d.names.Finish()
	d.trace.Methods = methods
	d.trace.Warnings = append(d.trace.Warnings, warnings...)
	return &d.trace, nil
}

// bound returns the longest time that the chosen profiles can have worked: the sum of their lengths
// from start to end. It returns 0 if a profile lacks its start or end, or if an end is wrong. An
// end is wrong in two cases:
//
//   - The smallest nine tenths of the profile's weights exceed its length.
//   - More than a tenth of its events are after the end.
func (d *decoder) bound() (sum time.Duration) {
	for i := range d.profiles {
		p := &d.profiles[i]
		if !p.chosen || len(p.weights)+p.moments == 0 {
			continue
		}
		start, err := units.Decimal(p.start, p.num, p.den)
		end, failed := units.Decimal(p.end, p.num, p.den)
		if err != nil || failed != nil || end <= start || 10*p.late > p.moments {
			return 0
		}
		slices.Sort(p.weights)
		rest := end - start
		for _, w := range p.weights[:len(p.weights)*9/10] {
			if rest -= w; rest < 0 {
				return 0
			}
		}
		sum += time.Duration(min(end-start, math.MaxInt64-int64(sum)))
	}
	return sum
}

func (d *decoder) warn(code, message string) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: message})
}
