package metered

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A reading is the energy that a meter had counted up to a moment.
type reading struct{ time, value int64 }

// A meter is the readings of an energy counter. Their times and values increase.
type meter []reading

// errStill is the error for a meter whose readings do not rise.
var errStill = errors.New("the meter's reading does not change, or only one reading is within the run and in order of time; check its cable, or that the phone is not charging")

// newMeter returns the meter of a list of readings. It leaves out readings without a rise, because
// a counter with coarse steps repeats a value until the next step.
func newMeter(all []reading) (meter, error) {
	var m meter
	for _, r := range all {
		switch last := len(m) - 1; {
		case last < 0:
			m = append(m, r)
		case r.value < m[last].value:
			return nil, fmt.Errorf("the meter falls from %d to %d nJ at %s; it overflowed or was reset: give the part before or after this moment",
				m[last].value, r.value, units.FormatTime(r.time))
		case r.time < m[last].time:
			return nil, fmt.Errorf("the readings of the meter are not in order of time at %s", units.FormatTime(r.time))
		case r.value > m[last].value && r.time > m[last].time:
			m = append(m, r)
		case r.value > m[last].value:
			m[last].value = r.value
		}
	}
	if len(m) < 2 {
		return nil, errStill
	}
	return m, nil
}

// sum adds up several meters. The result has the times of the meter with the fewest readings. The
// other meters are interpolated.
func sum(all []meter) (meter, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	least := slices.MinFunc(all, func(a, b meter) int { return cmp.Compare(len(a), len(b)) })
	var out []reading
	for _, r := range least {
		value, known := int64(0), true
		for _, m := range all {
			if r.time < m[0].time || r.time > m[len(m)-1].time {
				known = false
				break
			}
			v := m.at(r.time) - m[0].value
			if v > 1<<62-value {
				return nil, errors.New("the energies of the meters together leave the range of 4.6 GJ")
			}
			value += v
		}
		if known {
			out = append(out, reading{r.time, value})
		}
	}
	if len(out) < 2 {
		return nil, errors.New("the meters have no time in common")
	}
	return newMeter(out)
}

// at returns the value at a moment. Between readings, it is interpolated and rounded down. Before
// the first and after the last reading, it is constant.
func (m meter) at(moment int64) int64 {
	i, found := slices.BinarySearchFunc(m, moment, func(r reading, t int64) int { return cmp.Compare(r.time, t) })
	switch {
	case found:
		return m[i].value
	case i == 0:
		return m[0].value
	case i == len(m):
		return m[i-1].value
	}
	a, b := m[i-1], m[i]
	return a.value + units.MulDiv(b.value-a.value, moment-a.time, b.time-a.time)
}

// energy returns the energy between two moments. Within a period of the meter, it is proportional
// to time (vLens, eq. 1). The energies of adjacent windows add up exactly.
func (m meter) energy(begin, end int64) units.Energy { return units.Energy(m.at(end) - m.at(begin)) }

// A slice is a time in which no thread enters or leaves a path. runs has the index of the innermost
// run of each running thread.
type slice struct {
	begin, end int64
	runs       []int32
}

// An edge is a moment at which a thread begins or ends a run of a path.
type edge struct {
	time   int64
	thread trace.ThreadID
	// run is the run that is innermost from this moment on, or -1 if no run is.
	run int32
}

// innermost returns the moments at which the innermost run of a thread changes. The runs are sorted
// by begin. A run within another run is a call, after which the caller continues. A thread does not
// run while it is in a path of the kind ofWait.
func innermost(thread trace.ThreadID, runs []run, order []int32, kindOf func(path int32) kind, edges []edge) []edge {
	var open []int32
	top := func() int32 {
		if len(open) == 0 {
			return -1
		}
		return open[len(open)-1]
	}
	running := func(i int32) int32 {
		if i >= 0 && kindOf(runs[i].path) == ofWait {
			return -1
		}
		return i
	}
	leave := func(until int64) {
		for len(open) > 0 && runs[top()].exit <= until {
			end := runs[top()].exit
			open = open[:len(open)-1]
			for len(open) > 0 && runs[top()].exit <= end {
				open = open[:len(open)-1] // damaged: a caller that ended before its callee
			}
			edges = append(edges, edge{end, thread, running(top())})
		}
	}
	for _, i := range order {
		leave(runs[i].enter)
		open = append(open, i)
		edges = append(edges, edge{runs[i].enter, thread, running(i)})
	}
	leave(1<<63 - 1)
	return edges
}

// sweep visits the slices in order, without times in which no path runs. cuts are moments at which
// a slice must end, in order. The slice is valid until visit returns.
func sweep(edges []edge, cuts []int64, visit func(s *slice)) {
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.time, b.time) })
	current := make(map[trace.ThreadID]int32)
	var threads []trace.ThreadID // those that run, sorted
	var s slice
	emit := func(until int64) {
		if s.begin < until && len(threads) > 0 {
			s.end, s.runs = until, s.runs[:0]
			for _, th := range threads {
				s.runs = append(s.runs, current[th])
			}
			visit(&s)
		}
		s.begin = until
	}
	for _, e := range edges {
		for len(cuts) > 0 && cuts[0] <= e.time {
			emit(cuts[0])
			cuts = cuts[1:]
		}
		emit(e.time)
		at, runs := slices.BinarySearch(threads, e.thread)
		switch {
		case e.run < 0 && runs:
			threads = slices.Delete(threads, at, at+1)
		case e.run >= 0 && !runs:
			threads = slices.Insert(threads, at, e.thread)
		}
		current[e.thread] = e.run
	}
}
