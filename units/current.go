package units

import "strconv"

// Current is an electric current in nanoamperes. Power profiles state currents. A current times a
// voltage is a power.
type Current int64

// Common currents.
const (
	Nanoampere  Current = 1
	Milliampere         = 1_000_000 * Nanoampere
	Ampere              = 1000 * Milliampere
)

// Power returns the power of a current at a voltage, rounded down to a microwatt. Neither
// may be negative.
func (c Current) Power(v Voltage) Power {
	// A nanoampere times a microvolt is a femtowatt.
	return Power(MulDiv(int64(c), int64(v), 1_000_000_000))
}

// Milliamperes formats a current in milliamperes, exactly and without the unit.
func (c Current) Milliamperes() string {
	return strconv.FormatFloat(float64(c)/float64(Milliampere), 'f', -1, 64)
}
