package words

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/repeats"
)

// Conditions says in which order repeated runs were made, and how noisy builds are.
func Conditions(c *analysis.Chance) string {
	text := "The order of the runs is unknown, since " + gap(c.Gap) + ": if one side was recorded first, a drift looks like a change"
	switch c.Order.Sequence {
	case repeats.InTurn:
		text = "Recorded in turn"
		if c.Order.Adjusted {
			text += fmt.Sprintf(", with a trend of %s per run removed", changeOf(c.Order.Trend, 1))
		}
	case repeats.OneAfterOther:
		text = "Recorded one side after the other: a drift cannot be separated from a change, so only differences larger than any plausible drift count"
	}
	if c.Builds.Source == analysis.BuildsCounted {
		return text + "; no noise between builds, since compilation does not change numbers of calls."
	}
	text += "; noise between builds: " + builds(&c.Builds)
	if c.Builds.Source == analysis.BuildsAssumed {
		text += ", so a total that differs by less than " + Percent(c.Hidden()) + " is never evidence (measure this noise with --equal-build, or state it with --builds)"
	}
	return text + "."
}

// gap states why the order of runs is unknown.
func gap(g analysis.OrderGap) string {
	switch g {
	case analysis.OtherClocks:
		return "their start times come from different clocks"
	case analysis.OtherBoots:
		return "they come from several phones, or a phone was restarted between them"
	case analysis.EqualStarts:
		return "all have the same start time"
	}
	return "some have no start time"
}

// builds states the noise between builds, and where the figure comes from.
func builds(b *analysis.BuildNoise) string {
	text := Percent(b.Total) + ", "
	switch b.Source {
	case analysis.BuildsStated:
		text += "as stated"
	case analysis.BuildsEqual:
		text += "from " + Some(b.Count, "recording") + " of equal builds"
	case analysis.BuildsHistory:
		text += "from " + Some(b.Count, "version") + " of the history"
	default:
		text += "assumed"
	}
	if b.Rows != b.Total {
		text += fmt.Sprintf(" (%s per row)", Percent(b.Rows))
	}
	return text
}

// practicalRuns is a number of runs that a developer can record by hand.
const practicalRuns = 10

// remedy says how many runs would detect a relevant difference. It begins with a space, and is ""
// if the verdict is clear.
func remedy(r *analysis.Result, h *finding.Headline) string {
	switch {
	case h.Verdict != finding.CannotTell || h.Elapsed || h.ByModel || h.Doubt == finding.LittleInCommon:
		return ""
	case h.Runs > 0:
		runs, share := Some(h.Runs, "run"), Percent(h.MinRelevant)
		if shown := r.Chance.Detectable(practicalRuns); h.Runs > practicalRuns && shown > 0 && !math.IsInf(shown, 0) {
			return fmt.Sprintf(" %s on each side would show a difference of %s, and %s a difference of %s.", Some(practicalRuns, "run"), Percent(shown), runs, share)
		}
		return fmt.Sprintf(" %s on each side would show a difference of %s.", runs, share)
	case r.Repeats != nil:
		return detectionLimit(r.Chance, h)
	}
	return ""
}

// detectionLimit says why even more runs would not detect a relevant difference. It begins with a
// space.
func detectionLimit(c *analysis.Chance, h *finding.Headline) string {
	if c.Order.Sequence == repeats.OneAfterOther {
		return " Record the sides in turn."
	}
	if c.Builds.Total == 0 {
		return ""
	}
	text := fmt.Sprintf(" With %s noise between builds, more runs do not show a difference of %s", Percent(c.Builds.Total), Percent(h.MinRelevant))
	if c.Builds.Source == analysis.BuildsAssumed {
		text += ", but recordings of equal builds (--equal-build) may show that this noise is smaller"
	}
	return text + "."
}
