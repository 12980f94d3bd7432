package stacks

import (
	"time"

	"github.com/diffprof/diffprof/trace"
)

// maxSamples and maxFrames limit the size of a batch.
const (
	maxSamples = 1 << 10
	maxFrames  = 1 << 16
)

// A Batch collects samples for a sink. It must not be used concurrently.
type Batch struct {
	sink    trace.Sink
	samples []trace.Sample
	// methods and lines have the stacks of all samples, one after the other. ends has the end of
	// each stack. The arrays may be reallocated, so Flush creates the samples' slices.
	methods []trace.MethodID
	lines   []int32
	ends    []int
	// lined is set if any line is known.
	lined bool
	// latest has the latest time of each thread. newest is the latest time of all threads.
	latest []int64
	newest int64
	// skew is how far samples are out of order between threads: the longest time from a sample back
	// to one that was added after it. held counts the samples that are earlier than their own
	// thread's previous sample.
	skew, held int64
}

// NewBatch returns an empty batch for a sink.
func NewBatch(sink trace.Sink) *Batch {
	return &Batch{sink: sink, samples: make([]trace.Sample, 0, maxSamples)}
}

// Push adds a frame to the stack of the next sample, the outermost frame first. line is 0 if it is
// unknown.
func (b *Batch) Push(m trace.MethodID, line int32) {
	b.methods = append(b.methods, m)
	b.lines = append(b.lines, line)
	b.lined = b.lined || line != 0
}

// Line sets the line of the frame that was pushed last.
func (b *Batch) Line(line int32) {
	b.lines[len(b.lines)-1] = line
	b.lined = b.lined || line != 0
}

// Depth returns the number of frames pushed since the last sample.
func (b *Batch) Depth() int {
	if len(b.ends) == 0 {
		return len(b.methods)
	}
	return len(b.methods) - b.ends[len(b.ends)-1]
}

// Add adds a sample. Its stack is the frames that were pushed since the previous sample. A time
// that is negative, or before the thread's previous sample, is raised.
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

// Flush sends the samples to the sink and returns the sink's error.
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

// Finish sets t.Skew, and adds a warning about samples that are out of order.
func (b *Batch) Finish(t *trace.Trace) {
	t.Skew = time.Duration(b.skew)
	if b.held > 0 {
		t.Warnings = append(t.Warnings, trace.Warning{
			Code:    "clock-backwards",
			Message: trace.Counted("%d {sample is|samples are} earlier than the preceding sample of the same thread, and {was|were} given the time of that sample", b.held),
		})
	}
}
