package energy

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"time"

	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Routine is a method with the time for which it ran.
type Routine struct {
	Method trace.MethodID
	Time   time.Duration
}

// CodeDuring scans a recording for the code that ran during tails and holds.
//
// For each group of tails, it returns the methods with the longest running times. The parameter
// most limits their number. Times are processor times if the recording has them. routine returns
// the method to which the time of a stack is attributed. The outermost method of the stack is
// first. If routine returns a negative number, the time does not count, for example because the
// thread waits.
//
// For each hold, it returns the latest time before the end of the hold at which a thread of the
// same process ran, or 0. All threads of the process count, because a held object serves the whole
// app. The last tenth of a second does not count, because the app always runs in order to release
// the object. If a call of a thread moves data, such as a read from the network, the thread counts
// as running until the call returns, because the hold serves this call. uses reports whether a
// method moves data. It may be nil.
func CodeDuring(ctx context.Context, rec trace.Recording, groups [][]bundle.Tail, holds []bundle.Hold, limit int, routine func([]trace.MethodID) trace.MethodID, uses func(trace.MethodID) bool) (ran [][]Routine, last []int64, err error) {
	r := &runner{
		routine: routine, uses: uses, took: make([]map[trace.MethodID]int64, len(groups)),
	}
	r.cut(groups)
	for _, h := range holds {
		r.ends = append(r.ends, h.End-releasePeriod)
	}
	slices.Sort(r.ends)
	r.ends = slices.Compact(r.ends)
	t, err := rec.Scan(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	ran = make([][]Routine, len(groups))
	for g, took := range r.took {
		for m, ns := range took {
			ran[g] = append(ran[g], Routine{m, time.Duration(ns)})
		}
		slices.SortFunc(ran[g], func(a, b Routine) int {
			return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Method, b.Method))
		})
		ran[g] = ran[g][:min(len(ran[g]), limit)]
	}
	return ran, r.lastRuns(holds, t.Threads), nil
}

// lastRuns returns, for each hold, when its process last ran, up to releasing nanoseconds before
// the end.
func (r *runner) lastRuns(holds []bundle.Hold, threads []trace.Thread) []int64 {
	process := func(id trace.ThreadID) int {
		if id < 0 || int(id) >= len(threads) {
			return 0
		}
		return threads[id].Process
	}
	all := make(map[int][]int64)
	for id, latest := range r.latest {
		p := process(trace.ThreadID(id))
		if all[p] == nil {
			all[p] = make([]int64, len(r.ends))
		}
		before := int64(0)
		for i, t := range latest {
			before = max(before, t)
			all[p][i] = max(all[p][i], before)
		}
	}
	last := make([]int64, len(holds))
	for i, h := range holds {
		at, _ := slices.BinarySearch(r.ends, h.End-releasePeriod)
		if ran := all[process(h.Thread)]; ran != nil && ran[at] >= h.Begin {
			last[i] = ran[at]
		}
	}
	return last
}

// releasePeriod is the period at the end of a hold in which the app runs to end the hold.
const releasePeriod = int64(100 * time.Millisecond)

// A runner is a sink that adds up running times by method during tails.
type runner struct {
	calls   calls
	routine func([]trace.MethodID) trace.MethodID
	uses    func(trace.MethodID) bool
	// stretches are sorted by time. Each lasts until the next one begins. at is the index of the
	// stretch that was found last.
	stretches []stretch
	at        int
	took      []map[trace.MethodID]int64
	// ends is a sorted list with a moment for each hold, a tenth of a second before its end.
	// latest[id][i] is the latest time at which a thread ran between ends[i-1] and ends[i]. hint is
	// the index of the moment that was found last.
	ends   []int64
	latest [][]int64
	hint   int
	// elapsed means that the recording has only elapsed time.
	elapsed bool
}

// A stretch is a period in which the same groups of tails are active.
type stretch struct {
	from   int64
	groups []int32
}

// cut divides the time into stretches. Tails may overlap.
func (r *runner) cut(groups [][]bundle.Tail) {
	type edge struct {
		at    int64
		group int32
		more  int
	}
	var edges []edge
	for g, tails := range groups {
		for _, t := range tails {
			edges = append(edges, edge{t.Begin, int32(g), 1}, edge{t.End, int32(g), -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	open := make(map[int32]int)
	for i, e := range edges {
		if open[e.group] += e.more; open[e.group] == 0 {
			delete(open, e.group)
		}
		if i+1 < len(edges) && edges[i+1].at == e.at {
			continue
		}
		p := stretch{from: e.at}
		for g := range open {
			p.groups = append(p.groups, g)
		}
		slices.Sort(p.groups)
		r.stretches = append(r.stretches, p)
	}
}

// Start implements trace.StartSink.
func (r *runner) Start(clock trace.Clock, _ trace.Provenance) {
	r.elapsed = clock&trace.ThreadCPU == 0
}

// Events implements trace.Sink.
func (r *runner) Events(batch []trace.Event) error {
	for i := range batch {
		e := &batch[i]
		th, err := r.calls.thread(e.Thread)
		if err != nil {
			return err
		}
		r.runs(e.Thread, e.Time)
		if th.met && (!r.elapsed || e.Activity.Costs()) {
			r.ran(th.stack, th.time, e.Time, e.CPU)
			r.through(e.Thread, th.stack, th.time, e.Time, e.CPU)
		}
		th.time, th.met = e.Time, true
		switch e.Kind {
		case trace.Enter:
			th.enter(trace.MethodID(e.Ref))
		case trace.Exit:
			th.exit(trace.MethodID(e.Ref))
		}
	}
	return nil
}

// Samples implements trace.Sink.
func (r *runner) Samples(batch []trace.Sample) error {
	for i := range batch {
		s := &batch[i]
		took := s.CPU
		if r.elapsed {
			if took = s.Wall; !s.Activity.Costs() {
				took = 0
			}
		}
		r.runs(s.Thread, s.Time)
		if p := r.find(s.Time); p >= 0 {
			r.add(&r.stretches[p], s.Stack, took)
		}
	}
	return nil
}

// runs records that thread id runs at time t.
func (r *runner) runs(id trace.ThreadID, t int64) {
	if len(r.ends) == 0 || id < 0 {
		return
	}
	at := r.hint
	if at >= len(r.ends) || t > r.ends[at] || at > 0 && t <= r.ends[at-1] {
		at, _ = slices.BinarySearch(r.ends, t)
		r.hint = at
	}
	if at == len(r.ends) {
		return
	}
	for int(id) >= len(r.latest) {
		r.latest = append(r.latest, nil)
	}
	if r.latest[id] == nil {
		r.latest[id] = make([]int64, len(r.ends))
	}
	r.latest[id][at] = max(r.latest[id][at], t)
}

// through decides whether a thread ran between two events, and records it if so. It did in these
// cases:
//
//   - One of its calls moves data.
//   - With a thread clock: it used processor time for at least half of the period.
//   - Without a thread clock: its innermost call does not wait.
func (r *runner) through(id trace.ThreadID, stack []trace.MethodID, from, to, cpu int64) {
	at, _ := slices.BinarySearch(r.ends, from)
	if at == len(r.ends) || r.ends[at] >= to || len(stack) == 0 {
		return
	}
	idle := r.elapsed && r.routine(stack) < 0 || !r.elapsed && 2*cpu < to-from
	if idle && (r.uses == nil || !slices.ContainsFunc(stack, r.uses)) {
		return
	}
	for ; at < len(r.ends) && r.ends[at] < to; at++ {
		r.runs(id, r.ends[at])
	}
}

// find returns the stretch that contains t. It returns -1 if there is none.
func (r *runner) find(t int64) int {
	if r.at < len(r.stretches) && r.stretches[r.at].from <= t && (r.at+1 == len(r.stretches) || t < r.stretches[r.at+1].from) {
		return r.at
	}
	at := sort.Search(len(r.stretches), func(i int) bool { return r.stretches[i].from > t }) - 1
	r.at = max(at, 0)
	return at
}

// ran records that a stack ran between two moments, and used cpu nanoseconds of processor time.
func (r *runner) ran(stack []trace.MethodID, from, to, cpu int64) {
	if from == to || len(stack) == 0 {
		return
	}
	for p := max(r.find(from), 0); p < len(r.stretches) && r.stretches[p].from < to; p++ {
		here := &r.stretches[p]
		end := to
		if p+1 < len(r.stretches) {
			end = min(end, r.stretches[p+1].from)
		}
		took := max(end-max(from, here.from), 0)
		if !r.elapsed {
			took = units.MulDiv(cpu, took, to-from)
		}
		r.add(here, stack, took)
	}
}

func (r *runner) add(p *stretch, stack []trace.MethodID, took int64) {
	if len(p.groups) == 0 || took <= 0 {
		return
	}
	m := r.routine(stack)
	if m < 0 {
		return
	}
	for _, g := range p.groups {
		if r.took[g] == nil {
			r.took[g] = make(map[trace.MethodID]int64)
		}
		r.took[g][m] += took
	}
}
