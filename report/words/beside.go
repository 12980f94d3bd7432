package words

import (
	"fmt"
	"math"

	"github.com/diffprof/diffprof/ingest/align"
	"github.com/diffprof/diffprof/units"
)

// Place describes how a second recording is aligned with the run.
func Place(p align.Place) string {
	begins := "begins " + units.FormatTime(int64(p.Shift)) + " after the run"
	switch {
	case p.Shift == 0:
		begins = "begins with the run"
	case p.Shift < 0:
		begins = "begins " + units.FormatTime(-int64(p.Shift)) + " before the run"
	}
	off := ""
	if p.Residual > 0 {
		off = ", within " + units.FormatTime(int64(p.Residual))
	}
	switch p.By {
	case "clock":
		return fmt.Sprintf("%s, by the %s clock%s", begins, p.Clock, off)
	case "bursts":
		drift := ""
		if p.Drift != 0 {
			pace := "slow"
			if p.Drift < 0 {
				pace = "fast"
			}
			drift = fmt.Sprintf("; its clock is %s ±%s ppm %s", units.Fixed(1e6*math.Abs(p.Drift), 0), units.Fixed(1e6*p.DriftResidual, 0), pace)
		}
		return fmt.Sprintf("%s, by bursts of load%s (correlation %s)%s", begins, off, units.Fixed(p.Correlation, 2), drift)
	case "activity":
		return fmt.Sprintf("%s, by its activity%s (correlation %s)", begins, off, units.Fixed(p.Correlation, 2))
	}
	return begins + ", as given"
}
