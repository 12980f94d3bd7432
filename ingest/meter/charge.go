package meter

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// charge checks the energies of a table against the battery's charge. A tool such as PowDroid
// computes energies from the battery's charge counter, so they are only as precise as the counter's
// steps. If a whole step is assigned to a short row, the row's power is too high.
type charge struct {
	met bool
	// last is the latest charge in µAh. step is the largest fall of the charge between two rows.
	// voltage is the voltage at that fall, in µV.
	last, step, voltage int64
	falls               int64
	// highest is the largest power of a row, in µW.
	highest int64
}

// coarse is how many steps of the counter the total energy must exceed to be accurate.
const coarse = 10

// note records the charge and the power of a row.
func (c *charge) note(r *row) {
	c.highest = max(c.highest, r.power)
	if !r.charged {
		return
	}
	if fall := c.last - r.charge; c.met && fall > 0 {
		c.falls++
		if fall > c.step {
			c.step, c.voltage = fall, r.voltage
		}
	}
	c.met, c.last = true, r.charge
}

// warning returns a warning if the counter's steps are large compared with the total energy, or if
// the charge never falls. Otherwise it returns nil.
func (c *charge) warning(drained int64) *trace.Warning {
	if !c.met {
		return nil
	}
	message := ""
	if c.falls == 0 {
		message = "does not fall within the table, so the energies come from readings that the table does not have"
	} else {
		// A microampere-hour at a microvolt is 3.6 nJ.
		step := units.Energy(units.MulDiv(c.step, c.voltage, 10) * 36)
		if c.voltage <= 0 || int64(step) < drained/coarse {
			return nil
		}
		message = fmt.Sprintf("falls in steps of up to %s mAh, which is %s: the energy is only known to that accuracy", units.Fixed(float64(c.step)/1000, 0), amount(step))
	}
	if c.highest > 0 {
		message += fmt.Sprintf(", and the power of a row (up to %s W) is not the actual power", units.Fixed(float64(c.highest)/1e6, 1))
	}
	return &trace.Warning{Code: "coarse-charge", Message: "the battery's charge, from which the table's energies are computed, " + message}
}

func amount(e units.Energy) string {
	u := units.BestUnit(e)
	return u.Format(e, 0) + " " + u.String()
}
