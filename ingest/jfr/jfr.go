// Package jfr reads recordings of Java Flight Recorder, of the JVM's own and of
// async-profiler's.
//
// A recording is chunks, each with a header, events, metadata that says what the events'
// fields are, and constant pools that come after the events that name them. So a file is
// read at any offset, a chunk after the other; memory is needed for the pools of a chunk.
// Numbers, texts and their encodings are those of the JVM's sources, version 2.
//
// # Values
//
// jdk.ExecutionSample is a stack of a thread: in the state RUNNABLE it stands for processor
// time, in others for elapsed time only. jdk.CPUTimeSample, of Java 25, states the
// processor time itself and takes the place of the former. profiler.WallClockSample is
// async-profiler's, for elapsed time. What a sample stands for is the interval that the
// recording's settings state. jdk.NativeMethodSample does not say whether its thread ran:
// such samples are counted in a warning and charged to nobody.
//
// # Bad input
//
// A chunk that was not closed is an error, or, with [Options].Partial, left out.
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

// Sniff says whether a file begins as a recording does.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Options say how to read a recording.
type Options struct {
	// SampleType is "cpu" for processor time, "wall" for elapsed time, or empty for the
	// first of them that there are samples of.
	SampleType string
	// Partial leaves out a last chunk that is cut or was not closed.
	Partial bool
}

// Decode reads the recording of size bytes in r and hands its samples to sink. Errors of
// the file are *syntax.Error.
func Decode(ctx context.Context, r io.ReaderAt, size int64, sink trace.Sink, o Options) (*trace.Trace, error) {
	d := newDecoder(r, sink, o)
	for at := int64(0); at < size; {
		h, err := readHeader(r, at, size)
		if err != nil && o.Partial && at > 0 && (errors.Is(err, errCut) || errors.Is(err, errOpen)) {
			d.trace.Warnings = append(d.trace.Warnings, trace.Warning{
				Code:    "truncated",
				Message: fmt.Sprintf("the last chunk, from offset %d on, is not complete and was left out", at),
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
	trace.Start(sink, d.trace.Clock, trace.NoEnergy)
	for _, h := range d.chunks {
		if err := d.chunk(ctx, h); err != nil {
			return nil, err
		}
	}
	return d.finish()
}

// located says where the file is wrong; offset -1 is nowhere in particular.
func located(offset int64, err error) error {
	e := &syntax.Error{Format: "JFR recording", Offset: offset, Err: err}
	switch {
	case errors.Is(err, errCut), errors.Is(err, errOpen):
		e.Hint = "close it with jcmd PID JFR.dump or JFR.stop, fetch it again, or read the chunks before it with --partial"
	case errors.Is(err, errOld):
		e.Hint = "record with a newer Java, or turn it into folded stacks with async-profiler's jfrconv"
	}
	return e
}
