package words

import (
	"fmt"
	"math"
	"strings"
)

// TwoDigits writes a number with at most two digits that say something.
func TwoDigits(x float64) string {
	if x == 0 || math.Abs(x) < 1e-12 {
		return "0"
	}
	digits := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-1)
	x = math.Round(x/digits) * digits
	if math.Abs(x) >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.8f", x), "0"), ".")
}

// MinutesBetween writes minutes with their error: "48 ± 13 min". The ends of an interval of a life
// are not equally far; the farther counts.
func MinutesBetween(minutes, least, most float64) string {
	return TwoDigits(minutes) + " ± " + TwoDigits(max(most-minutes, minutes-least)) + " min"
}
