package chrome

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// noMethod is the method of an end event without a name.
const noMethod trace.MethodID = -1

// never is the end of a slice that has no end event.
const never = math.MaxInt64

// A slice is an activity of a thread from begin to end, in nanoseconds.
type slice struct {
	begin, end int64
	// cpu and cpuEnd are the thread's processor time at begin and at end.
	cpu, cpuEnd int64
	energy      int64 // excludes inner slices; set only if the trace states energy
	method      trace.MethodID
	// order is the position of the begin event in the file. If slices have equal begin and end, the
	// one with the smallest order is outermost.
	order int32
	// ended is the order of the end event. It is 0 if the slice is a single event.
	ended int32
	// headless is set for an end event without a begin event. endless is set for a begin event
	// without an end event. An endless slice ends with the slice around it, or never.
	headless, endless bool
}

// A pair is the begin event or the end event of a slice.
type pair struct {
	slice
	isEnd bool
}

// A flow is one point of a flow: its start, a step, or its end. A flow connects a slice that hands
// over work to the slice that does it.
type flow struct {
	time      int64
	id        string
	phase     byte
	enclosing bool
	order     int32
}

// complete pairs the thread's begin and end events. It then sorts the slices by begin, outer slices
// first.
func (t *thread) complete() {
	// If all slices are pairs of events, the order of the events determines the nesting, even of
	// slices without duration.
	paired := len(t.slices) == 0
	slices.SortFunc(t.pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.order, b.order))
	})
	var open []int // open has the indices of slices without an end, the innermost last.
	// named counts the open slices of each name. outlived counts the slices of each name that ended
	// together with an outer slice. Their own end events may still come.
	named, outlived := make(map[trace.MethodID]int), make(map[trace.MethodID]int)
	for _, p := range t.pairs {
		if !p.isEnd {
			p.end, p.endless = never, true
			named[p.method]++
			open = append(open, len(t.slices))
			t.slices = append(t.slices, p.slice)
			continue
		}
		switch {
		case len(open) == 0 && p.method != noMethod && outlived[p.method] == 0:
			p.headless = true
			t.slices = append(t.slices, p.slice)
			continue
		case len(open) == 0, p.method != noMethod && named[p.method] == 0:
			t.unmatched++
			outlived[p.method] = max(0, outlived[p.method]-1)
			continue
		}
		// Inner slices without an end also end at this event.
		for ended := false; !ended; open = open[:len(open)-1] {
			s := &t.slices[open[len(open)-1]]
			named[s.method]--
			s.end, s.cpuEnd, s.ended = p.end, p.cpu, p.order
			if ended = p.method == noMethod || s.method == p.method; ended {
				s.endless = false
				s.energy += p.energy
			} else {
				outlived[s.method]++
			}
		}
	}
	t.pairs = nil
	slices.SortFunc(t.slices, func(a, b slice) int {
		if paired {
			return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.order, b.order))
		}
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end), cmp.Compare(a.order, b.order))
	})
	slices.SortFunc(t.flows, func(a, b flow) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.order, b.order))
	})
}

// A step is what a cursor finds next.
type step uint8

const (
	enter step = iota
	leave
	point // a point of a flow
	over
)

// A cursor walks through the slices of a thread in time order.
type cursor struct {
	*thread
	id trace.ThreadID
	// slice and flow are the indices of the next slice and flow point. open has the slices around
	// the current position, outermost first.
	slice, flow int
	open        []slice
	// cpu is the latest reading of the thread clock.
	cpu int64
	// pending is the flow that the next slice ends, or NoRef.
	pending trace.Ref
	// first is the time of the thread's first event.
	first int64
}

// next returns the kind and the time of the next position. At equal times, slices end before others
// begin. A flow point belongs to the slice that begins at its time, or else to one that ends then.
func (c *cursor) next() (step, int64) {
	begins, ends, flows := int64(never), int64(never), int64(never)
	if c.slice < len(c.slices) {
		begins = c.slices[c.slice].begin
	}
	if n := len(c.open); n > 0 {
		ends = c.open[n-1].end
	}
	if c.flow < len(c.flows) {
		flows = c.flows[c.flow].time
	}
	switch {
	case flows < begins && flows <= ends:
		return point, flows
	case ends <= begins && ends != never && (ends < begins || !c.within()):
		return leave, ends
	case begins != never:
		return enter, begins
	}
	return over, never
}

// within reports whether the next slice is inside the innermost open slice, although it begins at
// that slice's end time. The order of the events in the file decides.
func (c *cursor) within() bool {
	return c.slice < len(c.slices) && c.slices[c.slice].order < c.open[len(c.open)-1].ended
}

// begin opens the next slice and returns it. A slice that ends after the slice around it is cut off
// there. For an end event without a begin event, begin opens nothing. It returns that event if no
// slice is open, and nil otherwise.
func (c *cursor) begin() *slice {
	s := &c.slices[c.slice]
	c.slice++
	if s.headless {
		if len(c.open) > 0 {
			c.unmatched++
			return nil
		}
		return s
	}
	into := *s
	if n := len(c.open); n > 0 && into.end > c.open[n-1].end {
		outer := &c.open[n-1]
		if !into.endless {
			c.overlapping++
		}
		into.end, into.cpuEnd = outer.end, min(into.cpuEnd, outer.cpuEnd)
	}
	c.open = append(c.open, into)
	return s
}

// leave closes the innermost slice and returns it.
func (c *cursor) leave() slice {
	s := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	return s
}

// spent returns the thread's processor time since its previous event.
func (c *cursor) spent(now int64, first bool) int64 {
	if first {
		c.cpu = now
		return 0
	}
	since := now - c.cpu
	if since < 0 {
		c.backward++
		return 0
	}
	c.cpu = now
	return since
}
