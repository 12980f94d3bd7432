package repeats

import "math"

// Medians returns the median of each group of runs, with its 95 % interval. A group has, for
// example, the runs of one version of a program.
//
// All groups are assumed to be equally noisy, relative to their means, so even a group with a
// single run has an interval. If no group has two runs, the noise is unknown, and intervals are
// from 0 to infinity.
func Medians(groups [][]float64) []MedianInterval {
	squares, freedom := 0.0, 0.0
	for _, runs := range groups {
		mean := newSide(runs).mean
		if mean <= 0 {
			continue
		}
		for _, x := range runs {
			squares += (x/mean - 1) * (x/mean - 1)
		}
		freedom += float64(len(runs) - 1)
	}
	middles := make([]MedianInterval, len(groups))
	reach := math.Inf(1)
	if freedom > 0 {
		reach = quantile(Rate, freedom)
	}
	for i, runs := range groups {
		m := MedianInterval{Median: Median(runs)}
		switch {
		case m.Median <= 0:
		case freedom == 0:
			m.Interval = Interval{0, math.Inf(1)}
		default:
			m.Interval = spread(m.Median, squares/freedom, reach, float64(len(runs)))
		}
		middles[i] = m
	}
	return middles
}

// spread returns a confidence interval of a median. reach is its half width in standard errors.
// Energies are skewed, so the interval is symmetric on a logarithmic scale, and never goes below
// zero. The median of few runs is up to √(π/2) times as uncertain as their mean.
func spread(median, dispersion, reach, runs float64) Interval {
	half := reach * math.Sqrt(math.Pi/2*math.Log1p(dispersion)/runs)
	return Interval{median * math.Exp(-half), median * math.Exp(half)}
}
