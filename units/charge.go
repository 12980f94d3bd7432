package units

import (
	"fmt"
	"strings"
)

// Charge is an electric charge in nanoampere-hours.
type Charge int64

// MilliampereHour is the usual unit of battery capacities.
const MilliampereHour Charge = 1_000_000

// ParseCharge reads a battery's capacity with its unit, such as "3000mAh" or "4.5 Ah". It must
// be above 0 and up to 1000 Ah.
func ParseCharge(s string) (Charge, error) {
	for _, u := range []struct {
		name string
		is   Charge
	}{{"mAh", MilliampereHour}, {"µAh", MilliampereHour / 1000}, {"uAh", MilliampereHour / 1000}, {"Ah", 1000 * MilliampereHour}} {
		number, ok := strings.CutSuffix(strings.TrimSpace(s), u.name)
		if !ok {
			continue
		}
		x, err := Decimal(strings.TrimSpace(number), int64(u.is), 1)
		if c := Charge(x); err == nil && c > 0 && c <= 1_000_000*MilliampereHour {
			return c, nil
		}
		break
	}
	return 0, fmt.Errorf("charge %q is not a number above 0 with its unit, such as 3000mAh", s)
}

// String shows the charge in milliampere-hours, such as "3000 mAh".
func (c Charge) String() string {
	return trimZeros(fmt.Sprintf("%.6f", float64(c)/float64(MilliampereHour))) + " mAh"
}

// Energy returns the energy of the charge at voltage v. A voltage of 0 means DefaultVoltage.
func (c Charge) Energy(v Voltage) Energy {
	if v == 0 {
		v = DefaultVoltage
	}
	// 1 nAh is 3.6 µC, and at v µV it holds 3.6·v pJ.
	return Energy(MulDiv(int64(c), 36*int64(v), 10_000))
}

// Charge returns the charge that holds an energy at voltage v, rounded down. A voltage of 0 means
// DefaultVoltage.
func (e Energy) Charge(v Voltage) Charge {
	if v == 0 {
		v = DefaultVoltage
	}
	return Charge(MulDiv(int64(e), 10_000, 36*int64(v)))
}
