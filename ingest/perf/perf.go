// Package perf reads perf.data files, which Linux perf and Android's simpleperf record, and
// what perf record writes to a pipe.
//
// A file is read twice: once for what it holds, once for its samples. Both passes stream;
// memory is needed for the mappings, the functions and the different frames. Records of
// Linux perf are put in the order of time round by round, as perf does.
//
// # Values
//
// One event is read, [Options].SampleType or the one that package event chooses, which also
// says what its counts stand for. Samples of the scheduler never add to those of another
// event. Where simpleperf recorded waiting threads, too (--trace-offcpu), the sample type
// "wall" charges each sample, the scheduler's included, with the time to the thread's next
// one, as simpleperf report does; the last one of a thread counts for nothing.
//
// # Frames
//
// A frame is an address. The mappings say in which file it lies, and functions are known
// from what simpleperf wrote behind its records, from the kernel's table of symbols, or from
// ELF files in [Options].Files, which must have the build id that was recorded. Code without
// a name is its file and the place in it; code of the kernel without one is unknown, since
// it lies elsewhere after each start. Of frames in a row that lie in no file one stands for
// all, and outside of all others none: a broken stack shows such. Frames of ART itself are
// hidden as package stacks says.
package perf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Sniff says whether a file begins as perf.data does.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(data.Magic)) }

// Options say how to read a recording.
type Options struct {
	// SampleType is the event to read, such as cpu-clock, or "wall"; empty chooses.
	SampleType string
	// Process is the process to read, by its name or its number; empty reads all.
	Process string
	// Frequency makes processor time of cycles; 0 takes what the name of the processor
	// states, if it does.
	Frequency units.Frequency
	// Files has programs and libraries by their paths or build ids; nil is none.
	Files fs.FS
	// Partial reads what there is of a file that is cut.
	Partial bool
	// MaxExpanded bounds what comes out of compressed records; 0 is no bound.
	MaxExpanded int64
}

// Decode reads the recording of size bytes in r and hands its samples to sink. Errors of
// the file are *syntax.Error.
func Decode(ctx context.Context, r io.ReaderAt, size int64, sink trace.Sink, o Options) (*trace.Trace, error) {
	f, err := data.Open(ctx, r, size, data.Options{Partial: o.Partial, MaxExpanded: o.MaxExpanded})
	if err != nil {
		return nil, located(err)
	}
	s, err := newSurvey(ctx, f)
	if err != nil {
		return nil, located(err)
	}
	d, err := newDecoder(f, s, sink, o)
	if err != nil {
		return nil, located(err)
	}
	trace.Start(sink, d.trace.Clock, d.trace.Energy)
	late, err := f.Each(ctx, d.record)
	if d.refused != nil {
		return nil, d.refused
	}
	if err == nil {
		err = d.flush()
	}
	if d.refused != nil {
		return nil, d.refused
	}
	if err != nil {
		return nil, located(err)
	}
	return d.finish(late), nil
}

// located says where the file is wrong. The context's errors stay as they are.
func located(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &syntax.Error{Format: "perf.data", Offset: -1, Err: err}
	var at *data.Error
	if errors.As(err, &at) {
		e.Offset, e.Err = at.At, at.Err
	}
	switch {
	case errors.Is(err, data.ErrCut), errors.Is(err, data.ErrOpen):
		e.Hint = "fetch the file again, or read what there is of it with --partial"
	}
	return e
}

// A survey is what a first pass over a recording finds.
type survey struct {
	events []event.Event
	// first and last are the moments of the first and the last sample.
	first, last uint64
	lost        int64
	// names are those that the processes have in the end; sampled has those with samples, in
	// the order of their first.
	names   map[int32]string
	sampled []int32
	seen    map[int32]bool
}

func newSurvey(ctx context.Context, f *data.File) (*survey, error) {
	s := &survey{first: ^uint64(0), names: make(map[int32]string), seen: make(map[int32]bool)}
	s.events = make([]event.Event, len(f.Attributes))
	var sample data.Sample
	err := f.Survey(ctx, func(r *data.Record) error {
		switch r.Type {
		case data.SampleType:
			if err := f.Sample(r, &sample); err != nil {
				return &data.Error{At: r.At, Err: err}
			}
			s.events[sample.Event].Samples++
			s.first, s.last = min(s.first, sample.Time), max(s.last, sample.Time)
			if !s.seen[sample.PID] {
				s.seen[sample.PID] = true
				s.sampled = append(s.sampled, sample.PID)
			}
		case data.Lost, data.LostSamples:
			s.lost += r.Lost()
		case data.Comm:
			if t, err := r.Task(); err == nil && t.PID == t.TID {
				s.names[t.PID] = t.Name
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, a := range f.Attributes {
		s.events[i].Name = a.Name
	}
	return s, nil
}
