package units_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/units"
)

func Example() {
	// A core draws 250 mA at 3.7 V for two seconds.
	const power = 925 * units.Milliwatt
	energy := units.Energy(units.MulDiv(int64(power), 2_000_000_000, 1_000_000))
	for _, u := range []units.Unit{units.Milli, units.One, units.MicroampereHour} {
		fmt.Println(u.Format(energy, units.DefaultVoltage), u)
	}
	// Output:
	// 1850 mJ
	// 1.85 J
	// 139 µAh
}

func TestAddOverflow(t *testing.T) {
	values := []units.Energy{0, 1, -1, 2, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	for _, a := range values {
		for _, b := range values {
			want := new(big.Int).Add(big.NewInt(int64(a)), big.NewInt(int64(b)))
			got, ok := units.Add(a, b)
			if ok != want.IsInt64() || ok && int64(got) != want.Int64() {
				t.Errorf("Add(%d, %d) = %d, %t; want %v", a, b, got, ok, want)
			}
		}
	}
}

// TestMicroampereHour compares the unit with eprof's arithmetic (EuroSys 2012, Section 6): a
// charge times 3.7 V is an energy, so 314 µAh is 4.18 J.
func TestMicroampereHour(t *testing.T) {
	const energy = 314 * 3600 * 37 * 100 * units.Microjoule / 1000
	if got := units.MicroampereHour.Amount(energy, units.DefaultVoltage); got != 314 {
		t.Errorf("Of(%d) = %v µAh, want 314", energy, got)
	}
	num, den := units.MicroampereHour.Scale(units.DefaultVoltage)
	if got, err := units.Decimal("314", num, den); err != nil || units.Energy(got) != energy {
		t.Errorf("314 µAh = %d nJ, %v; want %d", got, err, energy)
	}
}

// TestOfUndoesScale checks, for each unit, that a value that is read in the unit is shown
// unchanged.
func TestOfUndoesScale(t *testing.T) {
	for _, name := range units.UnitNames() {
		u, err := units.ParseUnit(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []units.Voltage{units.DefaultVoltage, 3_850_000, 1, 1000 * units.Volt} {
			num, den := u.Scale(v)
			nj, err := units.Decimal("1500", num, den)
			if err != nil {
				t.Fatal(err)
			}
			if got := u.Amount(units.Energy(nj), v); math.Abs(got-1500) > 0.15 {
				t.Errorf("1500 %s at %d µV are %d nJ and shown as %v", name, v, nj, got)
			}
		}
	}
}

func TestParseUnit(t *testing.T) {
	for text, want := range map[string]units.Unit{
		"nJ": units.Nano, "uJ": units.Micro, "µJ": units.Micro, "μJ": units.Micro, "mJ": units.Milli, "J": units.One,
		"uAh": units.MicroampereHour, "µAh": units.MicroampereHour,
	} {
		if got, err := units.ParseUnit(text); err != nil || got != want {
			t.Errorf("ParseUnit(%q) = %v, %v; want %v", text, got, err, want)
		}
		if got, err := units.ParseUnit(want.String()); err != nil || got != want {
			t.Errorf("ParseUnit(%q) = %v, %v; want the unit that is shown so", want, got, err)
		}
	}
	for _, text := range []string{"", "j", "kJ", "mj", "mAh", " nJ"} {
		if got, err := units.ParseUnit(text); err == nil || !strings.Contains(err.Error(), "nJ, uJ, mJ, J, uAh") {
			t.Errorf("ParseUnit(%q) = %v, %v; want an error that lists the units", text, got, err)
		}
	}
}

func TestParseVoltage(t *testing.T) {
	for text, want := range map[string]units.Voltage{
		"3.7": units.DefaultVoltage, "3.7V": units.DefaultVoltage, " 3.85 V": 3_850_000, "1e0": units.Volt, "1000": 1000 * units.Volt,
		"0": 0, "-1": 0, "V": 0, "NaN": 0, "Inf": 0, "1001": 0, "": 0, "0.0000001": 0, "3,7": 0, "99999999999999999999": 0,
	} {
		got, err := units.ParseVoltage(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("ParseVoltage(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestFormat(t *testing.T) {
	tests := []struct {
		unit   units.Unit
		energy units.Energy
		want   string
	}{
		{units.Nano, 0, "0"},
		{units.One, 0, "0"},
		{units.Nano, 1_234_567, "1234567"},
		{units.Nano, math.MinInt64, "-9223372036854775808"},
		{units.Micro, 1, "0.00100"},
		{units.Micro, 1_234_567, "1235"},
		{units.Micro, 123_456, "123"},
		{units.Micro, 12_345, "12.3"},
		{units.Micro, 1_234, "1.23"},
		{units.Micro, 123, "0.123"},
		{units.Micro, 12, "0.0120"},
		{units.Micro, -1_234, "-1.23"},
		{units.Milli, 999_960, "1.00"},
		{units.Milli, 99_960_000, "100"},
		{units.Milli, 9_996_000, "10.0"},
		{units.Milli, 1, "1e-06"},
		{units.One, 1_234, "1.23e-06"},
		{units.One, math.MaxInt64, "9223372037"},
		{units.MicroampereHour, 13_320_000 * 42, "42.0"},
	}
	for _, tt := range tests {
		if got := tt.unit.Format(tt.energy, units.DefaultVoltage); got != tt.want {
			t.Errorf("%v.Format(%d) = %q, want %q", tt.unit, tt.energy, got, tt.want)
		}
	}
}

// TestFormatIsCloseEnough checks the promise of three digits over all magnitudes.
func TestFormatIsCloseEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		e := units.Energy(rng.Int64() >> rng.IntN(63))
		for _, name := range units.UnitNames() {
			u, _ := units.ParseUnit(name)
			text := u.Format(e, units.DefaultVoltage)
			shown, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if want := u.Amount(e, units.DefaultVoltage); math.Abs(shown-want) > 0.00501*want {
				t.Errorf("%v.Format(%d) = %s, want %v to three digits", u, e, text, want)
			}
		}
	}
}

func TestShare(t *testing.T) {
	if got := units.Share(1, 4); got != 0.25 {
		t.Errorf("Share(1, 4) = %v", got)
	}
	if got := units.Share(1, 0); got != 0 {
		t.Errorf("Share(1, 0) = %v, want 0: shares are printed", got)
	}
}

// slowMulDiv is the oracle of MulDiv. It cannot overflow, and rounds down by definition.
func slowMulDiv(a, b, c int64) int64 {
	p, d := new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(c)
	q, r := new(big.Int).QuoRem(p, d, new(big.Int))
	if r.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
	}
	switch {
	case q.IsInt64():
		return q.Int64()
	case q.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

func TestMulDivAgreesWithBig(t *testing.T) {
	edges := []int64{0, 1, -1, 2, -2, 3, 1_000_000, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				if c > 0 && units.MulDiv(a, b, c) != slowMulDiv(a, b, c) {
					t.Errorf("MulDiv(%d, %d, %d) = %d, want %d", a, b, c, units.MulDiv(a, b, c), slowMulDiv(a, b, c))
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		a, b := int64(rng.Uint64())>>rng.IntN(64), int64(rng.Uint64())>>rng.IntN(64)
		c := 1 + rng.Int64N(math.MaxInt64)>>rng.IntN(62)
		if got, want := units.MulDiv(a, b, c), slowMulDiv(a, b, c); got != want {
			t.Errorf("MulDiv(%d, %d, %d) = %d, want %d", a, b, c, got, want)
		}
	}
}

func TestFormatTime(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1500: "1.5 µs", 999_400: "999 µs", 999_600: "1 ms", 21_000_000: "21 ms",
		999_600_000: "1 s", 1_234_000_000: "1.23 s", 100_000_000_000: "100 s", 3_600_000_000_000: "3600 s",
	} {
		if got := units.FormatTime(ns); got != want {
			t.Errorf("FormatTime(%d) = %q, want %q", ns, got, want)
		}
	}
}

// TestFixedRoundsHalvesAwayFromZero compares Fixed with exact fractions. Among the values are exact
// halves, which floats show as such, and decimals such as 1.005, which floats only approximate.
func TestFixedRoundsHalvesAwayFromZero(t *testing.T) {
	check := func(x float64, digits int) {
		t.Helper()
		if want := new(big.Rat).SetFloat64(x).FloatString(digits); units.Fixed(x, digits) != want {
			t.Errorf("Fixed(%v, %d) = %s, want %s", x, digits, units.Fixed(x, digits), want)
		}
	}
	for _, x := range []float64{0.5, 1.5, 2.5, -2.5, 0.125, 0.375, -0.625, 1.005, 1.255, 8.345, 1e15 + 0.5, 4503599627370497.5, 1e22} {
		for digits := range 5 {
			check(x, digits)
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		digits := rng.IntN(5)
		check(float64(1+rng.IntN(1<<20))/float64(int(1)<<rng.IntN(8)), digits)
		check(float64(1+rng.IntN(1_000_000))/math.Pow10(digits+1), digits)
	}
}

func TestBestUnit(t *testing.T) {
	for total, want := range map[units.Energy]units.Unit{
		0: units.Nano, 9_999: units.Nano, 10_000: units.Micro, 9_999_999: units.Micro, 10_000_000: units.Milli,
		9_999_999_999: units.Milli, 10_000_000_000: units.One,
	} {
		if got := units.BestUnit(total); got != want {
			t.Errorf("the unit of %d nJ is %v, want %v", total, got, want)
		}
	}
	if units.Milliwatt != 1000 || units.Watt != 1_000_000 {
		t.Errorf("a milliwatt is %d µW, and a watt %d", units.Milliwatt, units.Watt)
	}
}
