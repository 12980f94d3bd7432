// Package perfetto reads traces of Perfetto, Android's system tracer.
//
// A trace consists of packets, which are messages of Protocol Buffers. Each belongs to the
// sequence of one writer. The file has the packets in the order in which the buffers of writers
// and cores were emptied, which is not the order of time. A first pass records the places of
// the packets of each sequence and each core, and reads definitions: clocks, threads, tracks,
// symbols. A second pass reads the packets of all of them in parallel, in order of time, by
// random access; see package order.
//
// # The run
//
// Slices are calls, and the kernel's switches give them processor time; see package ftrace.
// Slices come from atrace's prints and from track events of threads. Samples of stacks, by perf
// or by the newer stack sampler, are a run of their own; [Options].SampleType chooses.
// Asynchronous track events, which have no thread, show waits and are not part of the run.
// Instants take no time, and are not calls; a flow may begin or end at one.
//
// # Bad input
//
// A packet that is invalid or cut is an error; [Options].Partial reads the packets before the
// cut. Packets that a writer lost are counted in a warning, as are packets without a time, and
// packets that need the interned values of a lost one.
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
	// SampleType selects slices, perf for samples of perf, or stack for stack samples. If it is
	// empty, the decoder chooses.
	SampleType string
	// Process is the process to read, by name or number. If it is empty, the decoder chooses.
	Process string
	// Partial reads a trace that is cut as far as it goes.
	Partial bool
	// MaxExpanded bounds the total size of decompressed packets, in bytes; 0 and less mean no
	// limit. Spool creates the file in which they are stored.
	MaxExpanded int64
	Spool       func() (File, error)
	// Triggers define the requests of system calls. nil means the built-in table.
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

// Bounds of a trace's definitions.
const (
	maxStreams  = 1 << 16
	maxTracks   = 1 << 18
	maxInterned = 128 << 20
	maxPacket   = 8 << 20
)

// Sniff reports whether a file begins as a trace: with packets whose fields have the right
// types.
func Sniff(head []byte) bool {
	fields := 0
	for m := wire.Message(head); len(m) > 0; {
		rest := m
		number, _, data, err := m.Next()
		if err != nil {
			// The packet may continue after the head.
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

// sniffPacket counts the fields of a packet. It returns false if a field has the wrong type.
// The packet may be cut.
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

// lastPacketField is the largest field number of a packet, with extensions.
const lastPacketField = 1999

// Decode reads the trace of size bytes in r and sends its events to sink. Errors of the file
// are *syntax.Error.
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

// located adds the place to an error that has none; offset -1 means no particular place.
func located(offset int64, err error) error {
	var s *syntax.Error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &s) {
		return err
	}
	e := &syntax.Error{Format: "Perfetto trace", Offset: offset, Err: err}
	if errors.Is(err, wire.ErrCut) {
		e.Hint = "fetch the file again, or read it as far as it goes with --partial"
	}
	return e
}
