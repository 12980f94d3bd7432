package units_test

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/units"
)

// TestLimitsOfTimes formats times around each limit between two units.
func TestLimitsOfTimes(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1000: "1 µs", 999_499: "999 µs", 999_500: "1 ms", 999_499_999: "999 ms", 999_500_000: "1 s", 99_949_999_999: "99.9 s", 99_950_000_000: "100 s", 123_456_000_000: "123 s",
	} {
		if got := units.FormatTime(ns); got != want {
			t.Errorf("%d ns are %s, want %s", ns, got, want)
		}
	}
}

// TestLimitsOfDecimals reads products at the limit of 64 bits, and ties between two integers.
func TestLimitsOfDecimals(t *testing.T) {
	for _, c := range []struct {
		text     string
		num, den int64
		want     int64
		fits     bool
	}{
		{"9223372036854775807", 1, 1, math.MaxInt64, true}, {"9223372036854775808", 1, 1, 0, false}, {"9223372036854775807.4", 1, 1, math.MaxInt64, true}, {"9223372036854775807.5", 1, 1, 0, false},
		{"9223372036854775806.5", 1, 1, math.MaxInt64 - 1, true}, {"18446744073709551615", 1, 2, 0, false}, {"18446744073709551614", 1, 2, math.MaxInt64, true}, {"18446744073709551613", 1, 2, math.MaxInt64 - 1, true},
		{"0.5", 1, 1, 0, true}, {"1.5", 1, 1, 2, true}, {"2.5", 1, 1, 2, true}, {"0.5000000000000000000001", 1, 1, 1, true}, {"0.49999999999999999999", 1, 1, 0, true},
		{"1", 1, 3, 0, true}, {"2", 1, 3, 1, true}, {"1.8446744073709551616", 1_000_000_000, 1, 1_844_674_407, true}, {"1.8446744073709551609", 1_000_000_000, 1, 1_844_674_407, true},
		{"1e18", 1, 1, 1_000_000_000_000_000_000, true}, {"1e19", 1, 1, 0, false}, {"123e-2", 1, 1, 1, true}, {"12.5e1", 1, 1, 125, true}, {"1e-400", 1, 1, 0, true}, {"1e400", 1, 1, 0, false}, {"0e99999", 1, 1, 0, true},
		{"1e99999999999999999999", 1, 1, 0, false}, {"1E+2", 1, 1, 100, true}, {"0.000000000000000000000000000005e30", 1, 1, 5, true}, {"00000000000000000000000000000012", 1, 1, 12, true}, {".5", 10, 1, 5, true}, {"5.", 10, 1, 50, true},
	} {
		got, err := units.Decimal(c.text, c.num, c.den)
		if (err == nil) != c.fits || got != c.want {
			t.Errorf("%s·%d/%d is %d, %v; want %d", c.text, c.num, c.den, got, err, c.want)
		}
	}
	for _, text := range []string{"", ".", "-", "-.", "e5", ".e5", "1e", "1e+", "1e-", "1.2.3", "1e5x", "1x", "1e5.5", "+1", " 1"} {
		if got, err := units.Decimal(text, 1, 1); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// TestLimitsOfQuantities reads the largest and the smallest values of quantities, and values beyond.
func TestLimitsOfQuantities(t *testing.T) {
	for text, fits := range map[string]bool{"1000GHz": true, "1000.000000001GHz": false, "1Hz": true, "0Hz": false, "0.4Hz": false, "1": false, "GHz": false, "x GHz": false} {
		if f, err := units.ParseFrequency(text); (err == nil) != fits {
			t.Errorf("%s is %v, %v", text, f, err)
		}
	}
	for text, fits := range map[string]bool{"1000Ah": true, "1000000mAh": true, "1000.1Ah": false, "0Ah": false, "1µAh": true, "1 uAh": true, "1": false} {
		if c, err := units.ParseCharge(text); (err == nil) != fits {
			t.Errorf("%s is %v, %v", text, c, err)
		}
	}
	for f, want := range map[units.Frequency]string{units.Hertz: "1 Hz", 999 * units.Hertz: "999 Hz", units.Kilohertz: "1 kHz", units.Megahertz: "1 MHz", units.Gigahertz: "1 GHz", units.Gigahertz - 1: "999.999999 MHz", 0: "0 Hz", 2400 * units.Megahertz: "2.4 GHz"} {
		if got := f.String(); got != want {
			t.Errorf("%d is %s, want %s", f, got, want)
		}
	}
	// The longest duration that fits is 2^63-1 ns.
	if ns, left := units.Hertz.Period(9_223_372_036, 0); ns != 9_223_372_036_000_000_000 || left != 0 {
		t.Errorf("the cycles take %d ns and %d", ns, left)
	}
	if ns, left := units.Hertz.Period(math.MaxInt64, 0); ns != math.MaxInt64 || left != 0 {
		t.Errorf("too many cycles take %d ns and %d", ns, left)
	}
	if ns, left := units.Gigahertz.Period(math.MaxInt64, 5); ns != math.MaxInt64 || left != 5 {
		t.Errorf("cycles of a nanosecond take %d ns and %d", ns, left)
	}
}

// TestMulDivAtItsLimits compares products around 64 bits with their exact values.
func TestMulDivAtItsLimits(t *testing.T) {
	for _, c := range []struct{ a, b, c, want int64 }{
		{math.MaxInt64, 1, 1, math.MaxInt64}, {math.MaxInt64, 2, 2, math.MaxInt64}, {math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}, {math.MaxInt64, 3, 2, math.MaxInt64}, {math.MinInt64, 1, 1, math.MinInt64},
		{math.MinInt64, 3, 2, math.MinInt64}, {math.MinInt64, -1, 1, math.MaxInt64}, {math.MinInt64, -1, 2, 1 << 62}, {-7, 1, 2, -4}, {7, -1, 2, -4}, {-7, -1, 2, 3}, {-8, 1, 2, -4}, {0, -5, 3, 0}, {-5, 0, 3, 0}, {1 << 40, 1 << 40, 1 << 20, 1 << 60}, {1 << 32, 1 << 31, 1, math.MaxInt64},
	} {
		if got := units.MulDiv(c.a, c.b, c.c); got != c.want {
			t.Errorf("%d·%d/%d is %d, want %d", c.a, c.b, c.c, got, c.want)
		}
	}
}
