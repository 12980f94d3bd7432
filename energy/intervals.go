package energy

import "github.com/diffprof/diffprof/units"

// An Interval is the time between two readings of what measures a part of the device.
type Interval struct {
	Begin, End int64
	// Measured was drained in it, Modelled is what the model says of it as far as it has said so.
	Measured, Modelled units.Energy
}

// Component returns the intervals of what measures a component alone, none if nothing does.
func (r *Rails) Component(name string) []Interval {
	return intervals(r.components[name])
}

// Clusters returns the intervals of each of the processor's clusters, none where nothing measures
// the cluster or the recording does not tell what its cores did.
func (r *Rails) Clusters() [][]Interval {
	out := make([][]Interval, len(r.clusters))
	for i, of := range r.clusters {
		out[i] = intervals(of)
	}
	return out
}

func intervals(of *rail) []Interval {
	if of == nil {
		return nil
	}
	var out []Interval
	for _, s := range of.spans {
		out = append(out, Interval{s.begin, s.end, s.measured, units.Energy(s.modelled / 1000)})
	}
	return out
}
