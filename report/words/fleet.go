package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/fleet/claim"
	"github.com/diffprof/diffprof/units"
)

// TwoDigits formats a number with at most two significant digits.
func TwoDigits(x float64) string {
	if x == 0 || math.Abs(x) < 1e-12 {
		return "0"
	}
	digits := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-1)
	x = math.Round(x/digits) * digits
	if math.Abs(x) >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.8f", x), "0"), ".")
}

// MinutesBetween formats minutes with their error: "48 ± 13 min", in hours from two hours on. The
// error is the distance to the farther end of the interval.
func MinutesBetween(minutes, least, most float64) string {
	return MinutesIn(InHours(minutes), minutes, least, most)
}

// InHours reports whether minutes are written in hours.
func InHours(minutes float64) bool { return minutes >= 120 }

// MinutesIn is like [MinutesBetween], but the parameter hours decides, so that a column has one
// unit.
func MinutesIn(hours bool, minutes, least, most float64) string {
	half := max(most-minutes, minutes-least)
	if hours {
		return TwoDigits(minutes/60) + " ± " + TwoDigits(half/60) + " h"
	}
	return TwoDigits(minutes) + " ± " + TwoDigits(half) + " min"
}

// Gain says how much longer a charge lasts, with an interval: "44 min (39 to 49)", in hours from
// two hours on.
func Gain(minutes, least, most float64) string {
	unit, length := "min", 1.0
	if InHours(minutes) {
		unit, length = "h", 60
	}
	return fmt.Sprintf("%s %s (%s to %s)", TwoDigits(minutes/length), unit, TwoDigits(least/length), TwoDigits(most/length))
}

// Fleet states what a fleet shows about an app, in few words: "48 ± 13 min per charge, 12,400
// devices, network mobile".
func Fleet(c *claim.Claim) string {
	worst := c.Worst()
	parts := []string{"no hog"}
	switch {
	case c.Hog && worst.Reference > 0:
		parts[0] = MinutesBetween(worst.Minutes()) + " per charge"
	case c.Hog || c.Bugs > 0:
		parts[0] = PercentPerHour(worst.Excess, worst.Half) + " more"
	case !c.Judged:
		parts[0] = "not judged"
	}
	if c.Hog || c.Bugs == 0 {
		parts = append(parts, Some(c.Clients, "device"))
	} else {
		parts = append(parts, fmt.Sprintf("a bug on %s of %s", Count(c.Bugs), Some(c.Clients, "device")))
	}
	for _, w := range c.Conditions {
		parts = append(parts, w.String())
	}
	return strings.Join(parts, ", ")
}

// FleetHog states that an app, or a version of it, is a hog.
func FleetHog(c *claim.Claim, version string) string {
	for _, v := range c.Versions {
		if v.Name == version {
			return fmt.Sprintf("the fleet shows that version %s of %s uses %s more under its worst conditions; all versions: %s", version, c.App, PercentPerHour(v.Excess, v.Half), Fleet(c))
		}
	}
	return fmt.Sprintf("the fleet shows that %s is a hog: %s", c.App, Fleet(c))
}

// Lives formats the life of a charge with an app, and without it: "8.3 h, not 19 h", or "about 12
// h" if the two are nearly the same.
func Lives(excess, reference float64) string {
	with, without := 100/(reference+excess)/3600, 100/reference/3600
	if math.Abs(without-with) < 0.07*without || TwoDigits(with) == TwoDigits(without) {
		return "about " + TwoDigits(without) + " h"
	}
	return TwoDigits(with) + " h, not " + TwoDigits(without) + " h"
}

// Drained formats a discharge rate in % per hour, with its error. mean and half are in % per
// second. A rate that may be 0 is "perhaps nothing", a negative one is "nothing".
func Drained(mean, half float64) string {
	switch {
	case math.Abs(mean) <= half:
		return "perhaps nothing (" + PercentPerHour(mean, half) + ")"
	case mean < 0:
		return "nothing (" + PercentPerHour(mean, half) + ")"
	}
	return PercentPerHour(mean, half)
}

// ExcessPerHour formats an excess in % per hour, with its error: "0.8 ± 0.2 %/h more", "perhaps
// nothing more (0.1 ± 0.2 %/h)" or "nothing more (-0.3 ± 0.2 %/h)". mean and half are in % per
// second.
func ExcessPerHour(mean, half float64) string {
	if mean > half {
		return PercentPerHour(mean, half) + " more"
	}
	return strings.Replace(Drained(mean, half), "nothing", "nothing more", 1)
}

// PercentPerHour formats a discharge rate in % per hour, with its error. mean and half are in % per
// second.
func PercentPerHour(mean, half float64) string {
	return TwoDigits(mean*3600) + " ± " + TwoDigits(half*3600) + " %/h"
}

// Suspect says why a task may cause what the fleet shows.
func Suspect(s finding.Suspect, scale Scale) string {
	if s.Charged {
		return Component(s.Component) + " used " + scale.Energy(s.Energy) + " for it"
	}
	return "it uses " + Component(s.Component) + " in " + s.Method
}

// SuspectOf returns message, a result of Suspect, followed by what the fleet shows about app.
// figure is a result of Fleet.
func SuspectOf(message, app, figure string) string {
	return "suspect: " + message + "; " + fleetResult(app, figure)
}

// fleetResult states what a fleet shows about an app.
func fleetResult(app, figure string) string { return "in the fleet " + app + " costs " + figure }

// Suspicion says whether the two runs agree with the fleet.
func Suspicion(s *finding.Suspicion, r *analysis.Result) string {
	c := s.Claim
	if !c.Drains() {
		why := "where it is not a hog"
		if !c.Judged {
			why = "too few to judge it"
		}
		return fmt.Sprintf("the fleet has %s on %s, %s: there is nothing to compare these runs with", c.App, Some(c.Clients, "device"), why)
	}
	text := fleetResult(c.App, Fleet(c))
	if s.Fleet.Known && s.Agreement != finding.NoFigure {
		text += ", which is " + powerRange(s.Fleet) + " of the battery"
	}
	if s.Runs.Known && s.Agreement != finding.NoEnergy {
		text += "; the subject uses " + difference(s.Runs)
	}
	text += ": "
	switch s.Agreement {
	case finding.Agrees:
		text += "these runs show about the same excess as the fleet"
	case finding.ShowsMore:
		text += "these runs show a larger excess than the fleet"
	case finding.ShowsLess:
		text += "these runs do not show the excess that the fleet shows"
	case finding.NoFigure:
		text += "there is nothing to compare these runs with"
	case finding.NoBattery:
		text += "these runs cannot be compared with the fleet, since the capacity of the battery is not known; set --battery, or battery in diffprof.yaml"
	case finding.NoDuration:
		text += "these runs cannot be compared with the fleet, since one recording has no duration"
	case finding.TooShort:
		text += "these runs cannot be compared with the fleet, since one recording is shorter than five seconds"
	case finding.NoEnergy:
		text += "these runs cannot be compared with the fleet, since one recording has no energy"
	case finding.TooNoisy:
		text += "these runs vary too much to confirm or disprove this"
	case finding.NoSuchAccount:
		text += "these runs cannot be compared with the fleet, since they do not show the energy of " + components(s.Components) + ""
	case finding.ProcessorOnly:
		text += "these runs cannot be compared with the fleet, since they have only the processor's energy; --power-model adds the other components"
	}
	if s.Agreement.Known() && !s.Runs.Bounded {
		text += ", with only one run on each side"
	}
	return text + suspects(s, r)
}

// suspects states which tasks may be the cause.
func suspects(s *finding.Suspicion, r *analysis.Result) string {
	switch {
	case len(s.Components) == 0:
		return ". The fleet names no component, so no task is suspect"
	case s.Len() == 0:
		text := ". No task of the subject uses " + components(s.Components)
		if s.Agreement == finding.Agrees {
			text += ", so these runs may show something else"
		}
		return text
	}
	use := "they use "
	if s.Len() == 1 {
		use = "it uses "
	}
	return fmt.Sprintf(". %s of %s may be the cause: %s%s", Count(s.Len()), Some(r.Summary.Tasks, "task"), use, components(s.Components))
}

// components names parts of a device.
func components(names []string) string {
	var list []string
	for _, n := range names {
		list = append(list, Component(n))
	}
	return strings.Join(list, " and ")
}

// powerRange formats a power with its bounds.
func powerRange(p finding.PowerRange) string {
	if !p.Bounded {
		return power(p.Power)
	}
	return fmt.Sprintf("%s (%s to %s)", power(p.Power), power(p.Least), power(p.Most))
}

// difference says how much more or less power the subject uses.
func difference(p finding.PowerRange) string {
	if p.Power >= 0 {
		return powerRange(p) + " more"
	}
	return powerRange(finding.PowerRange{Bounded: p.Bounded, Power: -p.Power, Least: -p.Most, Most: -p.Least}) + " less"
}

// power formats a power with at most two digits.
func power(p units.Power) string {
	switch x := math.Abs(float64(p)); {
	case x >= float64(units.Watt):
		return TwoDigits(float64(p)/float64(units.Watt)) + " W"
	case x >= float64(units.Milliwatt):
		return TwoDigits(float64(p)/float64(units.Milliwatt)) + " mW"
	}
	return TwoDigits(float64(p)) + " µW"
}
