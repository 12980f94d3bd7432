package words

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// Estimate says what repeated runs show of a saving: "12.3 mJ (8.1 to 15.9), costlier".
func Estimate(saving, least, most units.Energy, verdict string, s Scale) string {
	if s.unit == nil {
		s = In(nil, s.voltage, max(saving, -saving, least, -least, most, -most))
	}
	return fmt.Sprintf("%s (%s to %s), %s", s.Energy(saving), s.Amount(least), s.Amount(most), verdict)
}

// MeanOf says of how many runs an input is the mean, behind its name; empty for one.
func MeanOf(runs int) string {
	if runs <= 1 {
		return ""
	}
	return fmt.Sprintf(", mean of %d runs", runs)
}

// sides says how many runs a comparison has: "5 runs against 4".
func sides(subject, reference *analysis.Input) string {
	if subject.Runs == nil && reference.Runs == nil {
		return "one run a side"
	}
	return fmt.Sprintf("%d runs against %d", max(len(subject.Runs), 1), max(len(reference.Runs), 1))
}

// Untested says of differences that nothing tests how many runs stand behind them.
func Untested(subject, reference *analysis.Input) string {
	return sides(subject, reference) + ": differences may be chance"
}

// level writes a level of 95 % or more with as many digits as tell it from 100 %.
func level(x float64) string {
	n := 0
	for math.Round((1-x)*math.Pow(10, float64(n+2))) < 1 && n < 6 {
		n++
	}
	return units.Fixed(100*x, n) + "%"
}
