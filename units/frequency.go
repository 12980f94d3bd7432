package units

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Frequency is a number of events per second, in hertz.
type Frequency int64

// Common frequencies.
const (
	Hertz     Frequency = 1
	Kilohertz           = 1000 * Hertz
	Megahertz           = 1000 * Kilohertz
	Gigahertz           = 1000 * Megahertz
)

// frequencyUnits are the units in which frequencies are read and shown, the largest first.
var frequencyUnits = [...]struct {
	name string
	is   Frequency
}{{"GHz", Gigahertz}, {"MHz", Megahertz}, {"kHz", Kilohertz}, {"Hz", Hertz}}

// ParseFrequency reads a frequency with its unit, such as "2.4GHz" or "1500 MHz". It must
// be above 0 and up to 1000 GHz.
func ParseFrequency(s string) (Frequency, error) {
	for _, u := range frequencyUnits {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		x, err := Decimal(strings.TrimSpace(number), int64(u.is), 1)
		if f := Frequency(x); err == nil && f > 0 && f <= 1000*Gigahertz {
			return f, nil
		}
		break
	}
	return 0, fmt.Errorf("frequency %q is not a number above 0 with its unit, such as 2.4GHz or 1500MHz", s)
}

// String formats the frequency in the largest unit that is not greater than it, such as "2.4
// GHz".
func (f Frequency) String() string {
	for _, u := range frequencyUnits {
		if f >= u.is {
			return trimZeros(fmt.Sprintf("%.9f", float64(f)/float64(u.is))) + " " + u.name
		}
	}
	return "0 Hz"
}

func trimZeros(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// Period returns the duration of some cycles in whole nanoseconds. left is the remainder below a
// nanosecond, in units of 1/f nanoseconds. A caller passes it as rest to the next call, so that
// remainders are not lost. The frequency must be positive, and cycles must not be negative. If the
// duration does not fit, Period returns the longest duration that fits.
func (f Frequency) Period(cycles int64, rest uint64) (ns int64, left uint64) {
	high, low := bits.Mul64(uint64(cycles), 1e9)
	low, carry := bits.Add64(low, rest, 0)
	if high += carry; high >= uint64(f) {
		return math.MaxInt64, 0
	}
	q, left := bits.Div64(high, low, uint64(f))
	if q > math.MaxInt64 {
		return math.MaxInt64, 0
	}
	return int64(q), left
}
