package words

import (
	"fmt"

	"github.com/diffprof/diffprof/units"
)

// APICosts says how many of a run's calls have a cost: "API costs of 146 of 208 calls into
// android.* (70.2%)". guessed counts further calls with only a guessed cost.
func APICosts(costed, calls, guessed int64, packages string) string {
	text := fmt.Sprintf("API costs of %s of %s into %s", Count(costed), Some(calls, "call"), packages)
	if calls > 0 {
		text += " (" + Percent(float64(costed)/float64(calls)) + ")"
	}
	if guessed > 0 {
		text += fmt.Sprintf(", guesses for %s more", Count(guessed))
	}
	return text
}

// APIReason explains why a call has no cost.
func APIReason(reason string) string {
	switch reason {
	case "other-overload":
		return "other overload"
	case "no-cost":
		return "no cost in the table"
	}
	return "not in the table"
}

// CountsBasis explains intervals that are based on numbers of calls.
const CountsBasis = "numbers of calls are exact, and an error in the cost table affects both sides alike. The intervals include the variation of calls between " +
	"repeats of one scenario. The intervals do not apply to runs of different scenarios."

// The titles of the tables of API costs.
const (
	APIRoutines = "App methods by the average cost of their API calls"
	APIList     = "APIs by cost"
	APIMissing  = "Calls without a cost"
)

// APIDisclaimer states how far API costs can be trusted.
const APIDisclaimer = "The costs were measured on another device. They rank calls; they do not measure this run."

// APISums says that figures are sums over several runs. It returns "" for one run.
func APISums(runs int) string {
	if runs < 2 {
		return ""
	}
	return fmt.Sprintf("These tables show the sums of %d runs.", runs)
}

// Activity formats the time of an activity that uses as much energy as a run: "browsing 3.2 min".
func Activity(name string, minutes float64) string {
	if minutes < 1 {
		return name + " " + units.Fixed(60*minutes, 1) + " s"
	}
	return name + " " + units.Fixed(minutes, 1) + " min"
}

// Activities introduces the times that Activity formats.
const Activities = "as much as"

// APIOverloads returns the title of the list of names with several costs.
func APIOverloads(n int) string {
	return Some(n, "name") + " with several costs in the table, the largest ratio of costs first"
}

// APIShare states how many calls of a run have a cost.
func APIShare(costed, calls int64) string {
	text := Count(costed) + " of " + Some(calls, "call") + " into these packages have a cost"
	if calls > 0 {
		text += " (" + Percent(float64(costed)/float64(calls)) + ")"
	}
	return text
}

// APICalls formats the calls of an API with their cost: "Toast.show 30 × 2.00 mJ = 60.0 mJ".
// Without calls it states the cost of one: "Toast.show 2.00 mJ a call".
func APICalls(api string, calls int64, each, sum units.Energy, s Scale) string {
	if api != "" {
		api += " "
	}
	if calls == 0 {
		return api + s.legible(each).Energy(each) + " a call"
	}
	text := api + Count(calls) + " × " + s.legible(each).Energy(each)
	if calls > 1 {
		text += " = " + s.Energy(sum)
	}
	return text
}

// APISites says how many framework calls in an app's code have a cost.
func APISites(costed, sites int64) string {
	text := Count(costed) + " of " + Some(sites, "call site") + " of these packages have a cost"
	if sites > 0 {
		text += " (" + Percent(float64(costed)/float64(sites)) + ")"
	}
	return text
}

// Titles and explanations of the tables of calls in an app's code.
const (
	APIListed       = "Called APIs with a cost"
	APIMissingSites = "Called APIs without a cost"
	APISitesLegend  = "A call site is an instruction in the code of the app. It may run often or never, so call sites do not show energy."
)

// BatteryUse is the title of Android's own estimate.
const BatteryUse = "Android's estimate of the whole phone"

// BatteryUseLegend describes an estimate and how far it agrees with the battery.
func BatteryUseLegend(file string, computed, least, most units.Charge) string {
	text := file + ": " + MilliampereHours(computed) + " mAh since the reset of the statistics; the battery lost "
	switch {
	case most == 0:
		text += "less than its gauge can show"
	case least == most:
		text += MilliampereHours(most) + " mAh"
	default:
		text += MilliampereHours(least) + " to " + MilliampereHours(most) + " mAh"
	}
	return text + ". Android computes it from a power profile. It is not part of the other figures."
}

// MilliampereHours formats a charge in mAh with three digits.
func MilliampereHours(c units.Charge) string {
	x := float64(c) / float64(units.MilliampereHour)
	switch {
	case c == 0:
		return "0"
	case x < 0.001:
		return "<0.001"
	case x < 0.9995:
		return units.Fixed(x, 3)
	case x < 9.995:
		return units.Fixed(x, 2)
	case x < 99.95:
		return units.Fixed(x, 1)
	}
	return units.Fixed(x, 0)
}
