package batterystats

import (
	"fmt"
	"strings"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// The codes of warnings about Android's estimate.
const (
	EmulatorCode = "power-estimate-emulator"
	DrainCode    = "power-estimate-drain"
	SingleCode   = "power-estimate-component"
	SectionsCode = "power-estimate-sections"
	LinesCode    = "power-estimate-lines"
)

// placeholder is the battery capacity in Android's generic power profile. Devices without their own
// profile have this capacity.
const placeholder = 1000 * units.MilliampereHour

// Warnings returns a warning for each reason not to trust the estimate.
func (u *Usage) Warnings() []trace.Warning {
	var list []trace.Warning
	warn := func(code, format string, args ...any) {
		list = append(list, trace.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case u.Emulator:
		warn(EmulatorCode, "Android's estimate is from an emulator, which has no battery: its figures are invented")
	case u.Capacity == placeholder:
		warn(EmulatorCode, "the battery of Android's estimate has %s, the capacity of Android's placeholder for a missing power profile: its figures mean little", u.Capacity)
	}
	// The battery reports its charge in hundredths of the capacity.
	step := u.Capacity / 100
	if u.ActualMost > 0 && (u.Computed < u.ActualLeast-step || u.Computed > u.ActualMost+step) {
		warn(DrainCode, "Android computes a use of %s, and the battery lost %s: do not trust the shares of components", u.Computed, u.Actual())
	}
	for i := range u.Users {
		for _, c := range u.Users[i].Components {
			if c.Name != "cpu" && c.Name != "screen" && 2*c.Charge > u.Computed && u.Computed > 0 {
				warn(SingleCode, "Android's estimate has %s of %s for %s of uid %s alone, which few phones can use", c.Charge, u.Computed, c.Name, u.Users[i].UID)
			}
		}
	}
	if u.Differ {
		warn(SectionsCode, "the dump has %d different estimates; the first one is shown", u.Sections)
	}
	if u.Odd > 0 {
		warn(LinesCode, "%d lines of Android's estimate could not be read", u.Odd)
	}
	return list
}

// Actual formats the charge that the battery lost: "750 to 760 mAh".
func (u *Usage) Actual() string {
	if u.ActualLeast == u.ActualMost {
		return u.ActualMost.String()
	}
	return fmt.Sprintf("%s to %s", strings.TrimSuffix(u.ActualLeast.String(), " mAh"), u.ActualMost)
}
