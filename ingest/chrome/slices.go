package chrome

import (
	"cmp"
	"math"
	"slices"

	"github.com/diffprof/diffprof/trace"
)

// noMethod is the method of an end that does not say what it ends.
const noMethod trace.MethodID = -1

// never is the end of a slice whose end the trace does not have.
const never = math.MaxInt64

// A slice is something that a thread did from one moment to another; both in nanoseconds.
type slice struct {
	begin, end int64
	// cpu and cpuEnd are the thread's processor time then.
	cpu, cpuEnd int64
	energy      int64 // its own, where the trace states energy
	method      trace.MethodID
	// order counts events, so that of slices that begin and end at once the one that the
	// file begins first is the outer one.
	order int32
	// ended is the order of the event that ended it, 0 where that is the one that began it.
	ended int32
	// headless is set where the trace has the end alone, endless where it has the begin
	// alone: such a slice ends with the one around it, or never.
	headless, endless bool
}

// A pair is one half of a slice.
type pair struct {
	slice
	isEnd bool
}

// A flow is a point of a hand-over: its start, a step or its end.
type flow struct {
	time      int64
	id        string
	phase     byte
	enclosing bool
	order     int32
}

// complete makes slices of the thread's begins and ends, and puts all of them into the
// order in which they began, the outer ones first.
func (t *thread) complete() {
	// Where all slices have a begin and an end, their order says which lies in which, even of those
	// that take no time.
	paired := len(t.slices) == 0
	slices.SortFunc(t.pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.order, b.order))
	})
	var open []int // indices of slices without an end, the innermost last
	// named counts the open slices of each name, outlived those that ended with the one
	// around them, whose own end may follow.
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
		// Slices within the one that ends have no end: they end with it.
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

// A step is what a cursor comes to.
type step uint8

const (
	enter step = iota
	leave
	point // a flow's
	over
)

// A cursor walks through the slices of a thread in the order of time.
type cursor struct {
	*thread
	id trace.ThreadID
	// slice and flow are the next ones, open the slices that the walk is within.
	slice, flow int
	open        []slice
	// cpu is the latest reading of the processor's time.
	cpu int64
	// pending is the hand-over that the next slice carries out, NoRef if there is none.
	pending trace.Ref
	// first is the moment of its first event.
	first int64
}

// next says what comes next, and when. At one moment slices end before others begin, and
// a flow belongs to the slice that begins.
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

// within says whether the next slice begins before the innermost one ends, though at one moment with it.
func (c *cursor) within() bool {
	return c.slice < len(c.slices) && c.slices[c.slice].order < c.open[len(c.open)-1].ended
}

// begin goes into the next slice. A slice cannot end after the one around it. It returns
// nil for an end alone that something else is open at.
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

// leave goes out of the innermost slice.
func (c *cursor) leave() slice {
	s := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	return s
}

// spent returns the processor time since the event before.
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
