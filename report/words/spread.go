package words

import (
	"fmt"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// Spread formats the range of an energy, and what makes it uncertain: "12 to 60 J: the tail of an
// unknown link".
func Spread(s *finding.Spread) string {
	text := fromTo(s.Least, s.Most) + ": " + cause(s)
	if s.Waits {
		text += ", and time in which threads may have waited"
	}
	return text
}

// SpreadOf formats the range of a component and of its share.
func SpreadOf(s *finding.Spread) string {
	return fmt.Sprintf("%s, %s to %s of the run: %s", fromTo(s.Least, s.Most), Percent(s.LeastShare), Percent(s.MostShare), cause(s))
}

// fromTo formats a range of energies in the unit that suits the larger one.
func fromTo(least, most units.Energy) string {
	u := units.BestUnit(most)
	return u.Format(least, 0) + " to " + u.Format(most, 0) + " " + u.String()
}

// cause names the power state whose figures make a range wide.
func cause(s *finding.Spread) string {
	if s.Timeout {
		return "the unknown timeout of " + s.Widest
	}
	what := map[model.Kind]string{model.Ramp: "the ramp", model.Tail: "the tail", model.Productive: "the work", model.On: "the power"}[s.Kind]
	if s.Served == "network" {
		return what + " of an unknown link, taken as " + s.Widest
	}
	return what + " of " + s.Widest
}
