package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/trace"
)

// Basis describes the uncertainty of the figures of a comparison.
func Basis(r *analysis.Result) string {
	switch r.Chance.Basis {
	case analysis.FromRepeats:
		study := r.Repeats.Study
		return fmt.Sprintf("%s: %s of %d tested rows differ by more than chance (false discovery rate %s, %s intervals).",
			upper(sides(&r.Subject, &r.Reference)), Count(study.Evident()), len(study.Tasks), Percent(repeats.Rate), level(study.Level)) + " " + Conditions(r.Chance)
	case analysis.FromSamples:
		return upper(sides(&r.Subject, &r.Reference)) + ": intervals come from the numbers of samples, and small differences may be chance."
	case analysis.FromCounts:
		return upper(sides(&r.Subject, &r.Reference)) + ": " + CountsBasis
	case analysis.FromSetting:
		return fmt.Sprintf("%s: intervals come from the stated noise of a run, %s.", upper(sides(&r.Subject, &r.Reference)), Percent(r.Chance.Noise))
	}
	return upper(sides(&r.Subject, &r.Reference)) + ", noise assumed: small differences may be chance."
}

// caveats returns the warnings that readers of the totals must know, each after a space.
func caveats(r *analysis.Result) string {
	var text string
	for _, w := range r.Warnings {
		if w.Code == analysis.Swapped {
			text += " " + upper(w.Message) + "."
		}
	}
	if slices.ContainsFunc(r.Warnings, func(w trace.Warning) bool { return w.Code == analysis.ProcessorOnly }) {
		text += " Energies include only the processor; the warnings name the other components that were used."
	}
	var losing []string
	here, there := sideNames(r)
	if losesTime(&r.Subject) {
		losing = append(losing, here)
	}
	if losesTime(&r.Reference) {
		losing = append(losing, there)
	}
	if len(losing) > 0 {
		text += " Much of the processor time is missing in " + strings.Join(losing, " and in ") + "; the warnings say how much."
	}
	return text
}

// losesTime reports whether a run's samples miss much of its processor time, according to a
// warning.
func losesTime(in *analysis.Input) bool {
	return slices.ContainsFunc(in.Trace.Warnings, func(w trace.Warning) bool { return w.Code == "unsampled-time" || w.Code == "coarse-timer" })
}
