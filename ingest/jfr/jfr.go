// Package jfr reads recordings of Java Flight Recorder, which the JVM or async-profiler makes.
//
// A recording is a sequence of chunks. A chunk has a header, events, metadata that defines the
// fields of the events, and constant pools. The pools follow the events that refer to them, so the
// decoder reads the file at arbitrary offsets. It processes one chunk after the other, and keeps
// only the pools of one chunk in memory. Numbers and texts have the encodings of version 2, as in
// the JVM's sources.
//
// # Values
//
// Each sample represents the interval in the recording's settings. These events are samples:
//
//   - jdk.ExecutionSample is a stack of a thread. In the state RUNNABLE, it represents processor
//     time. In other states, it represents only elapsed time.
//   - jdk.CPUTimeSample, from Java 25 on, states the processor time. If a recording has it,
//     jdk.ExecutionSample is not read.
//   - datadog.ExecutionSample of dd-trace is read if the recording has neither of these.
//   - profiler.WallClockSample is async-profiler's sample of elapsed time.
//
// jdk.NativeMethodSample does not state whether its thread ran. A warning counts such events, and
// they are not read as samples.
//
// # Bad input
//
// A chunk that was not closed is an error. With [Options].Partial, it is left out instead.
package jfr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
)

const magic = "FLR\x00"

// Sniff reports whether head is the start of a recording.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Options state how to read a recording.
type Options struct {
	// SampleType is "cpu" for processor time or "wall" for elapsed time. If it is empty, the
	// decoder reads processor time if it has samples, and otherwise elapsed time.
	SampleType string
	// Partial skips the last chunk if it is truncated or was not closed.
	Partial bool
}

// Decode reads the recording of size bytes in r, and sends its samples to sink. Errors in the file
// are *syntax.Error.
func Decode(ctx context.Context, r io.ReaderAt, size int64, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := newDecoder(r, sink, o)
	for at := int64(0); at < size; {
		h, err := readHeader(r, at, size)
		if err != nil && o.Partial && at > 0 && (errors.Is(err, errCut) || errors.Is(err, errOpen)) {
			d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
				Code:    "truncated",
				Message: fmt.Sprintf("the last chunk, at offset %d, is incomplete and was left out", at),
			})
			break
		}
		if err != nil {
			return nil, located(at, err)
		}
		d.chunks = append(d.chunks, h)
		at = h.end
	}
	if len(d.chunks) == 0 {
		return nil, located(0, errCut)
	}
	if err := d.survey(ctx); err != nil {
		return nil, err
	}
	if err := d.choose(); err != nil {
		return nil, err
	}
	trace.GiveFirstNames(sink, d.names.Name)
	trace.Start(sink, d.trace.Clock, trace.NoEnergy)
	for _, h := range d.chunks {
		if err := d.chunk(ctx, h); err != nil {
			return nil, err
		}
	}
	return d.finish()
}

// located adds an offset to an error. Offset -1 means the whole file.
func located(offset int64, err error) error {
	e := &syntax.Error{Format: "JFR recording", Offset: offset, Err: err}
	switch {
	case errors.Is(err, errCut), errors.Is(err, errOpen):
		e.Hint = "close it with jcmd PID JFR.dump or JFR.stop, fetch it again, or read the chunks before it with --partial"
	case errors.Is(err, errOld):
		e.Hint = "record with Java 8u262 or newer, or with async-profiler, which also runs on older ones; JDK Mission Control opens this file"
	}
	return e
}
