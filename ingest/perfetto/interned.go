package perfetto

import (
	"bytes"

	"github.com/diffprof/diffprof/ingest/wire"
)

// noStack means no stack.
const noStack = -1

// interned has the interned values of a sequence, except for event names.
type interned struct {
	functions, paths, sources, builds map[uint64][]byte

	mappings     map[uint64]mapping
	frames       map[uint64]frame
	callstacks   map[uint64]callstack
	tasks        map[uint64]task
	worths       map[uint64]sampleValue
	parcels      map[uint64]parcel
	appWakelocks map[uint64]wakelock
}

// A mapping is a library or another file of code.
type mapping struct {
	build uint64
	// parts has the ids of the path's components.
	parts []uint64
}

// A frame is a position in a mapping.
type frame struct {
	function, mapping, place, source uint64
	line                             uint64
	kind                             uint64
}

// A callstack is a list of frames, the outermost first. index is its index in stacks, or noStack
// before its first use.
type callstack struct {
	frames []uint64
	index  int32
}

// clear drops all values.
func (s *interned) clear() { *s = interned{} }

// add adds one entry. The field number determines its table.
func (s *interned) add(d *decoder, number int, data []byte) error {
	switch number {
	case 5:
		return internText(&s.functions, data)
	case 16:
		return internText(&s.builds, data)
	case 17:
		return internText(&s.paths, data)
	case 18:
		return internText(&s.sources, data)
	case 19:
		return s.internMapping(data)
	case 6:
		return s.internFrame(data)
	case 7:
		return s.internCallstack(data)
	case 30:
		return s.internParcel(data)
	case 42:
		return s.internWakelock(data)
	case 48:
		var t task
		id, _, err := internedText(data)
		if err == nil {
			err = t.read(data)
		}
		put(&s.tasks, id, t)
		return err
	case 50:
		id, _, err := internedText(data)
		if err != nil {
			return err
		}
		w, err := readSampleValue(data)
		put(&s.worths, id, w)
		return err
	}
	return nil
}

// put sets a value in a map, and creates the map if necessary.
func put[V any](m *map[uint64]V, id uint64, v V) {
	if *m == nil {
		*m = make(map[uint64]V)
	}
	(*m)[id] = v
}

// internText adds an interned text to m.
func internText(m *map[uint64][]byte, data []byte) error {
	id, text, err := internedText(data)
	put(m, id, bytes.Clone(text))
	return err
}

func (s *interned) internMapping(data []byte) error {
	var m mapping
	var id uint64
	err := wire.Each(data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			id = value
		case 2:
			m.build = value
		case 7:
			m.parts, err = wire.Numbers(m.parts, value, data)
		}
		return err
	})
	put(&s.mappings, id, m)
	return err
}

func (s *interned) internFrame(data []byte) error {
	var f frame
	var id uint64
	err := wire.Fill(data, &id, &f.function, &f.mapping, &f.place, &f.source, &f.line, &f.kind)
	put(&s.frames, id, f)
	return err
}

func (s *interned) internCallstack(data []byte) error {
	c := callstack{frames: []uint64{}, index: noStack}
	var id uint64
	err := wire.Each(data, func(number int, value uint64, data []byte) (err error) {
		switch number {
		case 1:
			id = value
		case 2:
			c.frames, err = wire.Numbers(c.frames, value, data)
		}
		return err
	})
	put(&s.callstacks, id, c)
	return err
}
