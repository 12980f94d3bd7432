package words

import (
	"fmt"
	"math"
	"strings"

	"github.com/diffprof/diffprof/history/change"
	"github.com/diffprof/diffprof/history/trend"
	"github.com/diffprof/diffprof/units"
)

// LastingChange formats a lasting change: "3.91 mJ more (3.12 to 4.66), +32.1%". The interval may
// be nil.
func LastingChange(difference units.Energy, least, most *units.Energy, growth *float64, s Scale) string {
	sign, how := units.Energy(1), "more"
	if difference < 0 {
		sign, how = -1, "less"
		least, most = most, least
	}
	if s.unit == nil {
		unit := s.suited(difference)
		s = ScalePerFigure(&unit, s.voltage)
	}
	text := s.Energy(difference*sign) + " " + how
	if least != nil && most != nil {
		text += fmt.Sprintf(" (%s to %s)", s.Amount(*least*sign), s.Amount(*most*sign))
	}
	if growth != nil {
		text += ", " + signed(*growth)
	}
	return text
}

// signed formats a growth with its sign. A large growth is written as a factor.
func signed(growth float64) string {
	switch {
	case growth >= 9:
		return "×" + units.Fixed(1+growth, 0)
	case growth > 0:
		return "+" + units.Fixed(100*growth, 1) + "%"
	}
	return units.Fixed(100*growth, 1) + "%"
}

// Chance formats the probability that chance alone gives such a difference.
func Chance(p float64) string {
	return "chance alone gives such a difference in " + chance(p) + " of cases"
}

// chance formats a small share with as many digits as it needs.
func chance(p float64) string {
	if p >= 0.0005 || p == 0 {
		return Percent(p)
	}
	return units.Fixed(100*p, 2) + "%"
}

// Since says when something changed. name is the most likely first entry after the change. It may
// be any entry from earliest to latest.
func Since(name, earliest, latest string) string {
	if earliest == latest {
		return "since " + name
	}
	return fmt.Sprintf("since %s (or since some entry from %s to %s)", name, earliest, latest)
}

// SteadyTrend says that a series shows no change.
func SteadyTrend(entries, runs int, p float64) string {
	text := fmt.Sprintf("no evidence that it costs more or less: %s, %s", Entries(entries), Some(runs, "run"))
	if entries < 2 {
		return text + "; a change needs two entries or more"
	}
	return text + "; " + Chance(p)
}

// SinceBrief says in a few words since when something costs more or less.
func SinceBrief(s *trend.LastChange) string {
	text := "since " + s.Name + ": "
	if s.Before <= 0 {
		return text + "new"
	}
	return text + signed(s.Difference/s.Before)
}

// SinceFull says since when something costs more or less, how much, and how likely this is chance.
func SinceFull(s *trend.LastChange, scale Scale) string {
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
	return "In the history it costs " + LastingChange(units.Energy(math.Round(s.Difference)), least, most, growth, scale) + ", " + Since(s.Name, s.First, s.Last) + "; " + Chance(s.P)
}

// Entries counts entries of a history.
func Entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return Count(n) + " entries"
}

// Between says which commit to measure to find the one that caused a change. middle is that commit,
// and commits is the number of candidates between the entries after and before.
func Between(commits int, after, before, middle string, steps int) string {
	if commits == 0 {
		return fmt.Sprintf("%[2]s has the change, since no commit is between %[1]s and %[2]s", after, before)
	}
	text := fmt.Sprintf("measure %s: ", middle)
	if commits == 1 {
		return text + fmt.Sprintf("it is the only commit between %s and %s", after, before)
	}
	return text + fmt.Sprintf("it is in the middle of %s commits between %s and %s; %s find the commit", Count(commits), after, before, Some(steps, "measurement"))
}

// BetweenUnknown states that the commits between two entries are unknown.
func BetweenUnknown(after, before, why string) string {
	return fmt.Sprintf("the commits between %s and %s are not known: %s", after, before, why)
}

// Repeat formats the number of additional runs of an entry.
func Repeat(runs int, name string) string { return Some(runs, "more run") + " of " + name }

// Repeats says what more runs are for: to locate a change, if where is set, or to find out whether
// there is one.
func Repeats(entries []string, where bool) string {
	show := "a change"
	if where {
		show = "more exactly where the change is"
	}
	return strings.Join(entries, " and ") + " would show " + show + ", if they vary like the runs so far"
}

// NoRepeats says that a few more runs would not help, because the largest step is too small.
func NoRepeats(after, before string) string {
	return fmt.Sprintf("the largest step is between %s and %s; %d more runs there would not confirm it, if they vary like the runs so far", after, before, change.MostWanted)
}

// Uneven is the note if runs of the same entry are more alike than runs of different entries.
const Uneven = "runs of the same entry are more alike than runs of different entries, so each entry counts as one run: to show smaller changes, add entries, not runs"

// Alike is the note if the largest step may be a slow drift of conditions.
const Alike = "neighboring entries may be alike, so slowly changing conditions could cause the largest step: add entries on both sides to see whether it lasts, or record both commits in turn and compare them"

// TrendLegend explains a chart of a trend.
const TrendLegend = "● the median run of an entry, ├─┤ its 95% interval, · the runs"

// TrendPicture explains a drawing of a trend.
const TrendPicture = "A large point is the median run of an entry, its line is the 95% interval, and small points are the runs. A dashed line is a lasting change of the level. The scale may not begin at 0."

// TrendMethod names the method that finds changes.
const TrendMethod = "Changes by " + change.Method + "; docs/history.md has its assumptions"

// Judged says how many tasks and methods were tested together, and how many of them changed.
func Judged(judged, changed int, rate float64) string {
	if changed == 0 {
		return fmt.Sprintf("no evidence that any of %s tested together costs more or less (false discovery rate %s)", Count(judged)+" tasks and methods", percentOf(rate))
	}
	return fmt.Sprintf("%s of %s tasks and methods tested together cost more or less than before (false discovery rate %s)", Count(changed), Count(judged), percentOf(rate))
}

// Growth formats a growth with its sign, "new" for nil, which means no energy before.
func Growth(growth *float64) string {
	if growth == nil {
		return "new"
	}
	return signed(*growth)
}

// HistoryShown says how much growth of a run the next entry, and the next four entries, would
// detect. next and lasting are nil if not even a doubling is detected.
func HistoryShown(name string, entries, runs int, next, lasting *float64) string {
	text := fmt.Sprintf("%s (%s, %s each) ", name, Entries(entries), Some(runs, "run"))
	switch {
	case next == nil && lasting == nil:
		return text + "would show no growth yet"
	case next == nil:
		return text + fmt.Sprintf("would show a growth of %s after four entries, but not in the first", Percent(*lasting))
	case lasting == nil:
		return text + fmt.Sprintf("would show a growth of %s in the next entry", Percent(*next))
	}
	return text + fmt.Sprintf("would show a growth of %s in the next entry, and of %s after four", Percent(*next), Percent(*lasting))
}
