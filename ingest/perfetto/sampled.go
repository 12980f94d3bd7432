package perfetto

import (
	"errors"
	"math"
	"time"

	methods "github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// sampled builds the trace when stack samples are read.
type sampled struct {
	trace  trace.Trace
	source source
	batch  *methods.Batch
	names  *methods.Table
	// spent has the number of samples and the times of each thread.
	spent map[trace.ThreadID]*trace.Thread
	sum   int64
	least int64
}

var errSum = errors.New("the sum of the samples up to here is too large")

// begin prepares the trace for samples of a source.
func (s *sampled) begin(sink trace.Sink, from source, d *decoder) {
	s.source, s.names = from, d.names
	s.batch = methods.NewBatch(sink)
	s.spent = make(map[trace.ThreadID]*trace.Thread)
	s.trace = trace.Trace{Technique: trace.Sampled}
	switch from {
	case perfTime, stackTime:
		s.trace.Clock = trace.ThreadCPU
	case stackWall:
		s.trace.Clock = trace.WallClock
	default:
		s.trace.Energy, s.trace.Unstated = trace.Given, true
		s.trace.Accounts = []trace.Account{{Provenance: trace.Given}}
	}
}

// sample processes a sample.
func (r *run) sample(at int64, e *record) error {
	s := &r.samples
	if source(e.core) != s.source {
		if s.source != noSource {
			r.faults.otherSamples++
		}
		return nil
	}
	id, ok := r.machine.Thread(e.thread)
	if !ok {
		if e.thread <= 0 {
			r.faults.strays++
		}
		return nil
	}
	if e.value < 0 || e.value > math.MaxInt64-s.sum {
		return located(-1, errSum)
	}
	s.sum += e.value
	if e.value > 0 && (s.least == 0 || e.value < s.least) {
		s.least = e.value
	}
	out := trace.Sample{Time: max(at-r.origin, 0), Thread: id, Count: 1}
	th := s.spent[id]
	if th == nil {
		th = &trace.Thread{}
		s.spent[id] = th
	}
	th.Events++
	switch s.source {
	case perfTime, stackTime:
		out.CPU = e.value
		th.CPU += time.Duration(e.value)
	case stackWall:
		out.Wall = e.value
		th.Wall += time.Duration(e.value)
	default:
		out.Energy = units.Energy(e.value)
	}
	frames, lines := r.stacks.at(e.index)
	for i, m := range frames {
		s.batch.Push(m, lines[i])
	}
	s.batch.Add(out)
	s.trace.Events++
	if !s.batch.Full() {
		return nil
	}
	return s.batch.Flush()
}

// finish completes the trace t.
func (s *sampled) finish(t *trace.Trace) error {
	if err := s.batch.Flush(); err != nil {
		return err
	}
	var warnings []trace.Warning
	t.Methods, warnings = s.names.Finish()
	t.Warnings = append(t.Warnings, warnings...)
	t.Events = s.trace.Events
	for id, spent := range s.spent {
		th := &t.Threads[id]
		th.Events, th.CPU, th.Wall = spent.Events, spent.CPU, spent.Wall
	}
	if s.source == perfTime || s.source == stackTime || s.source == stackWall {
		t.Interval = time.Duration(s.least)
	}
	return nil
}
