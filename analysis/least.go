package analysis

import "github.com/diffprof/diffprof/units"

// Least returns the smallest energy that the run can have used. It is below Energy if threads may
// have waited in a part of the time for which energy was computed.
func (in *Input) Least() units.Energy {
	uncertain := in.Trace.Uncertain
	if in.Scale != nil {
		uncertain = units.Energy(float64(uncertain) * in.Scale.Factor())
	}
	return max(in.Energy-uncertain, 0)
}
