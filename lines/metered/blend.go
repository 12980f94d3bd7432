package metered

import (
	"math"

	"github.com/diffprof/diffprof/regression"
)

const (
	// maxBlend is the largest accepted result of findBlend.
	maxBlend = 0.1
	// minBlendScore limits findBlend, in standard deviations. A smaller part may be chance, and
	// findBlend then returns 0.
	minBlendScore = 3
)

// findBlend returns how much of the power of paths the meter shows too early or too late, as a
// share. This part is in adjacent periods, so a fit of single periods misses it. The meter may
// interpolate or average its readings, or its clock may be off by a part of a period. findBlend
// returns 0 if the paths in adjacent periods do not help to explain the energy of a period.
func (s *sheet) findBlend(b *base) float64 {
	n := min(len(s.periods), maxShiftPeriods)
	system := regression.NewSystem(4)
	part := func(i int) float64 { return s.periods[i].busy / s.periods[i].length() }
	for i := 1; i < n-1; i++ {
		p := &s.periods[i]
		err := system.Add(p.energy/p.length(), regression.Term{Column: 0, Value: 1}, regression.Term{Column: 1, Value: part(i)},
			regression.Term{Column: 2, Value: part(i - 1)}, regression.Term{Column: 3, Value: part(i + 1)})
		if err != nil {
			return 0
		}
	}
	f, err := regression.Robust(system, regression.Options{})
	if err != nil || f.Rank < 4 {
		return 0
	}
	all := f.X[1] + f.X[2] + f.X[3]
	deviation := f.Deviation(regression.Term{Column: 1, Value: 1}, regression.Term{Column: 2, Value: 1}, regression.Term{Column: 3, Value: 1})
	if missing := all - b.busy; missing > minBlendScore*math.Hypot(deviation, b.busy*b.deviation) {
		return math.Min(ratio(missing, all), 1)
	}
	return 0
}
