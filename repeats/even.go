package repeats

import (
	"cmp"
	"math"
	"slices"
)

// Constants of Even, in the order of its conditions.
const (
	minEvenRows = 3
	evenScatter = 1.0 / 3
	evenShare   = 0.9
)

// A CommonFactor is the factor, such as 1.2, by which rows change from the reference to the subject.
type CommonFactor struct {
	Factor float64
	// Rows counts the rows that both sides have. Along counts those that change in the direction of
	// the factor.
	Along, Rows int
}

// Even detects that all rows change by the same factor, such as 1.2, from the reference to the
// subject. It does not test whether the change is chance. Rows that only one side has do not count.
// If fewer than three rows are left, ok is false and the factor is 1.
//
// The factor is the median of the ratios, weighted by the rows' figures. ok is true under three
// conditions, which compare ratios on a logarithmic scale:
//
//   - The weighted median distance of the ratios from the factor is at most a third of the factor.
//   - The median without the largest row is as close to the factor. A row with most of the energy is
//     no evidence about the others.
//   - Rows with nine tenths of the figures change in the direction of the factor.
func Even(rows []ReadingPair) (common CommonFactor, ok bool) {
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
	common = CommonFactor{Factor: 1, Rows: len(ratios)}
	if len(ratios) < minEvenRows {
		return common, false
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
			common.Along++
		}
		p.x = math.Abs(p.x - shift)
	}
	common.Factor = math.Exp(shift)
	return common, along >= evenShare*all && median(ratios) <= near && math.Abs(others-shift) <= near
}
