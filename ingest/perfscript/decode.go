package perfscript

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// maxFrames limits the number of frames per sample.
const maxFrames = 1 << 20

// maxAddress is larger than all addresses within a file. Larger addresses are in memory, and differ
// between runs.
const maxAddress = 1 << 32

// A decoder converts the text to samples.
type decoder struct {
	survey  *survey
	chosen  event.Choice
	only    int64 // only is the id of the process to read, or -1 for all processes.
	period  int64 // period is the value of samples that state no count.
	counter *event.Counter
	names   *stacks.Table
	batch   *stacks.Batch
	trace   trace.Trace
	threads map[thread]trace.ThreadID
	// open is set while a sample of the chosen event is read. current is that sample, count is its
	// value, and codes are its frames, the innermost first.
	open    bool
	current trace.Sample
	count   int64
	codes   []stacks.Code
	// top is set while the latest frame is at the sampled instruction: the innermost frame, and the
	// functions that it was inlined into. inlined is set after an inlined frame.
	top, inlined bool
	// known caches the code of frames by their text. key is a buffer for such a text.
	known   map[string]stacks.Code
	key     []byte
	refused error
}

// A thread identifies a thread by its id and its process's id. If the text has no process ids, the
// thread's name is used instead.
type thread struct {
	process, thread int64
	name            string
}

func newDecoder(s *survey, sink trace.Sink, o Options) (*decoder, error) {
	d := &decoder{
		survey: s, only: -1, names: stacks.NewTable(), batch: stacks.NewBatch(sink),
		trace:   trace.Trace{Format: "perf-script", Technique: trace.Sampled},
		threads: make(map[thread]trace.ThreadID), known: make(map[string]stacks.Code),
	}
	var err error
	if d.chosen, err = event.Choose(s.events, o.SampleType); err != nil {
		return nil, err
	}
	name := s.events[d.chosen.First].Name
	if d.period = s.periods[name]; d.period == 0 && event.IsClock(name) {
		d.period = s.period
	}
	if s.uncounted[name] && (d.period == 0 || !event.IsClock(name)) {
		name, d.period = "samples", 1
	} else {
		name = d.chosen.Name
	}
	d.counter = event.NewCounter(name, event.Known(o.Frequency, s.processor))
	d.counter.Begin(&d.trace)
	if s.numbered {
		d.trace.Processes = s.processes
	}
	switch {
	case o.Process == "" || len(d.trace.Processes) == 0:
	case len(d.trace.Processes) == 1:
		d.only = s.processes[0].ID // A recording of one process is read whole.
	default:
		i, err := process.Find(s.processes, o.Process)
		if err != nil {
			return nil, err
		}
		d.only = s.processes[i].ID
	}
	return d, nil
}

func (d *decoder) comment([]byte) {}

// sample begins a sample.
func (d *decoder) sample(s sample) error {
	if !d.chosen.Has(d.survey.byName[string(s.event)]) || d.only >= 0 && s.process != d.only {
		return nil
	}
	if d.only != 0 && d.counter.Idle(s.thread) {
		return nil
	}
	d.open, d.codes = true, d.codes[:0]
	d.current = trace.Sample{Time: s.time - d.survey.first, Thread: d.thread(s)}
	if d.count = s.count; d.period > 0 && d.survey.uncounted[d.survey.events[d.chosen.First].Name] {
		d.count = d.period
	}
	return nil
}

// frame adds a frame to the sample.
func (d *decoder) frame(f frame) error {
	if !d.open {
		return nil
	}
	if len(d.codes) == maxFrames {
		return fmt.Errorf("a sample has more than %d frames", maxFrames)
	}
	d.top = len(d.codes) == 0 || d.top && d.inlined
	d.inlined = string(f.file) == "inlined"
	d.codes = append(d.codes, d.code(f))
	return nil
}

// line sets the line of the latest frame.
func (d *decoder) line(number int32, inlined bool) {
	if !d.open || len(d.codes) == 0 {
		return
	}
	d.inlined = d.inlined || inlined
	if d.top || d.survey.dwarf {
		d.codes[len(d.codes)-1].Line = number
	}
}

// code returns the code of a frame. It caches codes, because most frames occur often and demangling
// is slow.
func (d *decoder) code(f frame) stacks.Code {
	d.key = append(append(append(d.key[:0], f.file...), 0), f.symbol...)
	unnamed := len(f.symbol) == 0 || string(f.symbol) == stacks.Unknown
	if unnamed && f.addressed && f.address < maxAddress {
		d.key = binary.LittleEndian.AppendUint64(append(d.key, 0), f.address)
	}
	c, ok := d.known[string(d.key)]
	if !ok {
		c = d.newCode(f, unnamed)
		d.known[string(d.key)] = c
	}
	return c
}

func (d *decoder) newCode(f frame, unnamed bool) stacks.Code {
	file := string(f.file)
	nowhere := f.file == nil || file == stacks.Unknown
	switch {
	case unnamed && (nowhere || file == "//anon" || file == "[heap]" || file == "[stack]"):
		return d.names.Nowhere()
	case unnamed && f.addressed && f.address < maxAddress:
		return d.names.Place(file, f.address)
	case unnamed:
		c := d.names.Function(file, stacks.Unknown)
		c.Kind = stacks.Unnamed
		return c
	case nowhere || file == "inlined":
		return stacks.Code{Method: d.names.ID([]byte(stacks.Demangle(string(f.symbol))))}
	}
	return d.names.Function(file, string(f.symbol))
}

// end ends a sample.
func (d *decoder) end() error {
	if !d.open {
		return nil
	}
	d.open = false
	if err := d.counter.Charge(&d.trace, &d.current, d.count); err != nil {
		return err
	}
	slices.Reverse(d.codes)
	for _, c := range stacks.Tidy(d.codes) {
		d.batch.Push(c.Method, c.Line)
	}
	d.batch.Add(d.current)
	if d.batch.Full() {
		d.refused = d.batch.Flush()
	}
	return d.refused
}

// thread returns the id of a sample's thread.
func (d *decoder) thread(s sample) trace.ThreadID {
	key := thread{process: s.process, thread: s.thread}
	if s.process < 0 {
		key.name = string(s.name)
	}
	id, ok := d.threads[key]
	if !ok {
		id = trace.ThreadID(len(d.trace.Threads))
		d.trace.Threads = append(d.trace.Threads, trace.Thread{ID: s.thread, Name: text(s.name), Process: d.process(s.process)})
		d.threads[key] = id
		// Each core has its own idle task, and all idle tasks have the number 0.
		d.trace.Unthreaded = d.trace.Unthreaded || s.thread <= 0
	}
	return id
}

// process returns the index of a process.
func (d *decoder) process(id int64) int {
	if len(d.trace.Processes) == 0 {
		return 0
	}
	return d.survey.byID[id]
}

// finish completes the trace. skipped is the number of lines that were not recognized.
func (d *decoder) finish(skipped int64) *trace.Trace {
	t := &d.trace
	t.Methods, t.Warnings = d.names.Finish()
	d.counter.Finish(t)
	d.batch.Finish(t)
	for _, c := range d.known {
		if c.Kind == stacks.Interpreted || c.Kind == stacks.Compiled {
			t.VM = "art"
		}
	}
	t.Elapsed = time.Duration(d.survey.last - d.survey.first)
	warn := func(n int64, code, format string, args ...any) {
		if n > 0 {
			t.Warnings = append(t.Warnings, trace.Warning{Code: code, Message: trace.Counted(format, args...)})
		}
	}
	warn(skipped, "skipped-lines", "%d {line is|lines are} neither samples nor frames, and {was|were} skipped", skipped)
	if d.only < 0 {
		t.Warnings = append(t.Warnings, process.Several(t.Processes)...)
	}
	t.Warnings = append(t.Warnings, event.Others(d.survey.events, &d.chosen)...)
	slices.SortStableFunc(t.Warnings, func(a, b trace.Warning) int { return cmp.Compare(a.Code, b.Code) })
	return t
}
