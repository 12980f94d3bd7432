package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A ThreadEnergy is the energy of all threads with the same name, in both runs. Only names identify
// threads across runs.
type ThreadEnergy struct {
	// Name may be empty.
	Name      string       `json:"name"`
	Subject   units.Energy `json:"subjectNJ"`
	Reference units.Energy `json:"referenceNJ"`
}

// threadEnergies converts the result of finding.ByThread.
func threadEnergies(r *analysis.Result) []ThreadEnergy {
	found := finding.ByThread(r)
	threads := make([]ThreadEnergy, len(found))
	for i, t := range found {
		threads[i] = ThreadEnergy(t)
	}
	return threads
}
