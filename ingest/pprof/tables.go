package pprof

import (
	"context"
	"io"

	"github.com/diffprof/diffprof/ingest/wire"
)

// The numbers of the fields of a Profile in profile.proto.
const (
	fieldSampleType  = 1
	fieldSample      = 2
	fieldMapping     = 3
	fieldLocation    = 4
	fieldFunction    = 5
	fieldString      = 6
	fieldTime        = 9
	fieldDuration    = 10
	fieldPeriodType  = 11
	fieldPeriod      = 12
	fieldDefaultType = 14
)

// tables has a profile's data except for the samples. Texts are stored as indices of strings,
// because the strings may come last.
type tables struct {
	types       []valueType
	periodType  valueType
	period      int64
	defaultType uint64
	time        int64 // time is in nanoseconds since 1970.
	duration    int64 // duration is in nanoseconds.
	strings     []string
	functions   []function
	locations   []location
	mappings    []mapping
	// The following find the entries of a table by their ids.
	byFunction, byLocation, byMapping index
}

// A valueType is a kind and a unit, both as indices of strings.
type valueType struct{ kind, unit uint64 }

type function struct {
	id, name, systemName, file uint64
}

type mapping struct {
	id, start, offset, file uint64
}

type location struct {
	id, mapping, address uint64
	// lines has the functions of the location, the innermost inlined function first.
	lines []line
}

type line struct{ function, line uint64 }

// An index finds the entries of a table by their ids. Almost all writers number the entries from 1
// in order, so the map has only the ids that do not follow this rule.
type index map[uint64]int

// add adds the next entry of the table, and returns its id. If id is 0, as in some .NET profiles,
// the new id is the entry's number.
func (x *index) add(id uint64, at int) uint64 {
	if id == 0 {
		id = uint64(at) + 1
	}
	if id != uint64(at)+1 {
		if *x == nil {
			*x = make(index)
		}
		(*x)[id] = at
	}
	return id
}

// find returns the index of the entry with an id. The table has n entries, whose ids come from the
// callback.
func (x index) find(id uint64, n int, has func(at int) uint64) (int, bool) {
	if at := int(id) - 1; id > 0 && id <= uint64(n) && has(at) == id {
		return at, true
	}
	at, ok := x[id]
	return at, ok
}

func (t *tables) function(id uint64) (*function, bool) {
	at, ok := t.byFunction.find(id, len(t.functions), func(at int) uint64 { return t.functions[at].id })
	if !ok {
		return nil, false
	}
	return &t.functions[at], true
}

func (t *tables) location(id uint64) (int, bool) {
	return t.byLocation.find(id, len(t.locations), func(at int) uint64 { return t.locations[at].id })
}

func (t *tables) mapping(id uint64) (*mapping, bool) {
	at, ok := t.byMapping.find(id, len(t.mappings), func(at int) uint64 { return t.mappings[at].id })
	if !ok {
		return nil, false
	}
	return &t.mappings[at], true
}

// text returns the string with an index, or "" for an invalid index.
func (t *tables) text(n uint64) string {
	if n < uint64(len(t.strings)) {
		return t.strings[n]
	}
	return ""
}

// readTables reads a profile to its end, and skips its samples.
func readTables(ctx context.Context, r io.Reader) (*tables, error) {
	t := &tables{}
	in := wire.NewReader(r)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		number, value, data, err := in.Next(func(number int) bool { return number != fieldSample })
		if err == io.EOF {
			return t, nil
		}
		if err == nil {
			err = t.field(number, value, data)
		}
		if err != nil {
			return nil, located(in.Offset(), err)
		}
	}
}

// field reads a field of the profile.
func (t *tables) field(number int, value uint64, data []byte) (err error) {
	switch number {
	case fieldSampleType:
		var v valueType
		err = wire.Fill(data, &v.kind, &v.unit)
		t.types = append(t.types, v)
	case fieldMapping:
		var m mapping
		err = wire.Fill(data, &m.id, &m.start, nil, &m.offset, &m.file)
		m.id = t.byMapping.add(m.id, len(t.mappings))
		t.mappings = append(t.mappings, m)
	case fieldLocation:
		var l location
		err = l.read(data)
		l.id = t.byLocation.add(l.id, len(t.locations))
		t.locations = append(t.locations, l)
	case fieldFunction:
		var f function
		err = wire.Fill(data, &f.id, &f.name, &f.systemName, &f.file)
		f.id = t.byFunction.add(f.id, len(t.functions))
		t.functions = append(t.functions, f)
	case fieldString:
		t.strings = append(t.strings, string(data))
	case fieldTime:
		t.time = int64(value)
	case fieldDuration:
		t.duration = int64(value)
	case fieldPeriodType:
		err = wire.Fill(data, &t.periodType.kind, &t.periodType.unit)
	case fieldPeriod:
		t.period = int64(value)
	case fieldDefaultType:
		t.defaultType = value
	}
	return err
}

func (l *location) read(data []byte) error {
	return wire.Each(data, func(number int, value uint64, data []byte) error {
		switch number {
		case 1:
			l.id = value
		case 2:
			l.mapping = value
		case 3:
			l.address = value
		case 4:
			var at line
			err := wire.Fill(data, &at.function, &at.line)
			l.lines = append(l.lines, at)
			return err
		}
		return nil
	})
}
