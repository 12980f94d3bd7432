package perfetto

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/ingest/perfetto/clock"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// signal appends a signal unless its value is implausible.
func (l *list) signal(at int64, index int32, value int64) {
	const most = 1 << 61
	if index != noSeries && value < most && value > -most {
		l.add(at, record{kind: kindSignal, index: index, value: value})
	}
}

// nanojoules converts microwatt-seconds, which are microjoules, to nanojoules.
func nanojoules(uws uint64) int64 { return int64(min(uws, 1<<50)) * 1e3 }

// batteryReadings has the names and units of a battery's readings, by field number.
var batteryReadings = map[int]struct{ name, unit string }{
	1: {"charge", "uAh"},
	2: {"capacity", "%"},
	3: {"current", "uA"},
	4: {"average current", "uA"},
	6: {"energy", "uWh"},
	7: {"voltage", "uV"},
}

// battery reads a battery's gauge.
func (s *sequence) battery(p *packet, at int64, out *list) error {
	name := "battery"
	err := wire.Each(p.data, func(number int, _ uint64, data []byte) error {
		if number == 5 && len(data) > 0 {
			name = string(data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return wire.Each(p.data, func(number int, value uint64, _ []byte) error {
		what, ok := batteryReadings[number]
		if !ok {
			return nil
		}
		if number == 2 {
			value = uint64(math.Float32frombits(uint32(value)))
		}
		out.signal(at, s.d.series.gauge(seriesKey{what: name, number: int64(number)}, name+" "+what.name, "battery", what.unit), int64(value))
		return nil
	})
}

// rails reads the total energy of power rails. A reading has a time in milliseconds of Boottime, or
// else the time of its packet.
func (s *sequence) rails(p *packet, at int64, out *list) error {
	var session uint64
	if err := wire.Fill(p.data, nil, nil, &session); err != nil {
		return err
	}
	return wire.Each(p.data, func(number int, _ uint64, data []byte) error {
		if number != 2 {
			return nil
		}
		var index, ms, energy uint64
		if err := wire.Fill(data, &index, &ms, &energy); err != nil {
			return err
		}
		t, timed := at, p.timed
		if ms > 0 {
			t, timed = s.d.moment(s.d.boottimeClock, clock.Nanoseconds(ms, 1e6), p.at)
		}
		if !timed {
			s.untimed(p)
			return nil
		}
		out.signal(t, s.d.rail(session, s.id, index), nanojoules(energy))
		return nil
	})
}

// rail returns the series of a power rail.
func (d *decoder) rail(session uint64, sequence uint32, index uint64) int32 {
	key := railKey(session, sequence, index)
	return d.series.get(key, func() series {
		t, ok := d.called[key]
		if !ok {
			t = meter
			t.Name = fmt.Sprintf("rail %d", index)
		}
		return series{kind: trace.Drain, track: t}
	})
}

// breakdown reads the total energy of an energy consumer, and the part of each app.
func (s *sequence) breakdown(p *packet, at int64, out *list) error {
	var consumer, energy uint64
	if err := wire.Fill(p.data, nil, &consumer, &energy); err != nil {
		return err
	}
	key := consumerKey(consumer)
	drained := false
	err := wire.Each(p.data, func(number int, _ uint64, data []byte) error {
		switch number {
		case 3:
			drained = true
		case 4:
			var uid, energy uint64
			if err := wire.Fill(data, &uid, &energy); err != nil {
				return err
			}
			part := key
			part.sub = int64(int32(uid))
			out.signal(at, s.d.consumer(part), nanojoules(energy))
		}
		return nil
	})
	if drained {
		out.signal(at, s.d.consumer(key), nanojoules(energy))
	}
	return err
}

// consumer returns the series of an energy consumer. key.sub is the uid of an app, or noUID.
func (d *decoder) consumer(key seriesKey) int32 {
	return d.series.get(key, func() series {
		t, ok := d.called[consumerKey(uint64(key.number))]
		if !ok {
			t = meter
			t.Name = fmt.Sprintf("consumer %d", key.number)
		}
		t.UID = key.sub
		return series{kind: trace.Drain, track: t}
	})
}

// residency reads the time that components have spent in each state.
func (s *sequence) residency(p *packet, at int64, out *list) error {
	return wire.Each(p.data, func(number int, _ uint64, data []byte) error {
		if number != 2 {
			return nil
		}
		var entity, state, ms uint64
		if err := wire.Fill(data, &entity, &state, &ms); err != nil {
			return err
		}
		out.signal(at, s.d.state(entity, state), int64(min(ms, 1<<60)))
		return nil
	})
}

// state returns the series of the time that a component spent in a state.
func (d *decoder) state(entity, state uint64) int32 {
	key := stateKey(entity, state)
	t, ok := d.called[key]
	if !ok {
		t = trace.Track{Component: fmt.Sprintf("entity %d", key.number), Name: fmt.Sprintf("state %d", key.sub)}
	}
	return d.series.gauge(key, "time in "+t.Component+" "+t.Name, component(t.Component), "ms")
}

// kernelWakelocks reads for how long the kernel's wakelocks were held. Each packet states the
// increase since the previous packet.
func (s *sequence) kernelWakelocks(p *packet, at int64, out *list) error {
	ids, held := s.d.columns.times[:0], s.d.columns.threads[:0]
	err := wire.Each(p.data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			err = s.wakelockName(data)
		case 2:
			ids, err = wire.Numbers(ids, value, data)
		case 3:
			held, err = wire.Numbers(held, value, data)
		}
		return err
	})
	s.d.columns.times, s.d.columns.threads = ids, held
	if err != nil {
		return err
	}
	if len(held) < len(ids) {
		return errColumns
	}
	for i, id := range ids {
		name, ok := s.wakelocks[id]
		if !ok {
			name = fmt.Sprintf("wakelock %d", id)
		}
		s.sum(at, s.d.series.gauge(seriesKey{what: "held " + name}, "held "+name, "wakelock", "ms"), held[i], out)
	}
	return nil
}

// wakelockName adds the name of a wakelock of the kernel.
func (s *sequence) wakelockName(data []byte) error {
	id, name, err := internedText(data)
	if s.wakelocks == nil {
		s.wakelocks = make(map[uint64]string)
	}
	s.wakelocks[id] = string(name)
	return err
}

// sum adds an increase to a series, and appends the new sum to out.
func (s *sequence) sum(at int64, index int32, more uint64, out *list) {
	if s.sums == nil {
		s.sums = make(map[int32]int64)
	}
	s.sums[index] += int64(min(more, 1<<50))
	out.signal(at, index, s.sums[index])
}

// uidTimes reads for how long each app ran on each cluster of cores. The first packet states the
// time since the device started. Later packets state the increase.
func (s *sequence) uidTimes(p *packet, at int64, out *list) error {
	uids, times := s.d.columns.times[:0], s.d.columns.threads[:0]
	err := wire.Each(p.data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			s.clusters = min(value, maxCores)
		case 2:
			uids, err = wire.Numbers(uids, value, data)
		case 3:
			times, err = wire.Numbers(times, value, data)
		}
		return err
	})
	s.d.columns.times, s.d.columns.threads = uids, times
	if err != nil || s.clusters == 0 {
		return err
	}
	for i, ms := range times {
		if uint64(i)/s.clusters >= uint64(len(uids)) {
			break // The remaining times have no uid.
		}
		uid, cluster := int64(uint32(uids[uint64(i)/s.clusters])), int64(uint64(i)%s.clusters)
		index := s.d.series.get(seriesKey{"uid", uid, cluster}, func() series {
			return series{kind: trace.Gauge, track: trace.Track{
				Name: fmt.Sprintf("cpu time of uid %d on cluster %d", uid, cluster), Component: "cpu", Unit: "ms", Core: -1, UID: uid,
			}}
		})
		s.sum(at, index, ms, out)
	}
	return nil
}
