package jfr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// headerSize is the size of a chunk's header.
const headerSize = 68

// A header is the header of a chunk. Offsets are relative to the start of the file.
type header struct {
	begin, end      int64
	pools, metadata int64
	start, duration int64 // start and duration are in nanoseconds. start counts from 1970.
	// ticks is the reading of the events' clock at start. frequency is the clock's number of ticks
	// per second.
	ticks, frequency int64
}

// moment converts a reading of the events' clock to nanoseconds since 1970.
func (h *header) moment(ticks int64) int64 {
	if h.frequency <= 0 || ticks < h.ticks {
		return h.start
	}
	high, low := bits.Mul64(uint64(ticks-h.ticks), 1e9)
	if high >= uint64(h.frequency) {
		return h.start
	}
	ns, _ := bits.Div64(high, low, uint64(h.frequency))
	return h.start + int64(min(ns, uint64(max(0, math.MaxInt64-h.start))))
}

var (
	errOpen = errors.New("the recording was not closed: its last chunk has no metadata")
	errOld  = errors.New("recorded by Java 8 or older, which has a different format")
)

// readHeader reads the header of the chunk at an offset of a file.
func readHeader(r io.ReaderAt, at, size int64) (header, error) {
	var b [headerSize]byte
	if size-at < headerSize {
		return header{}, errCut
	}
	if _, err := r.ReadAt(b[:], at); err != nil && !errors.Is(err, io.EOF) {
		return header{}, err
	}
	u64 := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[i:])) }
	major := binary.BigEndian.Uint16(b[4:])
	h := header{begin: at, end: at + u64(8), pools: at + u64(16), metadata: at + u64(24), start: u64(32), duration: u64(40), ticks: u64(48), frequency: u64(56)}
	switch {
	case string(b[:4]) != magic:
		return h, fmt.Errorf("a chunk begins with %q instead of the magic number", b[:4])
	case major < 1:
		return h, errOld
	case u64(8) == 0 || u64(16) == 0 || u64(24) == 0:
		return h, errOpen
	case u64(8) < headerSize || u64(8) > size-at:
		return h, errCut
	case binary.BigEndian.Uint32(b[64:])&1 == 0:
		return h, errors.New("its numbers are not compressed, which no JVM writes")
	case h.pools < at+headerSize || h.pools >= h.end || h.metadata < at+headerSize || h.metadata >= h.end:
		return h, errors.New("the chunk's tables are outside of it")
	}
	return h, nil
}

// events calls f for each event of a chunk except for the metadata and the constant pools. The
// cursor is then after the event's type. f need not read the event.
func events(c *cursor, h header, f func(class int64) error) error {
	for at := h.begin + headerSize; at < h.end; {
		c.seek(at)
		size, err := c.number()
		if err != nil {
			return err
		}
		if size <= 0 || size > h.end-at {
			return fmt.Errorf("an event has the invalid size of %d bytes (%d are left)", size, h.end-at)
		}
		class, err := c.number()
		if err != nil {
			return err
		}
		if class > 1 { // Type 0 is the metadata, and type 1 is a checkpoint.
			if err := f(class); err != nil {
				return err
			}
		}
		at += size
	}
	return nil
}
