package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
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

// Spread says what stands behind the savings of a comparison: one run a side, or what
// repeated runs are evidence of.
func Spread(r *analysis.Result) string {
	switch {
	case r.Subject.Runs == nil && r.Reference.Runs == nil:
		return sides(&r.Subject, &r.Reference) + ": figures are points, without evidence of spread"
	case r.Repeats == nil:
		return fmt.Sprintf("%s: figures are points, without evidence of spread, which takes %d runs a side or more", sides(&r.Subject, &r.Reference), repeats.LeastRuns)
	}
	study := r.Repeats.Study
	return fmt.Sprintf("%s, figures of their means; %s of %d tested differ by more than chance (false discovery rate %s, intervals of %s); in all %s",
		sides(&r.Subject, &r.Reference), Count(study.Evident()), len(study.Tasks), Percent(repeats.Rate), level(study.Level), Change(r.Subject.Energy, r.Reference.Energy, &r.Repeats.Total))
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
	return sides(subject, reference) + ": differences are points, without evidence of spread"
}

// Basis says what a finding rests on, by Spread: its first part.
func Basis(spread string) string {
	basis, _, _ := strings.Cut(spread, ";")
	return basis
}

// Change says how much more or less the subject drains than the reference, of which e is the
// estimate, in percent of the reference: "+3.1% (-0.4% to +6.6%), no evidence". Intervals of few and
// noisy runs may reach further down than to -100 %, and nothing drains less than nothing.
func Change(subject, reference units.Energy, e *repeats.Estimate) string {
	part := func(x float64) string {
		if reference == 0 {
			return "–"
		}
		said := units.Fixed(max(100*x/float64(reference), -100), 1) + "%"
		if x > 0 {
			said = "+" + said
		}
		return said
	}
	return fmt.Sprintf("%s (%s to %s), %s", part(float64(subject-reference)), part(e.Interval.Least), part(e.Interval.Most), e.Verdict)
}

// level writes a level of 95 % or more with as many digits as tell it from 100 %.
func level(x float64) string {
	n := 0
	for math.Round((1-x)*math.Pow(10, float64(n+2))) < 1 && n < 6 {
		n++
	}
	return units.Fixed(100*x, n) + "%"
}

// NoDifference says that repeated runs show none, where that is so; else it is empty.
func NoDifference(r *analysis.Result) string {
	if r.Repeats == nil || r.Repeats.Study.Evident() > 0 || r.Repeats.Total.Verdict != repeats.NoEvidence {
		return ""
	}
	return fmt.Sprintf("No difference: none of %d tested tasks and rows of app code differs by more than chance, nor does the total, %s.",
		len(r.Repeats.Study.Tasks), Change(r.Subject.Energy, r.Reference.Energy, &r.Repeats.Total))
}
