package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// Scale returns the scale of all figures of a trend.
func (r *Trend) Scale(o Options) words.Scale {
	unit := o.Unit
	if r.Unit == UnknownUnit {
		plain := units.Plain
		unit = &plain
	}
	return words.ScaleFor(unit, cmp.Or(o.Voltage, units.DefaultVoltage), r.Peak())
}

// Scope names what the trend is about: app, device, scenario and number of measurements.
func (r *Trend) Scope() string {
	runs := 0
	for _, e := range r.Entries {
		runs += e.Runs
	}
	parts := []string{words.Entries(len(r.Entries)), words.Some(runs, "run")}
	for _, name := range []string{r.App, r.Device, r.Scenario} {
		if name != "" {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ", ")
}

// maxLineText limits the characters of source text in the name of a line.
const maxLineText = 60

// Name returns the name of a series for people: a method, a line, a task with the method that calls
// it, or the whole run.
func (r *Trend) Name(s *TrendSeries) string {
	switch {
	case s.Method == "":
		return "the whole run"
	case s.Line > 0:
		text := []rune(s.Text)
		if len(text) > maxLineText {
			text = append(text[:maxLineText-1:maxLineText-1], '…')
		}
		return fmt.Sprintf("%s:%d (%s)", r.Methods.Short(s.Method), s.Line, string(text))
	case len(s.Path) > 2:
		return r.Methods.Short(s.Method) + ", from " + r.Methods.Short(s.Path[len(s.Path)-2])
	}
	return r.Methods.Short(s.Method)
}

// Verdict says since which entry a series costs more or less, how much, and how likely this is
// chance. Without evidence, it says that nothing changed.
func (r *Trend) Verdict(s *TrendSeries, scale words.Scale) string {
	c := s.Latest()
	if c == nil {
		runs := 0
		for _, p := range s.Points {
			runs += len(p.Runs)
		}
		return words.SteadyTrend(len(s.Points), runs, s.Q)
	}
	return "costs " + r.Change(c, scale) + "; " + words.Chance(c.P)
}

// Change says how much a series changed, and since which entry.
func (r *Trend) Change(c *TrendChange, scale words.Scale) string {
	name := func(entry int) string { return r.Entries[entry].Name }
	return words.LastingChange(c.Difference, c.Least, c.Most, c.Growth, scale) + ", " + words.Since(name(c.Entry), name(c.Earliest), name(c.Latest))
}

// Advice describes the next runs to measure for a series. It may be empty.
func (r *Trend) Advice(s *TrendSeries) []string {
	n := s.Next
	if n == nil {
		return nil
	}
	var sentences []string
	after, before := r.Entries[n.After].Name, r.Entries[n.Before].Name
	switch {
	case s.Latest() == nil:
	case n.Commits == nil:
		sentences = append(sentences, words.BetweenUnknown(after, before, n.Unknown))
	default:
		sentences = append(sentences, words.Between(*n.Commits, after, before, n.Middle[:min(len(n.Middle), 10)], n.Steps))
	}
	var repeats []string
	for _, more := range n.Repeats {
		repeats = append(repeats, words.Repeat(more.Runs, r.Entries[more.Entry].Name))
	}
	switch {
	case s.Alike && s.Latest() == nil:
		sentences = append(sentences, words.Alike)
	case s.Uneven && s.Latest() == nil:
		sentences = append(sentences, words.Uneven)
	case repeats != nil:
		sentences = append(sentences, words.Repeats(repeats, s.Latest() != nil))
	case s.Latest() == nil:
		sentences = append(sentences, words.NoRepeats(after, before))
	}
	return sentences
}
