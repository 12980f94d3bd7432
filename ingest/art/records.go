package art

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/diffprof/diffprof/trace"
)

// maxRecord is well above the size of all known records. A larger size is a sign of damage.
const maxRecord = 64

// unwritten is the method word in a record that Dalvik reserved but never filled.
const unwritten = 0xeeeeeeee

// A layout describes the fields of a record.
type layout struct {
	size       int
	threadBits int
	method     int // method is the offset of the word with the method and the action.
	cpu, wall  int // cpu and wall are the offsets of the clocks, or -1 for an absent clock.
	clock      trace.Clock
	packets    bool // packets means that thread number 0 marks a packet.
	usual      bool // usual means the common layout: two bytes for the thread, then the method, then both clocks.
}

// layout returns the layout of the records. For version 3, stated is the record size in the header.
// The parameter at is the offset of that size in the file, for errors.
func (d *decoder) layout(version, stated int, clock trace.Clock, at int64) (layout, error) {
	l := layout{size: 10, threadBits: 16, method: 2, cpu: -1, wall: -1}
	switch version {
	case 1:
		l.size, l.threadBits, l.method = 9, 8, 1
	case 3:
		if stated < 10 || stated > maxRecord {
			return l, d.fail(at, fmt.Errorf("record size %d", stated), hintBinary)
		}
		l.size = stated
	}
	const dual = trace.ThreadCPU | trace.WallClock
	if clock == 0 {
		clock = trace.ThreadCPU
		if l.size >= dualSize {
			clock = dual
		}
	}
	if clock == dual && l.size < dualSize {
		clock = trace.ThreadCPU
		d.warn("clock", "the header states two clocks and the records have one, which is read as the thread clock")
	}
	first := l.method + 4
	switch clock {
	case trace.ThreadCPU:
		l.cpu = first
	case trace.WallClock:
		l.wall = first
	default:
		l.cpu, l.wall = first, first+4
	}
	l.clock = clock
	l.usual = l.threadBits == 16 && clock == dual
	return l, nil
}

// records reads records to the end of the input. After as many records as the header states, it
// checks for the start of another trace. Without this check it would read that trace as records.
func (d *decoder) records(l layout) error {
	end := int64(math.MaxInt64)
	if d.declared >= 0 && d.declared < end/int64(l.size)-d.in.offset() {
		end = d.in.offset() + d.declared*int64(l.size)
	}
	for {
		b := d.in.bytes()
		if left := end - d.in.offset(); left >= 0 && left < int64(len(b)) {
			b = b[:left]
		}
		n, err := d.run(b, l)
		d.in.skip(n)
		if err != nil {
			return err
		}
		if d.in.offset() == end {
			if err := d.checkSecond(); err != nil {
				return err
			}
			end = math.MaxInt64
			continue
		}
		if err := d.in.more(); err != nil {
			if errors.Is(err, io.EOF) && len(d.in.bytes()) == 0 {
				return nil
			}
			return d.cut(err, "a record")
		}
	}
}

// run reads the complete records of b, and returns their size in bytes. If the file has packets, it
// stops at the first packet.
func (d *decoder) run(b []byte, l layout) (int, error) {
	pos := 0
	for {
		pos += d.known(b[pos:], &l)
		if len(b)-pos < l.size {
			return pos, nil
		}
		// The fast loop in the function known stops at records that need more work: the record has
		// a new method or thread, or must be skipped.
		number, word, cpu, wall := l.fields(b[pos:])
		method := d.methods.lookup(uint64(word &^ 3))
		switch {
		case number == 0 && l.packets:
			return pos, nil
		case word&3 == 3, word == unwritten && method < 0:
			d.invalid++
			pos += l.size
		case method < 0:
			if err := d.unlisted(uint64(word &^ 3)); err != nil {
				return pos, err
			}
		case d.threads.byRecord[number] < 0:
			d.threads.resolve(number).first(int64(cpu), unwrap32(wall, d.threads.newest))
		default: // The batch is full.
			if err := d.flush(); err != nil {
				return pos, err
			}
		}
	}
}

// known is the fast loop of the decoder. It reads records from the start of b until it finds a new
// method or thread, or the batch is full. It returns the size of the records read in bytes. It
// calls no functions, so its variables stay in registers.
func (d *decoder) known(b []byte, l *layout) int {
	byRecord, list, newest := d.threads.byRecord, d.threads.list, d.threads.newest
	batch := d.batch[d.n:]
	n, pos := 0, 0
	for ; n < len(batch) && len(b)-pos >= l.size; n++ {
		rec := b[pos:]
		var number, word, cpu, wall uint32
		if l.usual && len(rec) >= dualSize { // Two loads read all fields of this layout.
			head, clocks := binary.LittleEndian.Uint64(rec), binary.LittleEndian.Uint64(rec[dualSize-8:])
			number, word, cpu, wall = uint32(head&0xffff), uint32(head>>16), uint32(clocks), uint32(clocks>>32)
		} else {
			number, word, cpu, wall = l.fields(rec)
		}
		if number == 0 && l.packets || word&3 == 3 {
			break
		}
		method := d.methods.lookup(uint64(word &^ 3))
		i := byRecord[number]
		if method < 0 || i < 0 {
			break
		}
		th := &list[i]
		th.events++
		e := &batch[n]
		step32(&th.wall, wall, &d.wallBackwards)
		if th.wall >= newest {
			newest = th.wall
		} else {
			d.threads.noteLate(newest - th.wall)
		}
		e.Time = th.wall * 1000
		e.CPU = step32(&th.cpu, cpu, &d.cpuBackwards) * 1000
		e.Energy = 0
		e.Ref = trace.Ref(method)
		e.Thread = trace.ThreadID(i)
		e.Account = 0
		// Action 0 becomes Enter, and actions 1 and 2 become Exit. This is arithmetic, because a
		// branch on the action would often be mispredicted and cost more than the rest of the loop.
		e.Kind = trace.Kind((word&3 + 1) / 2)
		pos += l.size
	}
	d.n += n
	d.threads.newest = newest
	return pos
}

// fields splits a record into its fields.
func (l *layout) fields(rec []byte) (thread, word, cpu, wall uint32) {
	thread = uint32(rec[0])
	if l.threadBits == 16 {
		thread |= uint32(rec[1]) << 8
	}
	word = binary.LittleEndian.Uint32(rec[l.method:])
	if l.cpu >= 0 {
		cpu = binary.LittleEndian.Uint32(rec[l.cpu:])
	}
	if l.wall >= 0 {
		wall = binary.LittleEndian.Uint32(rec[l.wall:])
	}
	return thread, word, cpu, wall
}
