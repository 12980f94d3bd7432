package units_test

import (
	"math"
	"testing"

	"github.com/diffprof/diffprof/units"
)

func TestParseFrequency(t *testing.T) {
	for text, want := range map[string]string{
		"2.4GHz": "2.4 GHz", "1500 MHz": "1.5 GHz", "999MHz": "999 MHz", "32.768kHz": "32.768 kHz", "50Hz": "50 Hz",
	} {
		f, err := units.ParseFrequency(text)
		if err != nil || f.String() != want {
			t.Errorf("%s: %v, %v; want %s", text, f, err, want)
		}
	}
	for _, text := range []string{"", "2.4", "GHz", "0GHz", "-1GHz", "1001GHz", "2,4GHz", "2.4ghz"} {
		if f, err := units.ParseFrequency(text); err == nil {
			t.Errorf("%q is %v", text, f)
		}
	}
}

func TestPeriod(t *testing.T) {
	var rest, sum int64
	var left uint64
	for range 3 {
		rest, left = (3 * units.Hertz).Period(1, left)
		sum += rest
	}
	if sum != 1_000_000_000 || left != 0 {
		t.Errorf("three cycles at 3 Hz take %d ns and leave %d", sum, left)
	}
	if ns, _ := units.Hertz.Period(math.MaxInt64, 0); ns != math.MaxInt64 {
		t.Errorf("a time that does not fit is %d", ns)
	}
	if ns, _ := units.Gigahertz.Period(math.MaxInt64, 0); ns != math.MaxInt64 {
		t.Errorf("the longest time is %d", ns)
	}
}
