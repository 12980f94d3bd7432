package meter

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// charge follows the battery's charge beside the energies of a table. A tool such as PowDroid makes its
// energies of the falls of that charge, so that they are as coarse as these: a step of the counter
// that took less of the table than it took of the battery makes powers that no phone has.
type charge struct {
	met bool
	// last is the latest charge in µAh, step the largest fall, at so many µV.
	last, step, voltage int64
	falls               int64
	// highest is the largest power of a row, in µW.
	highest int64
}

// coarse is how many steps make up what is drained at least, so that it is known well.
const coarse = 10

// note takes in a row.
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

// warning says how coarse what was drained is, nil where it is fine or nobody can tell.
func (c *charge) warning(drained int64) *trace.Warning {
	if !c.met {
		return nil
	}
	said := ""
	if c.falls == 0 {
		said = "does not fall within it, so that they rest on readings that the table does not have"
	} else {
		// A microampere-hour at a microvolt is 3.6 nJ.
		step := units.Energy(units.MulDiv(c.step, c.voltage, 10) * 36)
		if c.voltage <= 0 || int64(step) < drained/coarse {
			return nil
		}
		said = fmt.Sprintf("falls in steps of up to %s mAh, which is %s: what was drained is known to that grain alone", units.Fixed(float64(c.step)/1000, 0), amount(step))
	}
	if c.highest > 0 {
		said += fmt.Sprintf(", and the power of a row (up to %s W) is not what the device drew in it", units.Fixed(float64(c.highest)/1e6, 1))
	}
	return &trace.Warning{Code: "coarse-charge", Message: "the battery's charge, of which the table's energies are made, " + said}
}

func amount(e units.Energy) string {
	u := units.Suiting(e)
	return u.Format(e, 0) + " " + u.String()
}
