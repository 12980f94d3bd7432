package jfr

import (
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The JVM measures the processor time of each thread every ten seconds, and when the thread ends, as
// a share of all cores since the thread's preceding measurement. The first measurement counts from
// the start of the thread, which is known if the recording has it.

// leastMeasured is the shortest measured time of a thread that calibrates its samples.
const leastMeasured = time.Second

// A threadUsage has the measurements of a thread, and the moment when it began if that is known.
type threadUsage struct {
	usage
	began    int64
	hasBegin bool
}

// thread returns the measurements of a thread.
func (l *loads) thread(th trace.Thread) *threadUsage {
	t := l.threads[th]
	if t == nil {
		if t = new(threadUsage); l.threads == nil {
			l.threads = make(map[trace.Thread]*threadUsage)
		}
		l.threads[th] = t
	}
	return t
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
	default:
		t.add(at)
	}
	return err
}

// compare compares the samples with a state with the measurements of the thread. The comparison is
// zero if most samples are outside of the measured time.
func (t *threadUsage) compare(in state, cores int, interval int64) comparison {
	if t.hasBegin {
		t.measured = append(t.measured, load{moment: t.began})
	}
	c := t.usage.compare(in, cores, 1, interval)
	if c.outside > c.counted {
		return comparison{}
	}
	return c
}

// calibrateThreads compares the samples of each thread with the processor time that the JVM measured
// for it. If the samples count clearly more, it lowers their value. The other measured threads keep
// the value, whatever the JVM measured for all threads together.
func (d *decoder) calibrateThreads(in state) {
	d.values = make(map[trace.Thread]int64)
	var sampled, used time.Duration
	lowered := 0
	for th, t := range d.loads.threads {
		c := t.compare(in, d.trace.Cores, d.interval)
		if c.sampled == 0 || c.used == 0 {
			continue
		}
		d.values[th] = d.interval
		if c.moreThanMeasured() {
			d.values[th] = max(1, units.MulDiv(d.interval, int64(c.used), int64(c.sampled)))
			sampled, used, lowered = sampled+c.sampled, used+c.used, lowered+1
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
