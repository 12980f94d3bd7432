// Package simpleperf reads the reports of simpleperf's report-sample --protobuf. Android Studio
// also uses them for sampled native code.
//
// A report has the word SIMPLEPERF, a version, and records. A record has a size of four bytes, and
// a message of cmd_report_sample.proto. Samples come first, and the files with their symbols come
// last. The decoder therefore reads a report twice. Memory grows with the files, but not with the
// samples.
//
// # Values
//
// The package reads the samples of one event: [Options].SampleType, or else the choice of package
// event. Package event also defines what the event's counts mean. If waiting threads were recorded,
// the sample type "wall" reads all samples, including scheduler samples. Each sample then stands
// for the time until the thread's next sample.
//
// # Frames
//
// Java methods have names without descriptors. Frames of ART itself are hidden, as in simpleperf's
// reports (see package stacks). Native code is named by its library and its symbol. Without a
// symbol, it is named by its library and its offset in the library.
package simpleperf

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

const (
	magic   = "SIMPLEPERF"
	version = 1
	// maxRecord limits the size of a record. The largest record is the table of a library's
	// symbols.
	maxRecord = 256 << 20
)

// Sniff reports whether head is the start of a report.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Options state how to read a report.
type Options struct {
	// SampleType is the event to read, such as cpu-clock, or "wall". If it is empty, the
	// decoder chooses.
	SampleType string
	// Process is the process to read, by name or number. If it is empty, all processes are read.
	Process string
	// Frequency is the processor's frequency, which converts cycles to processor time. It is 0 if
	// unknown.
	Frequency units.Frequency
	// Partial reads a truncated report to its end.
	Partial bool
}

var errCut = errors.New("the file ends in the middle of a record")

// Decode reads a report and sends its samples to sink. open returns a reader from the start of the
// report, and is called more than once. Errors in the file are *syntax.Error.
func Decode(ctx context.Context, open func() (io.ReadCloser, error), sink trace.Sink, o Options) (*trace.Trace, error) {
	t := newTables()
	cut, err := each(ctx, open, o, t.record)
	if err != nil {
		return nil, err
	}
	d, err := newDecoder(t, sink, o)
	if err != nil {
		return nil, located(-1, err)
	}
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	var sinks error // sinks is an error of the sink, as opposed to an error in the file.
	_, err = each(ctx, open, o, func(number int, data []byte) error {
		if number != recordSample {
			return nil
		}
		if err := d.sample(data); err != nil || !d.batch.Full() {
			return err
		}
		sinks = d.batch.Flush()
		return sinks
	})
	if sinks == nil && err == nil {
		sinks = d.batch.Flush()
	}
	if sinks != nil {
		return nil, sinks
	}
	if err != nil {
		return nil, err
	}
	return d.finish(cut)
}

// each calls f for each record of a report, with the number and the data of its message. cut is set
// if the report is truncated and o.Partial allows this.
func each(ctx context.Context, open func() (io.ReadCloser, error), o Options, f func(number int, data []byte) error) (cut bool, err error) {
	r, err := open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	at := int64(0)
	head := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(in, head); err != nil {
		return false, located(at, cutOff(err))
	}
	if v := binary.LittleEndian.Uint16(head[len(magic):]); string(head[:len(magic)]) != magic || v != version {
		return false, located(at, fmt.Errorf("unknown version %d of the format", v))
	}
	at += int64(len(head))
	var buf bytes.Buffer
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		err := record(in, &buf)
		switch {
		case err == io.EOF:
			return false, nil
		case errors.Is(err, errCut) && o.Partial:
			return true, nil
		case err == nil:
			err = message(buf.Bytes(), f)
		}
		if err != nil {
			return false, located(at, err)
		}
		at += 4 + int64(buf.Len())
	}
}

// record reads a record into buf. buf grows only as bytes arrive, because the stated size may be
// wrong. It returns io.EOF after the last record.
func record(r io.Reader, buf *bytes.Buffer) error {
	var word [4]byte
	if _, err := io.ReadFull(r, word[:]); err != nil {
		return cutOff(err)
	}
	size := binary.LittleEndian.Uint32(word[:])
	switch {
	case size == 0:
		return io.EOF
	case size > maxRecord:
		return fmt.Errorf("a record has %d bytes, more than the limit of %d", size, maxRecord)
	}
	buf.Reset()
	if _, err := io.CopyN(buf, r, int64(size)); err != nil {
		return cutOff(err)
	}
	return nil
}

// cutOff returns errCut if err means that the file ends within a record, and otherwise err.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// located adds an offset to an error. Offset -1 means the whole file. It returns errors of
// reading and of the context unchanged.
func located(offset int64, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &syntax.Error{Format: "simpleperf report", Offset: offset, Err: err}
	if errors.Is(err, errCut) {
		e.Hint = "fetch the file again, or read it as far as it goes with --partial"
	}
	return e
}
