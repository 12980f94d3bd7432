package jfr

import (
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The JVM measures the processor time of each thread every ten seconds, and when the thread ends. A
// measurement is a fraction of the time of all cores since the thread's previous measurement. A
// thread's first measurement is for the time since the thread's start. It is usable only if the
// recording has the start.

// A thread is calibrated alone if it has at least leastCounted samples, and measurements over
// leastMeasured. All other threads are calibrated together.
const (
	leastMeasured = time.Second
	leastCounted  = 20
	// leastCrowd is how many threads the JVM must sample at once, on average, in a crowded
	// recording.
	leastCrowd = 3
)

// A threadUsage has the measurements of a thread. began is the time when the thread started, if
// hasBegin is set.
type threadUsage struct {
	usage
	began    int64
	hasBegin bool
	// system is set for the JVM's own threads, such as its compiler.
	system bool
	// native is the number of samples of native code. last has the time of the latest sample with
	// each state, or 0 before the first.
	native int64
	last   [numStates]int64
}

// thread returns the usage of a thread, and adds it if it is new.
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
	t := l.thread(p.threadOf(thread))
	t.system = p.isSystem(thread)
	switch {
	case cl.name == threadStart:
		t.began, t.hasBegin = at.moment, true
	default:
		t.add(at)
	}
	return err
}

// compare compares the thread's samples in a state with its measurements. It also returns the
// length of the measured time. If most samples are outside of that time, the results are zero.
func (t *threadUsage) compare(in state, cores int, interval int64) (comparison, time.Duration) {
	if t.hasBegin {
		t.measured = append(t.measured, load{moment: t.began})
	}
	first, last, used := t.span(cores, 1)
	var c comparison
	outside := int64(0)
	for at, n := range t.samples[in] {
		if (at+1)*bin > first && at*bin < last {
			c.counted += n
		} else {
			outside += n
		}
	}
	if last == first || outside > c.counted || !c.set(used, interval) {
		return comparison{}, 0
	}
	return c, time.Duration(last - first)
}

// A calibration is for a group of threads. One sample represents the same time in all of them.
type calibration struct {
	comparison
	threads []trace.Thread
	native  int64
	// elapsed is the sum of the threads' measured times, including waiting.
	elapsed time.Duration
}

// add adds a thread to a calibration.
func (c *calibration) add(th trace.Thread, other comparison, native int64, elapsed time.Duration) {
	c.sampled, c.used, c.counted = c.sampled+other.sampled, c.used+other.used, c.counted+other.counted
	c.threads, c.native, c.elapsed = append(c.threads, th), c.native+native, c.elapsed+elapsed
}

// unsampled returns how much of the used time has no samples. The parameter waited is true if the
// threads often waited for a core. The JVM also samples such threads, so a part of each sample is no
// work, and more work has no samples. The result is then the most that is possible: the threads
// waited all the time in which they did not work.
func (c *calibration) unsampled(waited bool) time.Duration {
	if waited && c.elapsed > c.used {
		return c.used - time.Duration(float64(c.sampled)*float64(c.used)/float64(c.elapsed))
	}
	return c.used - c.sampled
}

// value returns the time of one sample of these threads. It is the sampling interval if the samples
// explain the measured time. If they represent more time, a sample gets less. If they represent
// less (see crowded), a sample gets more, unless the threads also ran native code.
func (c *calibration) value(interval int64) int64 {
	if c.moreThanMeasured() || clearlyMore(c.used, c.sampled) && c.native*10 <= c.counted {
		return max(1, units.MulDiv(interval, int64(c.used), int64(c.sampled)))
	}
	return interval
}

// crowded reports whether the JVM often sampled several threads at once. The JVM then leaves out
// running threads at random, because it samples at most five at once. In other recordings, samples
// are missing because the JVM cannot read the stacks of some code.
func (d *decoder) crowded(in state) bool {
	all := 0.0
	for _, n := range d.loads.samples[in] {
		all += float64(n)
	}
	return all*float64(d.interval) > leastCrowd*bin*float64(len(d.loads.samples[in]))
}

// calibrateThreads compares the samples of each thread with the thread's measured processor time.
// If the two clearly differ, it changes the time of a sample, and warns. Samples of elapsed time
// are only lowered. For all other measured threads, a sample represents one interval, whatever was
// measured for the whole JVM. calibrateThreads returns the change of the total time.
func (d *decoder) calibrateThreads(in state) time.Duration {
	var all []calibration
	var short calibration
	for th, t := range d.loads.threads {
		c, measured := t.compare(in, d.trace.Cores, d.interval)
		switch {
		case c.used == 0, c.counted == 0 && t.system:
		case c.counted >= leastCounted && measured >= leastMeasured:
			one := calibration{}
			one.add(th, c, t.native, measured)
			all = append(all, one)
		default:
			short.add(th, c, t.native, measured)
		}
	}
	if short.counted >= leastCounted {
		all = append(all, short)
	}
	d.values = make(map[trace.Thread]int64)
	var sampled, used, unsampled time.Duration
	changed := 0
	for _, c := range all {
		value := c.value(d.interval)
		if d.elapsed {
			value = min(value, d.interval)
		}
		for _, th := range c.threads {
			d.values[th] = value
		}
		if value != d.interval {
			sampled, used, changed = sampled+c.sampled, used+c.used, changed+len(c.threads)
			unsampled += c.unsampled(d.loads.busy())
		}
	}
	if changed == 0 {
		return 0
	}
	code, cause, effect := "waiting-samples", "threads that can run may wait for a core", "The samples count as much as was measured"
	switch {
	case d.elapsed:
		effect = "The samples may be work or not"
	case used > sampled && d.crowded(in):
		code, cause = "unsampled-time", "each time, the JVM samples only some of the running threads"
	case used > sampled:
		code, cause = "unsampled-time", "the JVM sampled late, or could not read the stacks of some code, such as Math.sin"
		effect += ", so code without samples counts too little and other code too much; async-profiler and jdk.CPUTimeSample of Java 25 sample all code"
		d.trace.Unsampled = unsampled
	}
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: trace.Counted(
		"samples of %d running {thread|threads} count %s, but the JVM measured %s of processor time there; %s. %s",
		changed, units.FormatTime(int64(sampled)), units.FormatTime(int64(used)), cause, effect)})
	return used - sampled
}
