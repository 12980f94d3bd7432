package perfetto

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/diffprof/diffprof/ingest/ftrace"
	"github.com/diffprof/diffprof/ingest/perfetto/order"
	"github.com/diffprof/diffprof/ingest/wire"
)

// A streamKey identifies a stream, whose packets are nearly in time order. A stream is a sequence
// or, for kernel events, a core.
type streamKey struct {
	sequence uint32
	core     int32 // core is noCore except for streams of kernel events.
}

const noCore = -1

// errRepeatedThread means that the first pass used the wrong clock: a later packet names the
// trace's clock. The pass then begins again.
var errRepeatedThread = errors.New("the trace uses another clock")

// A survey is the first pass. It finds the packets of each stream, and the definitions that other
// packets refer to.
type survey struct {
	*decoder
	sequences map[uint32]*sequence
	threads   threads
	scratch   list
	bundle    bundle
	// earliest is the earliest known time. span finds damaged times. uncertain is set if the time
	// of a packet was unknown. span is not used then.
	earliest  int64
	span      ftrace.Span
	uncertain bool
}

// read reads the file to its end.
func (s *survey) read(ctx context.Context, size int64) error {
	r := wire.NewReader(io.NewSectionReader(s.file, 0, size))
	wanted := func(number int) bool { return number == 1 }
	var p packet
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, _, data, err := r.Next(wanted)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, wire.ErrCut) && s.opts.Partial:
			s.faults.cut = true
			return nil
		case err != nil:
			return located(r.Offset(), err)
		case data == nil:
			continue
		}
		if err = p.read(r.Offset(), data); err == nil {
			err = s.packet(ctx, &p, r.End()-r.Offset())
		}
		if err != nil {
			return located(r.Offset(), err)
		}
	}
}

// packet processes a packet of the given size.
func (s *survey) packet(ctx context.Context, p *packet, size int64) error {
	switch {
	case p.kind == packetDeflated || p.kind == packetZstd:
		return s.expand(ctx, p)
	case p.machine != 0:
		s.faults.machines++
		return nil
	case p.kind == packetClockSnapshot:
		told := s.clocks.Primary()
		if err := s.clocks.Add(p.at, p.sequence, p.data); err != nil {
			return err
		}
		if s.clocks.Primary() != told && len(s.streams) > 0 {
			return errRepeatedThread
		}
	}
	seq := s.sequences[p.sequence]
	if seq == nil {
		if len(s.sequences) >= maxStreams {
			return errStreams
		}
		seq = &sequence{d: s.decoder, id: p.sequence}
		s.sequences[p.sequence] = seq
	}
	if p.kind == packetFtrace {
		return s.events(p, seq, size)
	}
	if err := s.table(p); err != nil {
		return err
	}
	s.scratch, s.unknown = s.scratch[:0], false
	if err := seq.packet(p, &s.scratch); err != nil {
		return err
	}
	if len(s.scratch) == 0 && !changes(p) {
		return nil
	}
	earliest := int64(math.MaxInt64)
	for i := range s.scratch {
		r := &s.scratch[i]
		earliest = min(earliest, r.Time)
		s.span.Add(r.Time)
		s.count(&r.Data)
	}
	return s.note(streamKey{p.sequence, noCore}, p.at, size, earliest)
}

// note adds a packet to its stream in the index.
func (s *survey) note(key streamKey, at, size, earliest int64) error {
	if s.unknown {
		s.uncertain = true
		earliest = order.Unknown
	} else {
		s.earliest = min(s.earliest, earliest)
	}
	stream := s.stream(key)
	switch {
	case size > maxPacket:
		return errPacket
	case stream >= maxStreams:
		return errStreams
	}
	s.index.Add(stream, at, size, earliest)
	return nil
}

// changes reports whether a packet affects how later packets of its sequence are decoded.
func changes(p *packet) bool {
	return p.interned != nil || p.defaults != nil || p.flags&flagCleared != 0 || p.dropped ||
		p.kind == packetClockSnapshot || p.kind == packetThreadDescriptor
}

// count counts a slice, context switch, or sample.
func (s *survey) count(r *record) {
	switch r.kind {
	case kindBegin:
		s.slices++
		tid := r.thread
		if t := s.tracks.at(int64(r.index)); t != nil {
			tid = t.thread
		}
		s.threads.get(tid).slices++
	case kindEnergy:
		s.given, s.sampled = true, s.sampled || r.core != 0
	case kindSwitch:
		s.switches++
	case kindSample:
		s.samples[r.core]++
		s.threads.get(r.thread).slices++
	}
}

// events adds a packet of kernel events to the index.
func (s *survey) events(p *packet, seq *sequence, size int64) error {
	if p.dropped && seq.begun {
		s.faults.lost++
	}
	seq.begun = true
	if err := s.bundle.read(p.data); err != nil {
		return err
	}
	if s.bundle.lost {
		s.faults.lostEvents++
	}
	earliest := int64(math.MaxInt64)
	s.unknown = false
	note := func(at int64) {
		if t, ok := s.base(&s.bundle, at, p.at); ok {
			earliest = min(earliest, t)
			s.span.Add(t)
		}
	}
	for m := wire.Message(p.data); len(m) > 0; {
		number, _, bytes, err := m.Next()
		if err != nil {
			return err
		}
		if number == bundleEvent && bytes != nil {
			if err := s.skim(bytes, note); err != nil {
				return err
			}
		}
	}
	if s.bundle.compact != nil {
		err := compactSwitches(s.bundle.compact, &s.columns, func(at, tid int64, name []byte, _ bool) {
			note(at)
			s.switches++
			s.threads.called(tid, name)
		})
		if err != nil {
			return err
		}
	}
	if earliest == math.MaxInt64 {
		if b := &s.bundle; b.clock == bundleLocal || b.clock == bundleGlobal {
			s.faults.clockless++
		}
		return nil
	}
	return s.note(streamKey{p.sequence, s.bundle.core}, p.at, size, earliest)
}

// skim reads the time of a kernel event, and any names and processes of threads in it.
func (s *survey) skim(data []byte, note func(at int64)) error {
	var tid int64
	for m := wire.Message(data); len(m) > 0; {
		number, value, bytes, err := m.Next()
		if err != nil {
			return err
		}
		switch number {
		case eventTime:
			note(int64(value))
		case eventThread:
			tid = int64(int32(value))
		case eventPrint:
			if bytes != nil {
				err = s.print(tid, bytes)
			}
		case eventSwitch:
			s.switches++
			err = s.switched(bytes)
		case eventSysEnter:
			var called uint64
			called, err = numberOf(bytes, 1)
			s.tasks.Call(tid, int64(called))
		case eventNewTask:
			err = s.newTask(tid, bytes)
		case eventRename:
			err = s.renamed(bytes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// print counts a slice if the line of a print begins a slice.
func (s *survey) print(tid int64, data []byte) error {
	line, err := bytesOf(data, 2)
	if len(line) > 1 && line[0] == 'B' {
		s.slices++
		s.threads.began(tid, line)
	}
	return err
}

// switched reads the names of both threads of a context switch.
func (s *survey) switched(data []byte) error {
	for _, side := range [...]struct{ tid, name int }{{2, 1}, {6, 5}} {
		tid, err := numberOf(data, side.tid)
		if err != nil {
			return err
		}
		name, err := bytesOf(data, side.name)
		if err != nil {
			return err
		}
		s.threads.called(int64(int32(tid)), name)
	}
	return nil
}

// renamed reads the new name of a thread.
func (s *survey) renamed(data []byte) error {
	tid, err := numberOf(data, 1)
	if err != nil {
		return err
	}
	name, err := bytesOf(data, 3)
	s.threads.called(int64(int32(tid)), name)
	return err
}

// cloneThread is the flag of a new task that belongs to its creator's process.
const cloneThread = 1 << 16

// newTask reads the creation of a thread.
func (s *survey) newTask(maker int64, data []byte) error {
	var tid int64
	var flags uint64
	var name []byte
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			tid = int64(int32(value))
		case 2:
			name = data
		case 3:
			flags = value
		}
		return nil
	})
	s.threads.called(tid, name)
	if t := s.threads.get(tid); flags&cloneThread != 0 {
		t.maker = maker
	} else {
		t.process = tid
	}
	return err
}
