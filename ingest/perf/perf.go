// Package perf reads perf.data files, which Linux perf and Android's simpleperf record. It also
// reads the output of perf record to a pipe.
//
// A file is read twice. The first pass reads its tables, and the second pass its samples. Both
// passes read the file as a stream. The mappings, the functions and the different frames are kept
// in memory. Records of Linux perf are sorted by time in rounds, as perf sorts them.
//
// # Values
//
// The package reads the samples of one event: [Options].SampleType, or else the choice of package
// event. Package event also defines what the event's counts mean. Scheduler samples are never added
// to samples of another event.
//
// simpleperf can record waiting threads too (--trace-offcpu). With the sample type "wall", all
// samples are read, including scheduler samples. Each sample then represents the time until the
// thread's next sample, as in simpleperf report. The last sample of a thread is not counted.
//
// # Frames
//
// A frame is an address. The memory mappings determine its file. Names of functions come from:
//
//   - simpleperf's sections after the records
//   - the kernel's table of symbols
//   - ELF files in [Options].Files with the recorded build id
//
// Code without a function name is named by its file and its offset in the file. Kernel code without
// a function name is unknown, because its address changes each time the kernel starts.
//
// A broken stack may have frames outside of any file. Consecutive such frames become one frame. If
// they are the outermost frames, they are dropped. Frames of ART itself are hidden (see package
// stacks).
package perf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/perf/internal/data"
	"github.com/diffprof/diffprof/internal/syntax"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Sniff reports whether head is the start of a perf.data file.
func Sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(data.Magic)) }

// Options state how to read a recording.
type Options struct {
	// SampleType is the event to read, such as cpu-clock, or "wall". If it is empty, the
	// decoder chooses.
	SampleType string
	// Process is the process to read, by name or number. If it is empty, all processes are read.
	Process string
	// Frequency converts cycles to processor time. 0 means the frequency in the processor's name,
	// if the name has one.
	Frequency units.Frequency
	// Files has programs and libraries by path or by build id. It may be nil.
	Files fs.FS
	// Partial reads a truncated file to its end.
	Partial bool
	// MaxExpanded limits the size of decompressed records. 0 means no limit.
	MaxExpanded int64
}

// Decode reads the recording of size bytes in r, and sends its samples to sink. Errors in the file
// are *syntax.Error.
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

// located adds the position in the file to an error. It returns errors of the context unchanged.
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
	// first and last are the times of the first and the last sample.
	first, last uint64
	lost        int64
	// names has the final names of the processes. sampled lists the processes with samples, in the
	// order of their first samples.
	names   map[int32]string
	sampled []int32
	// needed has the processes whose mappings are kept: processes with samples, and the processes
	// from which they were forked.
	needed map[int32]bool
	// parents has, for each process, the processes from which it was forked.
	parents map[int32][]int32
}

func newSurvey(ctx context.Context, f *data.File) (*survey, error) {
	s := &survey{first: ^uint64(0), names: make(map[int32]string), needed: make(map[int32]bool), parents: make(map[int32][]int32)}
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
			if !s.needed[sample.PID] {
				s.needed[sample.PID] = true
				s.sampled = append(s.sampled, sample.PID)
			}
		case data.Lost, data.LostSamples:
			s.lost += r.Lost()
		case data.Fork:
			if t, err := r.Task(); err == nil && t.PID != t.ParentPID {
				s.parents[t.PID] = append(s.parents[t.PID], t.ParentPID)
			}
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
	for waiting := slices.Clone(s.sampled); len(waiting) > 0; {
		for _, parent := range s.parents[waiting[0]] {
			if !s.needed[parent] {
				s.needed[parent] = true
				waiting = append(waiting, parent)
			}
		}
		waiting = waiting[1:]
	}
	return s, nil
}
