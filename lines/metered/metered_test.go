package metered

import (
	"testing"
)

func fitted(t *testing.T, w *world, o Options) *Result {
	t.Helper()
	d, err := Read(t.Context(), w, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := New(d, o)
	if sum := r.Lined + r.Unlined + r.Probes + r.EventEnergy + r.Idle + r.Rest; sum != r.Metered || r.Rest < 0 {
		t.Fatalf("the parts are %d, and %d are metered", sum, r.Metered)
	}
	return r
}

func TestTry(t *testing.T) {
	for _, c := range []struct{ rate, seconds float64 }{{4, 300}, {10, 60}, {100, 60}, {1000, 60}, {10000, 20}} {
		for _, spread := range []float64{0, 0.3, 0.6, 1} {
			w := simulate(simulation{seed: 1, rate: c.rate, seconds: c.seconds, spread: spread, power: 0.1, methodCount: 40, noise: 0.015, busy: 0.5})
			r := fitted(t, w, Options{})
			sc := w.score(r)
			med := 0.0
			if len(sc.errors) > 0 {
				med = sc.errors[len(sc.errors)/2]
			}
			t.Logf("%6.0f Hz %4.0fs spread %.1f: %s grade %d longer %.1f runs %d lines %d shown %d held %.1f%% err %.1f%% R2 %.3f AEE %.3f off %.3f %.3f %.3f spread %.2f idle %d busy %d scaled %.3f halves %.2f ev %d rest %.3f %s",
				c.rate, c.seconds, spread, r.Way, r.Grade, r.Longer, len(w.times), sc.lines, sc.shown, 100*float64(sc.held)/float64(max(1, sc.shown)), 100*med, r.R2, r.AEE, r.OffJoined, r.OffOpcodes, r.OffTimes, r.Spread, r.IdlePower, r.BusyPower, r.Scaled, r.Halves, len(r.Events), float64(r.Rest)/float64(r.Metered), r.Reason)
		}
	}
}
