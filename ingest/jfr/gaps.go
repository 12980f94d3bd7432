package jfr

// fewGaps is how many gaps are needed to estimate an interval.
const fewGaps = 20

// gaps is a histogram of the times between successive samples of a thread, by the samples' state.
// Each element counts the gaps of one length, in units of gapUnit. The last element also counts all
// longer gaps. A thread that always runs has gaps of about one sampling interval. Other threads
// have longer gaps.
type gaps [numStates][1 << 10]int64

const gapUnit = 100_000

// count counts the time since the thread's previous sample in the same state.
func (g *gaps) count(in state, th *threadUsage, moment int64) {
	if gap := moment - th.last[in]; th.last[in] > 0 && gap > 0 {
		g[in][min(gap/gapUnit, int64(len(g[in])-1))]++
	}
	th.last[in] = moment
}

// interval estimates the sampling interval for a state:
//
//  1. With few gaps, it is the JVM's default. Otherwise it is a short gap: one in fifty is shorter.
//  2. For samples that async-profiler marked, it is at most async-profiler's default.
//  3. If it is within a tenth of an interval in the JVM's own settings, it is that interval.
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

// coarse returns the length of most gaps of a state, if the system's timer was too coarse for the
// configured interval, and otherwise 0. For example, a timer that ticks every 4 ms samples a
// running thread only once per tick, even if the interval is 1 ms. Threads that wait have gaps of
// all lengths.
func (g *gaps) coarse(in state, interval int64) int64 {
	const near = 2 // Gaps of one tick differ by up to `near` units.
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
