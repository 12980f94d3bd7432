package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/diffprof/diffprof/internal/shorten"
	"github.com/diffprof/diffprof/repeats"
)

// TestNoGateIsRedOnEqualPrograms checks that each gate fails for equal programs in at most the
// stated share of the studies. Runs that were recorded one side after the other cannot be judged.
func TestNoGateIsRedOnEqualPrograms(t *testing.T) {
	studies := shorten.Count(100)
	limit := repeats.Rate + 3*math.Sqrt(repeats.Rate*(1-repeats.Rate)/float64(studies))
	for _, w := range equal() {
		for _, n := range counts[:3] {
			t.Run(fmt.Sprint(w.Name, n), func(t *testing.T) {
				for g, s := range rates(w, studies, n, repeats.DefaultBuilds) {
					if share := float64(s.red) / float64(studies); share > limit {
						t.Errorf("%s is red in %.1f%% of the studies, more than %.1f%%", gates[g], 100*share, 100*limit)
					}
					if judged := s.red+s.cannot < studies; judged != (w.Order < Blocks) {
						t.Errorf("%s: %d of %d studies cannot be judged", gates[g], s.cannot, studies)
					}
				}
			})
		}
	}
}

// TestPower checks how often one of forty tasks is found if it grows by a tenth, with five runs per
// side. The result must agree with README.md.
func TestPower(t *testing.T) {
	const studies = 100
	task := World{Tasks: 40, Own: 0.035, Grown: 1, Growth: 0.1}
	for builds, least := range map[float64]float64{0: 0.65, repeats.DefaultBuilds: 0.3} {
		found := 0
		for _, s := range grown(task, studies, 5, builds) {
			if s {
				found++
			}
		}
		if share := float64(found) / studies; share < least {
			t.Errorf("noise between builds %.3f: %.0f%% are found, less than %.0f%%", builds, 100*share, 100*least)
		}
	}
}
