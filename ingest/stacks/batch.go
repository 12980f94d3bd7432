package stacks

import (
	"time"

	"github.com/diffprof/diffprof/trace"
)

// maxSamples and maxFrames bound what is held back before the sink gets it.
const (
	maxSamples = 1 << 10
	maxFrames  = 1 << 16
)

// A Batch collects samples for a sink. It is for one goroutine.
type Batch struct {
	sink    trace.Sink
	samples []trace.Sample
	// The stacks of the samples lie in methods and lines, one after the other; ends says
	// where each ends. They become slices in Flush, since the arrays may move.
	methods []trace.MethodID
	lines   []int32
	ends    []int
	// lined is whether any line is known.
	lined bool
	// latest are the latest moments of the threads, newest that of all.
	latest []int64
	newest int64
	// skew is the most that a sample came after a later one of another thread; held counts
	// those that came after a later one of their own.
	skew, held int64
}

// NewBatch returns an empty batch for a sink.
func NewBatch(sink trace.Sink) *Batch {
	return &Batch{sink: sink, samples: make([]trace.Sample, 0, maxSamples)}
}

// Push puts a frame on the stack of the sample that comes next, the outermost first. The
// line is 0 where it is unknown.
func (b *Batch) Push(m trace.MethodID, line int32) {
	b.methods = append(b.methods, m)
	b.lines = append(b.lines, line)
	b.lined = b.lined || line != 0
}

// Depth returns how many frames have been pushed since the last sample.
func (b *Batch) Depth() int {
	if len(b.ends) == 0 {
		return len(b.methods)
	}
	return len(b.methods) - b.ends[len(b.ends)-1]
}

// Add adds a sample, whose stack are the frames that were pushed since the last one. Its
// moment is raised to that of the thread's last sample, and to 0.
func (b *Batch) Add(s trace.Sample) {
	for len(b.latest) <= int(s.Thread) {
		b.latest = append(b.latest, 0)
	}
	if last := &b.latest[s.Thread]; s.Time < *last {
		s.Time = *last
		b.held++
	} else {
		*last = s.Time
	}
	b.newest = max(b.newest, s.Time)
	b.skew = max(b.skew, b.newest-s.Time)
	b.samples = append(b.samples, s)
	b.ends = append(b.ends, len(b.methods))
}

// Full says whether it is time to flush.
func (b *Batch) Full() bool {
	return len(b.samples) >= maxSamples || len(b.methods) >= maxFrames
}

// Flush hands the samples to the sink, whose error it returns.
func (b *Batch) Flush() error {
	if len(b.samples) == 0 {
		return nil
	}
	start := 0
	for i, end := range b.ends {
		b.samples[i].Stack = b.methods[start:end:end]
		if b.lined {
			b.samples[i].Lines = b.lines[start:end:end]
		}
		start = end
	}
	err := b.sink.Samples(b.samples)
	b.samples, b.ends, b.methods, b.lines = b.samples[:0], b.ends[:0], b.methods[:0], b.lines[:0]
	b.lined = false
	return err
}

// Finish tells a trace in which order its samples came.
func (b *Batch) Finish(t *trace.Trace) {
	t.Skew = time.Duration(b.skew)
	if b.held > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{
			Code:    "clock-backwards",
			Message: trace.Counted("%d {sample is|samples are} older than the one before {it|them} of the same thread, and {was|were} put at its moment", b.held),
		})
	}
}
