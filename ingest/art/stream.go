package art

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/diffprof/diffprof/trace"
)

// These are the types of packets between the records of a streaming file.
const (
	newMethod = 1
	newThread = 2
	summary   = 3
)

// stream reads a streaming file. A record with thread number 0 begins a packet.
func (d *decoder) stream() error {
	fixed, err := d.in.peek(18)
	if err != nil {
		return d.cut(err, "the header of the records")
	}
	version := int(binary.LittleEndian.Uint16(fixed[4:]) & 0xf)
	offset, size := int(binary.LittleEndian.Uint16(fixed[6:])), int(binary.LittleEndian.Uint16(fixed[16:]))
	if offset < len(fixed) {
		return d.fail(6, fmt.Errorf("records start at %d, within their own header", offset), hintBinary)
	}
	l, err := d.layout(version, size, d.lateClock(version, size), 16)
	if err != nil {
		return err
	}
	if fixed, err = d.in.take(offset); err != nil {
		return d.cut(err, "the header of the records")
	}
	l.packets = true
	d.tr.VM = "art"
	d.setStart(binary.LittleEndian.Uint64(fixed[8:]), time.Microsecond)
	d.threads.start(l.threadBits)
	d.start(l.clock)
	for {
		n, err := d.run(d.in.bytes(), l)
		d.in.skip(n)
		if err != nil {
			return err
		}
		if b := d.in.bytes(); len(b) >= 2 && b[0] == 0 && b[1] == 0 {
			last, err := d.packet()
			if last || err != nil {
				return err
			}
			continue
		}
		if err := d.in.more(); err != nil {
			return d.streamEnd(err)
		}
	}
}

// streamEnd handles the end of a streaming file without a summary. A complete last record means
// that the recorder was killed. An incomplete record means that the file was truncated.
func (d *decoder) streamEnd(err error) error {
	if !errors.Is(err, io.EOF) || len(d.in.bytes()) > 0 {
		return d.cut(err, "a record")
	}
	if d.total() == 0 {
		return d.cut(err, "its first packets, before any event")
	}
	d.warn("no-summary", "the trace ends without a summary, as when the app is killed: its end may be missing")
	return nil
}

// lateClock returns the clock to assume for a file that names it only in its summary. It returns 0
// if the record size determines the clocks.
func (d *decoder) lateClock(version, size int) trace.Clock {
	if version == 3 && size >= dualSize {
		return 0
	}
	if d.opts.Clock == trace.ThreadCPU {
		return trace.ThreadCPU
	}
	return trace.WallClock
}

// packet reads one packet, and reports whether it was the last packet of the file.
func (d *decoder) packet() (bool, error) {
	at := d.in.offset()
	b, err := d.in.peek(3)
	if err != nil {
		return false, d.cut(err, "a packet")
	}
	switch b[2] {
	case newMethod:
		row, err := d.counted(5, 3, "a method packet")
		if err != nil {
			return false, err
		}
		return false, d.addMethod(trimLine(row))
	case newThread:
		id, err := d.in.peek(5)
		if err != nil {
			return false, d.cut(err, "a thread packet")
		}
		number := binary.LittleEndian.Uint16(id[3:])
		name, err := d.counted(7, 5, "a thread packet")
		if err != nil {
			return false, err
		}
		d.threads.add(int64(number), utf8Name(name))
		return false, nil
	case summary:
		if _, err := d.in.take(7); err != nil {
			return false, d.cut(err, "the summary")
		}
		return true, d.summary()
	}
	return false, d.fail(at+2, fmt.Errorf("unknown packet type %d", b[2]), hintBinary)
}

// counted reads a packet and returns its text. The text follows head bytes. Among these, at the
// offset length, is the 16-bit length of the text.
func (d *decoder) counted(head, length int, what string) (string, error) {
	b, err := d.in.peek(head)
	if err != nil {
		return "", d.cut(err, what)
	}
	n := int(binary.LittleEndian.Uint16(b[length:]))
	b, err = d.in.take(head + n)
	if err != nil {
		return "", d.cut(err, what)
	}
	return string(b[head:]), nil
}

func trimLine(s string) string {
	for len(s) > 0 && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// summary reads the text at the end of a streaming or packed file. It has the layout of a header.
// Its count of records is ignored, because streaming files do not state the count.
func (d *decoder) summary() error {
	d.inSummary = true
	h, err := d.readHeader()
	if err != nil {
		return err
	}
	d.ended = true
	if h.clock != 0 && h.clock != d.tr.Clock {
		if d.tr.Clock == trace.ThreadCPU|trace.WallClock || h.clock == trace.ThreadCPU|trace.WallClock {
			d.warn("clock", "the summary states clock %v and the records have clock %v, which is used", h.clock, d.tr.Clock)
			return nil
		}
		d.tr.Clock = h.clock
	}
	return nil
}
