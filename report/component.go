package report

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A Component is the energy of a part of the device, for a run, a method or a task.
type Component struct {
	// Name is a name such as "cpu", "cellular" or "wifi". It is empty if the recording does not name
	// the component.
	Name string `json:"name"`
	// Provenance is where the energy comes from: a value of Input.Provenance, "measured",
	// "modelled" or "scaled".
	Provenance string `json:"provenance"`
	// Use is the energy while the component worked. Tail is the energy while it stayed on after the
	// work. Rest is unattributed.
	Use  units.Energy `json:"useNJ"`
	Tail units.Energy `json:"tailNJ"`
	Rest units.Energy `json:"restNJ"`
	// Least and Most bound the energy, given the uncertainty of the power model's assumed figures.
	// They are nil if this makes little difference.
	Least *units.Energy `json:"leastNJ,omitempty"`
	Most  *units.Energy `json:"mostNJ,omitempty"`
}

// Energy returns the sum of the parts.
func (c *Component) Energy() units.Energy { return c.Use + c.Tail + c.Rest }

// componentsOf converts a list of package finding. It returns nil if the run has no energy by
// component.
func componentsOf(list []finding.Component) []Component {
	var made []Component
	for _, c := range list {
		m := Component{Name: c.Name, Provenance: c.Provenance.String(), Use: c.Use, Tail: c.Tail, Rest: c.Rest}
		if c.Wide() {
			m.Least, m.Most = &c.Least, &c.Most
		}
		made = append(made, m)
	}
	return made
}
