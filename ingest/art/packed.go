package art

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// These are the types of packets in a packed file. The first byte of a packet is its type.
const (
	packedThread  = 0
	packedMethod  = 1
	packedEntries = 2
	packedSummary = 3
)

const (
	packedHeader = 32
	// maxEntry is the largest size of an entry: three LEB128 numbers of 64 bits.
	maxEntry = 3 * binary.MaxVarintLen64
	// maxReading is 104 days in nanoseconds. A larger reading is a sign of damage.
	maxReading = 1 << 53
)

// packed reads the packed form of Android 15 and later.
func (d *decoder) packed() error {
	head, err := d.in.take(packedHeader)
	if err != nil {
		return d.cut(err, "the file's header")
	}
	clock := trace.ThreadCPU | trace.WallClock
	if version := binary.LittleEndian.Uint16(head[4:]); version&0xf == 4 {
		clock = d.lateClock(4, 0)
	}
	// ART writes zeros at this offset. Perfetto's reader expects a counter and its frequency here,
	// and after them entries in an order that ART does not use.
	if frequency := binary.LittleEndian.Uint64(head[22:]); frequency != 0 {
		return d.fail(22, errors.New("a packed trace with a counter frequency, which no published version of ART writes"),
			"record with Android 16 or earlier, or with the older format")
	}
	d.unit = time.Nanosecond
	d.tr.VM = "art"
	d.setStart(binary.LittleEndian.Uint64(head[6:]), time.Nanosecond)
	d.start(clock)
	for {
		at := d.in.offset()
		kind, err := d.in.peek(1)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return d.streamEnd(io.EOF)
		}
		if err != nil {
			return err
		}
		switch kind[0] {
		case packedThread:
			err = d.packedThread()
		case packedMethod:
			err = d.packedMethod()
		case packedEntries:
			err = d.packedEntries(clock)
		case packedSummary:
			if _, err := d.in.take(3); err != nil {
				return d.cut(err, "the summary")
			}
			if err := d.summary(); err != nil {
				return err
			}
			return d.checkCount()
		default:
			return d.fail(at, fmt.Errorf("unknown packet type %d", kind[0]), hintBinary)
		}
		if err != nil {
			return err
		}
	}
}

func (d *decoder) packedThread() error {
	b, err := d.in.peek(5)
	if err != nil {
		return d.cut(err, "a thread packet")
	}
	id := binary.LittleEndian.Uint32(b[1:])
	name, err := d.counted(7, 5, "a thread packet")
	if err != nil {
		return err
	}
	_, err = d.packedThreadID(id, utf8Name(name))
	return err
}

// packedThreadID returns the index of the thread with an id, and adds the thread if it is new.
func (d *decoder) packedThreadID(id uint32, name string) (int32, error) {
	if len(d.threads.list) >= maxThreads {
		return 0, d.fail(d.in.offset(), fmt.Errorf("more than %d threads", maxThreads), hintBinary)
	}
	return d.threads.add(int64(id), name), nil
}

func (d *decoder) packedMethod() error {
	b, err := d.in.peek(9)
	if err != nil {
		return d.cut(err, "a method packet")
	}
	id := binary.LittleEndian.Uint64(b[1:])
	row, err := d.counted(11, 9, "a method packet")
	if err != nil {
		return err
	}
	return d.bindMethod(id&^3, trimLine(row))
}

// A delta has the values of a block's latest entry. The file stores each entry as differences from
// the entry before.
type delta struct{ method, wall, cpu uint64 }

// packedEntries reads a block of one thread's entries. It relies on the block's size and ignores
// its count of entries: ART truncates the count to 16 bits, and writes a wrong count when it splits
// a buffer.
func (d *decoder) packedEntries(clock trace.Clock) error {
	b, err := d.in.take(12)
	if err != nil {
		return d.cut(err, "a block's header")
	}
	number := binary.LittleEndian.Uint32(b[1:])
	left := int(binary.LittleEndian.Uint32(b[8:]))
	if _, ok := d.threads.byID[int64(number)]; !ok {
		d.threads.unlisted++
	}
	i, err := d.packedThreadID(number, "")
	if err != nil {
		return err
	}
	var from delta
	for left > 0 {
		need := min(left, maxEntry)
		if _, err := d.in.peek(need); err != nil {
			return d.cut(err, "a block of entries")
		}
		b := d.in.bytes()
		b = b[:min(left, len(b))]
		n, err := d.entries(b, len(b) == left, i, clock, &from)
		if err != nil {
			return err
		}
		d.in.skip(n)
		left -= n
	}
	return nil
}

// entries reads the complete entries in b, and returns their size in bytes, which is at least 1. If
// last is set, b ends at the end of the block.
func (d *decoder) entries(b []byte, last bool, i int32, clock trace.Clock, from *delta) (int, error) {
	th := &d.threads.list[i]
	pos := 0
	for pos < len(b) && (last || len(b)-pos >= maxEntry) {
		difference, n := signed(b[pos:])
		m := n
		var wall, cpu uint64
		if clock&trace.WallClock != 0 && m > 0 {
			if wall, n = binary.Uvarint(b[pos+m:]); n <= 0 {
				m = 0
			} else {
				m += n
			}
		}
		if clock&trace.ThreadCPU != 0 && m > 0 {
			if cpu, n = binary.Uvarint(b[pos+m:]); n <= 0 {
				m = 0
			} else {
				m += n
			}
		}
		if m <= 0 {
			return pos, d.fail(d.in.offset()+int64(pos), errors.New("an entry that runs out of its block"), hintBinary)
		}
		pos += m
		from.method += uint64(difference)
		from.wall += wall
		from.cpu += cpu
		if err := d.entry(th, i, from); err != nil {
			return pos, err
		}
	}
	return pos, nil
}

// entry turns one entry into an event.
func (d *decoder) entry(th *thread, i int32, at *delta) error {
	action := at.method & 3
	if action == 3 {
		d.invalid++
		return nil
	}
	method := d.methods.lookup(at.method &^ 3)
	if method < 0 {
		if err := d.unlisted(at.method &^ 3); err != nil {
			return err
		}
		method = d.methods.lookup(at.method &^ 3)
	}
	if d.n == len(d.batch) {
		if err := d.flush(); err != nil {
			return err
		}
	}
	cpu, wall := reading(at.cpu), reading(at.wall)
	if th.events == 0 {
		th.first(cpu, wall)
	}
	th.events++
	e := &d.batch[d.n]
	d.n++
	step64(&th.wall, wall, &d.wallBackwards)
	if t := &d.threads; th.wall >= t.newest {
		t.newest = th.wall
	} else {
		t.noteLate(t.newest - th.wall)
	}
	*e = trace.Event{
		Time:   th.wall,
		CPU:    step64(&th.cpu, cpu, &d.cpuBackwards),
		Ref:    trace.Ref(method),
		Thread: trace.ThreadID(i),
		Kind:   trace.Kind((action + 1) / 2), // The same conversion is in run.
	}
	return nil
}

// reading returns v as a clock reading, or 0 if v is implausibly large.
func reading(v uint64) int64 {
	if v > maxReading {
		return 0
	}
	return int64(v)
}

// signed reads a signed LEB128 number and returns it with its size. Bit 6 of the last byte is the
// sign. The size is 0 if b ends too early or the number is too long.
func signed(b []byte) (int64, int) {
	var v int64
	for i := range min(len(b), binary.MaxVarintLen64) {
		v |= int64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			if shift := 7 * (i + 1); shift < 64 && b[i]&0x40 != 0 {
				v |= -1 << shift
			}
			return v, i + 1
		}
	}
	return 0, 0
}
