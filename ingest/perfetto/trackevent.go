package perfetto

import (
	"math"

	"github.com/diffprof/diffprof/ingest/wire"
)

// The types of a track event, and the phases of events in Chrome's older format.
const (
	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4
)

// A trackEvent is a decoded track event.
type trackEvent struct {
	kind    uint64
	nameID  uint64
	name    []byte
	track   uint64
	tracked bool
	// value is the value of a counter.
	value      float64
	valued     bool
	flows      []uint64
	ends       []uint64
	extraTrack []uint64
	extra      []uint64
	extraReal  []uint64 // extraReal has the bits of float64 values.
	realTrack  []uint64
	// delta or absolute is the event's time, and threadDelta or threadAbsolute is the reading of
	// its thread clock, in microseconds. The deltas are differences from the previous event.
	// Without delta and absolute, the packet has the time.
	delta, absolute             int64
	hasDelta                    bool
	threadDelta, threadAbsolute int64
	hasThreadDelta              bool
	// notes has the encoded arguments, one message each.
	notes  [][]byte
	legacy legacy
}

// legacy has the fields of an event in Chrome's older format.
type legacy struct {
	nameID    uint64
	phase     byte
	duration  int64
	thread    int64
	hasThread bool
	bind      uint64
	direction uint64
	// async is set if the event has an id, so that it belongs to no thread.
	async bool
}

// read reads the fields. It reuses the lists of the previous event.
func (e *trackEvent) read(data []byte) error {
	*e = trackEvent{
		flows: e.flows[:0], ends: e.ends[:0], extraTrack: e.extraTrack[:0], extra: e.extra[:0],
		extraReal: e.extraReal[:0], realTrack: e.realTrack[:0], notes: e.notes[:0],
	}
	for m := wire.Message(data); len(m) > 0; {
		number, value, bytes, err := m.Next()
		if err != nil {
			return err
		}
		switch number {
		case 1:
			e.delta, e.hasDelta = int64(value), true
		case 2:
			e.threadDelta, e.hasThreadDelta = int64(value), true
		case 4:
			e.notes = append(e.notes, bytes)
		case 6:
			err = e.legacy.read(bytes)
		case 9:
			e.kind = value
		case 10:
			e.nameID = value
		case 11:
			e.track, e.tracked = value, true
		case 12:
			e.extra, err = wire.Numbers(e.extra, value, bytes)
		case 16:
			e.absolute = int64(value)
		case 17:
			e.threadAbsolute = int64(value)
		case 23:
			e.name = bytes
		case 30:
			e.value, e.valued = float64(int64(value)), true
		case 31:
			e.extraTrack, err = wire.Numbers(e.extraTrack, value, bytes)
		case 36:
			e.flows, err = wire.Numbers(e.flows, value, bytes)
		case 42:
			e.ends, err = wire.Numbers(e.ends, value, bytes)
		case 44:
			e.value, e.valued = math.Float64frombits(value), true
		case 45:
			e.realTrack, err = wire.Numbers(e.realTrack, value, bytes)
		case 46:
			e.extraReal, err = wire.Fixed(e.extraReal, value, bytes)
		case 47:
			e.flows, err = wire.Fixed(e.flows, value, bytes)
		case 48:
			e.ends, err = wire.Fixed(e.ends, value, bytes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *legacy) read(data []byte) error {
	return wire.Each(data, func(number int, value uint64, _ []byte) error {
		switch number {
		case 1:
			l.nameID = value
		case 2:
			l.phase = byte(value)
		case 3:
			l.duration = int64(value)
		case 6, 10, 11:
			l.async = true
		case 8:
			l.bind = value
		case 13:
			l.direction = value
		case 19:
			l.thread, l.hasThread = int64(int32(value)), true
		}
		return nil
	})
}

// trackEvent appends the records of a track event. The parameter at is the packet's time, for
// events that state no time.
func (s *sequence) trackEvent(p *packet, at int64, timed bool, out *list) error {
	e := &s.d.trackEvents
	if err := e.read(p.data); err != nil {
		return err
	}
	switch {
	case e.hasDelta:
		// Times relative to a thread descriptor are on the monotonic clock.
		s.reference += microseconds(e.delta)
		at, timed = s.monotonic(s.reference, p.at)
	case e.absolute != 0:
		at, timed = s.monotonic(microseconds(e.absolute), p.at)
	}
	if !timed {
		s.untimed(p)
		return nil
	}
	place := s.place(e)
	if e.hasThreadDelta {
		s.threadReference += microseconds(e.threadDelta)
		e.threadAbsolute = s.threadReference / 1e3
	}
	if e.hasThreadDelta || e.threadAbsolute != 0 {
		r := place
		r.kind, r.value = kindThreadTime, microseconds(e.threadAbsolute)
		out.add(at, r)
	}
	s.extras(e, at, place, out)
	if e.kind == typeCounter {
		if e.valued {
			s.counter(s.d.tracks.at(int64(place.index)), e.value, at, out)
		}
		return nil
	}
	place.text = s.name(e)
	switch {
	case e.legacy.phase != 0:
		s.legacy(e, at, place, out)
		return nil
	case e.kind == typeBegin:
		place.kind = kindBegin
	case e.kind == typeEnd:
		place.kind = kindEnd
	case e.kind == typeInstant:
		place.kind = kindInstant
	default:
		return nil
	}
	if e.kind == typeEnd {
		// The flows of an end event belong to the slice that ends.
		s.flows(e, at, place, out)
		if err := s.energy(e, at, place, out); err != nil {
			return err
		}
		out.add(at, place)
		return nil
	}
	out.add(at, place)
	s.flows(e, at, place, out)
	return nil
}

// These arguments of a slice state its energy without the energy of inner slices. diffprof writes
// them. calledEnergy is for slices that are calls, and sampledEnergy for slices that show samples.
const (
	calledEnergy  = "self_nJ"
	sampledEnergy = "sampled_nJ"
)

// energy appends the energy of a slice. Only traces that diffprof wrote state it.
func (s *sequence) energy(e *trackEvent, at int64, place record, out *list) error {
	if s.called == 0 && s.sampled == 0 {
		return nil
	}
	for _, note := range e.notes {
		var name, value uint64
		err := wire.Each(note, func(number int, n uint64, _ []byte) error {
			switch number {
			case 1:
				name = n
			case 4:
				value = n
			}
			return nil
		})
		if err != nil {
			return err
		}
		if name != 0 && (name == s.called || name == s.sampled) {
			place.kind, place.text, place.value, place.core = kindEnergy, nil, int64(value), 0
			if name == s.sampled {
				place.core = 1
			}
			out.add(at, place)
		}
	}
	return nil
}

// place returns a record with an event's track or thread.
func (s *sequence) place(e *trackEvent) record {
	uuid, tracked := e.track, e.tracked
	if !tracked || uuid == 0 && e.legacy.phase != 0 && !s.described {
		uuid, tracked = s.defaultTrack, s.hasDefaultTrack
	}
	switch {
	case e.legacy.hasThread:
		return record{index: noTrack, thread: e.legacy.thread}
	case e.legacy.async:
		return record{index: noTrack, thread: noThread}
	case tracked && uuid != 0:
		return record{index: s.track(uuid)}
	case s.described:
		return record{index: noTrack, thread: s.thread}
	}
	return record{index: noTrack, thread: noThread}
}

// name returns the name of an event. The bytes stay valid after the event is processed.
func (s *sequence) name(e *trackEvent) []byte {
	switch {
	case e.name != nil:
		return e.name
	case e.nameID != 0:
		return s.names[e.nameID]
	}
	return s.names[e.legacy.nameID]
}

// legacy appends the records of an event of a thread in Chrome's older format.
func (s *sequence) legacy(e *trackEvent, at int64, place record, out *list) {
	switch e.legacy.phase {
	case 'B':
		place.kind = kindBegin
	case 'E':
		place.kind = kindEnd
	case 'X':
		place.kind = kindBegin
		out.add(at, place)
		s.flows(e, at, place, out)
		place.kind, place.text = kindEnd, nil
		at += microseconds(max(e.legacy.duration, 0))
		out.add(at, place)
		return
	case 'i', 'I', 'R':
		place.kind = kindInstant
	default:
		return
	}
	out.add(at, place)
	s.flows(e, at, place, out)
}

// flows appends the flows from and to an event.
func (s *sequence) flows(e *trackEvent, at int64, place record, out *list) {
	place.kind, place.text = kindFlow, nil
	for _, f := range e.flows {
		place.value = int64(f)
		out.add(at, place)
	}
	if e.legacy.direction != 0 {
		place.value, place.core = int64(e.legacy.bind), int32(e.legacy.direction&3)
		out.add(at, place)
	}
	place.last, place.core = true, 0
	for _, f := range e.ends {
		place.value = int64(f)
		out.add(at, place)
	}
}

// extras appends the extra counters of an event.
func (s *sequence) extras(e *trackEvent, at int64, place record, out *list) {
	tracks := e.extraTrack
	if len(tracks) == 0 {
		tracks = s.extraTracks
	}
	for i := 0; i < len(e.extra) && i < len(tracks); i++ {
		s.extra(tracks[i], float64(int64(e.extra[i])), at, place, out)
	}
	if tracks = e.realTrack; len(tracks) == 0 {
		tracks = s.realTracks
	}
	for i := 0; i < len(e.extraReal) && i < len(tracks); i++ {
		s.extra(tracks[i], math.Float64frombits(e.extraReal[i]), at, place, out)
	}
}

// extra appends an extra counter of an event. The counter may be the clock of the event's thread.
func (s *sequence) extra(uuid uint64, value float64, at int64, place record, out *list) {
	index := s.track(uuid)
	t := s.d.tracks.at(int64(index))
	if t.counts != countsThreadTime {
		s.counter(t, value, at, out)
		return
	}
	if value, ok := s.absolute(t, value); ok {
		place.kind, place.value = kindThreadTime, value
		out.add(at, place)
	}
}

// counter appends a value of a counter.
func (s *sequence) counter(t *track, value float64, at int64, out *list) {
	if t == nil {
		return
	}
	if value, ok := s.absolute(t, value); ok {
		out.add(at, record{kind: kindSignal, index: s.d.series.counter(t), value: value})
	}
}

// absolute returns the value of a counter, which may state only the change of its value.
func (s *sequence) absolute(t *track, value float64) (int64, bool) {
	value *= t.unit
	if t.incremental {
		if s.counters == nil {
			s.counters = make(map[*track]float64)
		}
		value += s.counters[t]
		s.counters[t] = value
	}
	const most = 1 << 61
	if math.IsNaN(value) || value > most || value < -most {
		return 0, false
	}
	return int64(math.Round(value)), true
}

// microseconds converts microseconds to nanoseconds, and limits the result to plausible times.
func microseconds(n int64) int64 {
	const most = math.MaxInt64 / 4000
	return min(max(n, -most), most) * 1000
}
