package jfr

// fewGaps is the smallest number of gaps from which an interval is inferred.
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
