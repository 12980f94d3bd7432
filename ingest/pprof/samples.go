package pprof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A decoder has the tables and the current batch.
type decoder struct {
	*tables
	reading
	trace   trace.Trace
	names   *stacks.Table
	frames  frames
	threads map[threadKey]trace.ThreadID
	batch   *stacks.Batch
	// sum is the sum of the values. step is the greatest common divisor of the values, or 0 if all
	// values are 0.
	sum, step int64
	// counted is the total time if each sample represents one period. periods is the number of
	// samples for which this is exactly the stated time.
	counted, periods int64
	// unlisted has the methods of locations that the file refers to but does not define, by id.
	unlisted map[uint64]trace.MethodID
	// ids and values are the location ids and the values of the current sample.
	ids    []uint64
	values []int64
}

// A threadKey identifies a thread by the labels of a sample.
type threadKey struct {
	name uint64 // name is the index of a string.
	id   int64
}

func newDecoder(t *tables, r reading, sink trace.Sink) *decoder {
	d := &decoder{
		tables: t, reading: r, batch: stacks.NewBatch(sink),
		names:    stacks.NewTable(),
		threads:  make(map[threadKey]trace.ThreadID),
		unlisted: make(map[uint64]trace.MethodID),
		trace:    trace.Trace{Format: "pprof", Technique: trace.Sampled},
	}
	switch r.quantity {
	case cpu:
		d.trace.Clock = trace.ThreadCPU
	case wall:
		d.trace.Clock = trace.WallClock
	default:
		d.trace.Energy = trace.Given
		d.trace.Accounts = []trace.Account{{Provenance: trace.Given}}
		if r.quantity == plain {
			d.trace.Unstated, d.trace.Weight = true, t.weight(r.at)
		}
	}
	d.frames = t.frames(d.names.ID)
	return d
}

// read reads the samples.
func (d *decoder) read(ctx context.Context, r io.Reader) error {
	in := wire.NewReader(r)
	for {
		_, _, data, err := in.Next(func(number int) bool { return number == fieldSample })
		if err == io.EOF {
			return d.batch.Flush()
		}
		if err == nil && data != nil {
			err = d.sample(data)
		}
		if err != nil {
			return located(in.Offset(), err)
		}
		if d.batch.Full() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := d.batch.Flush(); err != nil {
				return err
			}
		}
	}
}

// sample reads a sample.
func (d *decoder) sample(data []byte) error {
	d.ids, d.values = d.ids[:0], d.values[:0]
	var thread threadKey
	err := wire.Each(data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			d.ids, err = wire.Numbers(d.ids, value, data)
		case 2:
			d.values, err = wire.Numbers(d.values, value, data)
		case 3:
			err = d.label(&thread, data)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(d.values) != len(d.types) {
		return fmt.Errorf("a sample has %d values, and the profile has %d sample types", len(d.values), len(d.types))
	}
	value, err := d.value(d.values)
	if err != nil {
		return err
	}
	if value > math.MaxInt64-d.sum {
		return errors.New("the sum of the values up to here is too large")
	}
	d.sum += value
	d.step = gcd(d.step, value)
	if period := d.periodTime(); period > 0 && d.quantity == cpu && d.counts >= 0 && d.counts != d.at {
		time := units.MulDiv(d.count(d.values), period, 1)
		d.counted += min(time, math.MaxInt64-d.counted)
		if time == value {
			d.periods++
		}
	}
	d.trace.Unthreaded = d.trace.Unthreaded || thread == threadKey{}
	s := trace.Sample{Thread: d.thread(thread), Count: d.count(d.values)}
	th := &d.trace.Threads[s.Thread]
	th.Events++
	switch d.quantity {
	case cpu:
		s.CPU = value
		th.CPU += time.Duration(value)
	case wall:
		s.Wall = value
		th.Wall += time.Duration(value)
	case plain:
		s.Energy = units.Energy(value)
		if d.trace.Weight != "" {
			s.Weight = value
		}
	default:
		s.Energy = units.Energy(value)
	}
	for i := len(d.ids) - 1; i >= 0; i-- {
		d.push(d.ids[i])
	}
	d.batch.Add(s)
	d.trace.Events++
	return nil
}

// push adds the frames of a location to the stack.
func (d *decoder) push(id uint64) {
	at, ok := d.location(id)
	if !ok {
		m, known := d.unlisted[id]
		if !known {
			m = d.names.ID(fmt.Appendf(nil, "location %d", id))
			d.unlisted[id] = m
		}
		d.batch.Push(m, 0)
		return
	}
	from := 0
	if at > 0 {
		from = d.frames.ends[at-1]
	}
	for i := from; i < d.frames.ends[at]; i++ {
		d.batch.Push(d.frames.methods[i], d.frames.lines[i])
	}
}

// label reads a label of a sample. It ignores labels that do not name a thread.
func (d *decoder) label(thread *threadKey, data []byte) error {
	var key, text uint64
	var number int64
	err := wire.Each(data, func(n int, value uint64, _ []byte) error {
		switch n {
		case 1:
			key = value
		case 2:
			text = value
		case 3:
			number = int64(value)
		}
		return nil
	})
	switch strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(d.text(key))) {
	case "thread", "thread name":
		thread.name = text
		thread.id = max(thread.id, number)
	case "tid", "thread id":
		thread.id = number
	}
	return err
}

// thread returns a thread's id. All samples without labels belong to one thread without a name.
func (d *decoder) thread(key threadKey) trace.ThreadID {
	if id, ok := d.threads[key]; ok {
		return id
	}
	id := trace.ThreadID(len(d.trace.Threads))
	th := trace.Thread{ID: key.id, Name: strings.ToValidUTF8(d.text(key.name), "\uFFFD")}
	if key.id <= 0 {
		th.ID = int64(id) + 1
	}
	d.trace.Threads = append(d.trace.Threads, th)
	d.threads[key] = id
	return id
}

// finish completes the trace.
func (d *decoder) finish() (*trace.Trace, error) {
	t := &d.trace
	t.Methods, t.Warnings = d.names.Finish()
	t.Dependencies = dependencies(t, d.frames.sources)
	t.Unlisted = len(d.unlisted)
	if d.time > 0 {
		t.Timeline = []trace.Reading{{Clock: trace.Realtime, Value: d.time}}
	}
	// Some writers put the end time into the field of the duration.
	if d.duration > 0 && (d.time <= 0 || d.duration < d.time) {
		t.Elapsed = time.Duration(d.duration)
	}
	// A value should be the number of samples times the period. If at least nine in ten values are,
	// the others are damaged. If not, the period belongs to other values.
	if 10*d.periods >= 9*t.Events {
		t.Bound = time.Duration(d.counted)
	}
	if period := d.periodTime(); period > 0 && d.step > 0 && d.quantity != energy && d.step%period == 0 {
		t.Interval = time.Duration(period)
	}
	if d.quantity == plain && t.Weight != "" {
		t.Warnings = append(t.Warnings, trace.Warning{
			Code:    "other-unit",
			Message: fmt.Sprintf("the values are %s, which is neither energy nor time", t.Weight),
		})
	}
	if n := d.frames.unnamed; n > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{
			Code:    "no-symbols",
			Message: trace.Counted("%d of %d locations {has|have} no function; symbolize the profile with pprof -proto and the program", n, len(d.locations)),
		})
	}
	if t.Events == 0 {
		return nil, located(-1, errors.New("the profile has no samples"))
	}
	return t, nil
}

// periodTime returns the sampling period in nanoseconds. It is 0 or less if the period is unknown
// or is not a time.
func (d *decoder) periodTime() int64 {
	return d.period * scale(1, d.text(d.periodType.unit), timeUnits[:])
}

// gcd returns the greatest common divisor.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
