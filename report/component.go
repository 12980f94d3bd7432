package report

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A Component is what a part of the device drained for something.
type Component struct {
	// Name is such as "cpu", "cellular" or "wifi"; empty where the recording does not say.
	Name string `json:"name"`
	// Provenance is as an Input has it, or "measured", "modelled" or "scaled".
	Provenance string `json:"provenance"`
	// Use is the energy while the component worked, Tail the energy while it waited for more work
	// afterwards. Rest is unattributed.
	Use  units.Energy `json:"useNJ"`
	Tail units.Energy `json:"tailNJ"`
	Rest units.Energy `json:"restNJ"`
}

// Energy is what the component drained in all.
func (c *Component) Energy() units.Energy { return c.Use + c.Tail + c.Rest }

// componentsOf makes a list. It is nil if the run has no energy by component.
func componentsOf(list []finding.Component) []Component {
	var made []Component
	for _, c := range list {
		made = append(made, Component{c.Name, c.Provenance.String(), c.Use, c.Tail, c.Rest})
	}
	return made
}
