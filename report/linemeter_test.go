package report_test

import (
	"strings"
	"testing"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestSourceOfALineMeter checks that a meter that is used states the powers, that another states
// the reason, and that the named parts add up.
func TestSourceOfALineMeter(t *testing.T) {
	m := report.LineMeter{
		Window: 60e9, Elapsed: 60e9, Period: 1e9, Periods: 60, Tracks: []string{"rail"}, IdlePower: 300_000, BusyPower: 1_000_000, IdleKnown: true,
		Metered: 60, Samples: 40, Idle: 15, Rest: 5,
	}
	used := m.Source()
	m.Reason, m.Shift = "shift", 2e9
	unused := m.Source()
	for text, want := range map[string][2]string{used: {"300 mW", "not used"}, unused: {"the meter is not used", "300 mW"}} {
		if !strings.Contains(text, want[0]) || strings.Contains(text, want[1]) || !strings.Contains(text, "rail") {
			t.Errorf("%q, want %q and not %q", text, want[0], want[1])
		}
	}
	sum, names := units.Energy(0), ""
	for _, p := range m.Parts() {
		if names += p.Name + ", "; p.Name != "measured" {
			sum += p.Energy
		}
	}
	if sum != m.Metered || names != "samples, idle device, not attributed, measured, " {
		t.Errorf("%s add up to %d of %d", names, sum, m.Metered)
	}
}
