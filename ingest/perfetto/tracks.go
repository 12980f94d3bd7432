package perfetto

import (
	"math"

	"github.com/diffprof/diffprof/ingest/wire"
)

// noTrack and noThread represent no track and no thread.
const (
	noTrack  = -1
	noThread = -1
)

// countsThreadTime is the kind of counters of a thread's processor time.
const countsThreadTime = 1

// A track is a series of track events. It belongs to a thread, to a counter, or to something that
// the writer defined.
type track struct {
	index  int32
	name   string
	parent uint64
	// thread and process are the system's ids, or noThread if the track has none.
	thread, process int64
	// counts is the kind of the counter. unit is the factor for its values. unitName may be empty.
	counts      uint64
	unit        float64
	unitName    string
	incremental bool
	// series is the index of the track's series, or -1 before the first signal.
	series int32
}

// tracks maps uuids to tracks.
type tracks struct {
	all  []*track
	byID map[uint64]*track
}

// at returns the track with an index, or nil for noTrack.
func (t *tracks) at(index int64) *track {
	if index < 0 {
		return nil
	}
	return t.all[index]
}

// get returns the track with a uuid. A track without a description has no thread. All tracks beyond
// maxTracks share one track.
func (t *tracks) get(uuid uint64) *track {
	tr := t.byID[uuid]
	if tr == nil {
		if len(t.all) >= maxTracks {
			uuid = math.MaxUint64
			if tr := t.byID[uuid]; tr != nil {
				return tr
			}
		}
		if t.byID == nil {
			t.byID = make(map[uint64]*track)
		}
		tr = &track{index: int32(len(t.all)), thread: noThread, process: noThread, unit: 1, series: -1}
		t.byID[uuid] = tr
		t.all = append(t.all, tr)
	}
	return tr
}

// describe reads the description of a track.
func (d *decoder) describe(data []byte) error {
	var uuid uint64
	fields := track{thread: noThread, process: noThread, unit: 1}
	counter := false
	err := wire.Each(data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			uuid = value
		case 2, 10, 13:
			fields.name = string(data)
		case 3:
			fields.process, err = d.describeProcess(data)
		case 4:
			fields.process, fields.thread, err = d.describeThread(data)
		case 5:
			fields.parent = value
		case 8:
			counter = true
			err = fields.counter(data)
		}
		return err
	})
	if err != nil {
		return err
	}
	t := d.tracks.get(uuid)
	if len(d.tracks.all) >= maxTracks {
		return errTracks
	}
	// A later description does not remove fields of an earlier one.
	if fields.name != "" {
		t.name = fields.name
	}
	if fields.parent != 0 {
		t.parent = fields.parent
	}
	if fields.process != noThread {
		t.process = fields.process
	}
	if fields.thread != noThread {
		t.thread = fields.thread
	}
	if counter {
		t.counts, t.unit, t.unitName, t.incremental = fields.counts, fields.unit, fields.unitName, fields.incremental
	}
	return nil
}

// counter reads the description of a counter.
func (t *track) counter(data []byte) error {
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			t.counts = value
		case 3:
			switch value {
			case 1:
				t.unitName = "ns"
			case 3:
				t.unitName = "bytes"
			}
		case 4:
			if value > 0 {
				t.unit = float64(value)
			}
		case 5:
			t.incremental = value != 0
		case 6:
			t.unitName = string(data)
		}
		return nil
	})
}
