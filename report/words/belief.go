package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

// Matched describes the matched part of the subject: "60 of 390 tasks matched, 22.0% of the energy,
// 3 more perhaps".
func Matched(r *analysis.Result) string {
	s := &r.Summary
	return MatchedTasks(s.Matched, s.Tasks, s.Possible, s.MatchedEnergy, r.Subject.Energy, ScalePerFigure(r.Unit(nil), r.Voltage).Noun())
}

// MatchedTasks returns the text of Matched for reports read from files. Its parameters are the
// numbers in the text, and noun is the result of Scale.Noun.
func MatchedTasks(matched, tasks, perhaps int, energy, all units.Energy, noun string) string {
	text := fmt.Sprintf("%s of %s matched, %s of the %s", Count(matched), Some(tasks, "task"), Share(energy, all), noun)
	if perhaps > 0 {
		text += fmt.Sprintf(", %s more perhaps", Count(perhaps))
	}
	return text
}

// Confidence describes the evidence for a counterpart that is not exact: "84% likely: name 60%,
// callees 70%, neighbours 40% alike; next best 30% likely". Without a likelihood, the text says
// "likelihood not estimated". The text is empty for an exact counterpart without a rival.
func Confidence(f eflask.Found, e eflask.Evidence) string {
	likelihood := e.Says()
	if f == eflask.Exact && (likelihood == 1 || likelihood == eflask.Unknown) {
		return ""
	}
	var parts []string
	percent := func(share float64) string { return units.Fixed(100*share, 0) + "%" }
	if e.Name < 1 || likelihood < 1 {
		parts = append(parts, "name "+percent(e.Name))
	}
	if e.Below >= 0 {
		parts = append(parts, "callees "+percent(e.Below))
	}
	if e.Around >= 0 {
		parts = append(parts, "neighbours "+percent(e.Around))
	}
	text := strings.Join(parts, ", ")
	if text != "" {
		text += " alike"
	}
	if e.OtherCallers {
		text += "; no caller is the same"
	}
	if e.Rival > 0 {
		text += "; next best " + percent(e.Rival) + " likely"
	}
	switch {
	case likelihood == eflask.Unknown:
		text = "likelihood not estimated: " + text
	case likelihood < 1:
		// A likelihood below 1 is never rounded to 100%.
		text = percent(min(likelihood, 0.99)) + " likely: " + text
	}
	return text
}

// PossiblePeer names a possible counterpart: "perhaps URL.openStream, 3.20 mJ there".
func PossiblePeer(method string, energy units.Energy, s Scale) string {
	return "perhaps " + method + ", " + s.Energy(energy) + " there"
}

// TaskOrder names the order of a list of tasks: by possible saving, or by difference if the runs
// have little in common. If a fleet has suspects, they come first.
func TaskOrder(littleInCommon, suspects bool) string {
	order := "sorted by possible saving"
	if littleInCommon {
		order = "sorted by difference from the reference"
	}
	if suspects {
		return "suspects of the fleet first, then " + order
	}
	return order
}

// DifferenceHeading returns the heading of the column of differences.
func DifferenceHeading(littleInCommon bool) string {
	if littleInCommon {
		return "more"
	}
	return "saving"
}
