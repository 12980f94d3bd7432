package jfr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// The events that are read.
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
)

// A decoder reads a recording.
type decoder struct {
	src    io.ReaderAt
	batch  *stacks.Batch
	opts   Options
	chunks []header
	trace  trace.Trace
	// counts are the events of each name. states counts the executionSamples by their states.
	counts   map[string]int
	states   [numStates]int
	settings settings
	// event is the name of the events to charge. elapsed is set if they represent elapsed time.
	event   string
	elapsed bool
	// cpu is the state of executionSamples that represent processor time.
	cpu      state
	interval int64
	names    *stacks.Table
	threads  map[trace.Thread]trace.ThreadID
	sum      int64
}

// settings are the recording's settings of its samples. Durations are in nanoseconds, 0 if not
// stated.
type settings struct {
	event string // async-profiler's: cpu, ctimer, itimer, wall
	// interval is async-profiler's for event, and wall the one for elapsed time, if it samples
	// that as well. period is the JVM's.
	interval, wall, period int64
	// datadog is the interval of Datadog's samples.
	datadog int64
}

// A state is the state of a sampled thread.
type state uint8

// The states.
const (
	other state = iota
	// processor marks a sample that a clock of processor time made.
	processor
	running
	sleeping
	numStates
)

// state returns the state with a number in the pools. async-profiler 3 and later marks samples of
// processor time as STATE_DEFAULT. Other recorders mark threads that the JVM can run.
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

// open returns the pools of a chunk and a cursor in it.
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

// A sample holds the fields of an event.
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

// survey counts the events and reads the settings, which determine the value of samples.
func (d *decoder) survey(ctx context.Context) error {
	for _, h := range d.chunks {
		p, c, err := d.open(h)
		if err != nil {
			return err
		}
		n := 0
		err = events(c, h, func(id int64) error {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			cl := p.classes[id]
			if cl == nil {
				return nil // its class is not in the chunk's metadata
			}
			switch cl.name {
			case activeSetting:
				return d.settings.read(p, c, cl)
			case executionSample:
				var s sample
				if err := s.read(p, c, cl); err != nil {
					return err
				}
				d.states[p.state(s.state)]++
			case cpuInformation:
				return d.cores(p, c, cl)
			case datadogConfig:
				return d.settings.readDatadog(p, c, cl)
			case cpuTimeSample, wallClockSample, nativeSample, datadogSample:
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

// placed adds the cursor's place to an error of the file.
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
	// The same names are settings of other events too, with other units.
	of := ""
	if cl := p.classes[id]; cl != nil {
		of = cl.name
	}
	n, err := strconv.ParseInt(value, 10, 64)
	number := err == nil && n > 0
	switch {
	case name == "event" && (of == "" || of == activeRecording || of == executionSample):
		s.event = value
	case name == "period" && of == executionSample:
		s.period = duration(value)
	case !number:
	case name == "interval" && of == wallClockSample, name == "wall" && (of == "" || of == activeRecording || of == executionSample || of == wallClockSample):
		s.wall = n
	case name == "interval" && (of == "" || of == activeRecording || of == executionSample):
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

// duration reads a duration of a setting, such as 20 ms; 0 if it is invalid.
func duration(s string) int64 {
	number, unit, _ := strings.Cut(s, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	scale := map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}[unit]
	if err != nil || n < 0 || scale == 0 || n > math.MaxInt64/scale {
		return 0
	}
	return n * scale
}

// Intervals that recordings do not state: async-profiler's default, and the JVM's in
// profile.jfc and default.jfc.
const (
	asyncInterval = 10_000_000
	asyncWall     = 50_000_000
	jvmInterval   = 20_000_000
)

// choose chooses the events to charge, and their value. Processor time comes first.
func (d *decoder) choose() error {
	cpu, wall := d.sources()
	switch d.opts.SampleType {
	case "cpu":
		d.event = cpu
	case "wall":
		d.event, d.elapsed = wall, true
	case "":
		if d.event = cpu; cpu == "" {
			d.event, d.elapsed = wall, true
		}
	default:
		return located(-1, fmt.Errorf("unknown sample type %q; the sample types are cpu and wall", d.opts.SampleType))
	}
	if d.event == "" {
		return located(-1, errors.New("the recording has no samples of this kind; record with profile.jfc, or with async-profiler"))
	}
	if d.trace.Clock = trace.ThreadCPU; d.elapsed {
		d.trace.Clock = trace.WallClock
	}
	guessed := false
	switch s := &d.settings; {
	case d.event == datadogSample:
		d.interval = cmp.Or(s.datadog, asyncInterval)
	case d.elapsed && s.wall > 0:
		d.interval = s.wall
	case s.interval > 0 && (!d.elapsed || s.event == "wall" || d.event == executionSample):
		d.interval = s.interval
	case s.event == "wall" || d.event == wallClockSample:
		d.interval = asyncWall
	case s.event != "":
		d.interval = asyncInterval
	case s.period > 0:
		d.interval = s.period
	default:
		d.interval, guessed = jvmInterval, d.event != cpuTimeSample
	}
	if n := d.counts[datadogSample]; n > 0 && d.event == executionSample {
		d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
			Code:    "two-samplers",
			Message: trace.Counted("%d {sample|samples} of Datadog's sampler {is|are} not counted, since the JVM's sampler recorded the same time", n),
		})
	}
	if guessed {
		d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
			Code:    "interval-unknown",
			Message: fmt.Sprintf("the recording does not state its sampling interval; each sample counts as %d ms", d.interval/1e6),
		})
	}
	if d.event != cpuTimeSample {
		d.trace.Interval = time.Duration(d.interval)
	}
	return nil
}

// sources returns the events that represent processor time and elapsed time, empty if there are
// none. Recorders that sample both in one event mark the samples of processor time.
func (d *decoder) sources() (cpu, wall string) {
	d.cpu = running
	both := d.states[processor] > 0
	if both {
		d.cpu = processor
	}
	switch onlyWall := d.settings.event == "wall" && !both; {
	case d.counts[cpuTimeSample] > 0:
		cpu = cpuTimeSample
	case d.states[d.cpu] > 0 && (!onlyWall || d.opts.SampleType == "cpu"):
		cpu = executionSample
	case d.counts[datadogSample] > 0:
		cpu = datadogSample
	}
	switch {
	case d.counts[wallClockSample] > 0:
		wall = wallClockSample
	case d.counts[executionSample] > d.states[processor]:
		wall = executionSample
	}
	return cpu, wall
}

// charged reports whether a sample belongs to the chosen events.
func (d *decoder) charged(s *sample, in state) bool {
	switch {
	case s.failed:
		return false
	case d.event != executionSample:
		return true
	case d.elapsed:
		return in != processor
	}
	return in == d.cpu
}

// chunk reads the samples of a chunk.
func (d *decoder) chunk(ctx context.Context, h header) error {
	p, c, err := d.open(h)
	if err != nil {
		return err
	}
	r := resolver{p, make(map[int64]stack), nil, nil, make(map[int64]trace.ThreadID)}
	var s sample
	var sinks error // an error of the sink rather than the file
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

// A resolver maps the stacks and threads of a chunk to the trace.
type resolver struct {
	*pools
	known   map[int64]stack
	methods []trace.MethodID
	lines   []int32
	threads map[int64]trace.ThreadID
}

// stack returns the range of a stack in methods and lines, the outermost frame first.
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
	}
	r.threads[id] = t
	return t
}

// add adds a sample at a moment of the timeline to the batch.
func (d *decoder) add(r *resolver, s *sample, in state, moment int64) error {
	value := d.interval
	if d.event == cpuTimeSample && s.period > 0 {
		value = s.period
	}
	if s.count > math.MaxInt64/max(value, 1) || s.count*value > math.MaxInt64-d.sum {
		return errors.New("the sum of the samples up to here is too large")
	}
	value *= s.count
	d.sum += value
	out := trace.Sample{Time: moment, Thread: r.thread(d, s.thread), Count: s.count}
	th := &d.trace.Threads[out.Thread]
	th.Events++
	if d.elapsed {
		out.Wall, out.Activity = value, in.activity()
		th.Wall += time.Duration(value)
	} else {
		out.CPU = value
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
