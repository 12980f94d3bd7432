package trace

// An AccountID is an index into Trace.Accounts. Events of a recording without
// accounts have 0.
type AccountID uint16

// An Account says what energy was spent on.
type Account struct {
	// Component is the part of the device that used the energy, such as "cpu" or "wifi". It is
	// empty if the recording does not state it.
	Component  string
	Part       Part
	Provenance Provenance
}

// Part is what a component was doing. Tail energy has a part of its own because it is wasted:
// it can be saved without doing less (eprof, Section 4.2.1).
type Part uint8

// The parts of a component's energy.
const (
	// Use is energy spent while the component works.
	Use Part = iota
	// Tail is energy spent afterwards, while the component waits for more work.
	Tail
	// Rest is measured or modelled energy of the component that no call caused. It belongs to
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

// Provenance is the source of a figure of energy, so that a modelled figure is never shown as a
// measured one.
type Provenance uint8

// The provenances.
const (
	// NoEnergy: nothing has charged the events yet.
	NoEnergy Provenance = iota
	// Given: the input states energy, as folded stacks do. How it was obtained is unknown.
	Given
	// CPUTime: processor time times the active power of a power profile.
	CPUTime
	// WallTime: elapsed time times the active power, because the recording has no thread clock.
	// Waiting counts as work.
	WallTime
	// CycleTime: as CPUTime, with processor time computed as cycles divided by a stated
	// frequency. It is as accurate as that frequency.
	CycleTime
	// Measured: a meter, or the rails of a power monitor, over the run itself.
	Measured
	// Modelled: a model of a device's components, driven by the events of the run.
	Modelled
	// Scaled: Modelled, with the sum of each component scaled to its measurement.
	Scaled
)

// Added reports whether the figure was computed from the run, so that figures of other
// components may be added to it. A figure that a recording states or a meter measured may
// include them already.
func (p Provenance) Added() bool {
	switch p {
	case CPUTime, WallTime, CycleTime, Modelled, Scaled:
		return true
	}
	return false
}

// String names the provenance: "none", "given", "cpu-time", "wall-time", "cycle-time",
// "measured", "modelled", "scaled".
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
	}
	return "none"
}
