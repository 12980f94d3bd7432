package words

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/units"
)

// Matched says how much of the subject has a counterpart: "60 of 390 tasks in both, 22.0% of
// the energy, 3 more perhaps".
func Matched(r *analysis.Result) string {
	s := &r.Summary
	return MatchedTasks(s.Matched, s.Tasks, s.Perhaps, s.MatchedEnergy, r.Subject.Energy)
}

// MatchedTasks says the same of its figures: matched of some tasks, and those that are
// matched perhaps, with the energy of the matched ones out of all energy.
func MatchedTasks(matched, tasks, perhaps int, energy, all units.Energy) string {
	said := fmt.Sprintf("%s of %s in both, %s of the energy", Count(matched), Some(tasks, "task"), Share(energy, all))
	if perhaps > 0 {
		said += fmt.Sprintf(", %s more perhaps", Count(perhaps))
	}
	return said
}

// Confidence says what a counterpart rests on that is not exact: "84% likely: names 60%, below
// 70%, around 40% alike; rival 30% likely". It is empty where there is nothing to say.
func Confidence(f eflask.Found, e eflask.Evidence) string {
	if f == eflask.Exact {
		return ""
	}
	var parts []string
	percent := func(share float64) string { return units.Fixed(100*share, 0) + "%" }
	if e.Name < 1 || e.Likelihood < 1 {
		parts = append(parts, "names "+percent(e.Name))
	}
	if e.Below >= 0 {
		parts = append(parts, "below "+percent(e.Below))
	}
	if e.Around >= 0 {
		parts = append(parts, "around "+percent(e.Around))
	}
	said := strings.Join(parts, ", ")
	if said != "" {
		said += " alike"
	}
	if e.Rival > 0 {
		said += "; rival " + percent(e.Rival) + " likely"
	}
	if e.Likelihood < 1 {
		// What is less than certain is not written as certain.
		said = percent(min(e.Likelihood, 0.99)) + " likely: " + said
	}
	return said
}

// MaybePeer names a counterpart that is not sure: "perhaps URL.openStream, 3.20 mJ there".
func MaybePeer(method string, energy units.Energy, s Scale) string {
	return "perhaps " + method + ", " + s.Energy(energy) + " there"
}

// Order says what is listed first: tasks with most room for saving, or those that drain most
// more than in a reference with which there is little in common.
func Order(littleInCommon bool) string {
	if littleInCommon {
		return "what is most only here first"
	}
	return "most room for saving first"
}

// More names the difference to the reference, for the heading of a column.
func More(littleInCommon bool) string {
	if littleInCommon {
		return "more"
	}
	return "saving"
}
