package lines

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// maxLine is the largest line number of a source. Virtual machines write larger numbers for
// generated code.
const maxLine = 1 << 24

// A Recording is a recording with lines in place of methods. Each known line of a method becomes a
// method of its own (name.Method.OnLine). So does each known position in DEX code
// (name.Method.AtUnit). A frame without a line keeps its method. A Recording must not be scanned
// concurrently.
type Recording struct {
	rec trace.Recording
	// Each is the mean energy of a sample in the last scan, weighted by energy. It is larger than
	// the plain mean if a few samples have most of the energy. It is 0 if the recording does not
	// count samples.
	Each float64
	// Together is the mean number of samples at the same line in one tick of the recorder, weighted
	// by samples. If a recorder samples all threads at one moment, threads that do the same work
	// have samples in one tick. Together is 0 if the recording does not count samples or has no
	// times.
	Together float64
	// Errors has the variance of the number of samples at each line in the last scan. It is nil if
	// the recording does not count samples or has no times.
	Errors Errors
	// Unsure is 0 if Errors are right. Otherwise it is the share of the time without samples in the
	// last scan. Errors are then right only if the app slept in this time. If the recorder was off
	// at random, the true variances are larger.
	Unsure float64
}

// Split returns rec divided by line.
func Split(rec trace.Recording) *Recording { return &Recording{rec: rec} }

// Scan implements trace.Recording.
func (r *Recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	s := &splitter{sink: sink, stacks: make(map[stackKey][]lineVariant), ticks: ticks{counts: make(map[place]int64)}}
	tr, err := r.rec.Scan(ctx, s)
	if err != nil {
		return nil, err
	}
	r.Each, r.Together = 0, s.ticks.together()
	if s.energy > 0 {
		r.Each = s.squares / s.energy
	}
	out := *tr
	out.Methods = make([]name.Method, len(s.places), len(s.places)+len(tr.Methods))
	seen := make([]bool, len(tr.Methods))
	out.CodeUnits = nil
	if len(tr.CodeUnits) > 0 {
		out.CodeUnits = make([]int32, len(s.places))
	}
	for id, at := range s.places {
		if int(at.method) >= len(tr.Methods) {
			continue // package cct reports the unknown method
		}
		out.Methods[id] = tr.Methods[at.method]
		seen[at.method] = true
		if int(at.method) < len(tr.CodeUnits) {
			out.CodeUnits[id] = tr.CodeUnits[at.method]
		}
		switch {
		case at.line > 0:
			out.Methods[id] = out.Methods[id].OnLine(at.line)
		case at.line < 0:
			out.Methods[id] = out.Methods[id].AtUnit(^at.line)
		}
	}
	for m, method := range tr.Methods {
		if !seen[m] {
			out.Methods = append(out.Methods, method)
		}
	}
	r.Errors, r.Unsure = s.streaks.errors(out.Methods, r.Together), s.streaks.offDoubt()
	out.Roots = make([]trace.MethodID, 0, len(tr.Roots))
	for _, m := range tr.Roots {
		if id, ok := s.ids.find(place{m, 0}); ok {
			out.Roots = append(out.Roots, id)
		}
	}
	return &out, nil
}

// A splitter numbers lines and positions in the order in which they occur.
type splitter struct {
	sink   trace.Sink
	ids    placeTable
	places []place
	// stacks has the new numbers of stacks with lines. latest is the latest number.
	stacks map[stackKey][]lineVariant
	latest trace.StackID
	// energy is the energy of counted samples. squares is the sum of the squares of their energies.
	energy, squares float64
	ticks           ticks
	streaks         streaks
	// methods has the concatenated stacks of a batch.
	methods []trace.MethodID
}

// A stackKey is the number of a stack with a hash of its lines. A variant is one of the stacks with
// the same key.
type stackKey struct {
	id    trace.StackID
	lines uint64
}

type lineVariant struct {
	lines []int32
	id    trace.StackID
	// methods are the numbers of the places of the stack.
	methods []trace.MethodID
}

// id returns the number of a place.
func (s *splitter) id(at place) trace.MethodID {
	id, ok := s.ids.find(at)
	if !ok {
		id = trace.MethodID(len(s.places))
		s.places = append(s.places, at)
		s.ids.add(at, id)
	}
	return id
}

// push appends the numbers of the places of a stack to s.methods.
func (s *splitter) push(stack []trace.MethodID, lines []int32) {
	for k, m := range stack {
		at := place{method: m}
		if k < len(lines) && lines[k] <= maxLine {
			at.line = lines[k]
		}
		s.methods = append(s.methods, s.id(at))
	}
}

// stack appends the numbers of the places of a sample's stack to s.methods, and returns a number
// for the stack with its lines. If the recorder numbers stacks, the places of a known stack are not
// looked up one by one.
func (s *splitter) stack(sample *trace.Sample) trace.StackID {
	if sample.ID == trace.NoStack {
		s.push(sample.Stack, sample.Lines)
		return sample.ID
	}
	var hash uint64 = 14695981039346656037
	for _, line := range sample.Lines {
		hash = (hash ^ uint64(uint32(line))) * 1099511628211
		hash ^= hash >> 29
	}
	key := stackKey{sample.ID, hash}
	for _, v := range s.stacks[key] {
		if slices.Equal(v.lines, sample.Lines) {
			s.methods = append(s.methods, v.methods...)
			return v.id
		}
	}
	from := len(s.methods)
	s.push(sample.Stack, sample.Lines)
	s.latest++
	s.stacks[key] = append(s.stacks[key], lineVariant{slices.Clone(sample.Lines), s.latest, slices.Clone(s.methods[from:])})
	return s.latest
}

// Start implements trace.StartSink.
func (s *splitter) Start(clock trace.Clock, energy trace.Provenance) {
	trace.Start(s.sink, clock, energy)
}

// Events implements trace.Sink.
func (s *splitter) Events(batch []trace.Event) error {
	for i := range batch {
		if e := &batch[i]; e.Kind == trace.Enter || e.Kind == trace.Exit {
			e.Ref = trace.Ref(s.id(place{trace.MethodID(e.Ref), 0}))
		}
	}
	return s.sink.Events(batch)
}

// Samples implements trace.Sink.
func (s *splitter) Samples(batch []trace.Sample) error {
	s.methods = s.methods[:0]
	for i := range batch {
		sample := &batch[i]
		if e := float64(sample.Energy); sample.Count > 0 {
			s.energy += e
			s.squares += e * e / float64(sample.Count)
		}
		s.ticks.add(sample)
		from := len(s.methods)
		sample.ID = s.stack(sample)
		s.streaks.add(sample, s.methods[from:], s.ticks.number)
	}
	// Appending may have moved the array, so the slices are made at the end.
	from := 0
	for i := range batch {
		end := from + len(batch[i].Stack)
		batch[i].Stack, batch[i].Lines = s.methods[from:end:end], nil
		from = end
	}
	return s.sink.Samples(batch)
}
