package perfetto

import (
	"bytes"

	"github.com/diffprof/diffprof/ingest/perfetto/clock"
	"github.com/diffprof/diffprof/ingest/wire"
)

// A sequence is the state of one writer's sequence of packets: the interned values, and the bases
// of relative times. Both passes read a sequence from its first packet.
type sequence struct {
	d  *decoder
	id uint32
	// broken is set after packets were lost. Packets that need interned values are then unusable.
	// begun is set after the first packet.
	broken, begun bool

	// clock is the default clock of packets. counted has the time so far of each incremental clock.
	clock   *clock.Clock
	counted map[*clock.Clock]int64

	// thread and process are the thread of the sequence, if described is set. reference and
	// threadReference are the latest time and thread clock reading, in nanoseconds. Events state
	// differences from them.
	described                  bool
	thread, process            int64
	reference, threadReference int64

	defaultTrack            uint64
	hasDefaultTrack         bool
	extraTracks, realTracks []uint64
	lastUUID                uint64
	lastTrack               int32
	counters                map[*track]float64

	// clusters is the number of core clusters in uid times. wakelocks has the names of the kernel's
	// wakelocks. sums has the totals of series whose packets state only increases.
	clusters  uint64
	wakelocks map[uint64]string
	sums      map[int32]int64

	perf  sampleValue
	stack sampleValue

	names map[uint64][]byte
	// called and sampled are the interned ids of the names calledEnergy and sampledEnergy. An id is
	// 0 if the trace does not define it.
	called, sampled uint64
	interned
	// size is the approximate size in bytes of the interned values.
	size int
}

// packet reads a packet of the sequence and appends its records.
func (s *sequence) packet(p *packet, out *list) error {
	switch {
	case p.flags&flagCleared != 0:
		s.clear()
	case p.dropped:
		s.broken = true
		if s.begun {
			s.d.countOnce(&s.d.faults.lost, 1)
		}
	}
	s.begun = true
	if p.defaults != nil {
		if err := s.defaults(p.defaults); err != nil {
			return err
		}
	}
	if p.kind == packetClockSnapshot {
		if err := s.snapshot(p); err != nil {
			return err
		}
	}
	if s.broken && p.flags&flagNeeds != 0 {
		s.d.countOnce(&s.d.faults.stateless, 1)
		return nil
	}
	if p.interned != nil {
		if err := s.intern(p.interned); err != nil {
			return err
		}
	}
	at, timed := s.time(p)
	return s.data(p, at, timed, out)
}

// clear drops interned values and time bases.
func (s *sequence) clear() {
	s.broken = false
	s.described, s.hasDefaultTrack = false, false
	s.reference, s.threadReference = 0, 0
	s.clock, s.extraTracks, s.realTracks = nil, nil, nil
	clear(s.counters)
	clear(s.names)
	clear(s.wakelocks)
	clear(s.sums)
	s.clusters, s.perf, s.stack = 0, sampleValue{}, sampleValue{}
	s.called, s.sampled = 0, 0
	s.interned.clear()
	s.d.interned -= s.size
	s.size = 0
}

// data reads the content of a packet.
func (s *sequence) data(p *packet, at int64, timed bool, out *list) error {
	switch p.kind {
	case packetTrackEvent:
		return s.trackEvent(p, at, timed, out)
	case packetThreadDescriptor:
		return s.describe(p)
	}
	read := s.reader(p.kind)
	switch {
	case read == nil:
	case !p.timed && (p.kind == packetBreakdown || p.kind == packetResidency):
		// Without a time, packets of these kinds only define names.
	case !timed && p.kind != packetRails && p.kind != packetLog:
		s.untimed(p)
	default:
		return read(p, at, out)
	}
	return nil
}

// untimed counts a packet without a usable time. If the packet states no time, it is counted in the
// first pass, because the second pass perhaps skips it. If its clock is unknown, it is counted in
// the second pass.
func (s *sequence) untimed(p *packet) {
	if s.d.surveying != p.timed {
		s.d.faults.untimed++
	}
}

// reader returns the method that reads packets of a kind, or nil if the kind is not read in time
// order.
func (s *sequence) reader(kind int) func(p *packet, at int64, out *list) error {
	switch kind {
	case packetBattery:
		return s.battery
	case packetRails:
		return s.rails
	case packetBreakdown:
		return s.breakdown
	case packetResidency:
		return s.residency
	case packetKernelWakelocks:
		return s.kernelWakelocks
	case packetAppWakelocks:
		return s.wakelocksOfApps
	case packetNetwork:
		return s.network
	case packetNetworkBundle:
		return s.networkBundle
	case packetUIDTimes:
		return s.uidTimes
	case packetTaskState:
		return s.taskState
	case packetCPUFrequency:
		return s.cpuFrequency
	case packetLog:
		return s.log
	case packetInitialDisplay:
		return s.initialDisplay
	case packetProperties:
		return s.systemProperties
	case packetPerfSample:
		return s.perfSample
	case packetStackSample:
		return s.stackSample
	}
	return nil
}

// defaults reads default values for the packets that follow.
func (s *sequence) defaults(data []byte) error {
	s.clock, s.hasDefaultTrack, s.extraTracks, s.realTracks = nil, false, nil, nil
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 11:
			return s.trackDefaults(data)
		case 12:
			return s.perfDefaults(data)
		case 58:
			s.clock = s.d.clocks.Clock(uint32(value), s.id)
		case 100:
			return s.stackDefaults(data)
		}
		return nil
	})
}

// trackDefaults reads the default track and the default counters of events.
func (s *sequence) trackDefaults(data []byte) error {
	return wire.Each(data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 11:
			s.defaultTrack, s.hasDefaultTrack = value, true
		case 31:
			s.extraTracks, err = wire.Numbers(s.extraTracks, value, data)
		case 45:
			s.realTracks, err = wire.Numbers(s.realTracks, value, data)
		}
		return err
	})
}

// snapshot sets the base times of the sequence's incremental clocks.
func (s *sequence) snapshot(p *packet) error {
	return s.d.clocks.Reset(s.id, p.data, func(c *clock.Clock, value int64) {
		if s.counted == nil {
			s.counted = make(map[*clock.Clock]int64)
		}
		s.counted[c] = value
	})
}

// time returns the time of a packet on the trace's clock.
func (s *sequence) time(p *packet) (int64, bool) {
	if !p.timed {
		return 0, false
	}
	c := s.clock
	if p.clock != 0 {
		c = s.d.clocks.Clock(p.clock, s.id)
	}
	if c == nil {
		return clock.Nanoseconds(p.time, 1), true
	}
	value := clock.Nanoseconds(p.time, c.Unit)
	if c.Incremental {
		value += s.counted[c]
		if s.counted == nil {
			s.counted = make(map[*clock.Clock]int64)
		}
		s.counted[c] = value
	}
	return s.d.moment(c, value, p.at)
}

// monotonic converts a reading of the monotonic clock. If no snapshot has this clock, the reading
// is used unchanged.
func (s *sequence) monotonic(value, at int64) (int64, bool) {
	if t, ok := s.d.moment(s.d.monotonicClock, value, at); ok {
		return t, ok
	}
	return value, true
}

// describe reads the description of the sequence's thread.
func (s *sequence) describe(p *packet) error {
	process, thread, err := s.d.describeThread(p.data)
	if err != nil {
		return err
	}
	s.described, s.process, s.thread = true, process, thread
	return wire.Each(p.data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 6:
			s.reference = microseconds(int64(value))
		case 7:
			s.threadReference = microseconds(int64(value))
		}
		return nil
	})
}

// track returns the index of the track with a uuid.
func (s *sequence) track(uuid uint64) int32 {
	if uuid != s.lastUUID || uuid == 0 {
		s.lastUUID, s.lastTrack = uuid, s.d.tracks.get(uuid).index
	}
	return s.lastTrack
}

// intern adds interned values.
func (s *sequence) intern(data []byte) error {
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		const entry = 128 // This is the memory that an entry of a map needs.
		s.size += len(data) + entry
		if s.d.interned += len(data) + entry; s.d.interned > maxInterned {
			return errInterned
		}
		switch number {
		case 2:
			return s.internName(data)
		case 3:
			return s.internArgument(data)
		}
		return s.interned.add(s.d, number, data)
	})
}

// internName adds the name of an event.
func (s *sequence) internName(data []byte) error {
	id, text, err := internedText(data)
	if err != nil {
		return err
	}
	if s.names == nil {
		s.names = make(map[uint64][]byte)
	}
	s.names[id] = bytes.Clone(text)
	return nil
}

// internArgument adds the interned name of an argument, if the decoder uses the argument.
func (s *sequence) internArgument(data []byte) error {
	id, text, err := internedText(data)
	switch string(text) {
	case calledEnergy:
		s.called = id
	case sampledEnergy:
		s.sampled = id
	}
	return err
}

// internedText reads a text and its id.
func internedText(data []byte) (id uint64, text []byte, err error) {
	err = wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			id = value
		case 2:
			text = data
		}
		return nil
	})
	return id, text, err
}
