package perfetto

import (
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// meter is a track of total energy without a name. The sources count microjoules, so the resolution
// is 1000 nanojoules.
var meter = trace.Track{Unit: "nJ", Core: -1, UID: -1, Resolution: 1e3}

// railsCalled records the names of power rails.
func (d *decoder) railsCalled(sequence uint32, data []byte) error {
	var session uint64
	if err := wire.Fill(data, nil, nil, &session); err != nil {
		return err
	}
	return wire.Each(data, func(number int, _ uint64, data []byte) error {
		if number != 1 {
			return nil
		}
		var index uint64
		t := meter
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				index = value
			case 2:
				t.Name = string(data)
			case 3:
				t.Component = component(string(data))
			}
			return nil
		})
		return d.call(railKey(session, sequence, index), t, err)
	})
}

// consumersCalled records the names of energy consumers.
func (d *decoder) consumersCalled(data []byte) error {
	return within(data, []int{1, 1}, func(data []byte) error {
		var id uint64
		t := meter
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				id = value
			case 3:
				t.Component = component(string(data))
			case 4:
				t.Name = string(data)
			}
			return nil
		})
		return d.call(consumerKey(id), t, err)
	})
}

// statesCalled records the names of components' states.
func (d *decoder) statesCalled(data []byte) error {
	return within(data, []int{1}, func(data []byte) error {
		var entity, state uint64
		var t trace.Track
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				entity = value
			case 2:
				state = value
			case 3:
				t.Component = string(data)
			case 4:
				t.Name = string(data)
			}
			return nil
		})
		return d.call(stateKey(entity, state), t, err)
	})
}

// call records the track for a key. It returns err.
func (d *decoder) call(key seriesKey, t trace.Track, err error) error {
	if len(d.called) < maxSeries {
		d.called[key] = t
	}
	return err
}

// railKey identifies a rail by its recording session or, without a session, by its sequence.
func railKey(session uint64, sequence uint32, index uint64) seriesKey {
	if session == 0 {
		return seriesKey{what: "rail", number: int64(index), sub: int64(sequence)}
	}
	return seriesKey{what: "rail of session", number: int64(index), sub: int64(session)}
}

// consumerKey identifies the total of an energy consumer. For the part of one app, sub is the app's
// uid.
func consumerKey(id uint64) seriesKey {
	return seriesKey{what: "consumer", number: int64(int32(id)), sub: noUID}
}

func stateKey(entity, state uint64) seriesKey {
	return seriesKey{what: "state", number: int64(int32(entity)), sub: int64(int32(state))}
}
