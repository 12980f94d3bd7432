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

// The JVM samples threads that can run, whether or not they have a core. If other threads or
// processes occupy the cores, the samples count more time than the processor worked. The JVM
// measures its processor time too, as a share of all cores since the preceding measurement.

// bin is the length of the spans by which samples are counted, in nanoseconds.
const bin = 100_000_000

// A load is a measurement of the JVM's processor time. The share is between 0 and 1.
type load struct {
	moment int64
	share  float64
}

// loads has the measurements of a recording. samples counts the samples with each state in each
// span of the recording.
type loads struct {
	measured []load
	samples  [numStates]map[int64]int64
	// threads has the measurements of the threads.
	threads map[trace.Thread]*threadLoad
}

// count counts n samples with a state at a moment.
func (l *loads) count(in state, moment, n int64) {
	if l.samples[in] == nil {
		l.samples[in] = make(map[int64]int64)
	}
	l.samples[in][moment/bin] += min(n, math.MaxInt32)
}

// read reads a measurement.
func (l *loads) read(p *pools, c *cursor, cl *class, h header) error {
	var at load
	err := p.object(c, cl, func(f *field, n int64, _ text) {
		switch f.name {
		case "startTime":
			at.moment = h.moment(n)
		case "jvmUser", "jvmSystem":
			at.share += float64(math.Float32frombits(uint32(n)))
		}
	}, nil, 0)
	if at.share >= 0 && at.share <= 1.01 { // This excludes NaN too.
		l.measured = append(l.measured, at)
	}
	return err
}

// compare returns the time of the samples with a state between the first and the last measurement, and the
// processor time that the JVM measured there. Both are 0 if the JVM measured too little.
func (l *loads) compare(in state, cores int, interval int64) (sampled, used time.Duration) {
	slices.SortFunc(l.measured, func(a, b load) int { return cmp.Compare(a.moment, b.moment) })
	if cores <= 0 || len(l.measured) < 2 {
		return 0, 0
	}
	first, last := l.measured[0].moment, l.measured[len(l.measured)-1].moment
	total := 0.0
	for i, at := range l.measured[1:] {
		total += at.share * float64(cores) * float64(at.moment-l.measured[i].moment)
	}
	count := int64(0)
	for at, n := range l.samples[in] {
		if at*bin >= first && (at+1)*bin <= last {
			count += n
		}
	}
	if last-first < int64(time.Second) || total >= math.MaxInt64/4 || count > math.MaxInt64/4/max(interval, 1) {
		return 0, 0
	}
	return time.Duration(count * interval), time.Duration(total)
}

// calibrate compares the samples with the processor time that the JVM measured. If the samples of
// running threads count clearly more, it lowers the value of the JVM's own samples, and samples of
// elapsed time are not known as work.
func (d *decoder) calibrate() {
	in := d.cpu
	if d.elapsed {
		in = running
	}
	if d.event != executionSample && d.event != wallClockSample {
		return
	}
	if d.elapsed || d.settings.event == "" {
		d.calibrateThreads(in)
	}
	const waiting = "the samples count %s of running threads, but the JVM measured that it used %s of processor time; threads that can run may wait for a core. "
	sampled, used := d.loads.compare(in, d.trace.Cores, d.interval)
	counted, measured := units.FormatTime(int64(sampled)), units.FormatTime(int64(used))
	switch more := sampled > used+used/8+100*time.Millisecond; {
	case used == 0:
	case more && d.elapsed:
		d.doubtful = true
		d.warn("waiting-samples", waiting+"These samples may be work or not", counted, measured)
	case more && d.settings.event == "":
		value := max(1, units.MulDiv(d.interval, int64(used), int64(sampled)))
		d.warn("waiting-samples", waiting+"Each sample counts as %s instead of %s, which is the most that it can be",
			counted, measured, units.FormatTime(value), units.FormatTime(d.interval))
		d.interval = value
	case sampled < used/2 && used-sampled > time.Second && !d.elapsed:
		d.warn("unsampled-time", "the samples count %s of the %s of processor time that the JVM measured; the others were spent in native code, in the JIT compiler or in the garbage collector, "+
			"or their samples are lost", counted, measured)
	}
}

// warn adds a warning.
func (d *decoder) warn(code, format string, args ...any) {
	d.trace.Warnings = append(d.trace.Warnings, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}
