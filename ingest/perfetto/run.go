package perfetto

import (
	"context"
	"math"
	"time"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/ingest/perfetto/clock"
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A run is the second pass. It processes the records of all streams in time order.
type run struct {
	*decoder
	machine *ftrace.Machine
	origin  int64
	last    int64
	source  source
	samples sampled
	// running has the thread that each core runs.
	running map[int32]int64
	// flows has the ids of the flows with enqueued work.
	flows map[int64]bool
	// uid is the uid of the app that is read, or noUID.
	uid int64
	// args are the arguments of a system call.
	args []uint64
}

// maxFlows limits the number of open flows.
const maxFlows = 1 << 18

// run makes the second pass.
func (d *decoder) run(ctx context.Context, sink trace.Sink, origin int64) (*trace.Trace, error) {
	source, err := d.choose()
	if err != nil {
		return nil, err
	}
	r := &run{
		decoder: d, origin: origin, last: origin, source: source,
		running: make(map[int32]int64), flows: make(map[int64]bool), uid: noUID,
	}
	o := ftrace.Options{
		Machine: d.machine, Triggers: d.opts.Triggers, Process: d.opts.Process, Apps: d.recorded(), Origin: origin, Switches: d.switches > 0,
		Given: d.given, Estimated: d.sampled,
	}
	if source != noSource {
		r.samples.begin(sink, source, d)
		o.Samples = &ftrace.Samples{Trace: r.samples.trace, Flush: r.samples.batch.Flush}
	}
	if r.machine, err = ftrace.New(d.tasks, sink, o); err != nil {
		return nil, located(-1, err)
	}
	if p, ok := r.machine.Process(); ok {
		if uid, ok := d.uids[p.ID]; ok {
			r.uid = uid
		}
		d.pkg = p.Name
	}
	err = order.Merge(ctx, d.file, &d.index, r.open, r.take)
	if err != nil {
		return nil, err
	}
	return r.finish()
}

// A reader reads the packets of one stream.
type reader struct {
	d   *decoder
	key streamKey
	seq *sequence
	// bundle and at are the current packet's bundle and offset. base converts the times of the
	// bundle.
	bundle bundle
	at     int64
	base   func(int64) (int64, bool)
	list   list
}

// open returns a reader for the packets of a stream.
func (r *run) open(stream int) order.Reader[record] {
	s := &reader{d: r.decoder, key: r.streams[stream]}
	s.seq = &sequence{d: r.decoder, id: s.key.sequence}
	s.base = func(value int64) (int64, bool) {
		t, ok := s.d.base(&s.bundle, value, s.at)
		if !ok {
			s.d.faults.untimed++
		}
		return t, ok
	}
	return s
}

// Read implements order.Reader.
func (s *reader) Read(at int64, data []byte, records []order.Record[record]) ([]order.Record[record], error) {
	s.list = records
	err := packets(at, data, func(p *packet, _ int64) error {
		if p.sequence != s.key.sequence || p.machine != 0 || (p.kind == packetFtrace) != (s.key.core != noCore) {
			return nil
		}
		if p.kind != packetFtrace {
			return s.seq.packet(p, &s.list)
		}
		if err := s.bundle.read(p.data); err != nil {
			return err
		}
		if s.bundle.core != s.key.core {
			return nil
		}
		s.at = p.at
		return s.d.bundleEvents(p.data, &s.bundle, s.base, &s.list)
	})
	return s.list, err
}

// take processes one record.
func (r *run) take(rec *order.Record[record]) error {
	at, e := rec.Time, &rec.Data
	if r.end > 0 && (at < r.origin || at > r.end) {
		r.faults.outside++
		at = r.last
	}
	if at < r.last {
		r.faults.late++
		at = r.last
	}
	r.last = at
	m := r.machine
	switch e.kind {
	case kindPrint:
		r.print(at, e)
	case kindSwitch:
		before := r.running[e.core]
		m.Switch(at, int(e.core), before, e.thread)
		if e.last && before > 0 && r.faults.lost+r.faults.lostEvents == 0 {
			m.ThreadExit(at, before)
		}
		r.running[e.core] = e.thread
	case kindLeave:
		if r.running[e.core] == e.thread {
			m.Switch(at, int(e.core), e.thread, 0)
			r.running[e.core] = 0
		}
	case kindBegin:
		if tid := r.thread(e); tid != noThread {
			m.Begin(at, tid, e.text)
		}
	case kindEnd:
		if tid := r.thread(e); tid != noThread {
			m.End(at, tid)
		}
	case kindEnergy:
		if tid := r.thread(e); tid != noThread {
			if err := m.AddEnergy(at, tid, units.Energy(e.value)); err != nil {
				return located(-1, err)
			}
		}
	case kindFlow:
		if tid := r.thread(e); tid != noThread {
			r.flow(at, tid, e)
		}
	case kindSignal:
		if m.Wants() {
			r.signal(at, e)
		}
	case kindOperation:
		if m.Wants() {
			r.operation(at, e)
		}
	case kindSysEnter:
		if err := r.sysEnter(at, e); err != nil {
			return err
		}
	case kindSysExit:
		m.SysExit(at, e.thread, int64(e.index), e.value)
	case kindProperty:
		m.Property(at, string(e.text), e.value)
	case kindBrightness:
		m.Brightness(at, e.value)
	case kindSample:
		if err := r.sample(at, e); err != nil {
			return err
		}
	}
	return m.Err()
}

// sysEnter begins a system call.
func (r *run) sysEnter(at int64, e *record) error {
	if !r.machine.Wants() {
		return nil
	}
	args := r.args[:0]
	err := wire.Each(e.text, func(number int, value uint64, data []byte) (err error) {
		if number == 2 {
			args, err = wire.Numbers(args, value, data)
		}
		return err
	})
	r.args = args
	r.machine.SysEnter(at, e.thread, e.value, args)
	return err
}

// print processes a line that a program wrote to the kernel's trace.
func (r *run) print(at int64, e *record) {
	mark, ok := ftrace.ReadMark(e.text)
	if !ok {
		return
	}
	switch mark.Letter {
	case 'B':
		r.machine.Begin(at, e.thread, mark.Text)
	case 'E':
		r.machine.End(at, e.thread)
	case 'C':
		if r.machine.Wants() {
			r.machine.Counter(at, mark.Process, mark.Text, mark.Value)
		}
	case 'S', 'F':
		r.machine.Async(at, e.thread, mark)
	}
}

// thread returns the thread of a track event, or noThread.
func (r *run) thread(e *record) int64 {
	tid := e.thread
	if t := r.tracks.at(int64(e.index)); t != nil {
		tid = t.thread
	}
	if tid == noThread {
		r.faults.async++
	}
	return tid
}

// flow processes an event of a flow. A flow passes work from event to event. The first event
// enqueues the work, and each later event runs it and enqueues it again, until the last. An event
// that states a direction does only one of the two.
func (r *run) flow(at, tid int64, e *record) {
	in, out := r.flows[e.value], !e.last
	if e.core != 0 {
		in, out = in && e.core&flowIn != 0, e.core&flowOut != 0
	}
	if in {
		r.machine.Dispatch(at, tid, uint64(e.value))
		delete(r.flows, e.value)
	}
	if out && (r.flows[e.value] || len(r.flows) < maxFlows) {
		r.flows[e.value] = true
		r.machine.Enqueue(at, tid, uint64(e.value))
	}
}

// signal sends a signal.
func (r *run) signal(at int64, e *record) {
	s := &r.series.all[e.index]
	switch {
	case s.core && s.kind == trace.Frequency:
		r.machine.Frequency(at, s.track.Core, e.value)
		return
	case s.core:
		r.machine.Idle(at, s.track.Core, e.value)
		return
	case s.kind == trace.Drain && e.value < s.drained:
		r.faults.falls++
		return
	}
	s.drained = e.value
	if !s.defined {
		s.id, s.defined = r.machine.Track(s.track), true
	}
	r.machine.Signal(at, s.id, s.kind, e.value)
}

// operation sends an operation, unless another app asked for it.
func (r *run) operation(at int64, e *record) {
	if e.thread != noUID && r.uid != noUID && e.thread != r.uid {
		return
	}
	tid := int64(ftrace.NoTask)
	if e.task > 0 {
		tid = int64(e.task)
	}
	o := trace.Operation{Verb: e.verb, Component: components[e.index], Name: string(e.text)}
	switch {
	case e.index != componentWakelock:
		o.Bytes = e.value
	case e.value != 0:
		o.Handle = e.value
	default: // This is a wakelock of the kernel, which has only a name.
		o.Handle = r.machine.Handle(o.Name)
	}
	r.machine.Operation(at, tid, o)
}

// finish completes the trace.
func (r *run) finish() (*trace.Trace, error) {
	t, err := r.machine.Finish(r.last)
	if err != nil {
		return nil, err
	}
	t.Format, t.Device = "perfetto", r.device
	if r.source != noSource {
		if err := r.samples.finish(t); err != nil {
			return nil, err
		}
	}
	if t.Elapsed == 0 {
		t.Elapsed = time.Duration(r.asked)
	}
	t.Timeline = r.timeline()
	t.Warnings = append(t.Warnings, r.warnings()...)
	return t, nil
}

// maxReadings limits the clock readings in Trace.Timeline.
const maxReadings = 1 << 10

// systemClocks maps the trace's clock numbers to system clocks.
var systemClocks = map[uint32]trace.SystemClock{
	clock.Realtime: trace.Realtime, clock.Monotonic: trace.Monotonic, clock.Boottime: trace.Boottime,
}

// timeline returns the readings of the machine's clocks during the run.
func (r *run) timeline() []trace.Reading {
	var out []trace.Reading
	latest := int64(math.MinInt64)
	for _, c := range r.clocks.Readings(maxReadings) {
		name, ok := systemClocks[c.Clock]
		if !ok || c.Time < latest {
			continue
		}
		latest = c.Time
		// A reading before the first event is moved to the first event: its time and its value grow
		// by the same interval. All clocks run at the same speed.
		early := max(r.origin-c.Time, 0)
		out = append(out, trace.Reading{Clock: name, Time: c.Time + early - r.origin, Value: c.Value + early})
	}
	return out
}
