package energy

import (
	"slices"

	"github.com/diffprof/diffprof/units"
)

// maxCurveReadings bounds the readings of a curve. This is more than the columns of a screen.
const maxCurveReadings = 512

// A Reading is the cumulative energy of a meter at a moment of the trace's timeline.
type Reading struct {
	Time   int64
	Energy units.Energy
}

// A Curve has readings of a meter in order of time. When it is full, every second reading is
// dropped.
type Curve []Reading

// add adds a reading if it fits the spacing of the curve, and drops every second reading if the
// curve is full. count is the reading's index among all readings of the meter. skip is the number
// of readings left out between two readings of the curve. add returns the curve and its new skip.
func (c Curve) add(r Reading, count, skip int64) (Curve, int64) {
	if count%(skip+1) != 0 {
		return c, skip
	}
	if len(c) == maxCurveReadings {
		for i := range maxCurveReadings / 2 {
			c[i] = c[2*i]
		}
		c, skip = c[:maxCurveReadings/2], 2*skip+1
		if count%(skip+1) != 0 {
			return c, skip
		}
	}
	return append(c, r), skip
}

// Powers divides the time from begin to end into n columns, and returns the mean power in each
// column. It assumes a constant power between two readings. The power is -1 in a column outside of
// the readings, and 0 while a battery is being charged.
func (c Curve) Powers(begin, end int64, n int) []units.Power {
	powers := make([]units.Power, n)
	for i := range powers {
		// Only the part of the column between the first and the last reading counts.
		from := begin + units.MulDiv(end-begin, int64(i), int64(n))
		to := begin + units.MulDiv(end-begin, int64(i)+1, int64(n))
		if len(c) > 0 {
			from, to = max(from, c[0].Time), min(to, c[len(c)-1].Time)
		}
		if powers[i] = -1; len(c) > 1 && from < to {
			powers[i] = units.Power(max(units.MulDiv(int64(c.at(to)-c.at(from)), perNanojoule, to-from), 0))
		}
	}
	return powers
}

// at returns the energy at a moment between the first and the last reading.
func (c Curve) at(moment int64) units.Energy {
	i, found := slices.BinarySearchFunc(c, moment, func(r Reading, t int64) int {
		switch {
		case r.Time < t:
			return -1
		case r.Time > t:
			return 1
		}
		return 0
	})
	if found || i == 0 {
		return c[min(i, len(c)-1)].Energy
	}
	a, b := c[i-1], c[i]
	return a.Energy + units.Energy(units.MulDiv(int64(b.Energy-a.Energy), moment-a.Time, b.Time-a.Time))
}
