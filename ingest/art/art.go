// Package art reads the method traces of Android's virtual machines: files of Dalvik and ART with a
// text header, streaming files of ART, and the packed files of Android 15 and later. The layouts
// are in layout.md.
//
// # Terms
//
// A record, or entry, is one event. It has a thread, a method, an action and one or two clock
// readings. The thread clock counts the processor time of the record's thread. The wall clock
// counts the time since the trace began. The tables of methods and threads are in a header, in
// packets among the records, or in both.
//
// # Laws
//
//   - Every record with a known action becomes one event, in the order of the file.
//   - A thread's first event has no processor time.
//   - If a clock runs backwards, its largest reading is used until a reading exceeds it.
//   - If a 32-bit clock falls by more than half of its range, it has wrapped around, and continues
//     from there.
//   - Methods with equal labels are the same method. A method that the table does not list gets a
//     name made from its id.
//   - Memory is bounded by the tables, never by the events.
//
// This package does not repair stacks. It passes on exits without entries, and package cct repairs
// the stacks.
//
// # Damage
//
// A truncated file is an error unless [Options].Partial is set. Otherwise half a trace could be
// compared with a whole trace by accident. Damage that the decoder can skip is a warning with a
// count.
//
// Functions of this package are safe for concurrent use. Each call uses its sink from one
// goroutine.
package art

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/ingest/flows"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

// Options state how to read a trace.
type Options struct {
	// Partial reads a truncated file to its end and adds a warning. Without Partial, such a file is
	// an error.
	Partial bool
	// Clock is the clock to assume if [LateClock] returns true. Zero means the wall clock.
	Clock trace.Clock
	// Flows are hand-overs of work between threads, inserted into the events. It may be nil.
	Flows *flows.Flows
}

// SniffLen is the number of bytes that Sniff and LateClock need.
const SniffLen = 32

const magic = "SLOW"

// Sniff reports whether a file that begins with head is a method trace.
func Sniff(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte("*version\n")) ||
		bytes.HasPrefix(head, []byte("*version\r\n"))
}

// LateClock reports whether a file that begins with head names its clock only in its last lines.
// Such a file must be decoded twice: the first Decode assumes Options.Clock and returns the clock
// that the file names. The second Decode is given that clock.
func LateClock(head []byte) bool {
	if len(head) < 18 || string(head[:4]) != magic {
		return false
	}
	switch binary.LittleEndian.Uint16(head[4:]) {
	case 4, streaming | 4, streaming | 2:
		return true
	case streaming | 3:
		return binary.LittleEndian.Uint16(head[16:]) < dualSize
	}
	return false
}

// Decode reads a trace from r to its end, and passes its events to sink in batches. It returns a
// *syntax.Error for a file that it cannot read, and ctx's error after ctx is done. Errors of the
// sink are returned unchanged.
func Decode(ctx context.Context, r io.Reader, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := newDecoder(ctx, r, sink, o)
	if err := d.decode(); err != nil {
		return nil, err
	}
	return d.finish()
}

func (d *decoder) decode() error {
	head, err := d.in.peek(len(magic))
	switch {
	case err != nil:
		return d.cut(err, "a trace's first bytes")
	case string(head) == magic:
		err = d.binary()
	case head[0] == '*':
		err = d.text()
	default:
		return d.fail(0, errors.New("neither *version nor SLOW at the start"), "")
	}
	if err == nil {
		err = d.readRest()
	}
	var t *truncated
	if errors.As(err, &t) && d.opts.Partial && d.total() > 0 {
		d.warn("truncated", "the file ends at byte %d, in the middle of %s; the events before are used", t.offset, t.what)
		d.truncated, err = true, nil
	}
	return err
}

// readRest reads the input after the end of a trace, so that a decompressor can verify its
// checksum. It fails if another trace follows.
func (d *decoder) readRest() error {
	if err := d.checkSecond(); err != nil {
		return err
	}
	var left int64
	for {
		n := len(d.in.bytes())
		left += int64(n)
		d.in.skip(n)
		if err := d.in.more(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return d.cut(err, "the rest after the trace")
		}
	}
	if left > 0 {
		d.warn("trailing-bytes", "%s after the end of the trace, not read", count(left, "byte"))
	}
	return nil
}

// checkSecond returns an error if a second trace begins at the current position.
func (d *decoder) checkSecond() error {
	at := d.in.offset()
	head, err := d.in.peek(SniffLen)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	// An error of peek is ignored here. If the file ends too early, the next read reports it.
	if Sniff(head) {
		return d.fail(at, errors.New("another trace begins here: the file consists of two traces"), "split it, and read each trace by itself")
	}
	return nil
}

// binary reads a file without a text header.
func (d *decoder) binary() error {
	h, err := d.in.peek(6)
	if err != nil {
		return d.cut(err, "the magic number's header")
	}
	switch version := binary.LittleEndian.Uint16(h[4:]); version {
	case 4, 5, streaming | 4, streaming | 5:
		return d.packed()
	case 1, 2, 3:
		return d.fail(0, errors.New("records without a header"),
			"this looks like the data half of a trace in two files: put the key file before it")
	case streaming | 2, streaming | 3:
		return d.stream()
	default:
		return d.fail(4, fmt.Errorf("unknown version %#x", version), hintBinary)
	}
}

// hintBinary is the hint for files that went through a text filter or an ASCII transfer.
const hintBinary = "if the file went through a text filter, an editor or an ASCII transfer, fetch it again as binary"

// truncated is the error for a file that ends too early. The field what names the unfinished part.
type truncated struct {
	offset int64
	what   string
}

func (t *truncated) Error() string {
	return fmt.Sprintf("the file ends in the middle of %s", t.what)
}

// cut returns a truncated error if err is the end of the input, and otherwise err. The parameter
// what names the part of the file that is incomplete.
func (d *decoder) cut(err error, what string) error {
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	t := &truncated{offset: d.in.end(), what: what}
	hint := "record again, or fetch the whole file"
	if d.total() > 0 {
		hint += "; --partial uses the part before it"
	}
	return d.fail(t.offset, t, hint)
}

func (d *decoder) fail(offset int64, err error, hint string) error {
	return &syntax.Error{Format: "art trace", Offset: offset, Err: err, Hint: hint}
}
