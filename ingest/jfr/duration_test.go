package jfr

import "testing"

// TestDurationsOfSettings parses the durations of settings. An invalid duration, or one that
// overflows, is 0.
func TestDurationsOfSettings(t *testing.T) {
	for text, want := range map[string]int64{
		"20 ms": 20_000_000, "0 s": 0, "3 us": 3000, "2 m": 120_000_000_000, "1 s": 1_000_000_000, "7 ns": 7, "9223372036854775807 ns": 9223372036854775807,
		"9223372036 s": 9_223_372_036_000_000_000, "9223372037 s": 0, "-1 s": 0, "5": 0, "5 h": 0, "x ms": 0, "": 0,
	} {
		if got := duration(text); got != want {
			t.Errorf("%q is %d ns, want %d", text, got, want)
		}
	}
}
