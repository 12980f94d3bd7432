package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	perf "github.com/diffprof/diffprof/ingest/event"
	"github.com/diffprof/diffprof/ingest/stacks"
	"github.com/diffprof/diffprof/trace"
)

// emitSamples sends the samples of all profiles to the sink, one thread after the other.
func (d *decoder) emitSamples(ctx context.Context, sink trace.Sink) error {
	t := &d.trace
	t.Technique, t.Clock = trace.Sampled, trace.WallClock
	counter := d.hermes.counts.counter
	if counter != nil {
		t.Clock, t.Cores = 0, len(d.hermes.counts.cores)
		counter.Begin(t)
	}
	lists, err := d.stretches()
	if err != nil {
		return d.located(err)
	}
	// Dart's VM samples only running threads.
	d.running = d.opts.SampleType != wallType && counter == nil && !slices.ContainsFunc(d.profiles, func(p *profile) bool { return p.period == 0 })
	d.stated = d.opts.SampleType == cpuType && counter == nil && !d.running
	if d.running || d.stated {
		t.Clock |= trace.ThreadCPU
	}
	if d.stated {
		d.usual = usualLength(lists)
		d.warn("stated-processor-time", "--sample-type cpu reads elapsed time as processor time, without the time in native functions and the time between late samples: "+
			"it is wrong if a function waits in Atomics.wait")
	}
	origin, end := int64(never), int64(-never)
	for i, th := range d.threads {
		t.Threads = append(t.Threads, trace.Thread{ID: th.id, Name: th.name, Process: th.process})
		for _, s := range lists[i] {
			origin, end = min(origin, s.at), max(end, s.at+s.length)
		}
	}
	t.Elapsed, t.Bound = time.Duration(end-origin), d.bound(lists)
	trace.Start(sink, t.Clock, t.Energy)
	batch := stacks.NewBatch(sink)
	newest := int64(0)
	var lengths []int64
	for i, list := range lists {
		for _, s := range list {
			if batch.Full() {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := batch.Flush(); err != nil {
					return err
				}
			}
			if d.kind == cpuType && s.idle[s.id] {
				continue
			}
			at := s.at - origin
			newest = max(newest, at)
			t.Skew = max(t.Skew, time.Duration(newest-at))
			if err := d.sample(batch, trace.ThreadID(i), &s, at); err != nil {
				return d.located(err)
			}
			lengths = append(lengths, s.length)
		}
	}
	if t.Events == 0 {
		return d.located(errors.New("every thread waits in all samples; --sample-type wall reads them"))
	}
	if t.Interval = median(lengths); counter != nil {
		t.Interval = 0
		counter.Finish(t)
		t.Warnings = append(t.Warnings, perf.Others(d.hermes.counts.events, &d.hermes.counts.chosen)...)
	}
	if d.lost > 0 {
		d.warn("lost-nodes", trace.Counted("%d {sample refers to a node that is|samples refer to nodes that are} not in the file; {its stack is|their stacks are} unknown", d.lost))
	}
	return batch.Flush()
}

// bound returns the length of the profile if it limits the time of the samples, and 0 otherwise.
// The file must have one profile that states its start and end. If the shortest nine tenths of the
// samples already last longer, the stated length is wrong and bound returns 0.
func (d *decoder) bound(lists [][]stretch) time.Duration {
	if len(d.profiles) != 1 || d.profiles[0].start <= 0 || d.profiles[0].end <= d.profiles[0].start {
		return 0
	}
	var lengths []int64
	for _, list := range lists {
		for i := range list {
			lengths = append(lengths, list[i].length)
		}
	}
	slices.Sort(lengths)
	length := d.profiles[0].end - d.profiles[0].start
	rest := length
	for _, l := range lengths[:len(lengths)*9/10] {
		if rest -= l; rest < 0 {
			return 0
		}
	}
	return time.Duration(length)
}

// usualLength returns the median time between two samples. V8's sampler interrupts the thread at
// equal intervals. If a sample comes later, the thread or the sampler waited for a core.
func usualLength(lists [][]stretch) int64 {
	var lengths []int64
	for _, list := range lists {
		for i := range list {
			lengths = append(lengths, list[i].length)
		}
	}
	return int64(median(lengths))
}

// stretches returns the samples of each thread in time order.
func (d *decoder) stretches() ([][]stretch, error) {
	byThread := make(map[*thread][]stretch)
	backward, rootless, untimed, headless := 0, 0, 0, 0
	ticked, disputed := int64(0), int64(0)
	for _, p := range d.profiles {
		if p.nodes == nil {
			headless += len(p.samples)
			continue
		}
		list, n, err := p.stretches()
		if err != nil {
			return nil, err
		}
		rootless += p.rootless
		untimed += max(0, len(p.samples)-len(p.deltas))
		ticked, disputed = ticked+p.ticked, disputed+p.disputed
		byThread[p.thread] = append(byThread[p.thread], list...)
		backward += n
	}
	lists := make([][]stretch, len(d.threads))
	for i, th := range d.threads {
		lists[i] = byThread[th]
		slices.SortStableFunc(lists[i], func(a, b stretch) int { return cmp.Compare(a.at, b.at) })
	}
	if backward > 0 {
		d.warn("backward-clock", trace.Counted("%d {sample is|samples are} earlier than the preceding one, and {was|were} sorted", backward))
	}
	// A few differences are normal: at the start and end of a profile, V8 adds some samples to only
	// one of the two.
	if disputed >= 5 && 100*disputed > 3*ticked {
		d.warn("line-counts", fmt.Sprintf("the counts of samples by line and the list of samples differ by %d samples (the list has %d); the lines are approximate", disputed, ticked))
	}
	if rootless > 0 {
		d.warn("lost-callers", trace.Counted("%d {node of a profile has|nodes of profiles have} no valid caller; {its|their} stacks begin there", rootless))
	}
	if headless > 0 {
		d.warn("lost-profiles", trace.Counted("%d {sample of a profile without nodes is|samples of profiles without nodes are} not read: the file lacks the start of the profile", headless))
	}
	if untimed > 0 {
		d.warn("untimed-samples", trace.Counted("%d {sample has|samples have} no time, and {is|are} not read", untimed))
	}
	return lists, nil
}

// sample adds a sample of a thread to a batch.
func (d *decoder) sample(batch *stacks.Batch, thread trace.ThreadID, s *stretch, at int64) error {
	if node, ok := s.nodes.get(s.id); !ok {
		d.lost++
		batch.Push(d.names.ID([]byte(stacks.Unknown)), 0)
	} else if err := s.paths.Push(batch, node); err != nil {
		return err
	} else if s.line > 0 && batch.Depth() > 0 {
		batch.Line(s.line)
	}
	out := trace.Sample{Time: at, Thread: thread, Wall: s.length, Count: 1}
	if s.idle[s.id] {
		out.Activity = trace.Waiting
	}
	if c := d.hermes.counts.counter; c != nil {
		if err := c.Charge(&d.trace, &out, s.weight); err != nil {
			return err
		}
		batch.Add(out)
		return nil
	}
	th := &d.trace.Threads[thread]
	th.Events++
	th.Wall += time.Duration(s.length)
	switch {
	case d.running:
		out.CPU = s.length
	case d.stated && !s.waits[s.id]:
		out.CPU = min(s.length, 2*d.usual)
	}
	th.CPU += time.Duration(out.CPU)
	batch.Add(out)
	d.trace.Events++
	return nil
}
