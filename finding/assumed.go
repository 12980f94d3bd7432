package finding

import (
	"math"

	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A factor scales a component's energy to other figures of the power model. It has one multiplier
// each for use, tail and unattributed energy.
type factor [3]float64

// energy returns the energy of d with the other figures.
func (f factor) energy(d Drain) units.Energy {
	return units.Energy(math.Round(f[trace.Use]*float64(d.Use) + f[trace.Tail]*float64(d.Tail) + f[trace.Rest]*float64(d.Rest)))
}

// assumedFigures has factors for each component with assumed figures. A figure is assumed if the
// power model states a range for it, such as for the power of a tail. Each factor corresponds to
// one choice of figures within the ranges.
type assumedFigures map[string][]factor

// assumed returns the factors for runs with the same power model. It is nil if the model has no
// ranges.
func assumed(inputs ...*analysis.Input) assumedFigures {
	var all assumedFigures
	for _, in := range inputs {
		for i := range in.Components {
			c := &in.Components[i]
			if c.Range == nil {
				continue
			}
			if all == nil {
				all = make(assumedFigures)
			}
			for _, other := range c.Range.Cases {
				all[c.Name] = append(all[c.Name], factorOf(c.Range.Parts, other))
			}
		}
	}
	return all
}

// factorOf returns the factor between two pairs of use and tail energy.
func factorOf(from, to [2]units.Energy) factor {
	f := factor{1, 1, 1}
	for part, e := range from {
		if e > 0 {
			f[part] = max(units.Share(to[part], e), 0)
		}
	}
	if whole := from[trace.Use] + from[trace.Tail]; whole > 0 {
		f[trace.Rest] = units.Share(to[trace.Use]+to[trace.Tail], whole)
	}
	return f
}

// bounds returns the range of a component's energy over its assumed figures. d may also be the
// difference of two energies.
func (a assumedFigures) bounds(component string, d Drain) (least, most units.Energy) {
	least, most = d.Energy(), d.Energy()
	for _, f := range a[component] {
		least, most = min(least, f.energy(d)), max(most, f.energy(d))
	}
	return least, most
}

// bound sets Least and Most of each component in the list.
func (a assumedFigures) bound(list []Component) {
	for i := range list {
		c := &list[i]
		c.Least, c.Most = a.bounds(c.Name, c.Drain)
	}
}

// difference returns the range of the difference between two lists of components. Each choice of
// figures applies to both lists, because the same wrong figure applies to both runs.
func (a assumedFigures) difference(here, there []Component) (out Interval) {
	left := make(map[string]Drain, len(here))
	for _, c := range here {
		left[c.Name] = c.Drain
	}
	for _, c := range there {
		d := left[c.Name]
		left[c.Name] = Drain{d.Use - c.Use, d.Tail - c.Tail, d.Rest - c.Rest}
	}
	for name, d := range left {
		least, most := a.bounds(name, d)
		out.Least, out.Most = out.Least+least, out.Most+most
	}
	return out
}

// Wide reports whether the range of the component's energy is wide enough for reports to show it.
func (c *Component) Wide() bool { return units.Share(c.Most-c.Least, c.Energy()) > minSpread }

// byModel reports whether assumed figures of the power model decide the sign of a difference.
// differs is the difference's range over these figures.
func byModel(difference units.Energy, differs Interval) bool {
	return difference > 0 && differs.Least <= 0 || difference < 0 && differs.Most >= 0
}

// modelled returns the range of the difference between the runs' totals. It comes from the assumed
// figures of the power model. ok is false if no figure has a range.
func modelled(r *analysis.Result) (differs Interval, ok bool) {
	figures := assumed(&r.Subject, &r.Reference)
	if figures == nil {
		return Interval{}, false
	}
	return figures.difference(NewLedger(&r.Subject).Run(), NewLedger(&r.Reference).Run()), true
}
