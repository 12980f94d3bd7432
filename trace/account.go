package trace

// An AccountID is an index into Trace.Accounts. Events of a recording without
// accounts have 0.
type AccountID uint16

// An Account is what energy was spent on.
type Account struct {
	// Component is the part of the device that drained it, such as "cpu" or "wifi";
	// empty where the recording does not tell.
	Component  string
	Part       Part
	Provenance Provenance
}

// Part says what a component was doing. The two are kept apart since a tail is
// wasted: it can be saved without doing less (eprof, Section 4.2.1).
type Part uint8

// The parts of a component's energy.
const (
	// Use is drained while the component works.
	Use Part = iota
	// Tail is drained afterwards, while the component waits for more to do.
	Tail
	// Rest was measured of the component, or modelled, and nobody caused it: it is the root's.
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

// Provenance says where a figure of energy comes from, so that a modelled figure
// is never shown as a measured one.
type Provenance uint8

// The provenances.
const (
	// NoEnergy: nothing has charged the events yet.
	NoEnergy Provenance = iota
	// Given: the input states energy, as folded stacks do; how it was got is
	// the input's affair.
	Given
	// CPUTime: processor time times the active power of a power profile.
	CPUTime
	// WallTime: as CPUTime with elapsed time in place of processor time, since
	// the recording has no thread clock. Waiting counts as work.
	WallTime
	// CycleTime: as CPUTime, where the processor time is cycles divided by a stated
	// frequency, and so as good as that.
	CycleTime
	// Measured: a meter, or the rails of a power monitor, over the run itself.
	Measured
	// Modelled: a model of a device's components, driven by what the run did.
	Modelled
	// Scaled: Modelled, with each component's sum set to what was measured of it.
	Scaled
)

// Added tells whether a figure was worked out from a run, so that figures of other
// components may stand beside it. What a recording states or a meter measured may hold them
// already.
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
