// Package perfetto reads traces of Perfetto, Android's tracer of the whole system.
//
// A trace is packets, messages of Protocol Buffers, each of a sequence, which is one writer's.
// The packets of different sequences lie among each other as their writers' buffers were
// emptied, and those of the kernel's events among them as the buffers of the cores were. So
// the order of the file is not that of time. A first pass notes where the packets of each
// sequence and each core are, and reads what says what there is: clocks, threads, tracks,
// symbols. A second pass reads the packets of all of them side by side, in order of time, by
// random access; see package order.
//
// # The run
//
// Slices are calls, and the kernel's switches give them processor time: see package ftrace.
// They are prints of atrace, and track events of threads. Samples of stacks, of perf
// or of the newer stack sampler, are a run of their own: [Options].SampleType says which is
// read. Track events of no thread, asynchronous ones, are what somebody waited for, and no
// run. Instants take no time, and are no calls; a flow may begin or end at one.
//
// # Bad input
//
// A packet that is no message, or that is cut, is an error; [Options].Partial reads the
// packets before the cut. Packets that a writer lost are counted in a warning, as are packets
// without a time, and those that need what a lost packet had interned.
package perfetto

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/diffprof/diffprof/ingest/wire"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trigger"
)

// Options say how to read a trace.
type Options struct {
	// SampleType is what is read: slices, perf for samples of perf, or stack for stack
	// samples; empty chooses.
	SampleType string
	// Process is the name or the number of the process to read; empty chooses.
	Process string
	// Partial reads what there is of a trace that is cut.
	Partial bool
	// MaxExpanded bounds what compressed packets may hold in all, in bytes; 0 and less is no
	// bound. Spool makes the file that they are kept in.
	MaxExpanded int64
	Spool       func() (File, error)
	// Triggers say what system calls ask; nil is the built-in table.
	Triggers *trigger.Table
}

// Causes of errors.
var (
	errColumns  = errors.New("the lists of a packet differ in length")
	errStreams  = errors.New("the trace has more than 65536 sequences of packets")
	errTracks   = errors.New("the trace has more than 262144 tracks")
	errInterned = errors.New("the packets of the trace have more than 128 MiB of names")
	errPacket   = errors.New("a packet of events takes more than 8 MiB")
)

// Bounds of what a trace names.
const (
	maxStreams  = 1 << 16
	maxTracks   = 1 << 18
	maxInterned = 128 << 20
	maxPacket   = 8 << 20
)

// Sniff says whether a file begins as a trace does: with packets that have fields of
// packets, of their types.
func Sniff(head []byte) bool {
	fields := 0
	for m := wire.Message(head); len(m) > 0; {
		rest := m
		number, _, data, err := m.Next()
		if err != nil {
			// The packet may go on behind the head.
			_, n := binary.Uvarint(rest[1:])
			if rest[0] != 1<<3|2 || n <= 0 {
				break
			}
			number, data, m = 1, rest[1+n:], nil
		}
		if number != 1 || data == nil {
			return false
		}
		n, ok := sniffPacket(data)
		if !ok {
			return false
		}
		fields += n
	}
	return fields > 0
}

// sniffPacket counts the fields of a packet; it returns false if one has not the type that
// a packet's has. The packet may be cut.
func sniffPacket(data []byte) (fields int, ok bool) {
	for m := wire.Message(data); len(m) > 0; fields++ {
		number, _, bytes, err := m.Next()
		if err != nil {
			break
		}
		isNumber := false
		switch number {
		case fieldTime, fieldSequence, fieldFlags, fieldCleared, fieldDropped, fieldClock, fieldTrustedUID, fieldTrustedPID, fieldFirst, fieldMachine:
			isNumber = true
		}
		if number == 0 || number > lastPacketField || isNumber != (bytes == nil) {
			return 0, false
		}
	}
	return fields, true
}

// lastPacketField is the largest number of a field of a packet, with the extensions.
const lastPacketField = 1999

// Decode reads the trace of size bytes in r and hands what happened to sink. Errors of the
// file are *syntax.Error.
func Decode(ctx context.Context, r io.ReaderAt, size int64, sink trace.Sink, o Options) (t *trace.Trace, err error) {
	d := newDecoder(r, size, o)
	origin, err := d.survey(ctx)
	if errors.Is(err, errRetold) {
		told := d.clocks.Primary()
		err = d.file.close()
		if err != nil {
			return nil, err
		}
		d = newDecoder(r, size, o)
		d.clocks.Tell(told.Number())
		origin, err = d.survey(ctx)
	}
	if err == nil {
		t, err = d.run(ctx, sink, origin)
	}
	if closing := d.file.close(); closing != nil {
		return nil, errors.Join(err, closing)
	}
	return t, err
}

// located says where the file is wrong; offset -1 is nowhere in particular. Errors that say
// it already stay as they are.
func located(offset int64, err error) error {
	var s *syntax.Error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &s) {
		return err
	}
	e := &syntax.Error{Format: "Perfetto trace", Offset: offset, Err: err}
	if errors.Is(err, wire.ErrCut) {
		e.Hint = "fetch the file again, or read what there is of it with --partial"
	}
	return e
}
