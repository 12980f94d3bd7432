package perfetto

import (
	"bytes"
	"math"

	"github.com/diffprof/diffprof/ingest/perfetto/clock"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// The components of operations, as indices for record.index.
const (
	componentWakelock = iota
	componentNetwork
	componentLog
)

var components = [...]string{"wakelock", "network", "log"}

// A parcel has the properties of network packets that were sent or received.
type parcel struct {
	verb   trace.Verb
	length uint64
	uid    int64
	device []byte
}

// read reads a field of a network packet.
func (n *parcel) read(data []byte) error {
	*n = parcel{uid: noUID}
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			n.verb = trace.OpSend
			if value == 1 {
				n.verb = trace.OpReceive
			}
		case 2:
			n.device = data
		case 3:
			n.length = value
		case 4:
			n.uid = int64(uint32(value))
		}
		return nil
	})
}

// noUID means no app.
const noUID = -1

// operation returns the record for a network packet of the given length.
func (n *parcel) operation(length uint64) record {
	return record{
		kind: kindOperation, verb: n.verb, index: componentNetwork, thread: n.uid, text: n.device,
		value: int64(min(length, math.MaxInt32*1024)),
	}
}

// network reads a network packet.
func (s *sequence) network(p *packet, at int64, out *list) error {
	var n parcel
	err := n.read(p.data)
	out.add(at, n.operation(n.length))
	return err
}

// networkBundle reads network packets that differ only in time and length. It also reads a bundle
// that states only the total of its network packets.
func (s *sequence) networkBundle(p *packet, at int64, out *list) error {
	n := parcel{uid: noUID}
	times, lengths := s.d.columns.times[:0], s.d.columns.threads[:0]
	var total uint64
	err := wire.Each(p.data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			if known, ok := s.parcels[value]; ok {
				n = known
			}
		case 2:
			err = n.read(data)
		case 3:
			times, err = wire.Numbers(times, value, data)
		case 4:
			lengths, err = wire.Numbers(lengths, value, data)
		case 7:
			total = value
		}
		return err
	})
	s.d.columns.times, s.d.columns.threads = times, lengths
	switch {
	case err != nil:
		return err
	case len(times) == 0:
		out.add(at, n.operation(total))
		return nil
	case len(lengths) < len(times):
		return errColumns
	}
	for i, t := range times {
		out.add(at+clock.Nanoseconds(t, 1), n.operation(lengths[i]))
	}
	return nil
}

// internParcel adds interned properties of network packets.
func (s *interned) internParcel(data []byte) error {
	var id uint64
	var n parcel
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			id = value
		case 2:
			return n.read(data)
		}
		return nil
	})
	n.device = bytes.Clone(n.device)
	if s.parcels == nil {
		s.parcels = make(map[uint64]parcel)
	}
	s.parcels[id] = n
	return err
}

// A wakelock is a wakelock that an app holds through Android's PowerManager.
type wakelock struct {
	tag []byte
	uid int64
}

// internWakelock adds an interned wakelock of an app.
func (s *interned) internWakelock(data []byte) error {
	var id uint64
	w := wakelock{uid: noUID}
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			id = value
		case 2:
			w.tag = bytes.Clone(data)
		case 5:
			w.uid = int64(uint32(value))
		}
		return nil
	})
	if s.appWakelocks == nil {
		s.appWakelocks = make(map[uint64]wakelock)
	}
	s.appWakelocks[id] = w
	return err
}

// wakelocksOfApps reads when apps acquire and release their wakelocks.
func (s *sequence) wakelocksOfApps(p *packet, at int64, out *list) error {
	ids, times := s.d.columns.times[:0], s.d.columns.threads[:0]
	err := wire.Each(p.data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			ids, err = wire.Numbers(ids, value, data)
		case 2:
			times, err = wire.Numbers(times, value, data)
		}
		return err
	})
	s.d.columns.times, s.d.columns.threads = ids, times
	if err != nil {
		return err
	}
	if len(times) < len(ids) {
		return errColumns
	}
	for i, id := range ids {
		w, ok := s.appWakelocks[id]
		if !ok {
			w.uid = noUID
		}
		r := record{kind: kindOperation, verb: trace.OpRelease, index: componentWakelock, thread: w.uid, text: w.tag, value: int64(id)}
		if times[i]&1 != 0 {
			r.verb = trace.OpAcquire
		}
		out.add(at+clock.Nanoseconds(times[i]>>1, 1), r)
	}
	return nil
}

// log reads lines of the device's log. Each line has its own time on the realtime clock.
func (s *sequence) log(p *packet, _ int64, out *list) error {
	return wire.Each(p.data, func(number int, _ uint64, data []byte) error {
		if number != 1 {
			return nil
		}
		r := record{kind: kindOperation, verb: trace.OpWrite, index: componentLog, thread: noUID}
		var at uint64
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 3:
				r.task = int32(value)
			case 4:
				r.thread = int64(uint32(value))
			case 5:
				at = value
			case 6:
				r.text = data
			case 8:
				r.value = int64(len(data))
			}
			return nil
		})
		if err != nil {
			return err
		}
		t, ok := s.d.moment(s.d.realtimeClock, clock.Nanoseconds(at, 1), p.at)
		if !ok {
			s.untimed(p)
			return nil
		}
		out.add(t, r)
		return nil
	})
}
