// Package speedscope reads speedscope's own file format, which py-spy, rbspy, stackprof,
// dotnet-trace and many others write. docs/formats/speedscope.md describes it.
//
// A file has frames and several profiles. A profile is a list of stacks with weights, or a
// list of frames that open and close at values; the value between two of those belongs to
// the stack that is open. Profiles of one kind are read together, a thread each; which
// kind is what [Options].SampleType says, else the first there is of: energy, processor
// time, elapsed time, other values.
//
// The format states a unit of time, bytes or none. The name of a profile says more: it is of
// energy if it ends in a unit of energy in parentheses, as in "app.trace (nJ)", and of
// processor time if it has the word CPU. Values without a unit are in Options.Unit.
//
// A file is read twice, since the weights of a profile stand behind its samples, and the
// frames may stand behind the profiles. Weights are kept, 8 bytes for each sample.
package speedscope

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/diffprof/diffprof/ingest/document"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Options say what to read.
type Options struct {
	// SampleType is the name of a profile; empty is every profile of the first kind.
	SampleType string
	// Unit is that of values without one, Voltage turns charge into energy.
	Unit    units.ValueUnit
	Voltage units.Voltage
}

// Sniff says whether a file begins as one of speedscope does.
func Sniff(head []byte) bool {
	paths := document.Head(head)
	return len(paths) > 0 && bytes.Contains(head, []byte("speedscope.app/file-format-schema")) ||
		paths["shared.frames"] || paths["profiles.startValue"] || paths["profiles.samples"] && paths["profiles.type"]
}

// Decode reads a file, which open opens once for each reading, and hands its stacks to
// sink. Errors of the file are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	d := &decoder{opts: o, names: stacks.NewTable(), trace: trace.Trace{Format: "speedscope", Technique: trace.Sampled}}
	if err := d.reading(open, func() error { return d.tables(ctx) }); err != nil {
		return nil, err
	}
	if d.again {
		d.known, d.profiles, d.methods, d.kept = d.profiles, nil, nil, 0
		if err := d.reading(open, func() error { return d.tables(ctx) }); err != nil {
			return nil, err
		}
	}
	if err := d.choose(); err != nil {
		return nil, located(-1, err)
	}
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

// The bounds of what is kept.
const (
	maxFrames   = 1 << 24
	maxWeights  = 1 << 26
	maxProfiles = 1 << 14
	maxDepth    = 1 << 20
	maxEvents   = 1 << 12
)

// A decoder holds the tables of a file.
type decoder struct {
	opts     Options
	in       *document.Reader
	names    *stacks.Table
	methods  []trace.MethodID
	profiles []profile
	// again is set where the file has to be read once more, known has the profiles of the
	// reading before, kept counts weights.
	again bool
	known []profile
	kept  int
	// comparison is set where diffprof wrote the file, of two runs.
	comparison bool
	trace      trace.Trace
	sink       trace.Sink
	batch      *stacks.Batch
	events     []trace.Event
	// newest is the latest moment so far.
	newest int64
	sum    int64
	// backward counts events that come before the one ahead of them, stray closes of frames
	// that are not open, left frames that nothing closes.
	backward, stray, left int
}

// reading reads the file once.
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

// located says where the file is wrong.
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

// choose says which profiles are read, and as what.
func (d *decoder) choose() error {
	if len(d.profiles) == 0 {
		return errors.New("there are no profiles in the file")
	}
	var names []string
	best := other
	for i := range d.profiles {
		p := &d.profiles[i]
		names = append(names, fmt.Sprintf("%q", p.name))
		p.classify(d.opts)
		if p.chosen = d.opts.SampleType == p.name; p.chosen {
			best = p.kind
		} else if d.opts.SampleType == "" {
			best = min(best, p.kind)
		}
	}
	asked := d.opts.SampleType
	if asked == "" && d.comparison {
		return fmt.Errorf("the file is a comparison of two runs; choose one with --sample-type: %s", strings.Join(names, ", "))
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
		return fmt.Errorf("no profile is called %q; the file has %s", asked, strings.Join(names, ", "))
	}
	if others > 0 {
		d.warn("other-profiles", trace.Counted("%d of %d profiles {is|are} not read; --sample-type reads one by its name", others, len(d.profiles)))
	}
	d.carry(best)
	return nil
}

// carry says what the samples carry.
func (d *decoder) carry(k kind) {
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
		d.warn("backward-clock", trace.Counted("%d {event comes|events come} before the one ahead of {it|them}, and {takes|take} no time", d.backward))
	}
	if d.stray > 0 {
		d.warn("unmatched-ends", trace.Counted("%d {frame closes that is|frames close that are} not open, and {is|are} not counted", d.stray))
	}
	if d.left > 0 {
		d.warn("open-at-end", trace.Counted("%d {frame is never closed; it ends with its profile|frames are never closed; they end with their profile}, or with the frame around {it|them}", d.left))
	}
	methods, warnings := d.names.Finish()
	d.trace.Methods = methods
	d.trace.Warnings = append(d.trace.Warnings, warnings...)
	return &d.trace, nil
}

func (d *decoder) warn(code, message string) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: message})
}
