package words

import (
	"fmt"
	"strings"
	"time"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/bundle"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// durationText formats a time for a sentence.
func durationText(d time.Duration) string { return units.FormatTime(int64(d)) }

// between formats a range of times.
func between(least, most time.Duration) string {
	if durationText(least) == durationText(most) {
		return durationText(least)
	}
	return durationText(least) + " to " + durationText(most)
}

// CountReason explains why a component was switched on so often: it went idle in between. It
// returns "" for a component without a tail, or one that never went idle.
func CountReason(b *bundle.Bundle) string {
	tail := meanTail(b)
	if b.Count < 2 || b.Rests == 0 || b.Others || tail == 0 {
		return ""
	}
	text := fmt.Sprintf("the component went idle %s after a tail of %s, and became active again %s later", times(b.Rests), durationText(tail), between(b.ShortestRest, b.LongestRest))
	if b.Rested/time.Duration(b.Rests) <= tail {
		text += ": the gaps are hardly longer than the tail"
	}
	return text + "."
}

// meanTail returns the mean time that the component stays on after its work.
func meanTail(b *bundle.Bundle) time.Duration {
	tails := -b.Waited
	for _, s := range b.States {
		if s.Kind == model.Tail {
			tails += s.Time
		}
	}
	return max(tails/time.Duration(b.Count), 0)
}

// LengthReason explains why a component stayed on for long: the app did other work between
// operations. It returns "" if it did not.
func LengthReason(b *bundle.Bundle, ran []string) string {
	if b.Waits == 0 {
		return ""
	}
	text := fmt.Sprintf("there is other work between the I/O operations: the component waited %s for the next operation, for %s in all", times(b.Waits), durationText(b.Waited))
	if len(ran) > 0 {
		text += ", while " + strings.Join(ran[:min(len(ran), 3)], ", ") + " ran"
	}
	return text + "."
}

func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// WasteHeading returns the heading of findings about wasted energy: of failures, or of doubtful
// findings.
func WasteHeading(doubt bool) string {
	if doubt {
		return "Possibly used for nothing (does not fail a build)"
	}
	return "Energy used for nothing"
}

// Waste describes a finding about wasted energy, and a remedy.
func Waste(w *finding.Waste, in *analysis.Input) string {
	who := "a call that the recording does not show"
	if len(w.Path) > 0 {
		who = w.Method.Short()
	}
	share := Percent(units.Share(w.Saving.Most, in.Energy))
	switch w.Code {
	case finding.HeldWakelock, finding.LeftOn:
		did, undo := "turned it on", "Turning it off"
		if w.Code == finding.HeldWakelock {
			did, undo = "acquired it", "Releasing it"
		}
		text := fmt.Sprintf("%s was on for %s; %s %s", w.Component, durationText(w.Held), who, did)
		if w.Open > 0 {
			text += ", and it was still on when recording stopped"
		}
		if w.Idle > 0 && w.Idle < w.Held {
			text += fmt.Sprintf("; the app did nothing for the last %s", durationText(w.Idle))
		}
		if w.Caveat == finding.Unfinished {
			return text + fmt.Sprintf(". The use may be unfinished, so this is no failure. %s once nothing uses it saves up to %s.", undo, share)
		}
		return text + fmt.Sprintf(". %s as soon as the work is done saves up to %s.", undo, share)
	case finding.RepeatedIO:
		_, _, waited := wakeups(w, in)
		return fmt.Sprintf("%s uses %s %s, with other work in between: the component waits %s in all. Doing all operations at once saves up to %s.", who, w.Component, times(w.Operations), durationText(waited), share) + modelRange(w)
	default:
		count, waits, waited := wakeups(w, in)
		text := fmt.Sprintf("%s becomes active %s, and each time a tail follows", w.Component, times(count))
		if count == 1 {
			text = fmt.Sprintf("%s waits %s for the next operation, for %s in all", w.Component, times(waits), durationText(waited))
		}
		return text + fmt.Sprintf("; %s causes most of the tails. Doing the operations together saves up to %s.", who, share) + modelRange(w)
	}
}

// modelRange says how much the finding would save under other power models.
func modelRange(w *finding.Waste) string {
	if w.Caveat != finding.ModelChoice {
		return ""
	}
	others := make([]string, len(w.Others))
	for i, o := range w.Others {
		others[i] = Percent(o.Share) + " under " + o.Model
	}
	return " This depends on the choice of the power model: it saves " + strings.Join(others, ", ") + "."
}

// wakeups counts the active periods of a finding. It also counts the component's waits for the next
// operation, and their total time.
func wakeups(w *finding.Waste, in *analysis.Input) (count, waits int64, waited time.Duration) {
	for _, i := range w.Bundles {
		b := &in.Bundles.List[i]
		count, waits, waited = count+b.Count, waits+b.Waits, waited+b.Waited
	}
	return count, waits, waited
}

// NothingWasted says that no wasted energy was found, or that it cannot be found without energy by
// component.
func NothingWasted(in *analysis.Input) string {
	if in.Bundles == nil {
		return "The recording has no energy by component, so waste of components is not known."
	}
	return "No component was found to use energy for nothing."
}

// Bundled says how much of the energy is in bundles (active periods of components).
func Bundled(share float64, distinct, all int64) string {
	text := fmt.Sprintf("%s of the energy in %s", Percent(share), Some(all, "bundle"))
	if distinct < all {
		text += fmt.Sprintf(", %s of them different", Count(distinct))
	}
	return text
}
