package jfr

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// These are the events that the decoder reads.
const (
	executionSample = "jdk.ExecutionSample"
	cpuTimeSample   = "jdk.CPUTimeSample"
	wallClockSample = "profiler.WallClockSample"
	datadogSample   = "datadog.ExecutionSample"
	datadogConfig   = "datadog.DatadogProfilerConfig"
	nativeSample    = "jdk.NativeMethodSample"
	activeSetting   = "jdk.ActiveSetting"
	activeRecording = "jdk.ActiveRecording"
	cpuInformation  = "jdk.CPUInformation"
	cpuLoad         = "jdk.CPULoad"
	threadCPULoad   = "jdk.ThreadCPULoad"
	threadStart     = "jdk.ThreadStart"
)

// A decoder reads a recording.
type decoder struct {
	src    io.ReaderAt
	batch  *stacks.Batch
	opts   Options
	chunks []header
	trace  trace.Trace
	// counts has the number of events with each name. states has the number of jdk.ExecutionSample
	// events with each state.
	counts   map[string]int
	states   [numStates]int
	settings settings
	loads    loads
	// event is the name of the events that are read as samples. elapsed is set if they represent
	// elapsed time.
	event   string
	elapsed bool
	// doubtful is set if some of the samples' time is perhaps not work. Threads whose processor
	// time the JVM measured are never doubtful. unknown is the doubtful processor time.
	doubtful bool
	unknown  int64
	gaps     gaps
	// cpu is the state of the jdk.ExecutionSample events that represent processor time.
	cpu      state
	interval int64
	// values has the time of one sample, for each thread whose processor time the JVM measured. own
	// has the same times by ThreadID, with 0 for the threads that the JVM did not measure.
	values  map[trace.Thread]int64
	own     []int64
	names   *stacks.Table
	threads map[trace.Thread]trace.ThreadID
	sum     int64
}

// settings has the recording's settings about samples. Durations are in nanoseconds, or 0 if not
// stated.
type settings struct {
	event string // event is async-profiler's setting "event": cpu, ctimer, itimer or wall.
	// interval is async-profiler's interval of the setting event. wall is its interval for elapsed
	// time, if it samples elapsed time too. period is the JVM's interval.
	interval, wall, period int64
	// datadog is the interval of Datadog's samples.
	datadog int64
}

// A state is the state of a sampled thread.
type state uint8

// The states.
const (
	other state = iota
	// processor is the state of samples that were triggered by a clock of processor time.
	processor
	running
	sleeping
	numStates
)

// state returns the state with a number in the pools. async-profiler 3 and later uses STATE_DEFAULT
// for samples of processor time. Other recorders use STATE_DEFAULT for runnable threads.
func (p *pools) state(number int64) state {
	switch text := p.string(p.states[number]); {
	case text == "STATE_DEFAULT":
		return processor
	case strings.HasSuffix(text, "RUNNABLE"):
		return running
	case strings.Contains(text, "SLEEPING"), strings.Contains(text, "WAIT"), strings.Contains(text, "PARKED"), strings.Contains(text, "BLOCKED"):
		return sleeping
	}
	return other
}

// activity returns the activity of a thread in a sample of elapsed time.
func (s state) activity() trace.Activity {
	switch s {
	case processor, running:
		return trace.Working
	case sleeping:
		return trace.Waiting
	}
	return trace.UnknownActivity
}

func newDecoder(src io.ReaderAt, sink trace.Sink, o Options) *decoder {
	return &decoder{
		src: src, batch: stacks.NewBatch(sink), opts: o,
		trace:   trace.Trace{Format: "jfr", Technique: trace.Sampled},
		counts:  make(map[string]int),
		names:   stacks.NewTable(),
		threads: make(map[trace.Thread]trace.ThreadID),
	}
}

// open reads the constant pools of a chunk, and returns them with a cursor in the chunk.
func (d *decoder) open(h header) (*pools, *cursor, error) {
	c := newCursor(d.src, h.metadata, h.end)
	cs, err := readMetadata(c)
	if err != nil {
		return nil, nil, located(c.at, err)
	}
	p := newPools(cs)
	if err := p.read(c, h.begin, h.pools); err != nil {
		return nil, nil, located(c.at, err)
	}
	return p, c, nil
}

// A sample has the fields of an event.
type sample struct {
	ticks                int64
	thread, stack, state int64
	period, count        int64
	failed               bool
}

// read reads the fields of an event.
func (s *sample) read(p *pools, c *cursor, cl *class) error {
	*s = sample{count: 1}
	return p.object(c, cl, func(f *field, n int64, _ text) {
		switch f.name {
		case "startTime":
			s.ticks = n
		case "sampledThread", "eventThread":
			s.thread = n
		case "stackTrace":
			s.stack = n
		case "state":
			s.state = n
		case "samplingPeriod":
			s.period = n
		case "samples", "weight":
			s.count = max(n, 0)
		case "failed":
			s.failed = n != 0
		}
	}, nil, 0)
}

// survey counts the events, and reads the settings with the sampling intervals.
func (d *decoder) survey(ctx context.Context) error {
	for _, h := range d.chunks {
		p, c, err := d.open(h)
		if err != nil {
			return err
		}
		n := 0
		threads := make(map[int64]*threadUsage) // by their number in the pools
		err = events(c, h, func(id int64) error {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			cl := p.classes[id]
			if cl == nil {
				return nil // The metadata of the chunk does not define this event.
			}
			switch cl.name {
			case activeSetting:
				return d.settings.read(p, c, cl)
			case executionSample, wallClockSample, cpuTimeSample, nativeSample:
				if err := d.count(p, c, cl, h, threads); err != nil {
					return err
				}
			case cpuInformation:
				return d.cores(p, c, cl)
			case cpuLoad:
				return d.loads.read(p, c, cl, h)
			case threadCPULoad, threadStart:
				return d.loads.readThread(p, c, cl, h)
			case datadogConfig:
				return d.settings.readDatadog(p, c, cl)
			case datadogSample:
			default:
				return nil
			}
			d.counts[cl.name]++
			return nil
		})
		if err != nil {
			return placed(c, err)
		}
	}
	return nil
}

// count counts a sample, for the comparison with the JVM's measurements. threads has the threads by
// their numbers in the pools.
func (d *decoder) count(p *pools, c *cursor, cl *class, h header, threads map[int64]*threadUsage) error {
	var s sample
	if err := s.read(p, c, cl); err != nil {
		return err
	}
	moment := h.moment(s.ticks)
	if cl.name == cpuTimeSample {
		d.loads.count(processor, moment, s.period/int64(time.Microsecond))
		return nil
	}
	th := threads[s.thread]
	if th == nil {
		th = d.loads.thread(p.threadOf(s.thread))
		threads[s.thread] = th
	}
	in := p.state(s.state)
	switch cl.name {
	case nativeSample:
		th.native++
		return nil
	case executionSample:
		d.states[in]++
		d.gaps.count(in, th, moment)
	}
	d.loads.count(in, moment, s.count)
	th.count(in, moment, s.count)
	return nil
}

// placed adds the offset of the cursor to an error of the file.
func placed(c *cursor, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return located(c.at, err)
}

// cores reads the number of cores of the machine.
func (d *decoder) cores(p *pools, c *cursor, cl *class) error {
	return p.object(c, cl, func(f *field, n int64, _ text) {
		if f.name == "hwThreads" && n > 0 && n <= math.MaxInt32 {
			d.trace.Cores = int(n)
		}
	}, nil, 0)
}

// read reads a setting.
func (s *settings) read(p *pools, c *cursor, cl *class) error {
	var id int64
	var name, value string
	err := p.object(c, cl, func(f *field, n int64, t text) {
		switch f.name {
		case "id":
			id = n
		case "name":
			name = p.string(t)
		case "value":
			value = p.string(t)
		}
	}, nil, 0)
	if err != nil {
		return err
	}
	// Settings of other events have the same names and other units.
	class := ""
	if cl := p.classes[id]; cl != nil {
		class = cl.name
	}
	n, err := strconv.ParseInt(value, 10, 64)
	number := err == nil && n > 0
	switch {
	case name == "event" && (class == "" || class == activeRecording || class == executionSample):
		s.event = value
	case name == "period" && class == executionSample:
		s.period = duration(value)
	case !number:
	case name == "interval" && class == wallClockSample, name == "wall" && (class == "" || class == activeRecording || class == executionSample || class == wallClockSample):
		s.wall = n
	case name == "interval" && (class == "" || class == activeRecording || class == executionSample):
		s.interval = n
	}
	return nil
}

// readDatadog reads the interval of Datadog's samples, in milliseconds.
func (s *settings) readDatadog(p *pools, c *cursor, cl *class) error {
	return p.object(c, cl, func(f *field, n int64, _ text) {
		if f.name == "cpuInterval" && n > 0 && n <= math.MaxInt32 {
			s.datadog = n * 1e6
		}
	}, nil, 0)
}

// duration parses the duration in a setting, such as 20 ms. It returns 0 if it is invalid.
func duration(s string) int64 {
	number, unit, _ := strings.Cut(s, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	scale := map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}[unit]
	if err != nil || n < 0 || scale == 0 || n > math.MaxInt64/scale {
		return 0
	}
	return n * scale
}

// chunk reads the samples of a chunk.
func (d *decoder) chunk(ctx context.Context, h header) error {
	p, c, err := d.open(h)
	if err != nil {
		return err
	}
	r := resolver{p, make(map[int64]stack), nil, nil, make(map[int64]trace.ThreadID)}
	var s sample
	var sinks error // sinks is an error of the sink, which gets no position in the file.
	err = events(c, h, func(id int64) error {
		cl := p.classes[id]
		if cl == nil || cl.name != d.event {
			return nil
		}
		if err := s.read(p, c, cl); err != nil {
			return err
		}
		in := p.state(s.state)
		if !d.charged(&s, in) {
			return nil
		}
		if err := d.add(&r, &s, in, h.moment(s.ticks)-d.chunks[0].start); err != nil {
			return err
		}
		if !d.batch.Full() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		sinks = d.batch.Flush()
		return sinks
	})
	switch {
	case sinks != nil:
		return sinks
	case err != nil:
		return placed(c, err)
	}
	return d.batch.Flush()
}

// A resolver converts the stacks and threads of a chunk to stacks and threads of the trace.
type resolver struct {
	*pools
	known   map[int64]stack
	methods []trace.MethodID
	lines   []int32
	threads map[int64]trace.ThreadID
}

// stack returns a stack as a range of r's methods and lines, the outermost frame first.
func (r *resolver) stack(d *decoder, id int64) stack {
	s, ok := r.known[id]
	if !ok {
		from := r.pools.stacks[id]
		s.from = len(r.methods)
		for _, f := range slices.Backward(r.frames[from.from:from.to]) {
			r.methods = append(r.methods, d.names.Add(r.method(f)))
			r.lines = append(r.lines, f.line)
		}
		s.to = len(r.methods)
		r.known[id] = s
	}
	return s
}

// thread returns a thread's id.
func (r *resolver) thread(d *decoder, id int64) trace.ThreadID {
	if t, ok := r.threads[id]; ok {
		return t
	}
	th := r.threadOf(id)
	t, ok := d.threads[th]
	if !ok {
		t = trace.ThreadID(len(d.trace.Threads))
		d.threads[th] = t
		d.trace.Threads = append(d.trace.Threads, th)
		d.own = append(d.own, d.values[th])
	}
	r.threads[id] = t
	return t
}

// add adds a sample to the batch. moment is its time on the timeline.
func (d *decoder) add(r *resolver, s *sample, in state, moment int64) error {
	thread := r.thread(d, s.thread)
	value, own := d.interval, d.own[thread]
	switch {
	case d.event == cpuTimeSample && s.period > 0:
		value = s.period
	case own > 0 && !d.elapsed:
		value = own
	}
	if s.count > math.MaxInt64/max(value, 1) || s.count*value > math.MaxInt64-d.sum {
		return errors.New("the sum of the samples up to here is too large")
	}
	value *= s.count
	d.sum += value
	out := trace.Sample{Time: moment, Thread: thread, Count: s.count}
	th := &d.trace.Threads[out.Thread]
	th.Events++
	if d.elapsed {
		out.Wall, out.Activity = value, in.activity()
		if in == running && own != d.interval && (d.doubtful || own > 0) {
			out.Activity = trace.UnknownActivity
		}
		th.Wall += time.Duration(value)
	} else {
		if out.CPU = value; d.doubtful && own == 0 {
			d.unknown += value
		}
		th.CPU += time.Duration(value)
	}
	stack := r.stack(d, s.stack)
	for i := stack.from; i < stack.to; i++ {
		d.batch.Push(r.methods[i], r.lines[i])
	}
	d.batch.Add(out)
	d.trace.Events++
	return nil
}

// finish completes the trace.
func (d *decoder) finish() (*trace.Trace, error) {
	t := &d.trace
	var warnings []trace.Warning
	t.Methods, warnings = d.names.Finish()
	t.Warnings = append(t.Warnings, warnings...)
	d.batch.Finish(t)
	first, last := d.chunks[0], d.chunks[len(d.chunks)-1]
	t.Usage.Unknown = time.Duration(d.unknown)
	t.Timeline = []trace.Reading{{Clock: trace.Realtime, Value: first.start}}
	if end := last.start + last.duration; end > first.start {
		t.Elapsed = time.Duration(end - first.start)
	}
	if n := d.counts[nativeSample]; n > 0 && !d.elapsed {
		t.Warnings = append(t.Warnings, trace.Warning{
			Code:    "native-samples",
			Message: trace.Counted("%d {sample|samples} of native code {does|do} not state whether {its thread|their threads} ran, and {is|are} not counted", n),
		})
	}
	return t, nil
}
