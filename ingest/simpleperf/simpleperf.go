// Package simpleperf reads the reports that simpleperf's report-sample writes with
// --protobuf, and that Android Studio keeps of sampled native code.
//
// A report is the word SIMPLEPERF, a version, and records, each a size of four bytes and a
// message of cmd_report_sample.proto. Samples come first and the files whose symbols they
// name last, so that a report is read twice. Memory is needed for the files and not for the
// samples.
//
// # Values
//
// Samples are of events. One event is read, [Options].SampleType or the one that package
// event chooses, which also says what its counts stand for. Where waiting threads were
// traced, the sample type "wall" charges each sample, the scheduler's included, with the time
// to the thread's next one.
//
// # Frames
//
// Methods of Java are named without descriptors. Frames of ART itself are hidden as package
// stacks says, as simpleperf's own reports hide them. Native code is named by its library
// and symbol, or its place in the library.
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
	// maxRecord bounds a record. A library's symbols are the largest.
	maxRecord = 256 << 20
)

// Sniff says whether a file begins as a report does.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Options say how to read a report.
type Options struct {
	// SampleType is the event to read, such as cpu-clock, or "wall"; empty chooses.
	SampleType string
	// Process is the process to read, by its name or its number; empty reads all.
	Process string
	// Frequency makes processor time of cycles, 0 where it is not known.
	Frequency units.Frequency
	// Partial reads what there is of a report that is cut.
	Partial bool
}

var errCut = errors.New("the file ends in the middle of a record")

// Decode reads a report, which open gives from its begin as often as it is asked, and hands
// its samples to sink. Errors of the file are *syntax.Error.
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
	var sinks error // the sink's, and not the file's
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

// each reads a report record by record: the number of what it is, and that message. It
// says whether the report is cut, where that is allowed.
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
		return false, located(at, fmt.Errorf("version %d of the format is not known", v))
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

// record reads a record into buf, which grows as bytes come and not as they are claimed.
// It returns io.EOF behind the last one.
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
		return fmt.Errorf("a record claims %d bytes, and none takes more than %d", size, maxRecord)
	}
	buf.Reset()
	if _, err := io.CopyN(buf, r, int64(size)); err != nil {
		return cutOff(err)
	}
	return nil
}

// cutOff turns the end of the file into an error that says where it is.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// located says where the file is wrong; offset -1 is nowhere in particular. Errors of
// reading and of the context stay as they are.
func located(offset int64, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &syntax.Error{Format: "simpleperf report", Offset: offset, Err: err}
	if errors.Is(err, errCut) {
		e.Hint = "fetch the file again, or read what there is of it with --partial"
	}
	return e
}
