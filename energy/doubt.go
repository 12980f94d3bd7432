package energy

import (
	"fmt"
	"math/bits"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Unclocked is the code of the warning about the modelled energy of a recording without a thread
// clock.
const Unclocked = "wall-clock-energy"

// uncertain returns the energy that was charged for time in which threads may have waited.
func (m *meter) uncertain(t *trace.Trace) units.Energy {
	hi, lo := bits.Mul64(m.power, uint64(t.Usage.Unknown))
	if hi >= perNanojoule || t.Usage.Working == 0 && t.Usage.Unknown > 0 {
		return units.Energy(m.charged) // All charged energy is uncertain. Its sum was rounded per thread.
	}
	drained, _ := bits.Div64(hi, lo, perNanojoule)
	return units.Energy(min(drained, m.charged))
}

// unclocked returns the warning about the energy of a recording without a thread clock.
func (m *meter) unclocked(t *trace.Trace, uncertain units.Energy) string {
	unknown, all := t.Usage.Unknown, t.Usage.Unknown+t.Usage.Working
	if all == 0 && t.Usage.Unrecorded > 0 && t.Usage.Waiting == 0 {
		return noWork
	}
	message := "the recording has no thread clock: energy is elapsed time times power, without the time that is known to be waiting"
	if unknown > 0 {
		least, most := units.Energy(m.charged)-uncertain, units.Energy(m.charged)
		message = fmt.Sprintf("the recording has no thread clock: threads may have waited in %s of %s, so the processor used between %s and %s",
			units.FormatTime(int64(unknown)), units.FormatTime(int64(all)), joules(least), joules(most))
	}
	if m.opts.ThreadClock != "" {
		message += "; " + m.opts.ThreadClock
	}
	return message
}

// noWork explains why a recording has no energy of the processor.
const noWork = "the recording does not show when threads worked, so the processor gets no energy"

// joules formats an energy.
func joules(e units.Energy) string {
	switch {
	case e == 0:
		return "0"
	case e < 999_500:
		return fmt.Sprintf("%.3g µJ", float64(e)/1e3)
	case e < 9_999_500_000:
		return fmt.Sprintf("%.4g mJ", float64(e)/1e6)
	case e < 9_999_500*units.Millijoule:
		return fmt.Sprintf("%.4g J", float64(e)/1e9)
	}
	return fmt.Sprintf("%.0f J", float64(e)/1e9)
}

// unplaced returns the reason why no components are charged. unstated means that the recording has
// values without a unit, which are not energy.
func (m *meter) unplaced(unstated bool) string {
	if unstated {
		return "the recording has values that are neither energy nor time, so component energies cannot be added: the power model is not used"
	}
	if !m.source.Added() && m.source != trace.NoEnergy {
		return "the recording states its energy, which may include all components, so the power model is not used"
	}
	return "the recording has no wall clock, so the times of component use are unknown: only the processor gets energy; record with both clocks"
}
