package perf

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// A task identifies a thread by the system's ids of its process and of the thread.
type task struct{ process, thread int32 }

// A decoder converts records to samples.
type decoder struct {
	file   *data.File
	survey *survey
	// chosen is the event to read. waits is set if scheduler samples are read too.
	// Each sample then represents the time until the thread's next sample.
	chosen  event.Choice
	waits   bool
	counter *event.Counter
	// only is the id of the process to read, or -1 for all processes.
	only    int32
	frames  *frames
	batch   *stacks.Batch
	trace   trace.Trace
	threads map[task]trace.ThreadID
	procs   map[int32]int
	// names are the names of threads.
	names  map[task]string
	sample data.Sample
	held   stacks.Durations
	// refused is an error that the sink returned.
	refused error
}

func newDecoder(f *data.File, s *survey, sink trace.Sink, o Options) (*decoder, error) {
	d := &decoder{
		file: f, survey: s, only: -1, batch: stacks.NewBatch(sink), frames: newFrames(f, o.Files),
		trace:   trace.Trace{Format: "perf", Technique: trace.Sampled},
		threads: make(map[task]trace.ThreadID), procs: make(map[int32]int), names: make(map[task]string),
	}
	asked := o.SampleType
	if asked == event.Wall {
		if f.Meta["trace_offcpu"] != "true" {
			return nil, errors.New("the recording has no waiting times; record with simpleperf's --trace-offcpu")
		}
		asked, d.waits = "", true
	}
	var err error
	if d.chosen, err = event.Choose(s.events, asked); err != nil {
		return nil, err
	}
	name := d.chosen.Name
	if d.waits {
		name = event.Wall
	}
	d.counter = event.NewCounter(name, event.Known(o.Frequency, f.Frequency()))
	d.counter.Begin(&d.trace)
	return d, d.keep(o.Process)
}

// keep restricts the decoder to one process, by name or number. If wanted is empty, all processes
// are read.
func (d *decoder) keep(wanted string) error {
	switch {
	case wanted == "" || len(d.survey.sampled) == 0:
		return nil
	case len(d.survey.sampled) == 1:
		d.only = d.survey.sampled[0] // A recording of one process is read whole.
		return nil
	}
	var all []trace.Process
	for _, id := range d.survey.sampled {
		all = append(all, trace.Process{ID: int64(id), Name: d.called(id)})
	}
	i, err := process.Find(all, wanted)
	if err == nil {
		d.only = d.survey.sampled[i]
	}
	return err
}

// called returns the name of a process.
func (d *decoder) called(id int32) string {
	return process.Name(d.survey.names[id], d.file.Meta["app_package_name"], len(d.survey.sampled) == 1)
}

// record processes a record.
func (d *decoder) record(r *data.Record) (err error) {
	images := d.frames.images
	switch r.Type {
	case data.SampleType:
		err = d.take(r)
	case data.Mmap, data.Mmap2:
		var m data.Mapping
		// A mapping with a build id is always stored, because the id belongs to the file and other
		// processes may map the same file.
		if m, err = r.Mapping(); err == nil && (r.Kernel() || m.BuildID != "" || d.survey.needed[m.PID]) {
			images.Map(m, r.Kernel())
		}
	case data.Comm:
		var t data.Task
		if t, err = r.Task(); err == nil {
			d.rename(task{t.PID, t.TID}, t.Name)
			if r.Exec() {
				images.Exec(t.PID)
			}
		}
	case data.Fork:
		var t data.Task
		if t, err = r.Task(); err == nil {
			images.Fork(t.PID, t.ParentPID)
			if name, ok := d.names[task{t.ParentPID, t.ParentTask}]; ok {
				d.rename(task{t.PID, t.TID}, name)
			}
		}
	case data.KernelSymbols:
		images.Kallsyms(r.Kallsyms())
	}
	if err != nil && d.refused == nil {
		err = &data.Error{At: r.At, Err: err}
	}
	return err
}

// rename sets the name of a thread.
func (d *decoder) rename(t task, name string) {
	d.names[t] = name
	if id, ok := d.threads[t]; ok {
		d.trace.Threads[id].Name = strings.ToValidUTF8(name, "\uFFFD")
	}
}

// take processes a sample.
func (d *decoder) take(r *data.Record) error {
	s := &d.sample
	if err := d.file.Sample(r, s); err != nil {
		return err
	}
	if !d.chosen.Has(s.Event) && !(d.waits && event.IsScheduler(d.survey.events[s.Event].Name)) || d.only >= 0 && s.PID != d.only {
		return nil
	}
	if s.PID == 0 && d.only != 0 && d.counter.Idle(int64(s.TID)) {
		return nil
	}
	thread := d.thread(task{s.PID, s.TID})
	stack := d.frames.stack(s, r.Kernel())
	if d.waits {
		stopped := event.IsScheduler(d.survey.events[s.Event].Name)
		return d.held.Next(thread, s.Time, stopped, stack, func(time uint64, took int64, did trace.Activity, stack []stacks.Code) error {
			return d.add(thread, time, took, did, stack)
		})
	}
	return d.add(thread, s.Time, s.Period, trace.UnknownActivity, stack)
}

// add adds a sample to the batch. did is the thread's activity, such as working, if known.
func (d *decoder) add(thread trace.ThreadID, time uint64, count int64, did trace.Activity, stack []stacks.Code) error {
	out := trace.Sample{Time: int64(min(time-min(time, d.survey.first), math.MaxInt64)), Thread: thread, Activity: did}
	if err := d.counter.Charge(&d.trace, &out, count); err != nil {
		return err
	}
	for _, c := range stack {
		d.batch.Push(c.Method, c.Line)
	}
	d.batch.Add(out)
	if d.batch.Full() {
		return d.flush()
	}
	return nil
}

func (d *decoder) flush() error {
	d.refused = d.batch.Flush()
	return d.refused
}

// thread returns a thread's id.
func (d *decoder) thread(t task) trace.ThreadID {
	if id, ok := d.threads[t]; ok {
		return id
	}
	process, ok := d.procs[t.process]
	if !ok {
		process = len(d.trace.Processes)
		d.procs[t.process] = process
		d.trace.Processes = append(d.trace.Processes, trace.Process{ID: int64(t.process), Name: d.called(t.process)})
	}
	name, ok := d.names[t]
	if !ok {
		name = d.names[task{t.process, t.process}]
	}
	if t == (task{}) {
		// Each core has its own idle task, and all idle tasks have the number 0.
		name, d.trace.Unthreaded = cmp.Or(name, "swapper"), true
	}
	id := trace.ThreadID(len(d.trace.Threads))
	d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: int64(t.thread), Name: strings.ToValidUTF8(name, "\uFFFD"), Process: process})
	d.threads[t] = id
	return id
}

// finish completes the trace. late is the number of records that are out of order.
func (d *decoder) finish(late int64) *trace.Trace {
	t := &d.trace
	t.Methods, t.Warnings = d.frames.names.Finish()
	for m, file := range d.frames.sources {
		t.Methods[m] = t.Methods[m].At(file, t.Methods[m].Line)
	}
	t.CodeUnits = d.frames.units()
	t.Cores = d.file.Cores
	d.counter.Finish(t)
	d.batch.Finish(t)
	if d.file.Meta["android_sdk_version"] != "" || d.frames.java {
		t.VM = "art"
	}
	// The property has the manufacturer, the model and the product's name.
	if maker, rest, ok := strings.Cut(d.file.Meta["product_props"], ":"); ok {
		model, _, _ := strings.Cut(rest, ":")
		t.Device = strings.ToValidUTF8(strings.TrimSpace(maker+" "+model), "\uFFFD")
	}
	if s := d.survey; s.last > s.first {
		t.Elapsed = time.Duration(min(s.last-s.first, math.MaxInt64))
	}
	if a := &d.file.Attributes[d.chosen.First]; a.Monotonic() && d.survey.first < math.MaxInt64 {
		t.Timeline = []trace.Reading{{Clock: trace.Monotonic, Value: int64(d.survey.first)}}
	}
	warn := func(n int64, code, format string, args ...any) {
		if n > 0 {
			t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
		}
	}
	if d.file.Cut {
		warn(1, "truncated", "the file ends within its records or the sections after them; names of functions may be missing")
	}
	warn(d.survey.lost, "lost-samples", "the recorder lost %d {sample|samples}", d.survey.lost)
	if a := &d.file.Attributes[d.chosen.First]; a.Unwound() && !d.file.Simpleperf {
		warn(1, "callers", "the recording has copies of stacks (--call-graph dwarf), which are not unwound: callers in programs are unknown; "+
			"read the output of perf script, or record with --call-graph fp")
	}
	warn(late, "out-of-order", "%d {record|records} came later than perf guarantees, and may have the wrong functions", late)
	warn(d.frames.images.Refused, "many-mappings", "%d {mapping of a file exceeds|mappings of files exceed} the limit of 65536 of a process or 2097152 in all, and {was|were} left out", d.frames.images.Refused)
	t.Warnings = slices.Concat(t.Warnings, process.Several(t.Processes), d.frames.warnings())
	if !d.waits {
		t.Warnings = append(t.Warnings, event.Others(d.survey.events, &d.chosen)...)
	}
	slices.SortStableFunc(t.Warnings, func(a, b trace.Warning) int { return cmp.Compare(a.Code, b.Code) })
	return t
}
