// Package units defines the quantities that diffprof computes with, such as energy, power and
// voltage.
//
// Like [time.Duration], each quantity is a count of a small unit, so sums are exact and independent
// of their order. Fractions appear only when a value is shown. An [Energy] of 1<<63-1 nanojoules is
// 9.2 gigajoules, or 150,000 charges of a phone. Sums of real runs cannot overflow. Decoders check
// the values of their files with [Add].
package units

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Energy is an amount of energy in nanojoules.
type Energy int64

// Common energies.
const (
	Nanojoule  Energy = 1
	Microjoule        = 1000 * Nanojoule
	Millijoule        = 1000 * Microjoule
	Joule             = 1000 * Millijoule
)

// Power is a rate of energy in microwatts. One microwatt over one millisecond is one nanojoule.
type Power int64

// Common powers.
const (
	Microwatt Power = 1
	Milliwatt       = 1000 * Microwatt
	Watt            = 1000 * Milliwatt
)

// Voltage is an electric potential in microvolts. It converts between energy and charge. Battery
// capacities are usually stated as charge.
type Voltage int64

// Common voltages.
const (
	Microvolt Voltage = 1
	Volt      Voltage = 1_000_000

	// DefaultVoltage is the nominal voltage of a lithium-ion cell, which eprof
	// (EuroSys 2012, Section 6) uses to state energy as charge.
	DefaultVoltage = 3_700_000 * Microvolt
)

// Add returns a + b. It returns false if the sum leaves the range of an Energy.
func Add(a, b Energy) (Energy, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

// A Unit is a unit for showing energy. The zero Unit is the nanojoule.
type Unit uint8

// The units of energy. MicroampereHour is a unit of charge, so it needs a voltage. The DiffProf
// paper states energy in this unit.
const (
	Nano Unit = iota
	Micro
	Milli
	One
	MicroampereHour
	// Plain is for files that do not state the unit of their numbers. The numbers are shown
	// unchanged.
	Plain
)

var unitNames = [...]struct{ flag, symbol string }{
	Nano:            {"nJ", "nJ"},
	Micro:           {"uJ", "µJ"},
	Milli:           {"mJ", "mJ"},
	One:             {"J", "J"},
	MicroampereHour: {"uAh", "µAh"},
	Plain:           {"", "units"},
}

// UnitNames returns the names that [ParseUnit] reads, the smallest unit first. Plain has no name
// because users never choose it.
func UnitNames() []string {
	names := make([]string, 0, len(unitNames))
	for _, n := range unitNames[:Plain] {
		names = append(names, n.flag)
	}
	return names
}

// ParseUnit reads the name of a unit: nJ, uJ, mJ, J or uAh. It reads µ as u.
func ParseUnit(s string) (Unit, error) {
	plain := strings.NewReplacer("µ", "u", "μ", "u").Replace(s)
	for i, n := range unitNames[:Plain] {
		if plain == n.flag {
			return Unit(i), nil
		}
	}
	return 0, fmt.Errorf("unknown unit %q: use one of %s", s, strings.Join(UnitNames(), ", "))
}

// String returns the unit's symbol, such as µAh.
func (u Unit) String() string { return unitNames[u].symbol }

// Scale returns the number of nanojoules in one unit, as the fraction num/den. v matters only for
// MicroampereHour.
func (u Unit) Scale(v Voltage) (num, den int64) {
	switch u {
	case Micro:
		return int64(Microjoule), 1
	case Milli:
		return int64(Millijoule), 1
	case One:
		return int64(Joule), 1
	case MicroampereHour:
		// 1 µAh is 3.6 mC, so at v µV it holds 3.6·v nJ.
		return 36 * int64(v), 10
	default:
		return 1, 1
	}
}

// BestUnit returns the unit in which total has one to four digits before the point. In this unit,
// the parts of total have few zeros after the point.
func BestUnit(total Energy) Unit {
	switch {
	case total >= 10*Joule:
		return One
	case total >= 10*Millijoule:
		return Milli
	case total >= 10*Microjoule:
		return Micro
	default:
		return Nano
	}
}

// Amount returns e in the unit u. v matters only for MicroampereHour, and must then be positive.
func (u Unit) Amount(e Energy, v Voltage) float64 {
	num, den := u.Scale(v)
	return float64(e) / (float64(num) / float64(den))
}

// Format formats e in the unit u with three significant digits and without the unit's symbol. It is
// for columns of figures. A value of 1000 or more keeps all its integer digits. Nanojoules are
// whole, and zero is "0".
func (u Unit) Format(e Energy, v Voltage) string {
	if e == 0 {
		return "0"
	}
	if u == Nano || u == Plain {
		return strconv.FormatInt(int64(e), 10)
	}
	x := u.Amount(e, v)
	abs := math.Abs(x)
	if abs < 0.0009995 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	// Above each bound, one more digit would round up to a fourth significant digit.
	digits := 0
	for _, bound := range [...]float64{99.95, 9.995, 0.9995, 0.09995, 0.009995} {
		if abs >= bound {
			break
		}
		digits++
	}
	return Fixed(x, digits)
}

// Fixed formats x with the given number of digits after the point, rounded to the nearest. Halves
// round away from zero, as in JavaScript's toFixed.
func Fixed(x float64, digits int) string {
	twice := 2 * math.Pow10(digits)
	halves := x * twice
	if exact := math.FMA(x, twice, -halves) == 0; exact && math.Mod(math.Abs(halves), 2) == 1 {
		x = math.Nextafter(x, math.Copysign(math.Inf(1), x))
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// FormatTime formats nanoseconds with three significant digits and a unit, as in "21 ms".
func FormatTime(ns int64) string {
	switch {
	case ns < 1_000:
		return fmt.Sprintf("%d ns", ns)
	case ns < 999_500:
		return fmt.Sprintf("%.3g µs", float64(ns)/1e3)
	case ns < 999_500_000:
		return fmt.Sprintf("%.3g ms", float64(ns)/1e6)
	case ns < 99_950_000_000:
		return fmt.Sprintf("%.3g s", float64(ns)/1e9)
	default:
		return fmt.Sprintf("%.0f s", float64(ns)/1e9)
	}
}

// ParseVoltage reads a voltage in volts, such as "3.7" or "3.7V".
func ParseVoltage(s string) (Voltage, error) {
	x, err := Decimal(strings.TrimRight(strings.TrimSpace(s), " V"), int64(Volt), 1)
	if v := Voltage(x); err == nil && v > 0 && v <= 1000*Volt {
		return v, nil
	}
	return 0, fmt.Errorf("voltage %q is not a number of volts above 0 and up to 1000", s)
}

// Share returns part/total as a fraction. It returns 0 if total is 0.
func Share(part, total Energy) float64 {
	if total == 0 {
		return 0
	}
	return float64(part) / float64(total)
}

// MulDiv returns a·b/c rounded toward negative infinity. It is exact even where a·b overflows. If
// the result does not fit, MulDiv returns the nearest int64. c must be positive.
func MulDiv(a, b, c int64) int64 {
	// Most products fit in 64 bits. Dividing those is faster.
	if a|b >= 0 {
		if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo <= math.MaxInt64 {
			return int64(lo) / c
		}
	}
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	q, rest := uint64(math.MaxUint64), uint64(0)
	if hi < uint64(c) { // otherwise the quotient has more than 64 bits
		q, rest = bits.Div64(hi, lo, uint64(c))
	}
	switch {
	case !negative:
		return int64(min(q, math.MaxInt64))
	case q > math.MaxInt64:
		return math.MinInt64
	case rest > 0:
		return -int64(q) - 1
	}
	return -int64(q)
}

// magnitude returns the absolute value of a.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
