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

// lasts writes a time for a sentence.
func lasts(d time.Duration) string { return units.FormatTime(int64(d)) }

// between writes a range of times.
func between(least, most time.Duration) string {
	if lasts(least) == lasts(most) {
		return lasts(least)
	}
	return lasts(least) + " to " + lasts(most)
}

// WhyMany says why a component was away from rest so often: what lay between two bundles,
// beside the tail that a bundle ends with. It is empty where the component never rested
// before, or has no tail.
func WhyMany(b *bundle.Bundle) string {
	tail := ending(b)
	if b.Count < 2 || b.Rests == 0 || b.Others || tail == 0 {
		return ""
	}
	said := fmt.Sprintf("the component went to rest %s after a tail of %s, and was woken %s later", times(b.Rests), lasts(tail), between(b.ShortestRest, b.LongestRest))
	if b.Rested/time.Duration(b.Rests) <= tail {
		said += ": the gaps are little longer than the tail"
	}
	return said + "."
}

// ending is how long the tail is that ends a bundle.
func ending(b *bundle.Bundle) time.Duration {
	tails := -b.Waited
	for _, s := range b.States {
		if s.Kind == model.Tail {
			tails += s.Time
		}
	}
	return max(tails/time.Duration(b.Count), 0)
}

// WhyLong says why each bundle lasts so long: what the app did between two operations. It is
// empty where nothing lay between them.
func WhyLong(b *bundle.Bundle, ran []string) string {
	if b.Waits == 0 {
		return ""
	}
	said := fmt.Sprintf("work lies between the I/O: the component waited %s for the next operation, %s in all", times(b.Waits), lasts(b.Waited))
	if len(ran) > 0 {
		said += ", while " + strings.Join(ran[:min(len(ran), 3)], ", ") + " ran"
	}
	return said + "."
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

// Waste says what a component drains for nothing, and what would help.
func Waste(w *finding.Waste, in *analysis.Input) string {
	who := "a call that the recording does not show"
	if len(w.Path) > 0 {
		who = w.Method.Short()
	}
	share := Percent(units.Share(w.Saving.Most, in.Energy))
	switch w.Code {
	case finding.HeldWakelock, finding.LeftOn:
		did := "turned it on"
		if w.Code == finding.HeldWakelock {
			did = "acquired it"
		}
		said := fmt.Sprintf("%s was on for %s; %s %s", w.Component, lasts(w.Held), who, did)
		if w.Open > 0 {
			said += ", and nothing ended that before the recording did"
		}
		if w.Idle > 0 && w.Idle < w.Held {
			said += fmt.Sprintf("; for the last %s its thread did nothing", lasts(w.Idle))
		}
		return said + fmt.Sprintf(". Ending it as soon as the work is done saves up to %s.", share)
	case finding.RepeatedIO:
		_, _, waited := woken(w, in)
		return fmt.Sprintf("%s asks %s %s, with other work in between, for which it waits %s in all. Asking for all at once saves up to %s.", who, w.Component, times(w.Asked), lasts(waited), share)
	default:
		count, waits, waited := woken(w, in)
		said := fmt.Sprintf("%s is woken %s, and each time a tail follows", w.Component, times(count))
		if count == 1 {
			said = fmt.Sprintf("%s waits %s for the next operation, %s in all", w.Component, times(waits), lasts(waited))
		}
		return said + fmt.Sprintf("; %s has most of the tails. Drafting the operations together saves up to %s.", who, share)
	}
}

// woken counts the bundles of a waste, and how often and how long they waited for the next
// operation.
func woken(w *finding.Waste, in *analysis.Input) (count, waits int64, waited time.Duration) {
	for _, i := range w.Bundles {
		b := &in.Bundles.List[i]
		count, waits, waited = count+b.Count, waits+b.Waits, waited+b.Waited
	}
	return count, waits, waited
}

// NothingWasted says that nothing is found that a run's components drain for nothing, or that
// nobody looked.
func NothingWasted(in *analysis.Input) string {
	if in.Bundles == nil {
		return "No component was charged, so that nothing is known of what components drain for nothing."
	}
	return "Nothing is found that components drain for nothing."
}

// Bundled says how much of a run bundles drained.
func Bundled(share float64, distinct, all int64) string {
	said := fmt.Sprintf("%s of the energy in %s", Percent(share), Some(all, "bundle"))
	if distinct < all {
		said += fmt.Sprintf(", %s of them unlike", Count(distinct))
	}
	return said
}
