package perfetto

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/ingest/perfetto/clock"
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/ingest/perfetto/symbol"
	methods "github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// A decoder has the state of both passes.
type decoder struct {
	opts    Options
	file    *file
	index   order.Index
	streams []streamKey
	ids     map[streamKey]int

	clocks                                                     clock.Table
	boottimeClock, monotonicClock, realtimeClock, monoRawClock *clock.Clock
	// surveying is set in the first pass. In this pass, unknown is set if the time of the packet
	// depends on a later part of the file.
	surveying, unknown bool
	// unknownClocks has, for each clock, the smallest reading that could not be converted.
	unknownClocks map[*clock.Clock]int64

	tasks *ftrace.Tasks
	// known maps described threads to their processes. uids maps processes to users.
	known, uids map[int64]int64
	// open has the apps that are debuggable or profileable. targets has the apps that the trace's
	// configuration names.
	open, targets []string
	// asked is the configured duration, in nanoseconds.
	asked int64
	// machine is the machine's name as uname prints it, or empty.
	machine string
	// device is the name of the recorded phone.
	device string
	// pkg is the name of the process that is read, unless several processes are read.
	pkg string

	tracks tracks
	series allSeries
	// interned is the approximate size in bytes of all interned values.
	interned int
	// called has the names of rails, energy consumers, and states.
	called map[seriesKey]trace.Track

	symbols symbol.Table
	names   *methods.Table
	stacks  stacks

	// slices and switches are the numbers of slices and context switches, counted in the first
	// pass. events has the event name of each sample source.
	slices, switches int64
	// given is set if the trace states the energy of slices. sampled is set if its slices show
	// samples, not calls.
	given, sampled bool
	samples        [sources]int64
	events         [sources]string
	faults         faults
	// end is the latest valid time of the trace. It is 0 if no damaged times were found.
	end int64

	// The following buffers are reused.
	codes       []methods.Code
	lines       []int
	trackEvents trackEvent
	columns     columns
	sorted      list
	nested      bool
	plain       bytes.Buffer
	zstd        *zstd.Decoder
}

func newDecoder(r io.ReaderAt, size int64, o Options) *decoder {
	d := &decoder{
		opts: o, file: &file{ReaderAt: r, size: size, open: o.Spool, most: o.MaxExpanded},
		ids:   make(map[streamKey]int),
		tasks: ftrace.NewTasks(), known: make(map[int64]int64), uids: make(map[int64]int64),
		called: make(map[seriesKey]trace.Track), unknownClocks: make(map[*clock.Clock]int64), names: methods.NewTable(),
	}
	d.boottimeClock = d.clocks.Clock(clock.Boottime, 0)
	d.monotonicClock = d.clocks.Clock(clock.Monotonic, 0)
	d.realtimeClock = d.clocks.Clock(clock.Realtime, 0)
	d.monoRawClock = d.clocks.Clock(clock.MonotonicRaw, 0)
	return d
}

// stream returns the number of the stream with a key.
func (d *decoder) stream(key streamKey) int {
	i, ok := d.ids[key]
	if !ok {
		i = len(d.streams)
		d.ids[key] = i
		d.streams = append(d.streams, key)
	}
	return i
}

// moment converts a clock reading to the trace's clock. The parameter at is the packet's offset. If
// no snapshot before the packet has both clocks, the first pass sets unknown and returns the
// reading unchanged. The second pass uses a later snapshot.
func (d *decoder) moment(c *clock.Clock, value, at int64) (int64, bool) {
	t, ok := d.clocks.Time(c, value, at)
	switch {
	case ok:
		return t, true
	case !d.surveying:
		return d.clocks.Time(c, value, math.MaxInt64)
	}
	d.unknown = true
	if least, ok := d.unknownClocks[c]; !ok || value < least {
		d.unknownClocks[c] = value
	}
	return value, true
}

// base converts the time of a kernel event in the bundle b.
func (d *decoder) base(b *bundle, value, at int64) (int64, bool) {
	switch b.clock {
	case bundleGlobal:
		if b.there == 0 {
			return 0, false
		}
		value += b.there - b.here
	case bundleLocal:
		return 0, false // Each core has a clock of its own.
	case bundleMonoRaw:
		return d.moment(d.monoRawClock, value, at)
	}
	return d.moment(d.boottimeClock, value, at)
}

// survey makes the first pass, and returns the earliest time of the trace.
func (d *decoder) survey(ctx context.Context) (origin int64, err error) {
	s := &survey{decoder: d, sequences: make(map[uint32]*sequence), earliest: math.MaxInt64}
	d.surveying = true
	err = s.read(ctx, d.file.size)
	d.surveying, d.interned = false, 0 // The second pass starts all sequences anew.
	if d.zstd != nil {
		d.zstd.Close()
	}
	if err != nil {
		return 0, err
	}
	s.threads.addTo(d.tasks, d.known)
	origin = s.earliest
	for c, value := range d.unknownClocks {
		t, ok := d.moment(c, value, 0)
		if !ok && c == d.monotonicClock {
			t, ok = value, true // sequence.monotonic does the same.
		}
		if ok {
			origin = min(origin, t)
		}
	}
	if origin == math.MaxInt64 {
		origin = 0
	}
	if first, last, outside := s.span.Bounds(); outside > 0 && !s.uncertain {
		origin, d.end = first, last
	}
	return origin, nil
}

// sampleOf records the event name and the thread of a sample. It has an effect only in the first
// pass.
func (d *decoder) sampleOf(process, tid int64, w sampleValue) {
	if !d.surveying {
		return
	}
	d.events[w.source] = w.event
	if _, ok := d.known[tid]; !ok && tid > 0 && process > 0 {
		d.known[tid] = process
		d.tasks.Thread(tid, process, nil)
	}
}

// The values of Options.SampleType.
const (
	typeSlices = "slices"
	typePerf   = "perf"
	typeStack  = "stack"
)

// choose decides which samples to read. It returns noSource for slices. The default is, in this
// order: samples of processor time, because they name methods; slices; all other samples.
func (d *decoder) choose() (source, error) {
	first := func(sources ...source) source {
		for _, s := range sources {
			if d.samples[s] > 0 {
				return s
			}
		}
		return noSource
	}
	var chosen source
	switch d.opts.SampleType {
	case typeSlices:
		return noSource, nil
	case typePerf:
		chosen = first(perfTime, perfCount)
	case typeStack:
		chosen = first(stackTime, stackWall, stackCount)
	case "":
		if chosen = first(perfTime, stackTime); chosen == noSource && d.slices == 0 {
			chosen = first(stackWall, perfCount, stackCount)
		}
		return chosen, nil
	default:
		return noSource, located(-1, fmt.Errorf("unknown sample type %q; the sample types are slices, perf and stack", d.opts.SampleType))
	}
	if chosen == noSource {
		return noSource, located(-1, fmt.Errorf("the trace has no samples of the type %s", d.opts.SampleType))
	}
	return chosen, nil
}

// recorded returns the names of the recorded apps: the apps in the trace's configuration, or else
// the debuggable and profileable apps.
func (d *decoder) recorded() []string {
	if len(d.targets) > 0 {
		return d.targets
	}
	return d.open
}
