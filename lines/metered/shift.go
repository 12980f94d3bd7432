package metered

import (
	"math"
	"slices"
)

// A busyTime says, for each moment, for how long any path has run so far.
type busyTime struct {
	at   []int64
	busy []float64
}

// before returns the busy time up to a moment. It interpolates. i is the index of the first time
// that is not before the moment.
func (b *busyTime) before(i int, moment int64) float64 {
	switch found := i < len(b.at) && b.at[i] == moment; {
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

// A busyCursor reads a busyTime at moments that mostly rise. It begins each search where the last
// one ended.
type busyCursor struct {
	*busyTime
	next int
}

// until returns the busy time up to a moment.
func (c *busyCursor) until(moment int64) float64 {
	if c.next > 0 && c.at[c.next-1] >= moment {
		c.next, _ = slices.BinarySearch(c.at, moment)
	}
	for c.next < len(c.at) && c.at[c.next] < moment {
		c.next++
	}
	return c.before(c.next, moment)
}

const (
	// maxShift is the largest tried shift, in periods. Shifts are multiples of a quarter of a
	// period.
	maxShift = 8
	// maxShiftPeriods bounds the number of periods in the comparison of shifts.
	maxShiftPeriods = 20_000
	// minGain is the smallest gain in R² with which another shift counts as better.
	minGain = 0.02
	// likeness is the smallest R² of an accepted shift.
	likeness = 0.5
	// minShiftScore is the smallest gain with which another shift counts as better, in standard
	// deviations of a correlation.
	minShiftScore = 3
)

// findShift returns the shift of the meter with which the power of periods agrees best with the
// time of paths. It returns 0 if no other shift is clearly better. It also tries both halves of the
// run, because clocks may drift.
//
// Even a small shift matters: the power of paths would seem too small, because a part of their
// energy would be in periods without paths.
func (s *sheet) findShift(period int64) int64 {
	n := min(len(s.periods), maxShiftPeriods)
	for _, part := range [][2]int{{0, n}, {0, n / 2}, {n / 2, n}} {
		list := s.periods[part[0]:part[1]]
		if len(list) < minPeriods {
			continue
		}
		now := s.agreement(list, 0)
		best, most := int64(0), now
		for k := int64(-4 * maxShift); k <= 4*maxShift; k++ {
			if r := s.agreement(list, k*period/4); r > most {
				best, most = k*period/4, r
			}
		}
		// If there are few periods, some shifts agree better by chance (Fisher's z).
		if gain := math.Atanh(math.Sqrt(most)) - math.Atanh(math.Sqrt(now)); most-now > minGain && most > likeness && gain*math.Sqrt(float64(len(list))) > minShiftScore {
			return best
		}
	}
	return 0
}

// agreement returns a squared correlation for a shift of the meter. It correlates the power of
// periods with the part of each period in which any path ran.
func (s *sheet) agreement(periods []period, shift int64) float64 {
	var n, x, y, xx, yy, xy float64
	time := busyCursor{busyTime: &s.time}
	for i := range periods {
		p := &periods[i]
		if p.lost {
			continue
		}
		power := p.energy / p.length()
		before := time.until(p.begin + shift)
		busy := (time.until(p.end+shift) - before) / p.length()
		n, x, y, xx, yy, xy = n+1, x+busy, y+power, xx+busy*busy, yy+power*power, xy+busy*power
	}
	cov := xy - x*y/n
	if n == 0 || cov <= 0 {
		return 0
	}
	return ratio(cov*cov, (xx-x*x/n)*(yy-y*y/n))
}
