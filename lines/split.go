package lines

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// mostLine is the largest line of a source. Virtual machines write larger numbers for generated code.
const mostLine = 1 << 24

// A Recording is a recording in which each known line of a method is a method of its own
// (name.Method.OnLine), as is each known position in DEX code (name.Method.AtUnit). A frame without
// a line keeps its method. It must not be scanned concurrently.
type Recording struct {
	rec trace.Recording
	// Each is the mean energy of a sample in the last scan, weighted by energy. It exceeds the plain
	// mean if a few samples have most of the energy. It is 0 if samples are not counted.
	Each float64
	// Together is the mean number of samples at one line in one tick of the recorder, weighted by samples.
	// A recorder that samples all threads at one moment sees threads that do the same together. It is 0
	// if samples are not counted or have no times.
	Together float64
}

// Split returns rec by line.
func Split(rec trace.Recording) *Recording { return &Recording{rec: rec} }

// Scan implements trace.Recording.
func (r *Recording) Scan(ctx context.Context, sink trace.Sink) (*trace.Trace, error) {
	s := &splitter{sink: sink, ids: make(map[place]trace.MethodID), stacks: make(map[stackKey][]variant), ticks: ticks{counts: make(map[place]int64)}}
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
	out.Roots = make([]trace.MethodID, 0, len(tr.Roots))
	for _, m := range tr.Roots {
		if id, ok := s.ids[place{m, 0}]; ok {
			out.Roots = append(out.Roots, id)
		}
	}
	return &out, nil
}

// A place is a line of a method, or a complemented position in its DEX code. Line 0 is the method.
type place struct {
	method trace.MethodID
	line   int32
}

// A splitter numbers places in the order in which they occur.
type splitter struct {
	sink   trace.Sink
	ids    map[place]trace.MethodID
	places []place
	// recent has recently used places, by a hash. It saves look-ups in ids.
	recent [1 << 12]struct {
		place
		next trace.MethodID // the id plus one
	}
	// stacks numbers the stacks with lines. latest is the latest number.
	stacks map[stackKey][]variant
	latest trace.StackID
	// energy is the energy of counted samples. squares is the sum of the squares of their energies.
	energy, squares float64
	ticks           ticks
	// methods has the stacks of a batch one after the other.
	methods []trace.MethodID
}

// A stackKey is a stack with a hash of its lines. A variant is one such stack.
type stackKey struct {
	id    trace.StackID
	lines uint64
}

type variant struct {
	lines []int32
	id    trace.StackID
}

// id returns the number of a place.
func (s *splitter) id(at place) trace.MethodID {
	slot := &s.recent[(uint32(at.method)*0x9e3779b1^uint32(at.line)*0x85ebca6b)>>20]
	if slot.place == at && slot.next > 0 {
		return slot.next - 1
	}
	id, ok := s.ids[at]
	if !ok {
		id = trace.MethodID(len(s.places))
		s.ids[at] = id
		s.places = append(s.places, at)
	}
	slot.place, slot.next = at, id+1
	return id
}

// stack returns the number of a stack with lines.
func (s *splitter) stack(id trace.StackID, lines []int32) trace.StackID {
	if id == trace.NoStack {
		return id
	}
	var hash uint64 = 14695981039346656037
	for _, line := range lines {
		hash = (hash ^ uint64(uint32(line))) * 1099511628211
		hash ^= hash >> 29
	}
	key := stackKey{id, hash}
	for _, v := range s.stacks[key] {
		if slices.Equal(v.lines, lines) {
			return v.id
		}
	}
	s.latest++
	s.stacks[key] = append(s.stacks[key], variant{slices.Clone(lines), s.latest})
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
		sample.ID = s.stack(sample.ID, sample.Lines)
		for k, m := range sample.Stack {
			at := place{method: m}
			if k < len(sample.Lines) && sample.Lines[k] <= mostLine {
				at.line = sample.Lines[k]
			}
			s.methods = append(s.methods, s.id(at))
		}
	}
	// The array may have moved, so the slices are made at the end.
	from := 0
	for i := range batch {
		end := from + len(batch[i].Stack)
		batch[i].Stack, batch[i].Lines = s.methods[from:end:end], nil
		from = end
	}
	return s.sink.Samples(batch)
}
