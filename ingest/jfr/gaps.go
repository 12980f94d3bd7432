package jfr

// fewGaps is the smallest number of gaps from which to infer an interval.
const fewGaps = 20

// gaps counts the gaps between successive samples of a thread, by the samples' state and by length
// in units of gapUnit. The last element counts all longer gaps. A thread is never sampled twice
// within an interval. If the thread runs all the time, its shortest gaps are about one interval
// long. Otherwise its gaps are longer.
type gaps [numStates][1 << 10]int64

const gapUnit = 100_000

// count counts the gap between a thread's sample at moment and its previous sample with the same
// state.
func (g *gaps) count(in state, th *threadUsage, moment int64) {
	if gap := moment - th.last[in]; th.last[in] > 0 && gap > 0 {
		g[in][min(gap/gapUnit, int64(len(g[in])-1))]++
	}
	th.last[in] = moment
}

// interval estimates the interval of the samples with a state. The estimate is a low quantile of
// the gaps: one in fifty is shorter. If it is within a tenth of an interval of the JVM's own
// settings, the result is that interval. If there are few gaps, the result is the JVM's default.
// For samples that async-profiler marked, the result is at most async-profiler's default.
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

// coarse returns the time between most samples of a thread with a state, if this is clearly longer
// than the interval that the user asked for. Otherwise it returns 0. Timers of processor time
// advance with the system's tick, which is 4 ms on many systems. A thread that runs all the time
// then has one sample per tick. Threads that wait have gaps of all lengths.
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
