package stacks

import (
	"time"

	"github.com/diffprof/diffprof/trace"
)

// maxSamples and maxFrames bound the size of a batch.
const (
	maxSamples = 1 << 10
	maxFrames  = 1 << 16
)

// A Batch collects samples for a sink. It must not be used concurrently.
type Batch struct {
	sink    trace.Sink
	samples []trace.Sample
	// methods and lines hold the stacks of the samples one after the other, and ends has the
	// end of each stack. Flush makes slices of them, because the arrays may move before.
	methods []trace.MethodID
	lines   []int32
	ends    []int
	// lined is set if any line is known.
	lined bool
	// latest are the latest moments of the threads, newest the latest of all.
	latest []int64
	newest int64
	// skew is the largest delay of a sample after a later one of another thread. held counts
	// samples after a later one of the same thread.
	skew, held int64
}

// NewBatch returns an empty batch for a sink.
func NewBatch(sink trace.Sink) *Batch {
	return &Batch{sink: sink, samples: make([]trace.Sample, 0, maxSamples)}
}

// Push adds a frame to the stack of the next sample, outermost first. The line is 0 if it is
// unknown.
func (b *Batch) Push(m trace.MethodID, line int32) {
	b.methods = append(b.methods, m)
	b.lines = append(b.lines, line)
	b.lined = b.lined || line != 0
}

// Depth returns the number of frames pushed since the last sample.
func (b *Batch) Depth() int {
	if len(b.ends) == 0 {
		return len(b.methods)
	}
	return len(b.methods) - b.ends[len(b.ends)-1]
}

// Add adds a sample with the frames pushed since the last one as its stack. Its moment is
// raised to the thread's previous sample, and to 0.
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

// Full reports whether the batch should be flushed.
func (b *Batch) Full() bool {
	return len(b.samples) >= maxSamples || len(b.methods) >= maxFrames
}

// Flush sends the samples to the sink and returns its error.
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

// Finish sets the skew of a trace, and warns about samples out of order.
func (b *Batch) Finish(t *trace.Trace) {
	t.Skew = time.Duration(b.skew)
	if b.held > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{
			Code:    "clock-backwards",
			Message: trace.Counted("%d {sample is|samples are} earlier than the preceding one of the same thread, and {was|were} moved to its time", b.held),
		})
	}
}
