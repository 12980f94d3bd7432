package energy

import "github.com/diffprof/diffprof/units"

// An Interval is the time between two readings of what measures a cluster of the processor.
type Interval struct {
	Begin, End int64
	// Measured was drained in it, Modelled is what the model says of it.
	Measured, Modelled units.Energy
}

// Clusters returns the intervals of each of the processor's clusters, none where nothing measures
// the cluster or the recording does not tell what its cores did.
func (r *Rails) Clusters() [][]Interval {
	out := make([][]Interval, len(r.clusters))
	for i, of := range r.clusters {
		if of == nil {
			continue
		}
		for _, s := range of.spans {
			out[i] = append(out[i], Interval{s.begin, s.end, s.measured, units.Energy(s.modelled / 1000)})
		}
	}
	return out
}
