package lines

import (
	"math"
	"math/bits"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/trace"
)

// Errors are the variances of the numbers of samples at lines, by name.Method with the line. They follow
// from the order of the samples, so only recordings with times have them. See streaks.
type Errors map[name.Method]float64

// streaks estimates how far the number of samples at each line is from the time at the line.
//
// Samples at equal distances are a systematic sample of the time. The variance of such a sample is
// estimated by successive differences (Wolter, Introduction to Variance Estimation, 1985, Section 7.2).
// A line is a sequence of 0 and 1 in the samples of a thread, so this is the number of streaks: a streak is
// a line that consecutive samples of a thread have. If work is short, it equals the variance of independent
// samples. If work lasts long, it is larger than the true variance, up to six times.
//
// If the distances vary, with the relative standard deviation c, renewal theory adds c² per sample. For a
// recorder that samples at random moments this is the variance of counts.
//
// A recorder that is on for short times, at equal distances, samples these times as a whole. The variance
// is then at least the variance between them.
type streaks struct {
	threads []streakThread
	places  []streakPlace
	// gaps counts the distances of samples of a thread, by size.
	gaps  gapCounts
	total int64
	// began and latest are the moments of the first sample and the latest. typical is an estimate of the
	// median distance, 0 at first.
	began, latest, typical int64
	// bursts numbers the times without long gaps. starts and startSquares add up the distances between their
	// beginnings, which were counted. off adds up the gaps between them.
	bursts, begin, off, startCount int64
	starts, startSquares           float64
	// summed is set if a sample counts as several.
	summed bool
}

// A streakThread is the latest sample of a thread.
type streakThread struct {
	place trace.MethodID
	time  int64
	known bool
}

// A streakPlace has the samples and streaks of a line. inBurst are its samples in a burst, and squares adds up the
// squares of these numbers over the earlier bursts.
type streakPlace struct {
	samples, streaks, burst, inBurst int64
	squares                          float64
}

const (
	// leastGap is the ratio of the gap between two bursts to the typical distance of samples.
	leastGap = 4
	// leastBursts is the number of bursts from which a recorder may be one that is on at times.
	leastBursts = 10
	// leastCounted is the number of distances from which there is a typical one.
	leastCounted = 16
	// burstJitter is the largest relative standard deviation of the distances of bursts that a timer starts.
	burstJitter = 0.1
)

// add adds a sample at a place.
func (s *streaks) add(sample *trace.Sample, at trace.MethodID) {
	if sample.Account != 0 || sample.Count == 0 {
		return
	}
	if sample.Count > 1 {
		s.summed = true
		return
	}
	for len(s.threads) <= int(sample.Thread) {
		s.threads = append(s.threads, streakThread{})
	}
	for len(s.places) <= int(at) {
		s.places = append(s.places, streakPlace{})
	}
	if s.total == 0 {
		s.began, s.latest, s.begin = sample.Time, sample.Time, sample.Time
	}
	if gap := sample.Time - s.latest; s.typical > 0 && gap > leastGap*s.typical {
		if distance := float64(sample.Time - s.begin); s.bursts > 0 {
			// The first burst may be several, because there was no typical distance when it began.
			s.starts, s.startSquares, s.startCount = s.starts+distance, s.startSquares+distance*distance, s.startCount+1
		}
		s.bursts, s.begin, s.off = s.bursts+1, sample.Time, s.off+gap-s.typical
	}
	s.latest = max(s.latest, sample.Time)
	s.total++
	th, p := &s.threads[sample.Thread], &s.places[at]
	if th.known && sample.Time > th.time {
		if s.gaps.add(sample.Time - th.time); s.gaps.total >= leastCounted && s.gaps.total&(s.gaps.total-1) == 0 {
			s.typical = s.gaps.quantile(0.5)
		}
	}
	p.samples++
	if !th.known || th.place != at {
		p.streaks++
	}
	if p.burst != s.bursts {
		p.squares += float64(p.inBurst) * float64(p.inBurst)
		p.burst, p.inBurst = s.bursts, 0
	}
	p.inBurst++
	*th = streakThread{at, sample.Time, true}
}

// errors returns the variances of the places, or nil if the samples have no times or count as several. together is the number
// of samples that count as one.
func (s *streaks) errors(methods []name.Method, together float64) Errors {
	if s.gaps.total < leastCounted || s.summed {
		return nil
	}
	jitter := s.gaps.variation()
	away := s.away()
	all := make(Errors, len(s.places))
	for at, p := range s.places {
		if p.samples == 0 || at >= len(methods) {
			continue
		}
		n := float64(p.samples)
		v := min(float64(p.streaks)+jitter*jitter*n, n)
		if away > 0 {
			squares := p.squares + float64(p.inBurst)*float64(p.inBurst)
			v = max(v, away*(squares-n*n/float64(s.bursts+1)))
		}
		all[methods[at]] += v * max(together, 1)
	}
	return all
}

// away returns the share of the time in which a recorder was off that is on for short times, at equal
// distances. It is 0 for other recorders. An app that is idle has gaps too, at other distances.
func (s *streaks) away() float64 {
	n := float64(s.startCount)
	if n < leastBursts || s.latest <= s.began {
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

// gapCounts counts distances by their logarithm.
type gapCounts struct {
	counts [64 * gapSteps]int64
	total  int64
}

// gapSteps is the number of counts for each doubling.
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

// quantile returns the distance below which a share of the distances is.
func (g *gapCounts) quantile(share float64) int64 {
	rest := int64(share * float64(g.total))
	for i, n := range g.counts {
		if rest -= n; rest < 0 {
			return int64(math.Ldexp(1+(float64(i%gapSteps)+0.5)/gapSteps, i/gapSteps))
		}
	}
	return 0
}

// variation returns an estimate of the relative standard deviation of the distances, at most 1. It follows
// from the lower quartile and the median, because a thread that sleeps between samples has long distances. It is
// 1 for the distances of random moments.
func (g *gapCounts) variation() float64 {
	median := float64(g.quantile(0.5))
	const random = 0.5849625 // (median - lower quartile) / median of an exponential distribution
	x := (median - float64(g.quantile(0.25))) / median / random
	if x < 2.0/gapSteps {
		return 0 // the resolution of the counts
	}
	return min(x, 1)
}

// Through returns the variances of the lines of a tree of which each method becomes the innermost frame of
// another tree.
func (e Errors) Through(methods []name.Method, innermost func(trace.MethodID) name.Method) Errors {
	if e == nil {
		return nil
	}
	out := make(Errors, len(e))
	done := make(map[name.Method]bool, len(e))
	for id, m := range methods {
		if x := e[m]; x > 0 && !done[m] {
			done[m] = true
			out[innermost(trace.MethodID(id))] += x
		}
	}
	return out
}

// Mean returns the variances of the mean of several runs, multiplied by their number. It is nil if a run has
// none.
func Mean(runs []Errors) Errors {
	out := make(Errors)
	for _, e := range runs {
		if e == nil {
			return nil
		}
		for m, x := range e {
			out[m] += x / float64(len(runs))
		}
	}
	return out
}
