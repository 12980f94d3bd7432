package jfr

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The JVM measures the processor time of each thread every ten seconds, and when the thread ends, as
// a share of all cores since the thread's preceding measurement. The first measurement counts from
// the start of the thread, which is known if the recording has it.

// leastMeasured is the shortest measured time of a thread that calibrates its samples.
const leastMeasured = time.Second

// A threadLoad has the measurements of a thread. samples counts its samples
// by state and span of the recording.
type threadLoad struct {
	began    int64
	hasBegin bool
	measured []load
	samples  [numStates]map[int64]int64
}

// thread returns the measurements of a thread.
func (l *loads) thread(th trace.Thread) *threadLoad {
	t := l.threads[th]
	if t == nil {
		if t = new(threadLoad); l.threads == nil {
			l.threads = make(map[trace.Thread]*threadLoad)
		}
		l.threads[th] = t
	}
	return t
}

// count counts n samples with a state at a moment.
func (t *threadLoad) count(in state, moment, n int64) {
	if t.samples[in] == nil {
		t.samples[in] = make(map[int64]int64)
	}
	t.samples[in][moment/bin] += min(n, math.MaxInt32)
}

// readThread reads a measurement of a thread, or its start.
func (l *loads) readThread(p *pools, c *cursor, cl *class, h header) error {
	var at load
	thread := int64(0)
	err := p.object(c, cl, func(f *field, n int64, _ text) {
		switch f.name {
		case "startTime":
			at.moment = h.moment(n)
		case "user", "system":
			at.share += float64(math.Float32frombits(uint32(n)))
		case "eventThread":
			if cl.name == threadCPULoad {
				thread = n
			}
		case "thread":
			thread = n
		}
	}, nil, 0)
	switch t := l.thread(p.threadOf(thread)); {
	case cl.name == threadStart:
		t.began, t.hasBegin = at.moment, true
	case at.share >= 0 && at.share <= 1.01: // This excludes NaN too.
		t.measured = append(t.measured, at)
	}
	return err
}

// compare returns the time of the samples with a state while the thread was measured, and the
// processor time that was measured. Both are 0 if too little was measured.
func (t *threadLoad) compare(in state, cores int, interval int64) (sampled, used time.Duration) {
	slices.SortFunc(t.measured, func(a, b load) int { return cmp.Compare(a.moment, b.moment) })
	if t.hasBegin {
		t.measured = slices.Insert(t.measured, 0, load{moment: t.began})
	}
	if cores <= 0 || len(t.measured) < 2 {
		return 0, 0
	}
	first, last := t.measured[0].moment, t.measured[len(t.measured)-1].moment
	total := 0.0
	for i, at := range t.measured[1:] {
		total += min(at.share*float64(cores), 1) * float64(at.moment-t.measured[i].moment)
	}
	count, outside := int64(0), int64(0)
	for at, n := range t.samples[in] {
		if at*bin >= first && (at+1)*bin <= last {
			count += n
		} else {
			outside += n
		}
	}
	if last-first < int64(leastMeasured) || outside > count || count > math.MaxInt64/4/max(interval, 1) {
		return 0, 0
	}
	return time.Duration(count * interval), time.Duration(total)
}

// calibrateThreads compares the samples of each thread with the processor time that the JVM measured
// for it. If the samples count clearly more, it lowers their value. The other measured threads keep
// the value, whatever the JVM measured for all threads together.
func (d *decoder) calibrateThreads(in state) {
	d.values = make(map[trace.Thread]int64)
	var sampled, used time.Duration
	lowered := 0
	for th, t := range d.loads.threads {
		s, u := t.compare(in, d.trace.Cores, d.interval)
		if s == 0 || u == 0 {
			continue
		}
		d.values[th] = d.interval
		if s > u+u/8+100*time.Millisecond {
			d.values[th] = max(1, units.MulDiv(d.interval, int64(u), int64(s)))
			sampled, used, lowered = sampled+s, used+u, lowered+1
		}
	}
	if lowered == 0 {
		return
	}
	effect := "They count as much as was measured"
	if d.elapsed {
		effect = "They may be work or not"
	}
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: "waiting-samples", Message: trace.Counted(
		"samples of %d running {thread|threads} count %s, but the JVM measured %s of processor time there; threads that can run may wait for a core. %s",
		lowered, units.FormatTime(int64(sampled)), units.FormatTime(int64(used)), effect)})
}
