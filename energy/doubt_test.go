package energy

import (
	"testing"

	"github.com/diffprof/diffprof/units"
)

func TestJoules(t *testing.T) {
	for e, want := range map[units.Energy]string{
		0: "0", 1_234: "1.23 µJ", 999_400: "999 µJ", 999_600: "0.9996 mJ", 9_976_000: "9.976 mJ", 9_999_400_000: "9999 mJ", 9_999_600_000: "10 J", 10 * units.Joule: "10 J",
		12_345 * units.Joule: "12345 J",
	} {
		if got := joules(e); got != want {
			t.Errorf("joules(%d) = %q, want %q", e, got, want)
		}
	}
}
