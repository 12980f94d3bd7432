package lines

import (
	"math"
	"math/bits"
	"slices"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// Errors has the variance of the number of samples at each line. The key is a method with a line
// (name.Method.OnLine). The order of the samples determines the variances, so only recordings with
// times have them. See streaks.
type Errors map[name.Method]Variances

// Variances has two variances of a line: Own is for the samples at the line itself, and All is for
// the samples including callees.
type Variances struct{ Own, All float64 }

func (v Variances) plus(x Variances, times float64) Variances {
	return Variances{v.Own + times*x.Own, v.All + times*x.All}
}

// streaks estimates the variance of the number of samples at each line. The number of samples
// measures the time at the line.
//
// Samples at equal distances are a systematic sample of the time. The variance of such a sample is
// estimated by successive differences (Wolter, Introduction to Variance Estimation, 1985, Section
// 7.2). In the samples of a thread, a line is a sequence of 0 and 1. The estimate is therefore the
// number of streaks. A streak is a run of consecutive samples with the same line. If work is short,
// the estimate equals the variance of independent samples. If work lasts long, the estimate exceeds
// the true variance by a factor of up to six.
//
// A line with its callees is also a sequence of 0 and 1. Here, 1 means that the line is anywhere on
// the stack.
//
// If the distances between samples vary, with the relative standard deviation c, renewal theory
// adds c² per sample. For a recorder that samples at random moments, this is the variance of
// counts.
//
// A recorder may be on for short times, at equal distances. It samples these bursts as a whole. The
// variance is then at least the variance between bursts.
//
// The energy of the run is known, so the variances are variances of shares. Samples at random
// moments have the variance of a binomial variable. Bursts have the variance of a ratio (Cochran,
// Sampling Techniques, 1977, Section 6.3).
type streaks struct {
	threads []streakThread
	// own has the samples at each place itself. all has the samples including callees.
	own []streakCount
	all []streakPlace
	// gaps counts the distances between successive samples of a thread, by size.
	gaps  gapCounts
	total int64
	// began is the time of the first sample, and latest of the latest sample. typical is an
	// estimate of the median distance. It is 0 at first.
	began, latest, typical int64
	// A burst is a time without long gaps. bursts counts the bursts. starts and startSquares add up
	// the distances between the beginnings of bursts, and startCount counts these distances. off
	// adds up the gaps between bursts.
	bursts, begin, off, startCount int64
	starts, startSquares           float64
	// sizes has the number of samples of each burst.
	sizes []int64
	// summed is set if a sample of the recording represents several samples.
	summed bool
}

// A streakThread has the latest sample of a thread. number is the number of the sample.
type streakThread struct {
	stack        []trace.MethodID
	time, number int64
}

// A streakPlace counts the samples whose stack has a line. It fits in a cache line, because each
// frame of a recording needs one.
type streakPlace struct {
	streakCount
	// latest is the number of the latest sample.
	latest int64
	// inTick is the number of samples in the current tick of the recorder. tickSquares adds up the
	// squares of this number over earlier ticks.
	tick, inTick int32
	tickSquares  float64
}

// A streakCount counts the samples and the streaks of a line. inBurst is the number of samples in
// the current burst. The two sums are over earlier bursts: squares is the sum of inBurst², and
// products is the sum of inBurst times the number of all samples of the burst.
type streakCount struct {
	samples, streaks  int64
	burst, inBurst    int32
	squares, products float64
}

// add adds a sample. begins is set if it begins a streak.
func (c *streakCount) add(begins bool, burst int32, sizes []int64) {
	c.samples++
	if begins {
		c.streaks++
	}
	if c.burst != burst {
		c.end(sizes)
		c.burst = burst
	}
	c.inBurst++
}

// end ends the current burst.
func (c *streakCount) end(sizes []int64) {
	if c.inBurst > 0 {
		c.squares += float64(c.inBurst) * float64(c.inBurst)
		c.products += float64(c.inBurst) * float64(sizes[c.burst])
		c.inBurst = 0
	}
}

const (
	// minGap is the smallest gap between two bursts, as a multiple of the typical distance of
	// samples.
	minGap = 4
	// minBursts is a number of bursts. With fewer bursts, the recorder is assumed to be always
	// on.
	minBursts = 10
	// minCounted is the smallest number of distances for estimating the typical distance.
	minCounted = 16
	// minOffShare is a share of time without samples. Below it, the recorder is assumed to be
	// always on.
	minOffShare = 0.5
	// minOffGain is a factor of variances. It is uncertain whether the recorder was off only if
	// this would increase the variances by at least the factor.
	minOffGain = 2
	// burstJitter limits the relative standard deviation of the distances of bursts. If they vary
	// more, no timer starts the bursts.
	burstJitter = 0.1
)

// add adds a sample with the places of its stack. tick is the number of its tick of the recorder.
func (s *streaks) add(sample *trace.Sample, stack []trace.MethodID, tick int64) {
	if sample.Account != 0 || sample.Count == 0 || len(stack) == 0 {
		return
	}
	if sample.Count > 1 {
		s.summed = true
		return
	}
	if sample.Time == 0 && s.total == 0 {
		return // In a recording without times, all samples have time 0.
	}
	for len(s.threads) <= int(sample.Thread) {
		s.threads = append(s.threads, streakThread{})
	}
	for len(s.all) <= int(slices.Max(stack)) {
		s.own, s.all = append(s.own, streakCount{}), append(s.all, streakPlace{})
	}
	if s.total == 0 {
		s.began, s.latest, s.begin = sample.Time, sample.Time, sample.Time
	}
	if gap := sample.Time - s.latest; s.typical > 0 && gap > minGap*s.typical {
		if distance := float64(sample.Time - s.begin); s.bursts > 0 {
			// The first burst does not count: without a typical distance, it may consist of
			// several bursts.
			s.starts, s.startSquares, s.startCount = s.starts+distance, s.startSquares+distance*distance, s.startCount+1
		}
		s.bursts, s.begin, s.off = s.bursts+1, sample.Time, s.off+gap-s.typical
	}
	s.latest = max(s.latest, sample.Time)
	for int64(len(s.sizes)) <= s.bursts {
		s.sizes = append(s.sizes, 0)
	}
	s.sizes[s.bursts]++
	s.total++
	th := &s.threads[sample.Thread]
	if len(th.stack) > 0 && sample.Time > th.time {
		if s.gaps.add(sample.Time - th.time); s.gaps.total >= minCounted && s.gaps.total&(s.gaps.total-1) == 0 {
			s.typical = s.gaps.quantile(0.5)
		}
	}
	s.count(th, stack, int32(tick))
	th.stack, th.time, th.number = append(th.stack[:0], stack...), sample.Time, s.total
}

// count counts the streaks that begin with a sample of a thread.
func (s *streaks) count(th *streakThread, stack []trace.MethodID, tick int32) {
	before, last, burst := th.stack, len(stack)-1, int32(s.bursts)
	s.own[stack[last]].add(len(before) == 0 || before[len(before)-1] != stack[last], burst, s.sizes)
	common := 0
	for common < min(len(before), len(stack)) && before[common] == stack[common] {
		common++
	}
	for i, at := range stack {
		p := &s.all[at]
		if p.latest == s.total {
			continue // a recursive call
		}
		goes := i < common || p.latest == th.number && th.number > 0
		if !goes && p.latest > th.number { // Another thread has had the place since then.
			goes = slices.Contains(before, at)
		}
		p.latest = s.total
		p.add(!goes, burst, s.sizes)
		if p.tick != tick {
			p.tickSquares += float64(p.inTick) * float64(p.inTick)
			p.tick, p.inTick = tick, 0
		}
		p.inTick++
	}
}

// errors returns the variance of each line. It returns nil if the samples have no times, or if a
// sample represents several samples. together is the number of samples that count as one.
func (s *streaks) errors(methods []name.Method, together float64) Errors {
	if s.gaps.total < minCounted || s.summed {
		return nil
	}
	jitter, away, sizes := s.gaps.variation(), s.offShare(), 0.0
	for _, n := range s.sizes {
		sizes += float64(n) * float64(n)
	}
	variance := func(c *streakCount) float64 {
		n, share := float64(c.samples), float64(c.samples)/float64(s.total)
		random := n * (1 - share) // random is the variance for samples at random moments.
		v := min(float64(c.streaks)+jitter*jitter*random, random)
		if away > 0 {
			c.end(s.sizes)
			v = max(v, away*(c.squares-2*share*c.products+share*share*sizes))
		}
		return v
	}
	all := make(Errors, len(s.all))
	for at := range min(len(s.all), len(methods)) {
		p := &s.all[at]
		if p.samples == 0 {
			continue
		}
		clustered := (p.tickSquares + float64(p.inTick)*float64(p.inTick)) / float64(p.samples)
		v := Variances{Own: variance(&s.own[at]) * max(together, 1), All: variance(&p.streakCount) * max(clustered, 1)}
		all[methods[at]] = all[methods[at]].plus(v, 1)
	}
	return all
}

// offShare returns the share of the time in which the recorder was off. It returns 0 unless the
// recorder is on for short times at equal distances. (The gaps of an idle app are at unequal
// distances.)
func (s *streaks) offShare() float64 {
	n := float64(s.startCount)
	if n < minBursts || s.latest <= s.began {
		return 0
	}
	mean := s.starts / n
	if deviation := s.startSquares/n - mean*mean; deviation > burstJitter*burstJitter*mean*mean {
		return 0
	}
	if share := float64(s.off) / float64(s.latest-s.began); share > 0.5 {
		return min(share, 1)
	}
	return 0
}

// offDoubt returns Recording.Unsure. It is 0 if it hardly matters whether the app slept or the
// recorder was off. Otherwise, it is the share of the time without samples.
func (s *streaks) offDoubt() float64 {
	if s.gaps.total < minCounted || s.summed || s.bursts < minBursts || s.latest <= s.began || s.offShare() > 0 {
		return 0
	}
	share, sizes := min(float64(s.off)/float64(s.latest-s.began), 1), 0.0
	if share < minOffShare {
		return 0
	}
	for _, n := range s.sizes {
		sizes += float64(n) * float64(n)
	}
	used, off := 0.0, 0.0
	for at := range s.own {
		c := &s.own[at]
		if c.samples < LeastSamples {
			continue
		}
		c.end(s.sizes)
		part := float64(c.samples) / float64(s.total)
		used += min(float64(c.streaks), float64(c.samples)*(1-part))
		off += share * (c.squares - 2*part*c.products + part*part*sizes)
	}
	if off < minOffGain*used {
		return 0
	}
	return share
}

// gapCounts is a histogram of distances by their logarithm.
type gapCounts struct {
	counts [64 * gapSteps]int64
	total  int64
}

// gapSteps is the number of classes for each doubling.
const gapSteps = 16

func (g *gapCounts) add(gap int64) {
	exponent := bits.Len64(uint64(gap)) - 1
	part := 0
	if exponent >= 4 {
		part = int(gap>>(exponent-4)) & (gapSteps - 1)
	} else {
		part = int(gap<<(4-exponent)) & (gapSteps - 1)
	}
	g.counts[exponent*gapSteps+part]++
	g.total++
}

// quantile returns a quantile of the distances. For example, the share 0.5 gives the median.
func (g *gapCounts) quantile(share float64) int64 {
	rest := int64(share * float64(g.total))
	for i, n := range g.counts {
		if rest -= n; rest < 0 {
			return int64(math.Ldexp(1+(float64(i%gapSteps)+0.5)/gapSteps, i/gapSteps))
		}
	}
	return 0
}

// variation estimates the relative standard deviation of the distances. It uses the lower quartile
// and the median, because threads that sleep between samples make the upper half of the distances
// long. The result is at most 1. It is 1 if samples are taken at random moments.
func (g *gapCounts) variation() float64 {
	median := float64(g.quantile(0.5))
	const random = 0.5849625 // (median - lower quartile) / median of an exponential distribution
	x := (median - float64(g.quantile(0.25))) / median / random
	if x < 2.0/gapSteps {
		return 0 // smaller variations are below the resolution of the counts
	}
	return min(x, 1)
}

// Through returns the variances of the lines of the source, as [Resolve] does for a tree. methods
// has the methods of the tree. frames returns the frames of a method, the innermost last.
func (e Errors) Through(methods []name.Method, frames func(trace.MethodID) []name.Method) Errors {
	if e == nil {
		return nil
	}
	out := make(Errors, len(e))
	done := make(map[name.Method]bool, len(e))
	for id, m := range methods {
		v, ok := e[m]
		if !ok || done[m] {
			continue
		}
		done[m] = true
		chain := frames(trace.MethodID(id))
		for i, f := range chain {
			if !slices.Contains(chain[:i], f) {
				out[f] = out[f].plus(Variances{All: v.All}, 1)
			}
		}
		last := chain[len(chain)-1]
		out[last] = out[last].plus(Variances{Own: v.Own}, 1)
	}
	return out
}

// Mean returns the variances of the mean of several runs, multiplied by the number of runs. It
// returns nil if a run has no variances.
func Mean(runs []Errors) Errors {
	out := make(Errors)
	for _, e := range runs {
		if e == nil {
			return nil
		}
		for m, x := range e {
			out[m] = out[m].plus(x, 1/float64(len(runs)))
		}
	}
	return out
}
