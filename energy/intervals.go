package energy

import "github.com/diffprof/diffprof/units"

// An Interval is the period between two readings of a meter.
type Interval struct {
	Begin, End int64
	// Modelled is the modelled energy of the period.
	Measured, Modelled units.Energy
}

// Component returns the intervals of the meter of one component. It returns none unless the meter
// measures only this component.
func (r *Rails) Component(name string) []Interval {
	return intervals(r.components[name])
}

// Clusters returns the intervals of each processor cluster. The list of a cluster is empty if the
// cluster is not measured, or if the recording does not show what its cores did.
func (r *Rails) Clusters() [][]Interval {
	out := make([][]Interval, len(r.clusters))
	for i, cluster := range r.clusters {
		out[i] = intervals(cluster)
	}
	return out
}

func intervals(cluster *rail) []Interval {
	if cluster == nil {
		return nil
	}
	var out []Interval
	for _, s := range cluster.spans {
		out = append(out, Interval{s.begin, s.end, s.measured, units.Energy(s.modelled / 1000)})
	}
	return out
}
