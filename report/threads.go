package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A ThreadEnergy is what the threads of one name drained on either side of a
// comparison: their names are all that the threads of two runs have in common.
type ThreadEnergy struct {
	// Name may be empty.
	Name      string       `json:"name"`
	Subject   units.Energy `json:"subjectNJ"`
	Reference units.Energy `json:"referenceNJ"`
}

// threadEnergies converts the list of package finding.
func threadEnergies(r *analysis.Result) []ThreadEnergy {
	found := finding.ByThread(r)
	threads := make([]ThreadEnergy, len(found))
	for i, t := range found {
		threads[i] = ThreadEnergy(t)
	}
	return threads
}
