package report

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// railColumns is the number of mean powers in Rail.Powers.
const railColumns = 40

// A Rail is the measured power of a part of the device during a run.
type Rail struct {
	Name      string `json:"name"`
	Component string `json:"component"`
	// Energy is the energy between the first and the last reading, at Begin and End.
	Energy units.Energy `json:"energyNJ"`
	Begin  int64        `json:"beginNS"`
	End    int64        `json:"endNS"`
	// Powers has the mean power in equal parts of the run. It is -1 where there are no readings.
	Powers []units.Power `json:"powersUW"`
}

// newRails returns the measured rails of a run, sorted by energy.
func newRails(in *analysis.Input) []Rail {
	var rails []Rail
	end := int64(in.Trace.Elapsed)
	for _, t := range in.Tracks {
		if t.Kind == trace.Drain {
			end = max(end, t.End)
		}
	}
	for _, t := range in.Tracks {
		if t.Kind == trace.Drain && t.Begin < t.End && t.Energy > 0 {
			rails = append(rails, Rail{t.Name, t.Component, t.Energy, t.Begin, t.End, t.Curve.Powers(0, end, railColumns)})
		}
	}
	slices.SortStableFunc(rails, func(a, b Rail) int { return cmp.Compare(b.Energy, a.Energy) })
	return rails
}
