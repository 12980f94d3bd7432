// Package art reads the method traces that Android's virtual machines write:
// Dalvik's and ART's files with a text header, ART's streaming files, and the
// packed files of Android 15 and later. docs/formats/art.md has the layouts, and says
// where this reader and Android's own differ.
//
// # Terms
//
// A record, or entry, is one event: a thread, a method, an action and one or two
// clock readings. The thread clock counts the processor time of the record's
// thread, the wall clock the time since the trace began. The table is what the
// file says of methods and threads, in a header, in packets among the records, or
// both.
//
// # Laws
//
//   - Every record whose action is known becomes one event, in the file's order.
//   - A thread's first event has no time. A clock that runs backwards is held
//     still until it passes its old maximum; a 32-bit clock that falls by more
//     than half of its range has wrapped, and goes on.
//   - Methods with equal labels are one method. A method that the table does not
//     list gets a name made of its id.
//   - Memory is bounded by the table, never by the events.
//
// Stacks are not restored here: exits without entries come out as they are, and
// package cct makes sense of them.
//
// # Damage
//
// A file that is cut short is an error unless [Options] says to take what there
// is: half a trace would otherwise be compared with a whole one. What can be read
// past is a warning with a count.
//
// Functions of this package may be called concurrently; a sink is called from one
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

// Options say how to read.
type Options struct {
	// Partial takes what there is of a file that is cut short, with a warning, in
	// place of an error.
	Partial bool
	// Clock is the clock of a trace that [LateClock] reports; zero takes the wall
	// clock.
	Clock trace.Clock
	// Flows are hand-overs to weave into the events; may be nil.
	Flows *flows.Flows
}

// SniffLen is how many bytes Sniff and LateClock want to see.
const SniffLen = 32

const magic = "SLOW"

// Sniff says whether a file that begins with head is a method trace.
func Sniff(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte("*version\n")) ||
		bytes.HasPrefix(head, []byte("*version\r\n"))
}

// LateClock says whether a file that begins with head holds one clock and says
// only in its last lines which. The events of such a file mean what
// Options.Clock says; the Trace that Decode returns has the clock that the file
// states, so that decoding it a second time gets it right.
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

// Decode reads a trace from r to its end and gives its events to sink, in
// batches. It returns a *syntax.Error for a file that cannot be read, ctx's error
// once ctx is done, and the sink's error as it is.
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
		err = d.rest()
	}
	var t *truncated
	if errors.As(err, &t) && d.opts.Partial && d.total() > 0 {
		d.warn("truncated", "the file ends at byte %d, in the middle of %s; what comes before is used", t.offset, t.what)
		d.truncated, err = true, nil
	}
	return err
}

// rest reads what follows a trace that says where it ends: nothing, unless somebody put
// two traces one after another. Reading on to the end of the input has a decompressor
// hold the data to its checksum.
func (d *decoder) rest() error {
	if err := d.another(); err != nil {
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
			return d.cut(err, "what follows the trace")
		}
	}
	if left > 0 {
		d.warn("trailing-bytes", "%s after the end of the trace, left out", count(left, "byte"))
	}
	return nil
}

// another returns an error if a trace begins here, behind the one that was read.
func (d *decoder) another() error {
	at := d.in.offset()
	head, err := d.in.peek(SniffLen)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	// An end that comes too early is told by whoever reads on.
	if Sniff(head) {
		return d.fail(at, errors.New("another trace begins here: two files were put one after another"), "take them apart, and read each by itself")
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
		return d.fail(4, fmt.Errorf("version %#x is not known", version), hintBinary)
	}
}

// hintBinary is for files that went through a text filter or an ASCII transfer.
const hintBinary = "if the file went through a text filter, an editor or an ASCII transfer, fetch it again as binary"

// A truncated is the cause of an error where the file ends too early.
type truncated struct {
	offset int64
	what   string
}

func (t *truncated) Error() string {
	return fmt.Sprintf("the file ends in the middle of %s", t.what)
}

// cut turns the end of the input into an error that names what was being read,
// and leaves other errors as they are.
func (d *decoder) cut(err error, what string) error {
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	t := &truncated{offset: d.in.end(), what: what}
	hint := "record again, or fetch the whole file"
	if d.total() > 0 {
		hint += "; --partial uses what there is"
	}
	return d.fail(t.offset, t, hint)
}

func (d *decoder) fail(offset int64, err error, hint string) error {
	return &syntax.Error{Format: "art trace", Offset: offset, Err: err, Hint: hint}
}
