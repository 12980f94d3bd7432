// Package data reads the files that perf and simpleperf record: their tables, events and symbols,
// and their records in time order.
//
// A file has a header, the attributes of the events, records, and then sections called features.
// The output to a pipe has no such tables: its attributes and features are records. Numbers are
// little-endian. Sizes in a file are checked against the size of the file.
package data

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// Magic is the start of a file.
const Magic = "PERFILE2"

// Errors for which there is a hint.
var (
	ErrCut  = errors.New("the file ends before its records do")
	ErrOpen = errors.New("the recording was not closed: it does not state the size of its records")
)

// A File is a recording. It must not be used concurrently.
type File struct {
	// Simpleperf is set if simpleperf wrote the file. Its records are in time order.
	Simpleperf bool
	// Cut is set if the file is truncated within its records.
	Cut bool
	// Attributes are the attributes of the events.
	Attributes []Attribute
	Features

	r          io.ReaderAt
	begin, end int64 // begin and end are the range of the records in the file.
	pipe       bool
	partial    bool
	max        int64
	// ids maps the ids in samples to indices of Attributes.
	ids map[uint64]int
	// layout is the layout of the first attribute's records.
	layout layout
	// disorder is set if the records are not in time order.
	disorder bool
}

// Options state how to read a file.
type Options struct {
	// Partial reads a truncated file to its end.
	Partial bool
	// MaxExpanded limits the size of decompressed records. 0 and negative values mean no limit.
	MaxExpanded int64
}

const (
	fileHeader = 104
	pipeHeader = 16
	// minAttribute is the size of an attribute in the first version of the format.
	minAttribute = 64
	maxEvents    = 1 << 12
)

// Open reads the tables of a file of size bytes.
func Open(ctx context.Context, r io.ReaderAt, size int64, o Options) (*File, error) {
	f := &File{r: r, ids: make(map[uint64]int), partial: o.Partial, max: o.MaxExpanded}
	head, err := f.read(0, pipeHeader, size)
	if err != nil {
		return nil, err
	}
	switch n := binary.LittleEndian.Uint64(head[8:]); {
	case string(head[:8]) != Magic:
		return nil, fmt.Errorf("it begins with %q instead of %s", head[:8], Magic)
	case n == pipeHeader:
		f.begin, f.end, f.pipe = pipeHeader, size, true
		if err := f.readPipe(ctx); err != nil {
			return nil, err
		}
	case n < fileHeader || n > uint64(size):
		return nil, fmt.Errorf("its header has the invalid size of %d bytes (a header has %d)", n, fileHeader)
	default:
		if err := f.readTables(size); err != nil {
			return nil, err
		}
	}
	if len(f.Attributes) == 0 {
		return nil, errors.New("it has no events")
	}
	f.layout = newLayout(&f.Attributes[0])
	return f, nil
}

// read reads n bytes at an offset of a file of size bytes.
func (f *File) read(at int64, n uint64, size int64) ([]byte, error) {
	if at < 0 || at > size || n > uint64(size-at) {
		return nil, ErrCut
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// A section is a range of a file.
type section struct{ at, size uint64 }

func (f *fields) section() section { return section{f.u64(), f.u64()} }

// within reports whether a section is within a file.
func (s section) within(size int64) bool {
	return s.at <= uint64(size) && s.size <= uint64(size)-s.at
}

// readTables reads the attributes, and finds the records and the features.
func (f *File) readTables(size int64) error {
	head, err := f.read(0, fileHeader, size)
	if err != nil {
		return err
	}
	in := fields{rest: head[pipeHeader:]}
	each, attributes, records := in.u64(), in.section(), in.section()
	in.section() // These are the types of events. Current writers leave them empty.
	mask := in.take(32)
	switch {
	case each < minAttribute+16 || each > 1<<12:
		return fmt.Errorf("its attributes have the invalid size of %d bytes", each)
	case !attributes.within(size):
		return ErrCut
	case attributes.size/each > maxEvents:
		return fmt.Errorf("it has %d events, more than the limit", attributes.size/each)
	}
	for i := range attributes.size / each {
		b, err := f.read(int64(attributes.at+i*each), each, size)
		if err != nil {
			return err
		}
		tail := fields{rest: b[each-16:]}
		ids := tail.section()
		if !ids.within(size) {
			return ErrCut
		}
		list, err := f.read(int64(ids.at), ids.size, size)
		if err != nil {
			return err
		}
		f.addAttribute(b[:each-16], list)
	}
	f.begin, f.end = int64(records.at), int64(records.at+records.size)
	switch {
	case records.at > uint64(size):
		return ErrCut
	case records.size == 0 && records.at < uint64(size) && !f.partial && len(bytes.Trim(mask, "\x00")) == 0:
		return ErrOpen
	case records.size == 0, !records.within(size):
		if !f.partial {
			return ErrCut
		}
		f.end, f.Cut = size, true
		return nil
	}
	err = f.readFeatures(mask, size)
	if f.partial && errors.Is(err, ErrCut) {
		f.Cut = true
		return nil
	}
	return err
}

// readFeatures reads the sections of features. A table after the records has their positions.
func (f *File) readFeatures(mask []byte, size int64) error {
	f.Simpleperf = mask[feature(128)/8] != 0
	at := f.end
	for number := range feature(len(mask) * 8) {
		if mask[number/8]&(1<<(number%8)) == 0 {
			continue
		}
		b, err := f.read(at, 16, size)
		if err != nil {
			return err
		}
		at += 16
		in := fields{rest: b}
		s := in.section()
		if !s.within(size) {
			return fmt.Errorf("the section of feature %d is outside of the file", number)
		}
		if !number.known() {
			continue
		}
		content, err := f.read(int64(s.at), s.size, size)
		if err != nil {
			return err
		}
		if err := f.Features.add(number, content); err != nil {
			return fmt.Errorf("feature %d: %w", number, err)
		}
	}
	return nil
}

// readPipe reads the attributes and features among the records of a pipe's output.
func (f *File) readPipe(ctx context.Context) error {
	return f.each(ctx, func(r *Record) error {
		in := fields{rest: r.Body}
		switch r.Type {
		case recordAttribute:
			size := uint64(0)
			if len(r.Body) >= 8 {
				size = uint64(binary.LittleEndian.Uint32(r.Body[4:]))
			}
			b := in.take(size)
			if size < minAttribute || in.short || len(f.Attributes) == maxEvents {
				return fmt.Errorf("an attribute has the invalid size of %d bytes", size)
			}
			f.addAttribute(b, in.rest)
		case recordFeature:
			if number := in.u64(); number < 256 && feature(number).known() {
				return f.Features.add(feature(number), in.rest)
			}
		case recordBuildID:
			f.Features.buildID(r.Misc, r.Body)
		}
		return nil
	})
}

// addAttribute adds an event and the ids in its samples.
func (f *File) addAttribute(attribute, ids []byte) {
	a := readAttribute(attribute)
	for in := (fields{rest: ids}); len(in.rest) >= 8; {
		f.ids[in.u64()] = len(f.Attributes)
	}
	f.Attributes = append(f.Attributes, a)
}

// An Attribute is a recorded event.
type Attribute struct {
	// Name is perf's name of the event, such as "cpu-clock:u".
	Name string

	kind, clock                              uint32
	config, period, sampleType, format, flag uint64
}

func readAttribute(b []byte) Attribute {
	in := fields{rest: b}
	a := Attribute{kind: in.u32()}
	in.u32() // This is the size of the attribute.
	a.config, a.period, a.sampleType, a.format, a.flag = in.u64(), in.u64(), in.u64(), in.u64(), in.u64()
	in.take(44)
	a.clock = in.u32()
	return a
}

// These are flags of an attribute.
const (
	flagExcludeUser   = 1 << 4
	flagExcludeKernel = 1 << 5
	flagFrequency     = 1 << 10
	flagSampleIDAll   = 1 << 18
	flagClock         = 1 << 25
)

// Monotonic reports whether times are readings of the monotonic clock, which counts from the start
// of the machine and stops while the machine sleeps.
func (a *Attribute) Monotonic() bool { return a.flag&flagClock != 0 && a.clock == 1 }

// Unwound reports whether the samples have copies of stacks. simpleperf unwinds such a copy while
// it records. perf unwinds it when it reports.
func (a *Attribute) Unwound() bool { return a.sampleType&partStack != 0 }

// The parts of a sample, in the order in which they occur. The exception is partIdentifier, which
// comes first.
const (
	partIP = 1 << iota
	partThread
	partTime
	partAddress
	partRead
	partChain
	partID
	partCPU
	partPeriod
	partStream
	partStack      = 1 << 13
	partIdentifier = 1 << 16
)

// A layout states where ids and times are in records.
type layout struct {
	// id is the offset of the id in a sample. For other records, time is the distance of the time
	// from the record's end. Each is -1 if missing.
	id, time int
}

func newLayout(a *Attribute) layout {
	l := layout{id: -1, time: -1}
	switch {
	case a.sampleType&partIdentifier != 0:
		l.id = 0
	case a.sampleType&partID != 0:
		l.id = 8 * bits.OnesCount64(a.sampleType&(partIP|partThread|partTime|partAddress))
	}
	if a.flag&flagSampleIDAll != 0 && a.sampleType&partTime != 0 {
		l.time = 8 * bits.OnesCount64(a.sampleType&(partTime|partID|partStream|partCPU|partIdentifier))
	}
	return l
}
