package words

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// Estimate states what repeated runs show about a saving: "12.3 mJ (8.1 to 15.9), costs more".
// verdict is a repeats.Verdict.
func Estimate(saving, least, most units.Energy, verdict string, s Scale) string {
	if s.unit == nil {
		s = ScaleFor(nil, s.voltage, max(saving, -saving, least, -least, most, -most))
	}
	return fmt.Sprintf("%s (%s to %s), %s", s.Energy(saving), s.Amount(least), s.Amount(most), Shown(verdict))
}

// Shown puts a repeats.Verdict in words.
func Shown(verdict string) string {
	switch verdict {
	case repeats.Costlier.String():
		return "costs more"
	case repeats.Cheaper.String():
		return "costs less"
	}
	return verdict
}

// MeanOf returns the text after an input's name if it is the mean of several runs. It returns ""
// for one run.
func MeanOf(runs int) string {
	if runs <= 1 {
		return ""
	}
	return fmt.Sprintf(", mean of %d runs", runs)
}

// sides formats the numbers of runs of a comparison: "5 runs compared with 4".
func sides(subject, reference *analysis.Input) string {
	if subject.Runs == nil && reference.Runs == nil {
		return "only one run on each side"
	}
	return fmt.Sprintf("%s compared with %d", Some(max(len(subject.Runs), 1), "run"), max(len(reference.Runs), 1))
}

// Untested says that differences are not tested, because there are too few runs.
func Untested(subject, reference *analysis.Input) string {
	return sides(subject, reference) + ": differences may be chance"
}

// level formats a level of 95 % or more with enough digits to distinguish it from 100 %.
func level(x float64) string {
	n := 0
	for math.Round((1-x)*math.Pow(10, float64(n+2))) < 1 && n < 6 {
		n++
	}
	return units.Fixed(100*x, n) + "%"
}
