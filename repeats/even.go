package repeats

import (
	"cmp"
	"math"
	"slices"
)

// fewEven is the minimum number of rows for an even change. evenScatter is the maximum scatter of
// their ratios, as a fraction of the change. evenShare is the minimum fraction of the figures that
// must change in the same direction.
const (
	fewEven     = 3
	evenScatter = 1.0 / 3
	evenShare   = 0.9
)

// Even returns the factor by which all rows of the subject exceed the reference's rows, such as
// 1.2. ok is false if the rows do not change alike, or if there are fewer than three rows. Rows
// that only one side has do not count. Even does not test whether the change is chance.
//
// The factor is the median of the ratios, weighted by the figures of the rows. The rows change
// alike under three conditions:
//
//   - The weighted median distance of the ratios from the factor is at most a third of the factor, on
//     a logarithmic scale.
//   - The same holds for the median without the largest row, because a row with most of the energy is
//     no evidence about the others.
//   - Nine tenths of the figures change in the direction of the factor.
func Even(rows []Once) (factor float64, ok bool) {
	type point struct{ x, weight float64 }
	median := func(points []point) float64 {
		slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		sum, upTo := 0.0, 0.0
		for _, p := range points {
			sum += p.weight
		}
		for i, p := range points {
			upTo += p.weight
			switch {
			case 2*upTo == sum && i+1 < len(points):
				return (p.x + points[i+1].x) / 2
			case 2*upTo >= sum:
				return p.x
			}
		}
		return 0
	}
	var ratios []point
	for _, o := range rows {
		if s, r := o.Subject.Figure, o.Reference.Figure; s > 0 && r > 0 {
			ratios = append(ratios, point{math.Log(s / r), s + r})
		}
	}
	if len(ratios) < fewEven {
		return 1, false
	}
	shift := median(ratios)
	largest := slices.MaxFunc(ratios, func(a, b point) int { return cmp.Compare(a.weight, b.weight) }).weight
	i := slices.IndexFunc(ratios, func(p point) bool { return p.weight == largest })
	others := median(slices.Delete(slices.Clone(ratios), i, i+1))
	near := evenScatter * math.Abs(shift)
	all, along := 0.0, 0.0
	for i := range ratios {
		p := &ratios[i]
		all += p.weight
		if p.x*shift > 0 {
			along += p.weight
		}
		p.x = math.Abs(p.x - shift)
	}
	return math.Exp(shift), along >= evenShare*all && median(ratios) <= near && math.Abs(others-shift) <= near
}
