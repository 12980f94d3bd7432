// Package artwrite writes ART and Dalvik method traces, for the generator of the shipped samples
// and for the tests of the reader.
//
// It has no code in common with the reader, so that each checks the other. The same [Trace] and
// [Form] give the same bytes. ingest/art/layout.md describes the layouts.
package artwrite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// A Trace is a run to write.
type Trace struct {
	Threads []Thread
	// Methods are the methods of the run. Their names have dots between packages if VM is "art",
	// and slashes if it is "dalvik". File and Line may be empty.
	Methods []name.Method
	// Events yields the events in the order in which they are written. Write ranges over it twice
	// if the form begins with the number of events. For a list, use slices.Values.
	Events iter.Seq[Event]
	// Elapsed is the length of the run.
	Elapsed time.Duration
	// VM is "art" or "dalvik". Empty means "art".
	VM string
	// PID is written only to traces of ART.
	PID int
	// Start is the absolute start time of the trace, from any origin.
	Start time.Duration
	// Overflow is the header line data-file-overflow.
	Overflow bool
	// MethodID returns the id of method i. Its lowest two bits must be 0. By default, ids are 4·i
	// for ART, and pointers from 0x62000000 on for Dalvik.
	MethodID func(i int) uint64
}

// A Thread is a thread to write. Records have only the lower bits of its ID: 8 bits in version 1,
// and 16 bits in versions 2 and 3.
type Thread struct {
	ID   uint32
	Name string
}

// Action is the kind of an event. Values above Unwind are written as they are.
type Action uint8

// The actions: a call, a return, and an exit by an exception.
const (
	Enter Action = iota
	Exit
	Unwind
)

// An Event is one record. Times count from the start of the trace. They are truncated to
// microseconds, except in packed traces, which have nanoseconds.
type Event struct {
	Thread    int // index into Trace.Threads
	Method    int // index into Trace.Methods
	Action    Action
	CPU, Wall time.Duration
}

// A Form is the layout of the file.
type Form struct {
	// Version is the data version: 1, 2 or 3, or 4 for the packed traces of Android 15 and later. 0
	// means 3.
	Version int
	// Clock selects the clocks to write. The zero Clock means both clocks, or the thread clock in
	// versions 1 and 2, which have only one clock.
	Clock trace.Clock
	// Streaming writes packets instead of a text header.
	Streaming bool
	// NoSummary leaves out the end of a streaming or packed trace, as if the app was killed.
	NoSummary bool
	// RecordSize is the size to which the records of version 3 are padded. 0 means no padding.
	RecordSize int
	// DataOffset is the offset of the records after the magic. 0 means 32.
	DataOffset int
	// CRLF ends the lines of the header with \r\n.
	CRLF bool
}

var errForm = errors.New("no such form of trace")

// Write writes t. It returns an error if w does, or if there is no such form.
func Write(w io.Writer, t *Trace, f Form) error {
	if f.Version == 0 {
		f.Version = 3
	}
	if f.Clock == 0 {
		f.Clock = trace.ThreadCPU
		if f.Version >= 3 {
			f.Clock |= trace.WallClock
		}
	}
	dual := f.Clock == trace.ThreadCPU|trace.WallClock
	if f.Version < 1 || f.Version > 4 || dual && f.Version < 3 {
		return fmt.Errorf("version %d with clock %v: %w", f.Version, f.Clock, errForm)
	}
	if f.DataOffset == 0 {
		f.DataOffset = 32
	}
	if least := 18; f.DataOffset < least {
		return fmt.Errorf("data offset %d below %d: %w", f.DataOffset, least, errForm)
	}
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16), t: t, f: f}
	switch {
	case f.Version == 4:
		e.packed()
	case f.Streaming:
		e.stream()
	default:
		e.header(true)
		e.dataHeader()
		for ev := range t.Events {
			e.record(ev)
		}
	}
	return e.w.Flush()
}

func (t *Trace) id(i int) uint64 {
	switch {
	case t.MethodID != nil:
		return t.MethodID(i)
	case t.VM == "dalvik":
		return 0x62000000 + 56*uint64(i)
	}
	return 4 * uint64(i)
}
