package art

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

const (
	// maxLine and maxHeader limit the memory for a header that does not end with *end.
	maxLine   = 1 << 20
	maxHeader = 256 << 20
)

// A section is a part of the text header.
type section int

const (
	noSection section = iota
	versionSection
	optionSection
	threadSection
	methodSection
)

// A header holds the values of the text header, without its tables.
type header struct {
	version int
	clock   trace.Clock // clock is 0 if the header does not state it.
	ended   bool        // ended means that *end was read.
	crlf    bool
}

// line reads one line, and returns it without its line break.
func (d *decoder) line(number int) (string, bool, error) {
	for scanned := 0; ; {
		b := d.in.bytes()
		if i := bytes.IndexByte(b[scanned:], '\n'); i >= 0 {
			i += scanned
			s := b[:i]
			d.in.skip(i + 1)
			if bytes.HasSuffix(s, []byte("\r")) {
				return string(s[:i-1]), true, nil
			}
			return string(s), false, nil
		}
		scanned = len(b)
		if scanned > maxLine {
			return "", false, d.failLine(number, fmt.Errorf("a line of more than %d bytes", maxLine), hintBinary)
		}
		if err := d.in.more(); err != nil {
			return "", false, err
		}
	}
}

// failLine adds the line number to an error in the text header. In the summary it adds the offset
// instead, because a summary follows binary data.
func (d *decoder) failLine(number int, err error, hint string) error {
	if d.inSummary {
		return d.fail(d.in.offset(), err, hint)
	}
	return &syntax.Error{Format: "art trace", Line: number, Offset: -1, Err: err, Hint: hint}
}

// readHeader reads lines up to *end.
func (d *decoder) readHeader() (header, error) {
	var h header
	at, start := noSection, d.in.offset()
	for number := 1; ; number++ {
		s, crlf, err := d.line(number)
		switch {
		case err != nil:
			return h, d.cut(err, "a header: *end is missing")
		case d.in.offset()-start > maxHeader:
			return h, d.failLine(number, fmt.Errorf("a header of more than %d bytes", maxHeader), hintBinary)
		}
		h.crlf = h.crlf || crlf
		if done, err := d.headerLine(s, number, &at, &h); done || err != nil {
			h.ended = done
			return h, err
		}
	}
}

// headerLine processes one line, and reports whether it was the last line of the header.
func (d *decoder) headerLine(s string, number int, at *section, h *header) (bool, error) {
	switch s {
	case "*version":
		*at = versionSection
		return false, nil
	case "*threads":
		*at = threadSection
		return false, nil
	case "*methods":
		*at = methodSection
		return false, nil
	case "*end":
		return true, nil
	}
	switch *at {
	case versionSection:
		v, err := strconv.Atoi(s)
		if err != nil {
			return false, d.failLine(number, fmt.Errorf("version %.40q is not a number", s), "")
		}
		h.version = v
		*at = optionSection
	case optionSection:
		return false, d.option(s, number, h)
	case threadSection:
		column, name, ok := strings.Cut(s, "\t")
		id, err := strconv.ParseInt(strings.TrimSpace(column), 10, 64)
		if !ok || err != nil || id < 0 {
			d.badRows++
			return false, nil
		}
		if len(d.threads.list) >= maxThreads {
			return false, d.failLine(number, fmt.Errorf("more than %d threads", maxThreads), hintBinary)
		}
		d.threads.add(id, utf8Name(strings.TrimSpace(name)))
	case methodSection:
		return false, d.addMethod(s)
	}
	return false, nil
}

// option processes a key=value line. It ignores unknown keys.
func (d *decoder) option(s string, number int, h *header) error {
	key, value, _ := strings.Cut(s, "=")
	switch key {
	case "clock":
		switch value {
		case "thread-cpu":
			h.clock = trace.ThreadCPU
		case "wall", "global":
			h.clock = trace.WallClock
		case "dual":
			h.clock = trace.ThreadCPU | trace.WallClock
		default:
			return d.failLine(number, fmt.Errorf("unknown clock %.40q", value), "")
		}
	case "data-file-overflow":
		d.tr.Overflow = value == "true"
	case "vm":
		d.tr.VM = value
	case "pid":
		if pid, err := strconv.ParseInt(value, 10, 64); err == nil && pid > 0 {
			d.tr.Processes = []trace.Process{{ID: pid}}
		}
	case "elapsed-time-usec":
		d.tr.Elapsed = elapsed(value, time.Microsecond)
	case "elapsed-time-nsec":
		d.tr.Elapsed = elapsed(value, time.Nanosecond)
	case "num-method-calls":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return d.failLine(number, fmt.Errorf("num-method-calls %.40q is not a count", value), "")
		}
		d.declared = n
	}
	return nil
}

// elapsed reads a duration. It returns 0 if the duration is invalid.
func elapsed(value string, unit time.Duration) time.Duration {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || n > int64(1<<62/unit) {
		return 0
	}
	return time.Duration(n) * unit
}

// text reads a file with a text header.
func (d *decoder) text() error {
	h, err := d.readHeader()
	if err != nil {
		return err
	}
	if h.crlf {
		d.warn("line-ends", "the header's lines end in CRLF: the file went through a text conversion, which may have changed its binary part")
	}
	start := d.in.offset()
	fixed, err := d.in.peek(16)
	if err != nil {
		return d.cut(err, "the header of the records")
	}
	if string(fixed[:4]) != magic {
		return d.fail(start, fmt.Errorf("%q in place of the magic SLOW after *end", fixed[:4]), hintBinary)
	}
	version, offset := int(binary.LittleEndian.Uint16(fixed[4:])), int(binary.LittleEndian.Uint16(fixed[6:]))
	if version < 1 || version > 3 {
		return d.fail(start+4, fmt.Errorf("data version %d is not 1, 2 or 3", version), hintBinary)
	}
	if h.version != version {
		d.warn("version", "the header states version %d and the records state version %d, which is used", h.version, version)
	}
	least := 16
	if version == 3 {
		least = 18
	}
	if offset < least {
		return d.fail(start+6, fmt.Errorf("records start at %d, within their own header", offset), hintBinary)
	}
	fixed, err = d.in.take(offset)
	if err != nil {
		return d.cut(err, "the header of the records")
	}
	d.setStart(binary.LittleEndian.Uint64(fixed[8:]), time.Microsecond)
	size := 0
	if version == 3 {
		size = int(binary.LittleEndian.Uint16(fixed[16:]))
	}
	l, err := d.layout(version, size, h.clock, start+16)
	if err != nil {
		return err
	}
	if err := d.checkText(start); err != nil {
		return err
	}
	d.threads.start(l.threadBits)
	d.start(l.clock)
	if err := d.records(l); err != nil {
		return err
	}
	return d.checkCount()
}

// checkText detects binary data that went through a text filter. Such a filter replaces bytes that
// are not UTF-8 by U+FFFD, so the records have no meaning.
func (d *decoder) checkText(start int64) error {
	if len(d.in.bytes()) < 4<<10 {
		// At the end of the input, peek leaves the remaining bytes in the buffer.
		if _, err := d.in.peek(4 << 10); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
	}
	b := d.in.bytes()
	if n := bytes.Count(b, []byte("\xef\xbf\xbd")); n >= 8 && n > len(b)/64 {
		return d.fail(start, errors.New("the binary part is full of U+FFFD"), hintBinary)
	}
	return nil
}

// checkCount compares the number of records with the number in the header. A file with a proper end
// counts as complete even if the numbers differ.
func (d *decoder) checkCount() error {
	got := d.total() + d.invalid
	switch {
	case d.declared < 0 || got == d.declared:
		return nil
	case got > d.declared || d.ended:
		d.warn("record-count", "the file states %s and has %d", count(d.declared, "record"), got)
		return nil
	}
	return d.cut(io.EOF, fmt.Sprintf("the records: it has %d of %d", got, d.declared))
}
