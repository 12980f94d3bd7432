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
	for _, c := range []struct{ rate, seconds float64 }{{4, 150}, {10, 60}, {100, 60}, {1000, 40}, {10000, 20}} {
		for _, spread := range []float64{0, 0.3, 0.6, 1} {
			held, shown, lines, err := 0, 0, 0, 0.0
			way := ""
			for seed := range uint64(3) {
				w := simulate(simulation{seed: seed, rate: c.rate, seconds: c.seconds, spread: spread, power: 0.1, methodCount: 40, noise: 0.015, busy: 0.4})
				r := fitted(t, w, Options{})
				sc := w.score(r)
				held, shown, lines = held+sc.held, shown+sc.shown, lines+sc.lines
				err += sc.errors[len(sc.errors)/2] / 3
				way += r.Way[:1]
			}
			t.Logf("%6.0f Hz %4.0fs spread %.1f: %s lines %d shown %d held %.1f%% err %.1f%%", c.rate, c.seconds, spread, way, lines, shown, 100*float64(held)/float64(max(1, shown)), 100*err)
		}
	}
}
