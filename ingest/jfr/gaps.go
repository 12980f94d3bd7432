package jfr

// fewGaps is the smallest number of gaps for inferring an interval.
const fewGaps = 20

// gaps counts the times between the samples of a thread, by state and in units of gapUnit. The last
// element counts all longer times. A thread is never sampled twice within an interval. If it runs
// all the time, the shortest gaps are about as long as the interval, and otherwise longer.
type gaps [numStates][1 << 10]int64

const gapUnit = 100_000

// count counts the gap before a sample of a thread.
func (g *gaps) count(in state, th *threadUsage, moment int64) {
	if gap := moment - th.last[in]; th.last[in] > 0 && gap > 0 {
		g[in][min(gap/gapUnit, int64(len(g[in])-1))]++
	}
	th.last[in] = moment
}

// interval returns an estimate of the interval of the samples with a state. The estimate is a low
// quantile: one in fifty gaps is shorter. An estimate within a tenth of an interval of the JVM's
// own settings is replaced by that interval. If there are few gaps, the result is the JVM's
// default. If async-profiler marked the samples, the result is at most its default.
func (g *gaps) interval(in state) int64 {
	all := int64(0)
	for _, n := range g[in] {
		all += n
	}
	most := int64(jvmInterval)
	if all >= fewGaps {
		shorter := int64(0)
		for i, n := range g[in] {
			if shorter += n; shorter > all/50 {
				most = int64(i+1) * gapUnit
				break
			}
		}
	}
	if in == processor {
		most = min(most, asyncInterval)
	}
	for _, known := range []int64{profileInterval, jvmInterval} {
		if most >= known-known/10 && most <= known+known/10 {
			return known
		}
	}
	return most
}

// coarse returns the time between most samples of a thread with a state, if it is clearly longer than the
// interval that the recorder was asked for. Otherwise it returns 0. Timers of the processor time that a
// thread or a process uses advance with the tick of the system, which is 4 ms on many systems. A thread
// that runs all the time then has one sample per tick. Threads that wait have gaps of all lengths.
func (g *gaps) coarse(in state, interval int64) int64 {
	const near = 2 // Gaps of one tick differ by a few units.
	bins := g[in][:len(g[in])-1]
	all, most, at := g[in][len(bins)], int64(0), 0
	for i, n := range bins {
		all += n
		window := int64(0)
		for _, n := range bins[max(i-near, 0):min(i+near+1, len(bins))] {
			window += n
		}
		if window > most {
			most, at = window, i
		}
	}
	if tick := int64(at) * gapUnit; all >= fewGaps && 2*most >= all && 2*tick >= 3*interval {
		return tick
	}
	return 0
}
