package simpleperf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/process"
	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/trace"
)

// The numbers of the messages in a record.
const (
	recordSample = 1
	recordLost   = 2
	recordFile   = 3
	recordThread = 4
	recordMeta   = 5
)

// message calls f for the message in a record.
func message(record []byte, f func(number int, data []byte) error) error {
	return wire.Each(record, func(number int, _ uint64, data []byte) error {
		if data == nil {
			return nil
		}
		return f(number, data)
	})
}

// tables has the data of a report without its samples.
type tables struct {
	events  []string
	files   map[uint32]*file
	threads map[uint32]thread
	// counts has the number of samples of each event. first and last are the times of the oldest
	// and the newest sample.
	counts      []int64
	first, last uint64
	// lost is the number of samples that did not fit into the recorder's buffer.
	lost int64
	// app is the name of the recorded package, or empty if unknown.
	app string
	// waits is set if the recording also has scheduler samples, which show waiting threads.
	waits bool
}

// A file is a library or another file with code.
type file struct {
	path             string
	symbols, mangled []string
}

type thread struct {
	process uint32
	name    string
}

func newTables() *tables {
	return &tables{files: make(map[uint32]*file), threads: make(map[uint32]thread), first: math.MaxUint64}
}

// record reads a message.
func (t *tables) record(number int, data []byte) error {
	switch number {
	case recordSample:
		var s sample
		if err := s.read(data); err != nil {
			return err
		}
		if s.event >= maxEvents {
			return fmt.Errorf("a sample refers to event %d, above the limit", s.event)
		}
		for len(t.counts) <= int(s.event) {
			t.counts = append(t.counts, 0)
		}
		t.counts[s.event]++
		t.first, t.last = min(t.first, s.time), max(t.last, s.time)
	case recordLost:
		return wire.Each(data, func(number int, value uint64, _ []byte) error {
			if number == 2 {
				t.lost = int64(min(value, 1<<62))
			}
			return nil
		})
	case recordFile:
		return t.file(data)
	case recordThread:
		var id uint32
		var th thread
		err := wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				id = uint32(value)
			case 2:
				th.process = uint32(value)
			case 3:
				th.name = strings.ToValidUTF8(string(data), "\uFFFD")
			}
			return nil
		})
		t.threads[id] = th
		return err
	case recordMeta:
		return wire.Each(data, func(number int, value uint64, data []byte) error {
			switch number {
			case 1:
				t.events = append(t.events, string(data))
			case 2:
				t.app = string(data)
			case 6:
				t.waits = value != 0
			}
			return nil
		})
	}
	return nil
}

func (t *tables) file(data []byte) error {
	var id uint32
	f := &file{}
	err := wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			id = uint32(value)
		case 2:
			f.path = string(data)
		case 3:
			f.symbols = append(f.symbols, string(data))
		case 4:
			f.mangled = append(f.mangled, string(data))
		}
		return nil
	})
	t.files[id] = f
	return err
}

// name returns the name of an event, by its number.
func (t *tables) name(event uint32) string {
	if int(event) < len(t.events) {
		return t.events[event]
	}
	return fmt.Sprintf("event %d", event)
}

// maxEvents limits the numbers of events.
const maxEvents = 1 << 16

// sampled returns the events, by their numbers, with how many samples each has.
func (t *tables) sampled() []event.Event {
	events := make([]event.Event, len(t.counts))
	for id, n := range t.counts {
		events[id] = event.Event{Name: t.name(uint32(id)), Samples: n}
	}
	return events
}

// tracedWaits reports whether waiting threads were recorded. Older reports do not state this, but
// then have scheduler samples.
func (t *tables) tracedWaits() bool {
	return t.waits || slices.ContainsFunc(t.sampled(), func(e event.Event) bool {
		return e.Samples > 0 && event.IsScheduler(e.Name)
	})
}

// processes returns the processes that have a thread with a name, sorted by number.
func (t *tables) processes() []trace.Process {
	seen := make(map[uint32]bool)
	for _, th := range t.threads {
		seen[th.process] = true
	}
	var all []trace.Process
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		all = append(all, trace.Process{ID: int64(id), Name: t.called(id)})
	}
	return all
}

// called returns the name of a process.
func (t *tables) called(id uint32) string {
	alone := true
	for _, th := range t.threads {
		alone = alone && th.process == id
	}
	return process.Name(t.threads[id].name, t.app, alone)
}
