// Package perfetto reads traces of Perfetto, Android's system tracer.
//
// A trace consists of packets, which are Protocol Buffers messages. Each packet belongs to the
// sequence of one writer. The packets are in the order in which the buffers of writers and cores
// were emptied, which is not time order. A first pass finds the positions of the packets of each
// sequence and each core. It also reads definitions: clocks, threads, tracks and symbols. A second
// pass reads the packets of all sequences and cores together, in time order, by random access (see
// package order).
//
// # Slices and samples
//
// Slices are read as calls. They come from the prints of atrace, and from track events of threads.
// The kernel's context switches give slices their processor time (see package ftrace). Asynchronous
// track events have no thread. They show that something waits, and are not read. Instants take no
// time and are not calls, but a flow may begin or end at an instant.
//
// Stack samples are read instead of slices, never together with them. They are made by perf or by
// the newer stack sampler. [Options].SampleType selects slices or samples.
//
// # Bad input
//
// A packet that is invalid or truncated is an error. With [Options].Partial, the decoder reads the
// packets before the truncation instead. Warnings count the packets that a writer lost, the packets
// without a time, and the packets that need interned values of a lost packet.
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

// Options state how to read a trace.
type Options struct {
	// SampleType is "slices", "perf" for samples by perf, or "stack" for samples by the stack
	// sampler. If it is empty, the decoder chooses.
	SampleType string
	// Process is the process to read, by name or number. If it is empty, the decoder chooses.
	Process string
	// Partial reads a truncated trace to its end.
	Partial bool
	// MaxExpanded limits the total size of decompressed packets in bytes. 0 and negative values
	// mean no limit. Spool creates the temporary file for decompressed packets.
	MaxExpanded int64
	Spool       func() (File, error)
	// Triggers states which system calls are requests to components. nil means the built-in table.
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

// Limits of what a trace may define.
const (
	maxStreams  = 1 << 16
	maxTracks   = 1 << 18
	maxInterned = 128 << 20
	maxPacket   = 8 << 20
)

// Sniff reports whether head is the start of a trace: packets whose fields have the right types.
func Sniff(head []byte) bool {
	fields := 0
	for m := wire.Message(head); len(m) > 0; {
		rest := m
		number, _, data, err := m.Next()
		if err != nil {
			// The packet may extend beyond the end of head.
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

// sniffPacket counts the fields of a packet. It returns false if a field has the wrong type. The
// packet may be incomplete.
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

// lastPacketField is the largest field number of a packet, including extensions.
const lastPacketField = 1999

// Decode reads the trace of size bytes in r, and sends its events to sink. Errors in the file are
// *syntax.Error.
func Decode(ctx context.Context, r io.ReaderAt, size int64, sink trace.Sink, o Options) (t *trace.Trace, err error) {
	d := newDecoder(r, size, o)
	origin, err := d.survey(ctx)
	if errors.Is(err, errRepeatedThread) {
		told := d.clocks.Primary()
		err = d.file.close()
		if err != nil {
			return nil, err
		}
		d = newDecoder(r, size, o)
		d.clocks.SetPrimary(told.Number())
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

// located adds an offset to an error that has none. Offset -1 means the whole file.
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
