package finding

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/units"
)

// minSpread is the width of the narrowest range that reports show, relative to the energy.
const minSpread = 0.1

// A Spread is the range of the energy of a run or a component. It comes from figures for which the
// power model states a range. For a run, it also includes the energy for time in which threads may
// have waited.
type Spread struct {
	// Name is the component. It is empty for the whole run.
	Name        string
	Least, Most units.Energy
	// LeastShare and MostShare bound the component's share of the run's energy.
	LeastShare, MostShare float64
	// Widest is the component with the widest range. State and Kind are its state with the widest
	// range. Served is set if the recording does not show which component did the work. It is then
	// the name in the recording.
	Widest, State, Served string
	Kind                  model.Kind
	// Timeout means that the range is wide because the recording does not show a timeout.
	Timeout bool
	// Waits means that a large part of the range is time in which threads may have waited.
	Waits bool
}

// wide reports whether the range is wide enough to be shown.
func (s *Spread) wide(e units.Energy) bool { return units.Share(s.Most-s.Least, e) > minSpread }

// Spreads returns the range of a run's energy, and the wide ranges of its components, the widest
// first. The range of the run is nil if it is narrow: without waiting, at most a tenth of the
// energy.
func Spreads(in *analysis.Input) (*Spread, []Spread) {
	run, all := spreads(in)
	all = slices.DeleteFunc(all, func(s Spread) bool { return !s.wide(energyOf(in, s.Name)) })
	if waits := in.Energy - in.Least(); units.Share(run.Most-run.Least-waits, in.Energy) <= minSpread {
		return nil, all
	}
	return run, all
}

// EnergyRange returns the range of a run's energy, even if it is narrow.
func EnergyRange(in *analysis.Input) Spread {
	run, _ := spreads(in)
	return *run
}

// energyOf returns the energy of a component of a run.
func energyOf(in *analysis.Input, name string) units.Energy {
	for i := range in.Components {
		if in.Components[i].Name == name {
			return in.Components[i].Energy()
		}
	}
	return 0
}

// spreads returns the range of a run's energy, and the range of each component whose model has
// ranges, the widest range first.
func spreads(in *analysis.Input) (*Spread, []Spread) {
	var all []Spread
	run := &Spread{Least: in.Least(), Most: in.Energy}
	run.Waits = run.wide(in.Energy)
	for i := range in.Components {
		c := &in.Components[i]
		r := c.Range
		if r == nil {
			continue
		}
		run.Least -= c.Energy() - r.Least
		run.Most += r.Most - c.Energy()
		all = append(all, Spread{Name: c.Name, Least: r.Least, Most: r.Most, Widest: c.Name, State: r.State, Served: c.Served, Kind: r.Kind, Timeout: r.Timeout})
	}
	slices.SortStableFunc(all, func(a, b Spread) int { return cmp.Compare(b.Most-b.Least, a.Most-a.Least) })
	if len(all) == 0 {
		return run, nil
	}
	run.Widest, run.State, run.Served, run.Kind, run.Timeout = all[0].Name, all[0].State, all[0].Served, all[0].Kind, all[0].Timeout
	run.MostShare, run.LeastShare = 1, 1
	for i := range all {
		s := &all[i]
		// A component's share is smallest if the component uses its least energy and all others use
		// their most.
		s.LeastShare = units.Share(s.Least, run.Most-s.Most+s.Least)
		s.MostShare = units.Share(s.Most, run.Least-s.Least+s.Most)
	}
	return run, all
}
