package clock

import (
	"fmt"
	"math"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// maxCores is larger than the number of cores of any machine.
const maxCores = 1 << 10

// Cores returns the largest number of cores that the threads of a recording can have used at once.
func Cores(t *trace.Trace) int64 {
	cores, threads := int64(t.Cores), int64(t.Active())
	switch {
	case cores <= 0 && t.Unthreaded:
		return maxCores
	case cores <= 0 || cores > threads && !t.Unthreaded:
		return threads
	}
	return cores
}

// MaxWorking returns the longest possible working time of all threads together. It is the smaller
// of two bounds: the elapsed time multiplied by the number of cores, and the bound that the
// recording states. It returns 0 if neither is known.
func MaxWorking(t *trace.Trace) time.Duration {
	most := elapsed(t)
	if t.Bound > 0 && t.Bound < math.MaxInt64/20 && (most == 0 || t.Bound < most) {
		most = t.Bound
	}
	return most
}

// elapsed returns the elapsed time multiplied by the number of cores, or 0 if a factor is unknown.
func elapsed(t *trace.Trace) time.Duration {
	cores := Cores(t)
	if t.Elapsed <= 0 || cores == 0 || t.Elapsed > math.MaxInt64/20/time.Duration(cores) {
		return 0
	}
	return t.Elapsed * time.Duration(cores)
}

// longest returns the longest possible working time of one thread, or 0 if it is unknown.
func longest(t *trace.Trace) time.Duration {
	if t.Unthreaded || elapsed(t) == 0 {
		return 0
	}
	return t.Elapsed
}

// Exceeds reports whether a working time clearly exceeds the longest possible time. It tolerates an
// excess of a tenth plus two samples, because clocks do not tick at the same moments. If the
// longest possible time is 0 (unknown), it returns false.
func Exceeds(t *trace.Trace, worked, limit time.Duration) bool {
	samples := 2 * min(max(t.Interval, 5*time.Millisecond), time.Second)
	return limit > 0 && worked > add(limit, int64(limit/10+samples))
}

// maxFrequency is higher than the frequency of any processor.
const maxFrequency = 7 * units.Gigahertz

// faster returns a warning about a recording of cycles whose times are impossible because the
// processor ran at a higher frequency, as processors do under load. If no processor runs as fast,
// faster returns nil. worked has the time of each thread.
func faster(t *trace.Trace, worked []time.Duration) *trace.Warning {
	if t.Frequency == 0 {
		return nil
	}
	times, all := 1.0, time.Duration(0)
	for _, d := range worked {
		all = add(all, int64(d))
		if one := longest(t); one > 0 {
			times = max(times, float64(d)/float64(one))
		}
	}
	if most := MaxWorking(t); most > 0 {
		times = max(times, float64(all)/float64(most))
	}
	const step = units.Gigahertz / 10
	least := units.Frequency(math.Ceil(times*float64(t.Frequency)/float64(step))) * step
	if least > maxFrequency {
		return nil
	}
	return &trace.Warning{Code: trace.FasterProcessor, Message: fmt.Sprintf(
		"the cycles are more than a processor at %v counts in the elapsed time. It ran at about %v or faster; with --cpu-frequency %.1fGHz for both runs, times are comparable. Without, impossible times are lowered to the largest possible times, and it is unknown how much of them was work",
		t.Frequency, least, float64(least)/float64(units.Gigahertz))}
}

// impossible returns a warning if a thread, or all threads together, worked longer than is
// possible. Such a recording must be damaged. The parameter worked has the time of each thread. If
// the times are possible, impossible returns nil.
func impossible(t *trace.Trace, worked []time.Duration) *trace.Warning {
	most := MaxWorking(t)
	who := trace.Counted("%d {thread|threads}", t.Active())
	if t.Cores > 0 || t.Unthreaded {
		who = trace.Counted("%d {core|cores}", Cores(t))
	}
	var sum time.Duration
	for i, d := range worked {
		if one := longest(t); Exceeds(t, d, one) {
			who, sum, most = "a thread", d, one
			if name := t.Threads[i].Name; name != "" {
				who = "thread " + name
			}
			break
		}
		sum = add(sum, int64(d))
	}
	if !Exceeds(t, sum, most) {
		return nil
	}
	if w := faster(t, worked); w != nil {
		return w
	}
	if most == t.Bound {
		return &trace.Warning{Code: trace.ImpossibleTime, Message: fmt.Sprintf(
			"the samples state %s of work, but the other records allow only %s, so records are damaged. Impossible times are lowered to the largest possible times, and it is unknown how much of them was work",
			units.FormatTime(int64(sum)), units.FormatTime(int64(most)))}
	}
	return &trace.Warning{Code: trace.ImpossibleTime, Message: fmt.Sprintf(
		"%s worked for %s within %s, which allows only %s, so records or clocks are damaged. Impossible times are lowered to the largest possible times, and it is unknown how much of them was work",
		who, units.FormatTime(int64(sum)), units.FormatTime(int64(t.Elapsed)), units.FormatTime(int64(most)))}
}
