package energy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Rails has the measurements of a recording's power rails, and what the model says about the
// processor over the same time. A Rails belongs to one recording, and is not safe for concurrent
// use.
type Rails struct {
	device *model.Device
	// clusters has one rail for each processor cluster, or nil if the cluster is not measured.
	// components maps component names to their rails.
	clusters   []*rail
	components map[string]*rail
	// all measures everything that has no rail of its own. It is nil if no meter measures the whole
	// device.
	all *rail
	// others lists measured parts that the model does not describe.
	others []Unmodelled
	// clocked reports whether the recording shows which thread runs on which core, and at which
	// frequency. It must have events, not samples. first has the initial frequency of each cluster.
	clocked  bool
	first    []units.Frequency
	warnings []trace.Warning
	// processed is the processor energy that the latest scan attributed to calls.
	processed units.Energy
	// learning is set during the first of two scans. The first scan computes the modelled energy of
	// the components, which the second scan scales.
	learning bool
}

// Unmodelled is the measured energy of a part of the device that the model does not describe.
type Unmodelled struct {
	Component string
	Energy    units.Energy
}

// An Agreement compares measured and modelled energy of a part of the device, such as its Wi-Fi.
type Agreement struct {
	// Name is a component, a cluster of the processor, or the device. Tracks are the names of the
	// meters that measured it.
	Name   string
	Tracks []string
	// Measured and Modelled cover the time between the first and the last reading. Charged is the
	// part of Measured that is attributed to calls, and Rest is the remainder.
	Measured, Modelled, Charged, Rest units.Energy
	// Outside is the modelled energy before the first reading and after the last reading.
	Outside units.Energy
}

// Agreements compares the measured parts in the latest scan: first the clusters, then the
// components in the order of the model, then the device.
func (r *Rails) Agreements() []Agreement {
	var all []Agreement
	for _, part := range r.rails() {
		rest, modelled := part.rest(), part.modelled()
		if part == r.components[processor] || part == r.all {
			// The energy of the processor follows from its running time, so it is not scaled.
			rest, modelled = max(0, rest-r.processed), modelled+r.processed
		}
		all = append(all, Agreement{
			Name: part.name, Tracks: part.tracks, Measured: part.measured(), Modelled: modelled, Charged: part.measured() - rest, Rest: rest, Outside: part.outside.goal,
		})
	}
	return all
}

// Unmodelled returns the measured parts that the model does not describe.
func (r *Rails) Unmodelled() []Unmodelled { return r.others }

// Accounted splits the energy of a run's accounts into two sums. measured is covered by a meter.
// alone is known only from the model, because the part has no meter, or because the time is outside
// of the readings. energyOf returns the energy of an account.
func (r *Rails) Accounted(accounts []trace.Account, energyOf func(trace.AccountID) units.Energy) (measured, alone units.Energy) {
	for i, a := range accounts {
		e := energyOf(trace.AccountID(i))
		byTime := a.Component == processor && r.components[processor] != nil
		if r.all != nil || byTime || a.Provenance == trace.Scaled || a.Provenance == trace.Measured {
			measured += e
		} else {
			alone += e
		}
	}
	for _, rail := range r.rails() {
		measured -= rail.outside.given
		alone += rail.outside.given
	}
	for _, rail := range r.clusters {
		if rail != nil { // its unattributed energy includes energy outside of the readings
			measured -= rail.outside.goal - rail.outside.given
			alone += rail.outside.goal - rail.outside.given
		}
	}
	limit := units.Energy(0)
	for _, rail := range r.rails() {
		limit += rail.measured()
	}
	for _, u := range r.others {
		limit += u.Energy
	}
	// Processor energy follows from running time, so it may exceed what was measured.
	if over := measured - limit; over > 0 {
		measured, alone = limit, alone+over
	}
	return measured, alone
}

// scales reports whether a meter measures any component of the model.
func (r *Rails) scales() bool { return r != nil && (len(r.components) > 0 || r.all != nil) }

// learn prepares the rails for one of two scans. The first scan (on is true) adds up the modelled
// energy of the components. The second scan scales it to the measured energy.
func (r *Rails) learn(on bool) {
	r.learning = on
	for _, part := range r.rails() {
		part.begin()
		switch {
		case slices.Contains(r.clusters, part): // ReadRails has already modelled the clusters.
		case on:
			part.forget()
		default:
			part.settle()
		}
	}
}

// left returns the measured energy that is not attributed to calls. processed is the processor
// energy that is.
func (r *Rails) left(processed units.Energy) []Unmodelled {
	r.processed = processed
	out := slices.Clone(r.others)
	r.warnings = slices.DeleteFunc(r.warnings, func(w trace.Warning) bool { return w.Code == aboveMeter })
	for _, part := range []*rail{r.components[processor], r.all} {
		if part == nil {
			continue
		}
		rest := part.rest() - processed
		out = append(out, Unmodelled{Component: part.name, Energy: max(0, rest)})
		if rest < 0 {
			r.warnings = append(r.warnings, trace.Warning{Code: aboveMeter, Message: fmt.Sprintf(
				"the model gives the processor %s, which is %s more than %s measured without the other parts; check the power of its cores, and whether the readings cover the run",
				amount(processed), amount(-rest), strings.Join(part.tracks, ", "))})
		}
	}
	return out
}

// aboveMeter is the code of the warning that more energy was modelled than measured.
const aboveMeter = "beyond-the-meter"

// rails returns the rails in the order of Agreements.
func (r *Rails) rails() []*rail {
	var all []*rail
	for _, part := range r.clusters {
		if part != nil {
			all = append(all, part)
		}
	}
	if part := r.components[processor]; part != nil {
		all = append(all, part)
	}
	for i := range r.device.Components {
		if part := r.components[r.device.Components[i].Name]; part != nil {
			all = append(all, part)
		}
	}
	if r.all != nil {
		all = append(all, r.all)
	}
	return all
}

// processor is the name of the component that threads run on.
const processor = "cpu"

// rail returns the rail that measures a component, or nil. The Rails may be nil.
func (r *Rails) rail(component string) *rail {
	if r == nil {
		return nil
	}
	if part := r.components[component]; part != nil {
		return part
	}
	return r.all
}
