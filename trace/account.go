package trace

// An AccountID is an index into Trace.Accounts. Events of a recording without accounts have the
// AccountID 0.
type AccountID uint16

// An Account states what energy was used for: a component of the device, and what the component was
// doing.
type Account struct {
	// Component is the part of the device that used the energy, such as "cpu" or "wifi". It is
	// empty if the recording does not state it.
	Component  string
	Part       Part
	Provenance Provenance
}

// Part states what a component was doing. Tail energy is a part of its own because an app can avoid
// it without doing less work (eprof, Section 4.2.1).
type Part uint8

// The parts of a component's energy.
const (
	// Use is energy spent while the component works.
	Use Part = iota
	// Tail is energy that the component uses after its work, while it waits for more work.
	Tail
	// Rest is energy of the component that no call caused. It is measured or modelled, and
	// attributed to the root.
	Rest
)

// String names the part: "use", "tail", "rest".
func (p Part) String() string {
	switch p {
	case Tail:
		return "tail"
	case Rest:
		return "rest"
	}
	return "use"
}

// Provenance states how an energy value was obtained, so that a modelled value is never shown as a
// measured one.
type Provenance uint8

// The provenances.
const (
	// NoEnergy means that the events have no energy yet.
	NoEnergy Provenance = iota
	// Given means that the input states energy, as folded stacks do. How that energy was obtained
	// is unknown.
	Given
	// CPUTime means that energy is processor time times the active power in a power profile.
	CPUTime
	// WallTime means that energy is elapsed time times the active power. It is for recordings
	// without a thread clock. Time in which a thread waits counts as work.
	WallTime
	// CycleTime is like CPUTime, but processor time is cycles divided by a frequency that the user
	// stated. The energy is as accurate as that frequency.
	CycleTime
	// Measured means that a meter or the device's power rails measured the run itself.
	Measured
	// Modelled means that a model of a device's components was applied to the events of the run.
	Modelled
	// Scaled is Modelled, with each component's energies scaled so that their sum is the
	// measurement.
	Scaled
	// APICost means that energy is the number of calls of a method times the measured cost of one
	// call. The cost was measured in another run.
	APICost
	// Fitted means that a fit divided measured energy among source lines.
	Fitted
)

// Added reports whether energies of other components can be added to this one. They can if it was
// computed from events. Given or measured energy may already include other components.
func (p Provenance) Added() bool {
	switch p {
	case CPUTime, WallTime, CycleTime, Modelled, Scaled:
		return true
	}
	return false
}

// String names the provenance: "none", "given", "cpu-time", "wall-time", "cycle-time",
// "measured", "modelled", "scaled", "api-cost", "fitted".
func (p Provenance) String() string {
	switch p {
	case Given:
		return "given"
	case CPUTime:
		return "cpu-time"
	case WallTime:
		return "wall-time"
	case CycleTime:
		return "cycle-time"
	case Measured:
		return "measured"
	case Modelled:
		return "modelled"
	case Scaled:
		return "scaled"
	case APICost:
		return "api-cost"
	case Fitted:
		return "fitted"
	}
	return "none"
}
