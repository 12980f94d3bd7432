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

// TwoDigits writes a number with at most two digits that say something.
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

// MinutesBetween writes minutes with their error: "48 ± 13 min", in hours from two hours on. The ends of an interval of a life
// are not equally far; the farther counts.
func MinutesBetween(minutes, least, most float64) string {
	return MinutesIn(InHours(minutes), minutes, least, most)
}

// InHours reports whether minutes are written in hours.
func InHours(minutes float64) bool { return minutes >= 120 }

// MinutesIn is MinutesBetween in a unit that is given: the figures of a column have one.
func MinutesIn(hours bool, minutes, least, most float64) string {
	half := max(most-minutes, minutes-least)
	if hours {
		return TwoDigits(minutes/60) + " ± " + TwoDigits(half/60) + " h"
	}
	return TwoDigits(minutes) + " ± " + TwoDigits(half) + " min"
}

// Gain writes by how much a charge is longer, with its interval: "44 min (39 to 49)", in hours from two hours on.
func Gain(minutes, least, most float64) string {
	unit, of := "min", 1.0
	if InHours(minutes) {
		unit, of = "h", 60
	}
	return fmt.Sprintf("%s %s (%s to %s)", TwoDigits(minutes/of), unit, TwoDigits(least/of), TwoDigits(most/of))
}

// Fleet says what a fleet says of an app, in few words: "48 ± 13 min a charge, 12,400 devices, network
// mobile".
func Fleet(c *claim.Claim) string {
	worst := c.Worst()
	parts := []string{"no hog"}
	switch {
	case c.Hog && worst.Reference > 0:
		parts[0] = MinutesBetween(worst.Minutes()) + " a charge"
	case c.Hog || c.Bugs > 0:
		parts[0] = PercentAnHour(worst.Excess, worst.Half) + " more"
	case !c.Judged:
		parts[0] = "not judged"
	}
	if c.Hog || c.Bugs == 0 {
		parts = append(parts, Some(c.Clients, "device"))
	} else {
		parts = append(parts, fmt.Sprintf("a bug on %s of %s", Count(c.Bugs), Some(c.Clients, "device")))
	}
	for _, w := range c.Where {
		parts = append(parts, w.String())
	}
	return strings.Join(parts, ", ")
}

// FleetHog says that an app is a hog, or a version of it.
func FleetHog(c *claim.Claim, version string) string {
	for _, v := range c.Versions {
		if v.Name == version {
			return fmt.Sprintf("the fleet says that version %s of %s drains %s more where it drains the most; in all %s", version, c.App, PercentAnHour(v.Excess, v.Half), Fleet(c))
		}
	}
	return fmt.Sprintf("the fleet says that %s is a hog: %s", c.App, Fleet(c))
}

// Lives says how long a charge lasts while an app runs, and how long without it: "8.3 h, not 19 h", or
// "about 12 h" where that is much the same.
func Lives(excess, reference float64) string {
	with, without := 100/(reference+excess)/3600, 100/reference/3600
	if math.Abs(without-with) < 0.07*without {
		return "about " + TwoDigits(without) + " h"
	}
	return TwoDigits(with) + " h, not " + TwoDigits(without) + " h"
}

// Drained writes a drain in % a second with its error in per cent an hour. One that cannot be told
// from nothing is written so.
func Drained(mean, half float64) string {
	switch {
	case math.Abs(mean) <= half:
		return "perhaps nothing (" + PercentAnHour(mean, half) + ")"
	case mean < 0:
		return "nothing (" + PercentAnHour(mean, half) + ")"
	}
	return PercentAnHour(mean, half)
}

// PercentAnHour writes a drain in % a second with its error in per cent an hour.
func PercentAnHour(mean, half float64) string {
	return TwoDigits(mean*3600) + " ± " + TwoDigits(half*3600) + " %/h"
}

// Suspect says why a task may be what a fleet saw.
func Suspect(s finding.Suspect, scale Scale) string {
	if s.Charged {
		return Component(s.Component) + " drained " + scale.Energy(s.Energy) + " for it"
	}
	return "it asks for " + Component(s.Component) + ", by " + s.Method
}

// SuspectOf says the same where nothing else says what the fleet saw: figure is what it says of app.
func SuspectOf(message, app, figure string) string {
	return "suspect: " + message + "; " + saw(app, figure)
}

// saw says what a fleet saw an app drain.
func saw(app, figure string) string { return "the fleet saw " + app + " take " + figure }

// Suspicion says whether the runs show what a fleet saw.
func Suspicion(s *finding.Suspicion, r *analysis.Result) string {
	c := s.Claim
	if !c.Drains() {
		why := "and it is no hog"
		if !c.Judged {
			why = "which is too few to judge it"
		}
		return fmt.Sprintf("the fleet saw %s on %s, %s: there is nothing to hold these runs to", c.App, Some(c.Clients, "device"), why)
	}
	said := saw(c.App, Fleet(c))
	if s.Fleet.Known && s.Agreement != finding.NoFigure {
		said += ", which is " + powerRange(s.Fleet) + " of the battery"
	}
	if s.Runs.Known && s.Agreement != finding.NoEnergy {
		said += "; the subject draws " + difference(s.Runs)
	}
	said += ": "
	switch s.Agreement {
	case finding.Agrees:
		said += "both agree in amount"
	case finding.ShowsMore:
		said += "these runs show more than the fleet saw"
	case finding.ShowsLess:
		said += "these runs do not show what the fleet saw"
	case finding.NoFigure:
		said += "there is nothing to hold these runs to"
	case finding.NoBattery:
		said += "whether these runs show that cannot be told, since what a full battery holds is not known; --battery, or battery in diffprof.yaml, says it"
	case finding.NoDuration:
		said += "whether these runs show that cannot be told, since a recording does not say how long it is"
	case finding.TooShort:
		said += "whether these runs show that cannot be told, since a recording lasts less than five seconds"
	case finding.NoEnergy:
		said += "whether these runs show that cannot be told, since a recording states no energy"
	case finding.TooNoisy:
		said += "whether these runs show that cannot be told, since they vary so much that they may not differ at all"
	case finding.NoSuchAccount:
		said += "whether these runs show that cannot be told, since they do not say what " + components(s.Components) + " drained"
	case finding.ProcessorOnly:
		said += "whether these runs show that cannot be told, since their energy is the processor's alone; --power-model charges the other components"
	}
	if s.Agreement.Told() && !s.Runs.Bounded {
		said += ", as far as one run a side tells"
	}
	return said + suspects(s, r)
}

// suspects says which tasks may be why.
func suspects(s *finding.Suspicion, r *analysis.Result) string {
	switch {
	case len(s.Components) == 0:
		return ". The fleet names no component, so that no task is suspect"
	case s.Len() == 0:
		said := ". No task of the subject asks for " + components(s.Components)
		if s.Agreement == finding.Agrees {
			said += ": what these runs show may be something else"
		}
		return said
	}
	use := "they use "
	if s.Len() == 1 {
		use = "it uses "
	}
	return fmt.Sprintf(". %s of %s may be why: %s%s", Count(s.Len()), Some(r.Summary.Tasks, "task"), use, components(s.Components))
}

// components names parts of a device.
func components(names []string) string {
	var list []string
	for _, n := range names {
		list = append(list, Component(n))
	}
	return strings.Join(list, " and ")
}

// powerRange writes a power with its bounds.
func powerRange(p finding.PowerRange) string {
	if !p.Bounded {
		return power(p.Power)
	}
	return fmt.Sprintf("%s (%s to %s)", power(p.Power), power(p.Least), power(p.Most))
}

// difference writes by how much more power the subject draws, or less.
func difference(p finding.PowerRange) string {
	if p.Power >= 0 {
		return powerRange(p) + " more"
	}
	return powerRange(finding.PowerRange{Bounded: p.Bounded, Power: -p.Power, Least: -p.Most, Most: -p.Least}) + " less"
}

// power writes a power with at most two digits.
func power(p units.Power) string {
	switch x := math.Abs(float64(p)); {
	case x >= float64(units.Watt):
		return TwoDigits(float64(p)/float64(units.Watt)) + " W"
	case x >= float64(units.Milliwatt):
		return TwoDigits(float64(p)/float64(units.Milliwatt)) + " mW"
	}
	return TwoDigits(float64(p)) + " µW"
}
