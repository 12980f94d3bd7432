// Package units holds the quantities that diffprof computes with: energy,
// power and voltage, as exact integers.
//
// Like [time.Duration], each is a count of a small unit, so that sums are exact
// and do not depend on their order. Fractions appear only when a value is
// shown. An [Energy] of 1<<63-1 nanojoules is 9.2 gigajoules, 150,000 charges of
// a phone, so sums of real runs cannot overflow; readers of foreign files check
// what they read with [Add].
package units

import (
	"fmt"
	"math"
	"math/big"
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

// Power is a rate of energy in microwatts. One microwatt held for a millisecond
// is one nanojoule.
type Power int64

// Common powers.
const (
	Microwatt Power = 1
	Milliwatt       = 1000 * Microwatt
	Watt            = 1000 * Milliwatt
)

// Voltage is an electric potential in microvolts. It turns energy into charge
// for people who think in battery capacity.
type Voltage int64

// Common voltages.
const (
	Microvolt Voltage = 1
	Volt      Voltage = 1_000_000

	// DefaultVoltage is the nominal voltage of a lithium-ion cell, which eprof
	// (EuroSys 2012, Section 6) uses to state energy as charge.
	DefaultVoltage = 3_700_000 * Microvolt
)

// Add returns a + b, and false if the sum leaves the range of an Energy.
func Add(a, b Energy) (Energy, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

// A Unit is a unit that energy is shown in. The zero Unit is the nanojoule.
type Unit uint8

// The units that energy can be shown in. MicroampereHour is a unit of charge: it
// needs a voltage, and is what the DiffProf paper reports.
const (
	Nano Unit = iota
	Micro
	Milli
	One
	MicroampereHour
)

var unitNames = [...]struct{ flag, symbol string }{
	Nano:            {"nJ", "nJ"},
	Micro:           {"uJ", "µJ"},
	Milli:           {"mJ", "mJ"},
	One:             {"J", "J"},
	MicroampereHour: {"uAh", "µAh"},
}

// UnitNames returns the names that [ParseUnit] reads, smallest unit first.
func UnitNames() []string {
	names := make([]string, len(unitNames))
	for i, n := range unitNames {
		names[i] = n.flag
	}
	return names
}

// ParseUnit reads the name of a unit: nJ, uJ, mJ, J or uAh; µ is read as u.
func ParseUnit(s string) (Unit, error) {
	plain := strings.NewReplacer("µ", "u", "μ", "u").Replace(s)
	for i, n := range unitNames {
		if plain == n.flag {
			return Unit(i), nil
		}
	}
	return 0, fmt.Errorf("unknown unit %q: use one of %s", s, strings.Join(UnitNames(), ", "))
}

// String returns the unit's symbol, such as µAh.
func (u Unit) String() string { return unitNames[u].symbol }

// Of returns how many of the unit e is; v matters to MicroampereHour alone.
func (u Unit) Of(e Energy, v Voltage) float64 {
	switch u {
	case Micro:
		return float64(e) / float64(Microjoule)
	case Milli:
		return float64(e) / float64(Millijoule)
	case One:
		return float64(e) / float64(Joule)
	case MicroampereHour:
		// 1 µAh is 3.6 mC, so at v µV it holds 3.6·v nJ.
		return float64(e) / (3.6 * float64(v))
	default:
		return float64(e)
	}
}

// Energy returns the energy of x units, rounded to the nearest nanojoule, and
// false if it is not finite or leaves the range of an Energy.
func (u Unit) Energy(x float64, v Voltage) (Energy, bool) {
	var nj float64
	switch u {
	case Micro:
		nj = x * float64(Microjoule)
	case Milli:
		nj = x * float64(Millijoule)
	case One:
		nj = x * float64(Joule)
	case MicroampereHour:
		nj = x * 3.6 * float64(v)
	default:
		nj = x
	}
	nj = math.Round(nj)
	if math.IsNaN(nj) || nj >= math.MaxInt64 || nj <= math.MinInt64 {
		return 0, false
	}
	return Energy(nj), true
}

// Format writes e in the unit with three significant digits or more, without
// the unit's symbol: what stands in a column. A value of 1000 or more keeps all
// of its integer digits; zero is "0".
func (u Unit) Format(e Energy, v Voltage) string {
	if e == 0 {
		return "0"
	}
	if u == Nano {
		return strconv.FormatInt(int64(e), 10)
	}
	x := u.Of(e, v)
	digits := 2
	switch abs := math.Abs(x); {
	case abs >= 99.95:
		digits = 0
	case abs >= 9.995:
		digits = 1
	case abs < 0.001:
		return strconv.FormatFloat(x, 'g', 2, 64)
	case abs < 0.1:
		digits = 4
	case abs < 1:
		digits = 3
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// ParseVoltage reads a voltage in volts, such as "3.7".
func ParseVoltage(s string) (Voltage, error) {
	x, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "V"), 64)
	if err != nil || math.IsNaN(x) || x <= 0 || x > 1000 {
		return 0, fmt.Errorf("voltage %q is not a number of volts above 0 and up to 1000", s)
	}
	return Voltage(math.Round(x * float64(Volt))), nil
}

// Share returns part/total as a fraction, 0 where total is 0.
func Share(part, total Energy) float64 {
	if total == 0 {
		return 0
	}
	return float64(part) / float64(total)
}

// MulDiv returns a·b/c rounded toward negative infinity, exact where a·b
// overflows, and saturated where the result would. c must be positive.
func MulDiv(a, b, c int64) int64 {
	if hi := a * b; a == 0 || (hi/a == b && !(a == -1 && b == math.MinInt64)) {
		q := hi / c
		if hi%c < 0 {
			q--
		}
		return q
	}
	p := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	// Div is Euclidean division, which floors for a positive divisor.
	p.Div(p, big.NewInt(c))
	if p.IsInt64() {
		return p.Int64()
	}
	if p.Sign() < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}
