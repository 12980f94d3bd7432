package words_test

import (
	"testing"

	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// TestDrains checks the parts of a component's energy, and its range, which needs both ends.
func TestDrains(t *testing.T) {
	s := words.ScaleFor(nil, units.Volt, 500*units.Millijoule)
	least, most := 90*units.Millijoule, 700*units.Millijoule
	for _, c := range []struct {
		name            string
		use, tail, rest units.Energy
		least, most     *units.Energy
		want            string
	}{
		{"gps", 20, 0, 0, nil, nil, "gps 20.0"},
		{"cellular", 20, 480, 0, &least, &most, "cellular 20.0 + 480 tail (90.0 to 700)"},
		{"cellular", 20, 480, 0, &least, nil, "cellular 20.0 + 480 tail"},
		{"cellular", 20, 480, 0, nil, &most, "cellular 20.0 + 480 tail"},
		{"cellular", 0, 480, 0, nil, nil, "cellular 480 tail"},
		{"", 0, 0, 300, nil, nil, "device 300 unattributed"},
		{"gps", 20, 30, 40, nil, nil, "gps 20.0 + 30.0 tail + 40.0 unattributed"},
		{"gps", 0, 0, 0, nil, nil, "gps 0"},
	} {
		mJ := units.Millijoule
		if got := words.Drain(c.name, c.use*mJ, c.tail*mJ, c.rest*mJ, c.least, c.most, s); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := words.Machine(1, nil) + ", " + words.Machine(35, []string{"high 3.2 s", "tail 20 s"}); got != "1 operation, 35 operations; high 3.2 s, tail 20 s" {
		t.Errorf("got %q", got)
	}
	for share, want := range map[float64]string{0: "0.00%", 0.00005: "<0.01%", 0.0001: "0.01%", 0.25: "25.00%"} {
		if got := words.Battery(0, share, 4000*units.MilliampereHour, 4*units.Volt); got[:len(want)+4] != want+" of " {
			t.Errorf("a share of %v: %q", share, got)
		}
	}
}
