package units_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/units"
)

// slowDecimal is the oracle of Decimal. It uses the rational arithmetic of the standard library,
// and rounds by the remainder.
func slowDecimal(text string, num, den int64) (int64, bool) {
	if text == "" || len(text) > 256 || strings.Trim(text, "-+.0123456789eE") != "" || text[0] == '+' {
		return 0, false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		var exp big.Int
		if _, ok := exp.SetString(text[at+1:], 10); ok && exp.CmpAbs(big.NewInt(2000)) > 0 {
			// The standard library cannot expand such an exponent. Only 0 is in range.
			mantissa, ok := new(big.Rat).SetString(text[:at])
			return 0, ok && (mantissa.Sign() == 0 || mantissa.Sign() > 0 && exp.Sign() < 0)
		}
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok || x.Sign() < 0 {
		return 0, false
	}
	x.Mul(x, big.NewRat(num, den))
	q, r := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	twice := r.Lsh(r, 1).Cmp(x.Denom())
	if twice > 0 || twice == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64(), q.IsInt64()
}

func checkDecimal(t *testing.T, text string, num, den int64) {
	t.Helper()
	got, err := units.Decimal(text, num, den)
	want, ok := slowDecimal(text, num, den)
	if ok != (err == nil) || ok && got != want {
		t.Errorf("Decimal(%q, %d, %d) = %d, %v; want %d, %t", text, num, den, got, err, want, ok)
	}
}

func TestDecimal(t *testing.T) {
	texts := []string{
		"0", "-0", "-0.00", "1", "-1", "007", "0.5", "1.5", "2.5", ".5", "5.", ".", "", "-", "+1", "1e3", "1E+3",
		"1e-3", "1e", "1e+", "1e1.5", "1.2.3", "1,5", "1_000", "0x10", "NaN", "Inf", "1e400", "1e-400", "0e999999999999",
		"1e999999999999", "1e-999999999999", "9223372036854775807", "9223372036854775808", "9223372036854775807.5",
		"9223372036854775806.5", "18446744073709551615", "18446744073709551616", "36893488147419103233",
		"0.0000000000000000000000000000000000001e37", "12345678901234567890.12345678901234567890",
		strings.Repeat("0", 250) + "1", strings.Repeat("9", 256), strings.Repeat("0", 256) + "1",
		"0." + strings.Repeat("0", 250) + "1e251", "1" + strings.Repeat("0", 250) + "e-250", "½", "12 ", "1\x00",
	}
	for _, text := range texts {
		for _, scale := range [][2]int64{{1, 1}, {1000, 1}, {int64(units.Joule), 1}, {36 * 3_700_000, 10}, {1, 3}, {math.MaxInt64, 1}, {1, math.MaxInt64}} {
			checkDecimal(t, text, scale[0], scale[1])
		}
	}
}

func TestDecimalAgreesWithRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := fmt.Sprintf("%d.%0*d", rng.Uint64()>>rng.IntN(64), 1+rng.IntN(20), rng.IntN(1000))
		if rng.IntN(2) == 0 {
			text += fmt.Sprintf("e%d", rng.IntN(40)-20)
		}
		checkDecimal(t, text, 1+rng.Int64()>>rng.IntN(62), 1+rng.Int64()>>rng.IntN(62))
	}
}

func TestDecimalErrorsHaveReason(t *testing.T) {
	for text, want := range map[string]string{
		"x":                      "is not a decimal number",
		"-1":                     "is negative",
		"9223372036854775808":    "is too large",
		strings.Repeat("1", 300): "has too many digits",
	} {
		if _, err := units.Decimal(text, 1, 1); err == nil || err.Error() != want {
			t.Errorf("Decimal(%q): error %v, want %q", text, err, want)
		}
	}
}

// FuzzDecimal compares Decimal with rational arithmetic on any text.
func FuzzDecimal(f *testing.F) {
	f.Add("0.25", int64(1000), int64(1))
	f.Add("1e-3", int64(133200000), int64(10))
	f.Add("18446744073709551616", int64(1), int64(3))
	f.Fuzz(func(t *testing.T, text string, num, den int64) {
		if num > 0 && den > 0 {
			checkDecimal(t, text, num, den)
		}
	})
}

func BenchmarkDecimal(b *testing.B) {
	for _, text := range []string{"176212", "0.123456", "12345678901234567890e-5"} {
		b.Run(text, func(b *testing.B) {
			raw := []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := units.Decimal(raw, 1000, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
