package simpleperf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// A sample is a sample of the report. The innermost frame is first.
type sample struct {
	thread uint32
	event  uint32
	time   uint64
	count  int64
	frames []frame
}

// A frame is an address in a file. symbol is an index in the file's symbols, or -1.
type frame struct {
	address uint64
	file    uint32
	symbol  int32
}

func (s *sample) read(data []byte) error {
	*s = sample{frames: s.frames[:0]}
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			s.time = value
		case 2:
			s.thread = uint32(value)
		case 3:
			var f frame
			err := wire.Each(data, func(number int, value uint64, _ []byte) error {
				switch number {
				case 1:
					f.address = value
				case 2:
					f.file = uint32(value)
				case 3:
					f.symbol = int32(value)
				}
				return nil
			})
			s.frames = append(s.frames, f)
			return err
		case 4:
			s.count = int64(min(value, math.MaxInt64))
		case 5:
			s.event = uint32(value)
		}
		return nil
	})
}

// A decoder has the tables and the current batch.
type decoder struct {
	*tables
	chosen event.Choice
	// elapsed is set if a sample represents the time until the thread's next sample.
	elapsed bool
	held    stacks.Durations
	counter *event.Counter
	batch   *stacks.Batch
	names   *stacks.Table
	// only is the id of the process to read, or -1 for all processes.
	only    int64
	known   map[frame]stacks.Code
	ids     map[uint32]trace.ThreadID
	procs   map[uint32]int
	trace   trace.Trace
	current sample
	codes   []stacks.Code
}

func newDecoder(t *tables, sink trace.Sink, o Options) (*decoder, error) {
	asked, elapsed := o.SampleType, o.SampleType == event.Wall
	if elapsed {
		if asked = ""; !t.tracedWaits() {
			return nil, errors.New("the report has no waiting times; record with simpleperf's --trace-offcpu")
		}
	}
	chosen, err := event.Choose(t.sampled(), asked)
	if err != nil {
		return nil, err
	}
	name := chosen.Name
	if elapsed {
		name = event.Wall
	}
	d := &decoder{
		tables: t, chosen: chosen, elapsed: elapsed, only: -1,
		counter: event.NewCounter(name, event.Known(o.Frequency, 0)),
		batch:   stacks.NewBatch(sink), names: stacks.NewTable(),
		known: make(map[frame]stacks.Code), ids: make(map[uint32]trace.ThreadID), procs: make(map[uint32]int),
		trace: trace.Trace{Format: "simpleperf", VM: "art", Technique: trace.Sampled},
	}
	d.counter.Begin(&d.trace)
	return d, d.keep(o.Process)
}

// keep restricts the decoder to one process, by name or number. If wanted is empty, all processes
// are read.
func (d *decoder) keep(wanted string) error {
	if wanted == "" {
		return nil
	}
	all := d.processes()
	if len(all) < 2 {
		return nil
	}
	i, err := process.Find(all, wanted)
	if err == nil {
		d.only = all[i].ID
	}
	return err
}

// sample reads a sample.
func (d *decoder) sample(data []byte) error {
	s := &d.current
	if err := s.read(data); err != nil {
		return err
	}
	if !d.chosen.Has(int(s.event)) && !(d.elapsed && event.IsScheduler(d.name(s.event))) || d.only >= 0 && int64(d.threads[s.thread].process) != d.only {
		return nil
	}
	d.codes = d.codes[:0]
	for _, f := range slices.Backward(s.frames) {
		d.codes = append(d.codes, d.code(f))
	}
	stack := stacks.Tidy(d.codes)
	thread := d.thread(s.thread)
	if d.elapsed {
		stopped := event.IsScheduler(d.name(s.event))
		return d.held.Next(thread, s.time, stopped, stack, func(time uint64, took int64, did trace.Activity, stack []stacks.Code) error {
			return d.add(thread, time, took, did, stack)
		})
	}
	return d.add(thread, s.time, s.count, trace.UnknownActivity, stack)
}

// add adds a sample to the batch. did is the thread's activity, such as working, if known.
func (d *decoder) add(thread trace.ThreadID, time uint64, count int64, did trace.Activity, stack []stacks.Code) error {
	out := trace.Sample{Time: int64(min(time-min(time, d.first), math.MaxInt64)), Thread: thread, Activity: did}
	if err := d.counter.Charge(&d.trace, &out, count); err != nil {
		return err
	}
	for _, c := range stack {
		d.batch.Push(c.Method, c.Line)
	}
	d.batch.Add(out)
	return nil
}

// code returns the code of a frame.
func (d *decoder) code(f frame) stacks.Code {
	if f.symbol >= 0 && d.files[f.file] != nil {
		f.address = 0 // All addresses in a symbol are the same method.
	}
	c, ok := d.known[f]
	if !ok {
		c = d.newCode(f)
		d.known[f] = c
	}
	return c
}

func (d *decoder) newCode(f frame) stacks.Code {
	file := d.files[f.file]
	if file == nil {
		return stacks.Code{Method: d.names.ID(fmt.Appendf(nil, "%#x", f.address))}
	}
	if f.symbol < 0 || int(f.symbol) >= len(file.symbols) {
		return d.names.Place(file.path, f.address)
	}
	return d.names.Function(file.path, file.symbols[f.symbol])
}

// thread returns a thread's id.
func (d *decoder) thread(id uint32) trace.ThreadID {
	if t, ok := d.ids[id]; ok {
		return t
	}
	known := d.threads[id]
	process, ok := d.procs[known.process]
	if !ok {
		process = len(d.trace.Processes)
		d.procs[known.process] = process
		d.trace.Processes = append(d.trace.Processes, trace.Process{ID: int64(known.process), Name: d.called(known.process)})
	}
	t := trace.ThreadID(len(d.trace.Threads))
	d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: int64(id), Name: known.name, Process: process})
	d.ids[id] = t
	return t
}

// finish completes the trace.
func (d *decoder) finish(cut bool) (*trace.Trace, error) {
	t := &d.trace
	t.Methods, t.Warnings = d.names.Finish()
	d.counter.Finish(t)
	d.batch.Finish(t)
	if d.last > d.first {
		t.Elapsed = time.Duration(min(d.last-d.first, math.MaxInt64))
	}
	warn := func(code, format string, args ...any) {
		t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
	}
	if cut {
		warn("truncated", "the report ends in the middle of a record; symbols come last, so names may be missing")
	}
	if d.lost > 0 {
		warn("lost-samples", "the recorder lost %d {sample|samples}", d.lost)
	}
	t.Warnings = append(t.Warnings, process.Several(t.Processes)...)
	if !d.elapsed {
		t.Warnings = append(t.Warnings, event.Others(d.sampled(), &d.chosen)...)
	}
	slices.SortFunc(t.Warnings, func(a, b trace.Warning) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return t, nil
}
