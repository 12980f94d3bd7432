package analysis

import (
	"fmt"

	"github.com/diffprof/diffprof/trace"
)

// nothing explains why a recording has no energy, and what to do about it. It returns the empty
// string if the recording has energy, or only signals. A recording without energy cannot be
// compared, because shares of its energy are undefined.
func (in *Input) nothing() string {
	t := in.Trace
	switch {
	case in.Energy != 0 || in.signalsAlone():
		return ""
	case t.Events == 0:
		return "the recording has no calls and no samples: record while the app works"
	case t.Energy == trace.APICost:
		return fmt.Sprintf("%s has no cost for any of the app's %s into %s: diffprof api-costs check lists the missing ones", in.APICosts.Path, count(in.APICosts.Calls, "call"), in.APICosts.Packages())
	case t.Energy == trace.Given:
		return fmt.Sprintf("the values of its %s are all 0: diffprof info shows which values it has", count(t.Events, "event"))
	case t.Clock == 0:
		return fmt.Sprintf("its %s have neither a time nor an energy: record with a clock", count(t.Events, "event"))
	case t.Usage.Unrecorded > 0 && t.Usage == (trace.Usage{Unrecorded: t.Usage.Unrecorded}):
		return "it does not show when threads worked; --power-model adds the energy of components, with --triggers for the slices that use them"
	}
	return fmt.Sprintf("its %s take no time in total: record for longer, while the app works", count(t.Events, "event"))
}

// checkEnergy returns an error if a run has no energy.
func checkEnergy(runs [][]reading) error {
	for _, list := range runs {
		for _, run := range list {
			if why := run.in.nothing(); why != "" {
				return fmt.Errorf("%s has no energy: %s", run.in.Path, why)
			}
		}
	}
	return nil
}
