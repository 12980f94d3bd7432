package metered

import (
	"cmp"
	"math"
	"slices"
)

// A busyTime is the time in which a path ran up to a moment.
type busyTime struct {
	at   []int64
	busy []float64
}

// until returns the time up to a moment, interpolated.
func (b *busyTime) until(moment int64) float64 {
	i, found := slices.BinarySearchFunc(b.at, moment, func(t, m int64) int { return cmp.Compare(t, m) })
	switch {
	case len(b.at) == 0 || i == 0 && !found:
		return 0
	case found:
		return b.busy[i]
	case i == len(b.at):
		return b.busy[i-1]
	}
	part := float64(moment-b.at[i-1]) / float64(b.at[i]-b.at[i-1])
	return b.busy[i-1] + part*(b.busy[i]-b.busy[i-1])
}

const (
	// mostShift is the largest tried shift in periods. The steps are a quarter of a
	// period.
	mostShift = 8
	// mostTried bounds the number of periods in the comparison of shifts.
	mostTried = 20_000
	// better is the smallest gain of R² that makes another shift better.
	better = 0.02
	// likeness is the smallest R² of an accepted shift.
	likeness = 0.5
	// sureShift is the smallest gain, in standard deviations of a correlation, that makes another shift
	// better.
	sureShift = 3
)

// findShift returns the shift of the meter by which the power of periods agrees best with the time of paths. It is 0
// if no other shift is clearly better. With an error of a part of a period, the power of paths would be too small,
// because part of their energy would be in periods without paths. Both halves of the run are tried, too, because
// clocks may drift.
func (s *sheet) findShift(period int64) int64 {
	n := min(len(s.periods), mostTried)
	for _, part := range [][2]int{{0, n}, {0, n / 2}, {n / 2, n}} {
		list := s.periods[part[0]:part[1]]
		if len(list) < leastPeriods {
			continue
		}
		now := s.agreement(list, 0)
		best, most := int64(0), now
		for k := int64(-4 * mostShift); k <= 4*mostShift; k++ {
			if r := s.agreement(list, k*period/4); r > most {
				best, most = k*period/4, r
			}
		}
		// A few periods agree better with some of the shifts by chance (Fisher's z).
		if gain := math.Atanh(math.Sqrt(most)) - math.Atanh(math.Sqrt(now)); most-now > better && most > likeness && gain*math.Sqrt(float64(len(list))) > sureShift {
			return best
		}
	}
	return 0
}

// agreement returns the squared correlation between the power of periods and the part of them in which a path ran, if the
// meter is shifted.
func (s *sheet) agreement(periods []period, shift int64) float64 {
	var n, x, y, xx, yy, xy float64
	for i := range periods {
		p := &periods[i]
		if p.lost {
			continue
		}
		power := p.energy / p.length()
		busy := (s.time.until(p.end+shift) - s.time.until(p.begin+shift)) / p.length()
		n, x, y, xx, yy, xy = n+1, x+busy, y+power, xx+busy*busy, yy+power*power, xy+busy*power
	}
	cov := xy - x*y/n
	if n == 0 || cov <= 0 {
		return 0
	}
	return ratio(cov*cov, (xx-x*x/n)*(yy-y*y/n))
}
