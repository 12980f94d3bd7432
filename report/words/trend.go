package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/units"
)

// Rose says by how much a level changed, with the interval, which may be nil: "3.91 mJ more
// (3.12 to 4.66), +32.1%".
func Rose(difference units.Energy, least, most *units.Energy, growth *float64, s Scale) string {
	sign, how := units.Energy(1), "more"
	if difference < 0 {
		sign, how = -1, "less"
		least, most = most, least
	}
	if s.unit == nil {
		unit := s.of(difference)
		s = Each(&unit, s.voltage)
	}
	said := s.Energy(difference*sign) + " " + how
	if least != nil && most != nil {
		said += fmt.Sprintf(" (%s to %s)", s.Amount(*least*sign), s.Amount(*most*sign))
	}
	if growth != nil {
		said += ", " + signed(*growth)
	}
	return said
}

// signed writes a growth with its sign, or by how many times where it is large.
func signed(growth float64) string {
	switch {
	case growth >= 9:
		return "×" + units.Fixed(1+growth, 0)
	case growth > 0:
		return "+" + units.Fixed(100*growth, 1) + "%"
	}
	return units.Fixed(100*growth, 1) + "%"
}

// Chance says how often chance alone shows as much.
func Chance(p float64) string {
	return "chance alone shows as much in " + chance(p) + " of cases"
}

// chance writes a small share with as many digits as it needs.
func chance(p float64) string {
	if p >= 0.0005 || p == 0 {
		return Percent(p)
	}
	return units.Fixed(100*p, 2) + "%"
}

// Since says when a level changed: the first entry of the new level, and the others that may be.
func Since(name, earliest, latest string) string {
	if earliest == latest {
		return "since " + name
	}
	return fmt.Sprintf("since %s (perhaps since one from %s to %s)", name, earliest, latest)
}

// SteadyTrend says that there is no evidence of a change among so many entries with so many runs.
func SteadyTrend(entries, runs int, p float64) string {
	of := fmt.Sprintf("no evidence that it costs more or less: %s, %s", Entries(entries), Some(runs, "run"))
	if entries < 2 {
		return of + "; a change takes two entries or more"
	}
	return of + "; " + Chance(p)
}

// Lately says in few words since when something costs more or less.
func Lately(s *trend.Since) string {
	said := "since " + s.Name + ": "
	if s.Before <= 0 {
		return said + "new"
	}
	return said + signed(s.Difference/s.Before)
}

// LatelyLong says since when something costs more or less, how much, and how sure that is.
func LatelyLong(s *trend.Since, scale Scale) string {
	var least, most *units.Energy
	if !math.IsInf(s.Interval.Least, 0) && !math.IsInf(s.Interval.Most, 0) {
		from, to := units.Energy(math.Round(s.Interval.Least)), units.Energy(math.Round(s.Interval.Most))
		least, most = &from, &to
	}
	var growth *float64
	if s.Before > 0 {
		part := s.Difference / s.Before
		growth = &part
	}
	return "In the history it costs " + Rose(units.Energy(math.Round(s.Difference)), least, most, growth, scale) + ", " + Since(s.Name, s.First, s.Last) + "; " + Chance(s.P)
}

// Entries counts entries of a history.
func Entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return Count(n) + " entries"
}

// Between says which commits lie between two entries and were not measured, and how to find the
// one that changed the level.
func Between(commits int, after, before, middle string, steps int) string {
	if commits == 0 {
		return fmt.Sprintf("no commit lies between %s and %s: the change is in the latter", after, before)
	}
	said := fmt.Sprintf("measure %s: ", middle)
	if commits == 1 {
		return said + fmt.Sprintf("it alone lies between %s and %s", after, before)
	}
	return said + fmt.Sprintf("it is in the middle of %s commits between %s and %s, of which %s find the one", Count(commits), after, before, Some(steps, "measurement"))
}

// BetweenUnknown says that nobody knows which commits lie between two entries.
func BetweenUnknown(after, before, why string) string {
	return fmt.Sprintf("which commits lie between %s and %s is not known: %s", after, before, why)
}

// Repeat says how many more runs of an entry to make.
func Repeat(runs int, name string) string { return Some(runs, "more run") + " of " + name }

// Repeats says what more runs would tell: where a change is, or whether there is one.
func Repeats(of []string, where bool) string {
	tell := "be evidence of a change"
	if where {
		tell = "tell better where the change is"
	}
	return strings.Join(of, " and ") + " would " + tell + ", if they turn out as those so far"
}

// NoRepeats says that the largest step is too small for some more runs to be evidence of it.
func NoRepeats(after, before string) string {
	return fmt.Sprintf("the largest step lies between %s and %s; %d more runs there would be no evidence of it, if they turn out as those so far", after, before, change.MostWanted)
}

// Uneven says what stands behind a series whose runs of one entry are more alike than others.
const Uneven = "runs of one entry are more alike than those of two, so each entry counts as one run: more entries tell more than more runs"

// TrendLegend explains a chart of a trend.
const TrendLegend = "● the median run of an entry, ├─┤ where that lies with 95%, · its runs"

// TrendPicture explains a drawing of a trend.
const TrendPicture = "A large point is the median run of an entry, its line is where that lies with 95%, and small points are its runs. A dashed line is a lasting change of the level. The scale need not begin at 0."

// TrendMethod says how changes are found.
const TrendMethod = "Changes by " + change.Method + "; docs/history.md says what that assumes"

// Judged says how many tasks and methods were judged together, and how many changed.
func Judged(judged, changed int, rate float64) string {
	if changed == 0 {
		return fmt.Sprintf("no evidence that any of %s judged together costs more or less (false discovery rate %s)", Count(judged)+" tasks and methods", percentOf(rate))
	}
	return fmt.Sprintf("%s of %s tasks and methods judged together cost more or less than before (false discovery rate %s)", Count(changed), Count(judged), percentOf(rate))
}

// Growth writes a growth with its sign, nil where there was nothing before.
func Growth(growth *float64) string {
	if growth == nil {
		return "new"
	}
	return signed(*growth)
}
