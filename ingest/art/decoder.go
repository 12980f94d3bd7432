package art

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/trace"
)

const (
	// streaming is the flag in the version number that marks streaming files.
	streaming = 0xf0
	// dualSize is the size of a record with two clocks.
	dualSize = 14
	// batchSize is the number of events in a batch for the sink.
	batchSize = 1024
	// maxSpan limits the sum of the times of all threads, in nanoseconds, so that sums in later
	// stages cannot overflow for a damaged file.
	maxSpan = 1 << 62
)

// A decoder reads one trace.
type decoder struct {
	in   window
	sink trace.Sink
	opts Options

	tr      trace.Trace
	methods methods
	threads threads
	// unit is one tick of the file's clocks.
	unit    time.Duration
	started bool
	shape   technique

	batch [batchSize]trace.Event
	n     int
	flows *flows.Weaver

	invalid, unknownEvents      int64 // These count skipped records and events of unknown methods.
	cpuBackwards, wallBackwards int64 // These count clock readings.
	badRows                     int
	declared                    int64 // declared is num-method-calls of the header, or -1 if it is not stated.
	inSummary, ended            bool  // inSummary is set while the summary at the end is read. ended is set after it.
	truncated                   bool  // truncated is set if the file is truncated and Options.Partial allows it.
}

func newDecoder(ctx context.Context, r io.Reader, sink trace.Sink, o Options) *decoder {
	return &decoder{
		in:       window{ctx: ctx, r: r},
		sink:     sink,
		opts:     o,
		unit:     time.Microsecond,
		declared: -1,
		tr:       trace.Trace{Format: "art"},
	}
}

// start passes the clocks to the sink. It is called before the first batch, as soon as the clocks
// are known.
func (d *decoder) start(clock trace.Clock) {
	d.tr.Clock = clock
	d.started = true
	trace.Start(d.sink, clock, trace.NoEnergy)
	trace.GiveNames(d.sink, d.methods.name)
	if d.opts.Flows != nil {
		d.flows = d.opts.Flows.Weave(d.sink, clock, func(id trace.ThreadID) (recorded, cpu int64) {
			th := &d.threads.list[id]
			return th.id, th.firstCPU * int64(d.unit)
		})
	}
}

// setStart records the machine's clock at the start of the trace. Dalvik states the time of day.
// ART states the time since the machine started.
func (d *decoder) setStart(start uint64, unit time.Duration) {
	clock := trace.Monotonic
	if d.tr.VM == "dalvik" {
		clock = trace.Realtime
	}
	if start > 0 && start <= uint64(math.MaxInt64/unit) {
		d.tr.Timeline = []trace.Reading{{Clock: clock, Value: int64(start) * int64(unit)}}
	}
}

// flush sends the batch to the sink.
func (d *decoder) flush() error {
	batch := d.batch[:d.n]
	d.n = 0
	if len(batch) == 0 {
		return nil
	}
	d.shape.observe(batch)
	d.unknownEvents += d.methods.addUnknownIn(batch)
	if d.flows != nil {
		return d.flows.Events(batch)
	}
	return d.sink.Events(batch)
}

// total counts the events so far.
func (d *decoder) total() int64 {
	var sum int64
	for i := range d.threads.list {
		sum += d.threads.list[i].events
	}
	return sum
}

// finish flushes the batch and makes the Trace.
func (d *decoder) finish() (*trace.Trace, error) {
	if err := d.flush(); err != nil {
		return nil, err
	}
	t := &d.tr
	t.Skew = time.Duration(d.threads.skew) * d.unit
	t.Threads = d.threads.table(d.unit)
	switch events := span(d.threads.newest, d.unit); {
	case t.Clock&trace.WallClock == 0:
	case t.Elapsed == 0, d.truncated && t.Elapsed > events:
		// t.Elapsed is the length of the run in the header. It is 0 if the header lacks it, and too
		// long if the file is truncated.
		t.Elapsed = events
	}
	var span uint64
	for _, th := range t.Threads {
		t.Events += th.Events
		// Each term is below 2^63, so span cannot wrap around before this check.
		if span += uint64(max(th.CPU, th.Wall)); span > maxSpan {
			return nil, d.fail(-1, errors.New("clock readings that add up to more than 146 years"), hintBinary)
		}
	}
	t.Methods = d.methods.list
	t.Unlisted = d.methods.unknown
	t.Technique = d.shape.verdict(t.Clock)
	// Each Enter is a call, unless a sampler wrote the records.
	t.Calls = trace.CountedCalls
	if t.Technique == trace.Sampled {
		t.Calls = trace.EstimatedCalls
		t.Interval = d.shape.interval()
	}
	d.report()
	if d.flows != nil {
		if err := d.flows.Finish(t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// report adds a warning for each kind of damage that was counted.
func (d *decoder) report() {
	if d.tr.Overflow {
		d.warn("overflow", "the recorder's buffer was full: the end of the run is missing")
	}
	if n := d.methods.unknown; n > 0 {
		d.warn("unknown-methods", "%s of %s missing from the method table", count(d.unknownEvents, "event"), count(int64(n), "method"))
	}
	if n := d.threads.unlisted; n > 0 {
		d.warn("unlisted-threads", "%s missing from the thread table", count(int64(n), "thread"))
	}
	if n := d.cpuBackwards; n > 0 {
		d.warn("clock-backwards", "the thread clock ran backwards at %s; it counts as stopped there", count(n, "event"))
	}
	if n := d.wallBackwards; n > 0 {
		d.warn("wall-backwards", "the wall clock ran backwards at %s; it counts as stopped there", count(n, "event"))
	}
	if n := d.invalid; n > 0 {
		d.warn("invalid-records", "%s without a valid action or never written, not counted", count(n, "record"))
	}
	if d.badRows > 0 {
		d.warn("table-rows", "%s of the method and thread tables could not be read", count(int64(d.badRows), "row"))
	}
}

func (d *decoder) warn(code, format string, args ...any) {
	d.tr.Warnings = append(d.tr.Warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// count formats a number with its noun, in the plural unless n is 1.
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// addMethod adds a method from a row "id<TAB>class<TAB>…" of the table.
func (d *decoder) addMethod(row string) error {
	column, rest, ok := strings.Cut(row, "\t")
	id, valid := parseID(column)
	if !ok || !valid {
		d.badRows++
		return nil
	}
	// Records store 32 bits of the id. The lowest two bits hold the action.
	return d.bindMethod(uint64(uint32(id)&^3), rest)
}

func (d *decoder) bindMethod(id uint64, row string) error {
	if len(d.methods.list) >= maxMethods {
		return d.fail(d.in.offset(), fmt.Errorf("more than %d methods", maxMethods), "")
	}
	d.methods.add(id, parseMethod(utf8Name(row)))
	return nil
}

// unlisted adds a method that events refer to but the table does not list.
func (d *decoder) unlisted(id uint64) error {
	if d.methods.unknown >= maxUnlisted {
		return d.fail(d.in.offset(), fmt.Errorf("more than %d methods are missing from the method table", maxUnlisted), hintBinary)
	}
	d.methods.addUnknown(id)
	return nil
}
