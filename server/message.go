package server

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report"
	reportwords "github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/server/internal/workspace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// words writes figures for people, in the unit of the settings or in one that
// suits each figure.
type words struct {
	set  *finding.Set
	unit *units.Unit
}

// wordsOf are those of a snapshot's comparison.
func wordsOf(snap *workspace.Snapshot) words {
	return words{set: snap.Set, unit: snap.Preferences.Unit}
}

// energy writes an energy with its unit.
func (w words) energy(e units.Energy) string {
	unit := units.Nano
	if w.unit != nil {
		unit = *w.unit
	} else {
		switch size := max(e, -e); {
		case size >= units.Joule:
			unit = units.One
		case size >= units.Millijoule:
			unit = units.Milli
		case size >= units.Microjoule:
			unit = units.Micro
		}
	}
	return unit.Format(e, w.voltage()) + " " + unit.String()
}

// voltage is the battery's, by which energy is shown as charge.
func (w words) voltage() units.Voltage {
	return cmp.Or(w.set.Result.Voltage, units.DefaultVoltage)
}

func (w words) volts() float64 { return float64(w.voltage()) / float64(units.Volt) }

// An energyUnit tells clients how to show figures that are sent as they are.
type energyUnit struct {
	// Unit is the symbol of the settings' unit; empty is one that suits each figure.
	Unit string `json:"unit"`
	// Volts is the battery's voltage, by which energy is shown as charge.
	Volts float64 `json:"volts"`
}

func (w words) unitFor() energyUnit {
	u := energyUnit{Volts: w.volts()}
	if w.unit != nil {
		u.Unit = w.unit.String()
	}
	return u
}

// share writes an energy's part of the run.
func (w words) share(e units.Energy) string {
	percent := 100 * w.set.Share(e)
	switch {
	case percent >= 0.1:
		return fmt.Sprintf("%.1f %%", percent)
	case percent > 0:
		return "< 0.1 %"
	default:
		return "0 %"
	}
}

// counts says how many calls or samples a method of the subject has; empty if
// that is not known.
func (w words) counts(n int64) string {
	name := reportwords.Counts(w.set.Result.Subject.Trace.Calls)
	if n == 0 || name == "" {
		return ""
	}
	return plural(n, strings.TrimSuffix(name, "s"))
}

// plural writes a number of things.
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// task says what is wrong with a task, and what explains it, in one sentence.
func (w words) task(i int) string {
	t := &w.set.Result.Tasks[i]
	name := trace.Short(w.set.Tasks[i].Label)
	reference := reportwords.Name(w.set.Result.Reference.Path)
	var b strings.Builder
	if t.Found == eflask.Unmatched {
		fmt.Fprintf(&b, "%s drains %s (%s of the run)", name, w.energy(t.Energy), w.share(t.Energy))
		if n := w.counts(t.Calls); n != "" {
			b.WriteString(", " + n)
		}
		fmt.Fprintf(&b, "; %s does no such task", reference)
	} else {
		fmt.Fprintf(&b, "%s: %s here, %s in %s", name, w.energy(t.Energy), w.energy(t.PeerEnergy), reference)
		if t.PeerEnergy > 0 {
			fmt.Fprintf(&b, " (%s)", times(float64(t.Energy)/float64(t.PeerEnergy)))
		}
	}
	if why := report.Reason(t, w.set.Why(i), nil); why != "" {
		b.WriteString("; " + why)
	}
	if how := modelled(w.set.Result.Subject.Trace); how != "" {
		b.WriteString("; energy " + how)
	}
	return b.String()
}

// times writes a factor.
func times(f float64) string {
	switch {
	case f >= 10:
		return fmt.Sprintf("%.0f times", f)
	default:
		return fmt.Sprintf("%.1f times", f)
	}
}

// modelled says how figures came about that were not measured; empty for those
// that the recording states.
func modelled(t *trace.Trace) string {
	switch t.Energy {
	case trace.CPUTime:
		return "modelled from processor time"
	case trace.WallTime:
		return "modelled from elapsed time"
	}
	return ""
}

// lens is the text above a method or class, with what is to be saved in it.
func (w words) lens(c *finding.Cost, saving units.Energy) string {
	parts := []string{w.energy(c.Energy), w.share(c.Energy)}
	if saving > 0 {
		parts = append(parts, "could save "+w.energy(saving))
	}
	if n := w.counts(c.Calls); n != "" {
		parts = append(parts, n)
	}
	return strings.Join(parts, " · ")
}
