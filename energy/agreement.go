package energy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/diffprof/diffprof/energy/model"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Rails are what the signals of a recording measured of the parts of a device, and what the
// device's model says of the processor in the same time. They belong to one recording, and
// are for one goroutine at a time.
type Rails struct {
	device *model.Device
	// clusters are the rails of the processor's clusters, nil where nothing measures one.
	// The others are by the names of components.
	clusters   []*rail
	components map[string]*rail
	// all is what feeds all that nothing else measures, nil if nothing does.
	all *rail
	// others are what was measured of parts that nothing is modelled of.
	others []Unmodelled
	// clocked says that the recording has switches and frequencies, and events, first are the frequencies
	// that clusters begin with.
	clocked  bool
	first    []units.Frequency
	warnings []trace.Warning
	// processed is what the processor was charged for in the latest scan.
	processed units.Energy
	// learning is set for the scan in which components are modelled before they are scaled.
	learning bool
}

// Unmodelled is what was measured of a part of the device that nothing is modelled of.
type Unmodelled struct {
	Component string
	Energy    units.Energy
}

// An Agreement says how what is charged of a part of the device agrees with what was
// measured of it.
type Agreement struct {
	// Name is a component, a cluster of the processor, or the device. Tracks measured it.
	Name   string
	Tracks []string
	// Measured lies between the first and the last reading. Modelled is what the model says
	// of the same time. Charged of what was measured is scaled, Rest is nobody's.
	Measured, Modelled, Charged, Rest units.Energy
	// Outside is what is modelled of the time before and behind the readings.
	Outside units.Energy
}

// Agreements returns the agreements of the latest scan: clusters, then components in the
// order of their model, then the device.
func (r *Rails) Agreements() []Agreement {
	var all []Agreement
	for _, of := range r.rails() {
		rest, modelled := of.rest(), of.modelled()
		if of == r.components[processor] || of == r.all {
			// The processor is charged by its time, and not scaled.
			rest, modelled = max(0, rest-r.processed), modelled+r.processed
		}
		all = append(all, Agreement{
			Name: of.name, Tracks: of.tracks, Measured: of.measured(), Modelled: modelled, Charged: of.measured() - rest, Rest: rest, Outside: of.outside.goal,
		})
	}
	return all
}

// Unmodelled returns what was measured of parts that nothing is modelled of.
func (r *Rails) Unmodelled() []Unmodelled { return r.others }

// Accounted is what the accounts of a run have of what was measured, where of says what an
// account has, and what beside it rests on the model alone: of parts that nothing measures,
// and of the time before and behind the readings.
func (r *Rails) Accounted(accounts []trace.Account, of func(trace.AccountID) units.Energy) (measured, alone units.Energy) {
	for i, a := range accounts {
		e := of(trace.AccountID(i))
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
		if rail != nil { // what is nobody's of a cluster has the rest of it
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
	// A processor that is charged by its time may drain more than was measured.
	if over := measured - limit; over > 0 {
		measured, alone = limit, alone+over
	}
	return measured, alone
}

// scales says whether anything measures components of the model, or all of them.
func (r *Rails) scales() bool { return r != nil && (len(r.components) > 0 || r.all != nil) }

// learn makes the rails ready for the scan in which components are modelled, and settled for
// the one in which they are scaled.
func (r *Rails) learn(on bool) {
	r.learning = on
	for _, of := range r.rails() {
		of.begin()
		switch {
		case slices.Contains(r.clusters, of): // modelled when the rails were read
		case on:
			of.forget()
		default:
			of.settle()
		}
	}
}

// left is what was measured beyond what is charged, where all that the processor's calls
// drained is so much.
func (r *Rails) left(processed units.Energy) []Unmodelled {
	r.processed = processed
	out := slices.Clone(r.others)
	r.warnings = slices.DeleteFunc(r.warnings, func(w trace.Warning) bool { return w.Code == beyondMeter })
	for _, of := range []*rail{r.components[processor], r.all} {
		if of == nil {
			continue
		}
		rest := of.rest() - processed
		out = append(out, Unmodelled{Component: of.name, Energy: max(0, rest)})
		if rest < 0 {
			r.warnings = append(r.warnings, trace.Warning{Code: beyondMeter, Message: fmt.Sprintf(
				"the processor's %s are %s more than %s measured beside the other parts; the power of its cores is another one's, or the readings do not cover the run",
				amount(processed), amount(-rest), strings.Join(of.tracks, ", "))})
		}
	}
	return out
}

// beyondMeter is the code of the warning that a model says more than was measured.
const beyondMeter = "beyond-the-meter"

// rails lists the rails.
func (r *Rails) rails() []*rail {
	var all []*rail
	for _, of := range r.clusters {
		if of != nil {
			all = append(all, of)
		}
	}
	if of := r.components[processor]; of != nil {
		all = append(all, of)
	}
	for i := range r.device.Components {
		if of := r.components[r.device.Components[i].Name]; of != nil {
			all = append(all, of)
		}
	}
	if r.all != nil {
		all = append(all, r.all)
	}
	return all
}

// processor is the component that threads run on.
const processor = "cpu"

// of returns what measures a component, nil if nothing does. It may be asked of nil.
func (r *Rails) of(component string) *rail {
	if r == nil {
		return nil
	}
	if of := r.components[component]; of != nil {
		return of
	}
	return r.all
}
