package simpleperf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/ingest/wire"
)

// Numbers of the messages in a record.
const (
	recordSample = 1
	recordLost   = 2
	recordFile   = 3
	recordThread = 4
	recordMeta   = 5
)

// message calls f for the message that a record holds.
func message(record []byte, f func(number int, data []byte) error) error {
	return wire.Each(record, func(number int, _ uint64, data []byte) error {
		if data == nil {
			return nil
		}
		return f(number, data)
	})
}

// tables are all of a report but its samples.
type tables struct {
	events  []string
	files   map[uint32]*file
	threads map[uint32]thread
	// counts are the samples of each event.
	counts map[uint32]int64
	// lost are the samples that the recorder had no room for.
	lost int64
	// app is the package that was recorded, empty if that is not known.
	app string
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
	return &tables{files: make(map[uint32]*file), threads: make(map[uint32]thread), counts: make(map[uint32]int64)}
}

// record takes in a message.
func (t *tables) record(number int, data []byte) error {
	switch number {
	case recordSample:
		var s sample
		if err := s.read(data); err != nil {
			return err
		}
		t.counts[s.event]++
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
		return wire.Each(data, func(number int, _ uint64, data []byte) error {
			switch number {
			case 1:
				t.events = append(t.events, string(data))
			case 2:
				t.app = string(data)
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

// name returns what an event is called.
func (t *tables) name(event uint32) string {
	if int(event) < len(t.events) {
		return t.events[event]
	}
	return fmt.Sprintf("event %d", event)
}

// isClock says whether an event counts nanoseconds of processor time. An event's modifier
// stands behind a colon.
func isClock(event string) bool {
	event, _, _ = strings.Cut(event, ":")
	return event == "cpu-clock" || event == "task-clock"
}

// isScheduler says whether an event is the scheduler's, which takes no time.
func isScheduler(event string) bool { return strings.HasPrefix(event, "sched:") }

// choose says which event to read.
func (t *tables) choose(asked string) (uint32, error) {
	var ids []uint32
	for id := range t.counts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return 0, errors.New("the report has no samples")
	}
	var names []string
	best, rank := ids[0], -1
	for _, id := range ids {
		name := t.name(id)
		names = append(names, name)
		r := 0
		switch {
		case asked != "":
			if name == asked {
				return id, nil
			}
		case isClock(name):
			r = 2
		case !isScheduler(name):
			r = 1
		}
		if r > rank {
			best, rank = id, r
		}
	}
	if asked != "" {
		return 0, fmt.Errorf("no event is called %q; the report has %s", asked, strings.Join(names, ", "))
	}
	return best, nil
}
