package report_test

import (
	"slices"
	"testing"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// TestTreeKeepsTheCostliest limits the trees of every pair. Each kept context must have more energy
// than all omitted contexts, and no energy may be missing from the sums.
func TestTreeKeepsTheCostliest(t *testing.T) {
	for name, pair := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			r, err := analysis.Compare(t.Context(), analysis.Options{Subject: analysis.Side{Path: pair[0]}, Reference: analysis.Side{Path: pair[1]}, Alpha: analysis.AutoAlpha})
			if err != nil {
				t.Fatal(err)
			}
			in := &r.Subject
			all := report.NewTree(in, "test", false, report.Prune{}).Contexts
			var energies []units.Energy
			for _, c := range all {
				energies = append(energies, c.Inclusive)
			}
			slices.Sort(energies)
			slices.Reverse(energies)
			for _, most := range []int{1, 2, len(all) / 3, len(all) - 1, len(all), len(all) + 1} {
				if most < 1 {
					continue
				}
				kept := report.NewTree(in, "test", false, report.Prune{Most: most}).Contexts
				// The oracle keeps the contexts with the most energy. It drops contexts that have
				// the same energy as the first omitted one.
				want := len(all)
				for want > most {
					want = slices.Index(energies, energies[min(most, want-1)])
				}
				if len(kept) != max(want, 1) {
					t.Errorf("%d contexts of at most %d, want %d", len(kept), most, max(want, 1))
				}
				contexts := len(kept)
				var sum units.Energy
				for _, c := range kept {
					contexts += c.Pruned
					sum += c.Exclusive + c.PrunedEnergy
				}
				if contexts != len(all) || sum != in.Energy {
					t.Errorf("at most %d: %d contexts of %d, %d nJ of %d", most, contexts, len(all), sum, in.Energy)
				}
			}
		})
	}
}
