package jfr

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The JVM samples threads that can run, even if they wait for a core. If other threads or processes
// occupy the cores, the samples represent more time than the threads worked. The JVM also measures
// its own processor time. Each measurement is a fraction of the time of all cores since the
// previous measurement.

// bin is the length of the time spans in which samples are counted, in nanoseconds.
const bin = 100_000_000

// A load is a measurement of processor time. share is the fraction of the time of all cores since
// the previous measurement. For example, 0.25 on eight cores means that two cores were busy.
type load struct {
	moment int64
	share  float64
}

// A usage has the measurements of the JVM or of a thread, and the number of samples by state and
// time span.
type usage struct {
	measured []load
	samples  [numStates]map[int64]int64
}

// loads has the measurements of the JVM and of its threads. machine is the sum of the machine's
// loads, each from 0 to 1, and machines is their number.
type loads struct {
	usage
	threads  map[trace.Thread]*threadUsage
	machine  float64
	machines int
}

// leastBusy is the mean load of a machine on which threads often wait for a core.
const leastBusy = 0.9

// busy reports whether threads often wait for a core, because all cores of the machine are busy.
func (l *loads) busy() bool { return l.machine > leastBusy*float64(l.machines) }

// count counts n samples with a state at a moment.
func (u *usage) count(in state, moment, n int64) {
	if u.samples[in] == nil {
		u.samples[in] = make(map[int64]int64)
	}
	u.samples[in][moment/bin] += min(n, math.MaxInt32)
}

// add adds a measurement unless its share is impossible.
func (u *usage) add(at load) {
	if at.share >= 0 && at.share <= 1.01 { // This excludes NaN too.
		u.measured = append(u.measured, at)
	}
}

// A comparison compares samples with measurements of processor time. counted is the number of
// samples, and sampled is their time. used is the measured processor time. All three are for the
// time from the first to the last measurement. They are 0 if too little was measured.
type comparison struct {
	sampled, used time.Duration
	counted       int64
}

// span returns the times of the first and of the last measurement, and the processor time between
// them. It limits a measurement to `most` cores.
func (u *usage) span(cores, most int) (first, last int64, used float64) {
	slices.SortFunc(u.measured, func(a, b load) int { return cmp.Compare(a.moment, b.moment) })
	if cores <= 0 || len(u.measured) < 2 {
		return 0, 0, 0
	}
	for i, at := range u.measured[1:] {
		used += min(at.share*float64(cores), float64(most)) * float64(at.moment-u.measured[i].moment)
	}
	return u.measured[0].moment, u.measured[len(u.measured)-1].moment, used
}

// compare compares the samples in a state with the measurements.
func (u *usage) compare(in state, cores int, interval int64) comparison {
	first, last, used := u.span(cores, cores)
	var c comparison
	for at, n := range u.samples[in] {
		if at*bin >= first && (at+1)*bin <= last {
			c.counted += n
		}
	}
	if last-first < int64(leastMeasured) || !c.set(used, interval) {
		return comparison{}
	}
	return c
}

// set sets sampled and used. It returns false if the numbers are too large.
func (c *comparison) set(used float64, interval int64) bool {
	if used >= math.MaxInt64/4 || c.counted > math.MaxInt64/4/max(interval, 1) {
		return false
	}
	c.sampled, c.used = time.Duration(c.counted*interval), time.Duration(used)
	return true
}

// moreThanMeasured reports whether the samples represent clearly more time than was measured.
func (c comparison) moreThanMeasured() bool { return clearlyMore(c.sampled, c.used) }

// clearlyMore reports whether a exceeds b by more than an eighth of b and 100 ms. Smaller
// differences may be chance.
func clearlyMore(a, b time.Duration) bool { return a > b+b/8+100*time.Millisecond }

// read reads a measurement.
func (l *loads) read(p *pools, c *cursor, cl *class, h header) error {
	var at load
	err := p.object(c, cl, func(f *field, n int64, _ text) {
		switch f.name {
		case "startTime":
			at.moment = h.moment(n)
		case "jvmUser", "jvmSystem":
			at.share += float64(math.Float32frombits(uint32(n)))
		case "machineTotal":
			// The first measurement covers no time, and is 0.
			if total := float64(math.Float32frombits(uint32(n))); total > 0 {
				l.machine, l.machines = l.machine+min(total, 1), l.machines+1
			}
		}
	}, nil, 0)
	l.add(at)
	return err
}

// leastLost is how much time must be missing for a warning about lost samples of async-profiler.
const leastLost = 250 * time.Millisecond

// calibrate compares the samples with the processor time that the JVM measured. If the samples of
// running threads represent clearly more time, some of it was waiting:
//
//   - Samples of elapsed time are marked as doubtful.
//   - For the JVM's samples of processor time, calibrate lowers the time of a sample. It does so
//     for the threads that the JVM did not measure. Their time stays doubtful, because the measured
//     time includes the JVM's compiler and garbage collector.
//
// If the samples represent clearly less time, calibrate adds a warning.
func (d *decoder) calibrate() {
	in, interval := d.cpu, d.interval
	switch d.event {
	case executionSample, wallClockSample:
	case cpuTimeSample:
		in, interval = processor, int64(time.Microsecond)
	default:
		return
	}
	if d.elapsed {
		in = running
	}
	jvms := d.event == executionSample && d.settings.event == "" // jvms is set for the JVM's samples of threads that can run.
	var changed time.Duration
	if d.elapsed || jvms {
		changed = d.calibrateThreads(in)
	}
	const waiting = "the samples count %s of running threads, but the JVM measured that it used %s of processor time; threads that can run may wait for a core. "
	c := d.loads.compare(in, d.trace.Cores, interval)
	c.sampled = max(0, c.sampled+changed)
	counted, measured := units.FormatTime(int64(c.sampled)), units.FormatTime(int64(c.used))
	switch more := c.moreThanMeasured(); {
	case c.used == 0:
	case more && d.elapsed:
		d.doubtful = true
		d.warn("waiting-samples", waiting+"These samples may be work or not", counted, measured)
	case more && jvms:
		value := max(1, units.MulDiv(d.interval, int64(c.used), int64(c.sampled)))
		d.warn("waiting-samples", waiting+"Each sample of a thread that the JVM did not measure counts as %s instead of %s, which is the most that it can be",
			counted, measured, units.FormatTime(value), units.FormatTime(d.interval))
		d.interval, d.doubtful = value, true
	case d.elapsed || c.sampled >= c.used/2:
	case d.settings.event != "" && c.used-c.sampled > leastLost:
		// async-profiler also samples the JIT compiler, the garbage collector and native code.
		d.warn("unsampled-time", "the samples count %s of the %s of processor time that the JVM measured, so samples are lost; "+
			"one cause is a timer of the system that is coarser than the interval of %s", counted, measured, units.FormatTime(d.interval))
	case c.used-c.sampled > time.Second:
		d.warn("unsampled-time", "the samples count %s of the %s of processor time that the JVM measured; the others were spent in native code, in the JIT compiler or in the garbage collector, "+
			"or their samples are lost", counted, measured)
	}
}

// warn adds a warning.
func (d *decoder) warn(code, format string, args ...any) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}
