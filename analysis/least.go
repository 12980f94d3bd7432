package analysis

import "github.com/diffprof/diffprof/units"

// Least returns the smallest energy that the run can have used. It is below Energy if part of Energy
// was charged for time in which threads may have waited.
func (in *Input) Least() units.Energy {
	uncertain := in.Trace.Uncertain
	if in.Scale != nil {
		uncertain = units.Energy(float64(uncertain) * in.Scale.Factor())
	}
	return max(in.Energy-uncertain, 0)
}
