package history

import (
	"context"

	"github.com/diffprof/diffprof/analysis"
)

// Totals returns the total energy of each run in the history, grouped by entry in the order of
// commits. It includes only entries with the app, device and scenario of two stored runs. It
// returns false if the two runs differ in these, or cannot be found. The names of the two runs have
// the form of names in analysis.Store.
func (f File) Totals(ctx context.Context, subject, reference string) ([][]float64, bool) {
	if !analysis.NamesStored(subject) || !analysis.NamesStored(reference) {
		return nil, false
	}
	first, a, err := f.find(ctx, subject)
	if err != nil {
		return nil, false
	}
	defer first.Close()
	second, b, err := f.find(ctx, reference)
	if err != nil {
		return nil, false
	}
	defer second.Close()
	if a.App != b.App || a.Device != b.Device || a.Scenario != b.Scenario {
		return nil, false
	}
	entries, err := first.List(ctx, Filter{})
	if err != nil {
		return nil, false
	}
	var totals [][]float64
	for i := range entries {
		e := &entries[i]
		if e.App != a.App || e.Device != a.Device || e.Scenario != a.Scenario {
			continue
		}
		var runs []float64
		for _, r := range e.Runs {
			runs = append(runs, float64(r.Energy))
		}
		totals = append(totals, runs)
	}
	return totals, true
}
