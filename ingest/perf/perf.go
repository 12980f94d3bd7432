// Package perf reads perf.data files, which Linux perf and Android's simpleperf record, and the
// output of perf record to a pipe.
//
// A file is read twice: once for its tables and once for its samples. Both passes stream.
// Memory holds the mappings, the functions and the different frames. Records of Linux perf are
// sorted by time round by round, as perf does.
//
// # Values
//
// One event is read, [Options].SampleType or the choice of package event, which also defines
// the meaning of its counts. Samples of the scheduler are never added to samples of another
// event. If simpleperf recorded waiting threads too (--trace-offcpu), the sample type "wall"
// charges each sample, the scheduler's included, with the time to the thread's next one, as
// simpleperf report does. The last sample of a thread is not counted.
//
// # Frames
//
// A frame is an address. The mappings determine its file. Names of functions come from
// simpleperf's sections after the records, from the kernel's table of symbols, or from ELF
// files in [Options].Files with the recorded build id. Code without a name is represented by
// its file and the offset in it. Kernel code without a name is unknown, because its address
// changes at each start. Consecutive frames outside of any file, as in a broken stack, become
// one frame, or none if they are outermost. Frames of ART itself are hidden; see package
// stacks.
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

// Sniff reports whether a file begins as perf.data.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(data.Magic)) }

// Options say how to read a recording.
type Options struct {
	// SampleType is the event to read, such as cpu-clock, or "wall". If it is empty, the
	// decoder chooses.
	SampleType string
	// Process is the process to read, by name or number. Empty reads all.
	Process string
	// Frequency converts cycles to processor time. 0 means the frequency in the processor's
	// name, if there is one.
	Frequency units.Frequency
	// Files has programs and libraries by their paths or build ids. It may be nil.
	Files fs.FS
	// Partial reads a file that is cut as far as it goes.
	Partial bool
	// MaxExpanded bounds the size of decompressed records; 0 means no limit.
	MaxExpanded int64
}

// Decode reads the recording of size bytes in r and sends its samples to sink. Errors of the
// file are *syntax.Error.
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

// located adds the place to an error. It returns the context's errors unchanged.
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
		e.Hint = "fetch the file again, or read it as far as it goes with --partial"
	}
	return e
}

// A survey is the result of the first pass over a recording.
type survey struct {
	events []event.Event
	// first and last are the moments of the first and the last sample.
	first, last uint64
	lost        int64
	// names are the final names of the processes. sampled lists the processes with samples, in
	// the order of their first one.
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
