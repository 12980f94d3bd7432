package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// Matched says how much of the subject has a counterpart: "60 of 390 tasks in both, 22.0% of
// the energy, 3 more perhaps".
func Matched(r *analysis.Result) string {
	s := &r.Summary
	return MatchedTasks(s.Matched, s.Tasks, s.Perhaps, s.MatchedEnergy, r.Subject.Energy, Each(r.Unit(nil), r.Voltage).Noun())
}

// MatchedTasks says the same of its figures: matched of some tasks, and those that are
// matched perhaps, with the energy of the matched ones out of all. noun is Scale.Noun's.
func MatchedTasks(matched, tasks, perhaps int, energy, all units.Energy, noun string) string {
	said := fmt.Sprintf("%s of %s in both, %s of the %s", Count(matched), Some(tasks, "task"), Share(energy, all), noun)
	if perhaps > 0 {
		said += fmt.Sprintf(", %s more perhaps", Count(perhaps))
	}
	return said
}

// Confidence says what a counterpart rests on that is not exact: "84% likely: name 60%,
// callees 70%, neighbours 40% alike; next best 30% likely". Where the matching alone decides,
// nobody weighed how likely it is, and the words say so. They are empty where there is nothing
// to say.
func Confidence(f eflask.Found, e eflask.Evidence) string {
	if f == eflask.Exact && (e.Likelihood == 1 || e.Likelihood == eflask.Unknown) {
		return ""
	}
	var parts []string
	percent := func(share float64) string { return units.Fixed(100*share, 0) + "%" }
	if e.Name < 1 || e.Likelihood < 1 {
		parts = append(parts, "name "+percent(e.Name))
	}
	if e.Below >= 0 {
		parts = append(parts, "callees "+percent(e.Below))
	}
	if e.Around >= 0 {
		parts = append(parts, "neighbours "+percent(e.Around))
	}
	said := strings.Join(parts, ", ")
	if said != "" {
		said += " alike"
	}
	if e.Rival > 0 {
		said += "; next best " + percent(e.Rival) + " likely"
	}
	switch {
	case e.Likelihood == eflask.Unknown:
		said = "likelihood not weighed: " + said
	case e.Likelihood < 1:
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
func Order(littleInCommon, suspects bool) string {
	order := "most room for saving first"
	if littleInCommon {
		order = "what is most only here first"
	}
	if suspects {
		return "suspects of the fleet first, of these and the others " + order
	}
	return order
}

// More names the difference to the reference, for the heading of a column.
func More(littleInCommon bool) string {
	if littleInCommon {
		return "more"
	}
	return "saving"
}

// Passed says what a comparison came to that a gate does not allow: "the subject could save
// 12.0% of its energy, more than saving>5%".
func Passed(set *finding.Set, met []finding.Reached) string {
	passed := PassedBy(met, set.Result.Voltage)
	if !slices.ContainsFunc(met, func(m finding.Reached) bool { return m.Measure != finding.Wasted && m.Measure != finding.FleetHog }) {
		return passed
	}
	return passed + ". " + strings.TrimSuffix(Basis(set.Result), ".")
}

// PassedBy is Passed for what a single run came to.
func PassedBy(met []finding.Reached, v units.Voltage) string {
	scale := Each(nil, v)
	var said []string
	for _, m := range met {
		amount := Percent(m.Share)
		if m.InEnergy {
			amount = scale.Energy(m.Energy)
		}
		what := map[string]string{
			finding.Saving: "the subject could save %s", finding.Row: "one row could save %s", finding.Unmatched: "tasks that only the subject has use %s",
			finding.Wasted: "components use %s for nothing",
			finding.Growth: "the subject uses %s more than the reference", finding.Total: "the subject uses %s more than the reference",
		}[m.Measure]
		of := ""
		if m.Measure == finding.Wasted && !m.InEnergy {
			what = "components use %s of the energy for nothing"
		} else if !m.InEnergy && m.Measure != finding.Growth && m.Measure != finding.Total {
			of = map[bool]string{true: " of its energy", false: " of the subject's energy"}[m.Measure == finding.Saving]
		}
		if m.Measure == finding.Evidence {
			said = append(said, "repeated runs are evidence that the subject is costlier")
			continue
		}
		if m.Measure == finding.FleetHog {
			said = append(said, FleetHog(m.Claim, m.Version))
			continue
		}
		said = append(said, fmt.Sprintf(what+of+", more than %s", amount, m.Text))
	}
	return strings.Join(said, ", and ")
}
