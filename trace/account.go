package trace

// An AccountID is an index into Trace.Accounts. Events of a recording without accounts have the
// AccountID 0.
type AccountID uint16

// An Account is a purpose of energy: a component and its activity.
type Account struct {
	// Component is the part of the device that used the energy, such as "cpu" or "wifi". It is
	// empty if the recording does not state it.
	Component  string
	Part       Part
	Provenance Provenance
}

// Part states what a component was doing. Tail energy has its own part because it is wasted. An app
// can avoid it without doing less (eprof, Section 4.2.1).
type Part uint8

// The parts of a component's energy.
const (
	// Use is energy spent while the component works.
	Use Part = iota
	// Tail is energy that the component uses after its work, while it waits for more work.
	Tail
	// Rest is measured or modelled energy of the component that no call caused. It is attributed to
	// the root.
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

// Provenance is the source of a figure of energy. It ensures that a modelled figure is never shown
// as a measured one.
type Provenance uint8

// The provenances.
const (
	// NoEnergy means that no energy has been charged to the events yet.
	NoEnergy Provenance = iota
	// Given means that the input states energy, as folded stacks do. It is unknown how that energy
	// was obtained.
	Given
	// CPUTime is processor time times the active power of a power profile.
	CPUTime
	// WallTime is elapsed time times the active power. It serves recordings without a thread clock.
	// Waiting counts as work.
	WallTime
	// CycleTime is like CPUTime, with processor time computed as cycles divided by a stated
	// frequency. It is as accurate as that frequency.
	CycleTime
	// Measured means that a meter or the rails of a power monitor measured the run itself.
	Measured
	// Modelled means that a model of a device's components was applied to the events of the run.
	Modelled
	// Scaled is Modelled with the sum of each component scaled to its measurement.
	Scaled
	// APICost: numbers of calls times costs of one call, which were measured elsewhere.
	APICost
	// Fitted means that a fit divided a measured energy into parts.
	Fitted
)

// Added reports whether the figure was computed from the run. Figures of other components may then
// be added to it. A figure that a recording states, or that a meter measured, may already include
// other components.
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
