package firefox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// offset returns the time from the start of the first process to the start of p.
func (d *decoder) offset(p *part) int64 {
	if p.start <= 0 {
		return 0
	}
	return p.start - d.epoch
}

// emit sends signals and samples to the sink.
func (d *decoder) emit(ctx context.Context, sink trace.Sink) error {
	t := &d.trace
	switch d.quantity {
	case energy, plain:
		t.Energy, t.Accounts, t.Unstated = trace.Given, []trace.Account{{Provenance: trace.Given}}, d.quantity == plain
	case cpu:
		t.Clock = trace.ThreadCPU | trace.WallClock
	default:
		t.Clock = trace.WallClock
	}
	origin := int64(math.MaxInt64)
	processes := make(map[processKey]int)
	for _, th := range d.threads {
		d.list(th, processes)
	}
	if err := d.keep(d.opts.Process); err != nil {
		return located(-1, err)
	}
	for _, th := range d.threads {
		if len(th.time) > 0 {
			origin = min(origin, th.time[0]+d.offset(th.part))
		}
	}
	if origin == math.MaxInt64 {
		origin = 0
	}
	if t.Clock != 0 {
		for _, c := range d.counters {
			t.Tracks = append(t.Tracks, c.track())
		}
		if d.epoch > 0 {
			t.Timeline = []trace.Reading{{Clock: trace.Realtime, Value: d.epoch + origin}}
		}
	}
	d.names.ResolveAmbiguous()
	trace.GiveFirstNames(sink, d.names.Name)
	trace.Start(sink, t.Clock, t.Energy)
	if to := trace.Signals(sink); to != nil && len(t.Tracks) > 0 {
		if err := d.emitSignals(to, origin); err != nil {
			return err
		}
	}
	batch := stacks.NewBatch(sink)
	r := run{decoder: d, batch: batch, origin: origin}
	for i, th := range d.threads {
		if err := r.thread(ctx, trace.ThreadID(i), th); err != nil {
			return err
		}
	}
	if d.backward > 0 {
		d.warn("backward-clock", trace.Counted("%d {sample is|samples are} earlier than the preceding sample, and {gets|get} the time of that sample", d.backward))
	}
	if d.lost > 0 {
		d.warn("lost-frames", trace.Counted("%d {stack refers to a frame that is|stacks refer to frames that are} not in the file; {the frame is|the frames are} unknown", d.lost))
	}
	if d.rootless > 0 {
		d.warn("lost-callers", trace.Counted("%d {stack has|stacks have} no valid caller; {it begins|they begin} there", d.rootless))
	}
	if d.strayed > 0 {
		d.warn("lost-stacks", trace.Counted("%d {sample refers to a stack that is|samples refer to stacks that are} not in the file; {its stack is|their stacks are} unknown", d.strayed))
	}
	if r.others > 0 {
		d.warn("other-threads", trace.Counted("%d {thread has|threads have} samples that may have another unit than the samples that are read, and {is|are} not read", r.others))
	}
	return batch.Flush()
}

// A processKey identifies a process in a profile of several parts. The parts may use equal ids.
type processKey struct {
	part *part
	id   int64
}

// keep drops the samples of all processes except the one called wanted.
func (d *decoder) keep(wanted string) error {
	if wanted == "" {
		return nil
	}
	at, err := process.Find(d.trace.Processes, wanted)
	if err != nil {
		return err
	}
	for i, th := range d.threads {
		if d.trace.Threads[i].Process != at {
			th.stack, th.time = nil, nil
		}
	}
	return nil
}

// list adds a thread to the trace, with its process.
func (d *decoder) list(th *thread, processes map[processKey]int) {
	out := trace.Thread{ID: th.id, Name: th.name}
	key := processKey{th.part, th.processID}
	at, ok := processes[key]
	if !ok {
		at = len(d.trace.Processes)
		processes[key] = at
		id := th.processID
		if id == none {
			id = int64(at) + 1
		}
		d.trace.Processes = append(d.trace.Processes, trace.Process{ID: id, Name: th.processName})
	}
	out.Process = at
	d.trace.Threads = append(d.trace.Threads, out)
}

// A run sends the samples of the profile.
type run struct {
	*decoder
	batch  *stacks.Batch
	origin int64
	// newest is the latest time so far, and sum is the sum of all values. others counts the threads
	// that are skipped because their samples have another unit.
	newest, sum int64
	others      int
}

// reads reports whether a thread's samples have the quantity that is read.
func (r *run) reads(th *thread) bool {
	switch r.quantity {
	case energy:
		return th.quantity == energy
	case plain: // The units of several threads may differ.
		return th.quantity == plain && r.trace.Events == 0
	}
	return th.quantity == cpu || th.quantity == wall
}

// thread sends the samples of a thread.
func (r *run) thread(ctx context.Context, id trace.ThreadID, th *thread) error {
	if len(th.stack) == 0 {
		return nil
	}
	if !r.reads(th) {
		r.others++
		return nil
	}
	if r.trace.Interval == 0 {
		r.trace.Interval = time.Duration(max(0, th.part.interval))
	}
	for i, stack := range th.stack {
		if r.batch.Full() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.batch.Flush(); err != nil {
				return err
			}
		}
		if err := r.sample(id, th, i, stack); err != nil {
			return located(-1, fmt.Errorf("thread %q: sample %d: %w", th.name, i, err))
		}
	}
	return nil
}

// sample sends a sample.
func (r *run) sample(id trace.ThreadID, th *thread, i int, stack int64) error {
	frame := int32(stacks.NoFrame)
	if stack != none {
		frame = int32(max(min(stack, math.MaxInt32), math.MinInt32))
	}
	if frame != stacks.NoFrame && (frame < 0 || int(frame) >= th.paths.Len()) {
		r.strayed++
		r.batch.Push(r.names.ID([]byte(stacks.Unknown)), 0)
	} else if err := th.paths.Push(r.batch, frame); err != nil {
		return err
	}
	out := trace.Sample{Thread: id, Count: 1}
	to := &r.trace.Threads[id]
	value := int64(0)
	switch r.quantity {
	case energy, plain:
		value = units.MulDiv(max(0, th.weight.at(int64(i))), th.num, th.den)
		out.Energy = units.Energy(value)
	case cpu:
		if n := th.cpu.at(int64(i)); n > 0 && n < math.MaxInt64/th.part.ticks {
			out.CPU = n * th.part.ticks
		}
		// samply on macOS counts all work of the thread before its first sample, most of which was
		// done before the recording. Two intervals allow for a late sample.
		if interval := th.part.interval; i == 0 && interval > 0 && out.CPU/2 > interval {
			out.CPU = 2 * interval
		}
		to.CPU += time.Duration(out.CPU)
		fallthrough
	default:
		out.Wall = th.wall(i)
		value = max(out.Wall, out.CPU)
		to.Wall += time.Duration(out.Wall)
		if at := th.time.at(int64(i)); at != none {
			out.Time = max(0, at+r.offset(th.part)-r.origin)
		}
	}
	if value < 0 || value > math.MaxInt64-r.sum {
		return errors.New("a weight is negative, or the sum of them is too large")
	}
	r.sum += value
	r.newest = max(r.newest, out.Time)
	r.trace.Skew = max(r.trace.Skew, time.Duration(r.newest-out.Time))
	r.trace.Elapsed = max(r.trace.Elapsed, time.Duration(out.Time+out.Wall))
	to.Events++
	r.trace.Events++
	r.batch.Add(out)
	return nil
}

// wall returns the elapsed time of sample i: its weight, or the time to the next sample if there
// are no weights. If the thread has processor times, the weights count samples and are not used.
func (t *thread) wall(i int) int64 {
	interval := max(0, t.part.interval)
	at := int64(i)
	if t.weight != nil && t.quantity != cpu {
		n := t.weight.at(at)
		switch {
		case n == none:
			return 0
		case t.weightType == "tracing-ms":
			return t.fine.at(at)
		case n > 0 && n > math.MaxInt64/max(interval, 1):
			return math.MaxInt64
		}
		return n * interval
	}
	if now, next := t.time.at(at), t.time.at(at+1); now != none && next != none {
		return next - now
	}
	return interval
}
