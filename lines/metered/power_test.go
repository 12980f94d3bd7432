package metered

import (
	"math"
	"testing"
)

// TestPowers estimates how much the power of lines varies in simulated runs.
func TestPowers(t *testing.T) {
	for _, rate := range []float64{10, 1000} {
		for _, power := range []float64{0, 0.1, 0.3} {
			w := simulate(simulation{seed: 50, rate: rate, seconds: 30, spread: 0.3, power: power, methodCount: 20, noise: 0.015, busy: 0.4})
			d, err := Read(t.Context(), w, w, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := newSheet(d)
			b, err := s.findBase(func(int) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			if got := s.findPowers(b); got < max(minPowers, 0.7*power) || got > max(1.6*power, minPowers) {
				t.Errorf("%v Hz: the power of lines varies by %v, estimated %v", rate, power, got)
			}
		}
	}
}

// TestVaryingPower checks that intervals contain the true energy if the power of lines varies by
// more than minPowers. The seeds were not used for choosing constants.
func TestVaryingPower(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 4 settings")
	}
	for _, c := range []struct{ rate, seconds, power float64 }{{10, 50, 0.2}, {10, 50, 0.3}, {1000, 20, 0.2}, {1000, 20, 0.3}} {
		held, shown, lines := 0, 0, 0
		for seed := range uint64(2) {
			w := simulate(simulation{seed: 70 + seed, rate: c.rate, seconds: c.seconds, spread: 0.3, power: c.power, methodCount: 20, noise: 0.015, busy: 0.4})
			sc := w.score(fitted(t, w, Options{}))
			held, shown, lines = held+sc.held, shown+sc.shown, lines+sc.lines
		}
		t.Logf("%v Hz, powers vary by %v: %d of %d lines shown, %d held", c.rate, c.power, shown, lines, held)
		if chance := 2 * math.Sqrt(0.9*0.1*float64(shown)); float64(held) < 0.9*float64(shown)-chance {
			t.Errorf("%v Hz, powers vary by %v: %d of %d intervals hold the truth", c.rate, c.power, held, shown)
		}
	}
}

// TestSmallApps checks the intervals of apps with few methods. Their paths hardly determine the
// energies of opcodes, and the residuals of the paths are far smaller than the factors of the
// lines. The seeds were not used for choosing constants.
func TestSmallApps(t *testing.T) {
	held, shown := 0, 0
	for seed := range uint64(4) {
		w := simulate(simulation{seed: 20 + seed, rate: 20, seconds: 25, spread: 0.3, power: 0.1, methodCount: 10, noise: 0.01, busy: 0.5})
		sc := w.score(fitted(t, w, Options{}))
		t.Logf("seed %d: %d of %d lines shown, %d held", 20+seed, sc.shown, sc.lines, sc.held)
		held, shown = held+sc.held, shown+sc.shown
	}
	if float64(held) < 0.9*float64(shown) || shown < 100 {
		t.Errorf("%d of %d intervals hold the truth", held, shown)
	}
}

// TestShortRuns checks the intervals of short runs and small apps. Few paths then determine the
// energies of opcodes, and how much lines differ from their opcodes. An interval may be too wide.
// The seeds were not used for choosing constants.
func TestShortRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 28 runs")
	}
	const seeds = 2
	held, shown := 0, 0
	for _, c := range []struct {
		rate, seconds, spread, power float64
		methods                      int
	}{
		{100, 2, 0.3, 0.2, 10}, {1000, 1, 0.3, 0.1, 10}, {1000, 1, 0.3, 0.2, 20}, {1000, 2, 0.6, 0.1, 10}, {100, 3, 0.1, 0.1, 10},
		{10000, 1, 0.3, 0.1, 20}, {10000, 2, 0, 0.1, 5}, {100, 5, 0.3, 0.1, 20}, {1000, 5, 0.6, 0.3, 40}, {10, 10, 0.1, 0.1, 20},
		{10000, 0.5, 0.3, 0.1, 10}, {4, 20, 0, 0.1, 20}, {1000, 3, 1, 0.1, 20}, {10000, 5, 1, 0.1, 5},
	} {
		own, all := 0, 0
		for seed := range uint64(seeds) {
			w := simulate(simulation{seed: 61000 + seed, rate: c.rate, seconds: c.seconds, spread: c.spread, power: c.power, methodCount: c.methods, noise: 0.015, busy: 0.45})
			sc := w.score(fitted(t, w, Options{}))
			own, all = own+sc.held, all+sc.shown
		}
		t.Logf("%v: %d of %d intervals hold the truth", c, own, all)
		if chance := 2 * math.Sqrt(0.9*0.1/float64(max(all, 1))); float64(own) < (0.90-chance)*float64(all) {
			t.Errorf("%v: %d of %d intervals hold the truth", c, own, all)
		}
		held, shown = held+own, shown+all
	}
	t.Logf("%d of %d intervals hold the truth", held, shown)
	if float64(held) < 0.93*float64(shown) || shown < 1000 {
		t.Errorf("%d of %d intervals hold the truth", held, shown)
	}
}
