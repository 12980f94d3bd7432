// Package model holds power models. A power model has the power of each component of a device in
// each of its states, and the transitions between the states.
//
// A component is a finite state machine (Pathak et al., "Where is the energy spent inside my app?",
// EuroSys 2012, Section 3; their profiler is eprof). While it is not used, it is in its base state.
// An operation, such as sending bytes, takes it to a productive state, often through a ramp. After
// the last operation, the component stays in a tail for a while before it returns to its base
// state. A wakelock, a camera or a GPS receiver is on from the operation that acquires or starts it
// until the operation that releases or stops it.
//
// The package represents models as data. Package energy/machine executes them.
//
// Powers are in addition to the idle power of the device, so the power of a base state is 0.
// Currents in a model file are converted to powers at the voltage of the model, and rounded once to
// a microwatt.
//
// A Device is immutable after reading and safe for concurrent use.
package model

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Device is the power model of a device.
type Device struct {
	// Name is the name of the model for users, such as "passion". Title describes the device on one
	// line. Source is the source of the model's figures.
	Name, Title, Source string
	// Voltage converts currents to powers.
	Voltage units.Voltage
	// Battery is the energy of a full battery, 0 if unknown.
	Battery units.Energy
	// Components are in the order of the file, with unique names.
	Components []Component
	// Services maps names in recordings to components. For example, a socket does not show which
	// radio carries its data.
	Services []Service
	// CPU is the power of the processor by frequency and idle state. It is nil if one power is
	// used for the whole run.
	CPU *CPU
}

// Component returns the component with the given name, or nil.
func (d *Device) Component(name string) *Component {
	for i := range d.Components {
		if d.Components[i].Name == name {
			return &d.Components[i]
		}
	}
	return nil
}

// Serving returns the component for a name in recordings. This is the component with that name, or
// else the component to which Services maps the name, or nil.
func (d *Device) Serving(name string) *Component {
	if c := d.Component(name); c != nil {
		return c
	}
	for _, s := range d.Services {
		if s.Name == name {
			return d.Component(s.Component)
		}
	}
	return nil
}

// A Service maps a name in recordings to a component.
type Service struct {
	// Name is the name in recordings, such as "network".
	Name string
	// Component is the name of a component of the device.
	Component string
}

// A Component is a part of a device with its states.
type Component struct {
	// Name is one of the names of trace.Account.Component: cellular, wifi, disk, gps, wakelock,
	// camera, screen, audio, bluetooth, sensor.
	Name string
	// States has exactly one base state, which comes first.
	States []State
	// Transitions are in the order of the file. If several transitions match an operation, the
	// component takes the first one.
	Transitions []Transition
	// Work states how long operations keep the component busy. It is an estimate.
	Work []Work
	// Rails are path.Match patterns for the names of the tracks that measure the component.
	Rails []string
	// Source is the source of all figures that have no source of their own.
	Source string
	Line   int
}

// Kind is the role of a state.
type Kind uint8

// The kinds of state.
const (
	// Base is the state at rest, without power and operations.
	Base Kind = iota
	// Ramp leads from rest to work. Its energy belongs to the operation that caused it.
	Ramp
	// Productive lasts while an operation is active.
	Productive
	// Tail follows work, while the component waits for more.
	Tail
	// On lasts as long as something is acquired, started or opened.
	On
)

var kinds = [...]string{Base: "base", Ramp: "ramp", Productive: "productive", Tail: "tail", On: "on"}

// String returns the name of the kind: "base", "ramp", "productive", "tail", "on".
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// A Range is the range of a figure, as stated by the figure's source. The zero Range means that the
// model states no range.
type Range[T ~int64] struct{ Least, Most T }

// Stated reports whether the model states the range.
func (r Range[T]) Stated() bool { return r.Most != 0 }

// at returns an end of the range: the upper end if most is set, and otherwise the lower end. If the
// model states no range, it returns figure.
func (r Range[T]) at(figure T, most bool) T {
	switch {
	case !r.Stated():
		return figure
	case most:
		return r.Most
	}
	return r.Least
}

// A State is a power state of a component.
type State struct {
	Name string
	Kind Kind
	// Power is the power in the state. It is 0 in a base state.
	Power units.Power
	// Powers is the range of Power.
	Powers Range[units.Power]
	// PerLevel is added to Power for each step of the component's level, if the level is known.
	// Levels are the brightness of a screen in percent, and the bars of a signal.
	PerLevel units.Power
	// Source is the source of the figures. It may be empty.
	Source string
	Line   int
}

// A Transition takes a component from one state to another. Its cause is an operation, a timeout,
// or that no operation is active.
type Transition struct {
	// From and To are indices of Component.States.
	From, To int
	// On lists the operations that cause the transition. It is empty for transitions that no
	// operation causes.
	On []trace.Verb
	// MinBytes is the minimum size of an operation that causes the transition.
	MinBytes int64
	// After is the timeout of the state From. It starts when the component enters the state, and
	// again with each operation in the state. It applies if On is empty and Idle is not set.
	After time.Duration
	// AfterRange is the range of After.
	AfterRange Range[time.Duration]
	// Idle transitions happen when no operation is active and nothing is held.
	Idle   bool
	Source string
	Line   int
}

// Work is the time and energy that operations need in addition to the power of states. The time for
// which they keep the component busy is a straight line through measurements (eprof, Section 4.3).
// The energy is for their bytes and packets.
type Work struct {
	On []trace.Verb
	// An operation keeps the component busy for Fixed, plus PerKiB for each KiB. In this time the
	// component works, so simultaneous operations take longer.
	Fixed, PerKiB time.Duration
	// Rates is the range of PerKiB.
	Rates Range[time.Duration]
	// Latency is how long the component stays in its state after the work, for example until an
	// answer arrives. The latencies of several operations may overlap.
	Latency time.Duration
	// Latencies is the range of Latency.
	Latencies Range[time.Duration]
	// An operation uses Energy, plus EnergyPerKiB for each KiB, plus EnergyPerPacket for each
	// packet of trace.PacketBytes bytes. An incomplete packet counts as a whole one.
	Energy, EnergyPerKiB, EnergyPerPacket units.Energy
	// Costs is the range of EnergyPerKiB.
	Costs  Range[units.Energy]
	Source string
	Line   int
}

// Ranged reports whether the model states a range for any figure of the component.
func (c *Component) Ranged() bool {
	return slices.ContainsFunc(c.States, func(s State) bool { return s.Powers.Stated() }) ||
		slices.ContainsFunc(c.Transitions, func(t Transition) bool { return t.AfterRange.Stated() }) ||
		slices.ContainsFunc(c.Work, func(w Work) bool {
			return w.Rates.Stated() || w.Latencies.Stated() || w.Costs.Stated()
		})
}

// End returns a copy of the component whose figures are at an end of their ranges: the upper end if
// most is set, and otherwise the lower end.
func (c *Component) End(most bool) *Component {
	out := *c
	out.States, out.Transitions, out.Work = slices.Clone(c.States), slices.Clone(c.Transitions), slices.Clone(c.Work)
	for i := range out.States {
		s := &out.States[i]
		s.Power, s.Powers = s.Powers.at(s.Power, most), Range[units.Power]{}
	}
	for i := range out.Transitions {
		t := &out.Transitions[i]
		t.After, t.AfterRange = t.AfterRange.at(t.After, most), Range[time.Duration]{}
	}
	for i := range out.Work {
		w := &out.Work[i]
		w.PerKiB, w.Rates = w.Rates.at(w.PerKiB, most), Range[time.Duration]{}
		w.Latency, w.Latencies = w.Latencies.at(w.Latency, most), Range[time.Duration]{}
		w.EnergyPerKiB, w.Costs = w.Costs.at(w.EnergyPerKiB, most), Range[units.Energy]{}
	}
	return &out
}

// Levelled reports whether the power of any state depends on the component's level.
func (c *Component) Levelled() bool {
	return slices.ContainsFunc(c.States, func(s State) bool { return s.PerLevel > 0 })
}

// WorkOf returns the work of the operations with a verb, or nil.
func (c *Component) WorkOf(v trace.Verb) *Work {
	for i := range c.Work {
		if slices.Contains(c.Work[i].On, v) {
			return &c.Work[i]
		}
	}
	return nil
}

// Busy returns how long an operation of the given size keeps the component busy. It returns
// false if the model states no time for the operation.
func (c *Component) Busy(v trace.Verb, bytes int64) (time.Duration, bool) {
	return c.WorkOf(v).Busy(bytes)
}

// Busy returns how long an operation of the given size keeps the component busy. It returns
// false if the work states no time. w may be nil.
func (w *Work) Busy(bytes int64) (time.Duration, bool) {
	if w == nil || w.Fixed == 0 && w.PerKiB == 0 && w.Latency == 0 {
		return 0, false
	}
	return w.Fixed + time.Duration(units.MulDiv(int64(w.PerKiB), bytes, kibibyte)), true
}

const kibibyte = 1024

// Uses reports whether any state of the component has a transition on an operation.
func (c *Component) Uses(v trace.Verb) bool {
	for i := range c.Transitions {
		if slices.Contains(c.Transitions[i].On, v) {
			return true
		}
	}
	return false
}

// Assumed counts the figures of components, which are powers, times and work. all counts all of
// them. assumed counts those that are not measurements of the device: they have no source, or an
// assumed or derived source.
func (d *Device) Assumed() (assumed, all int) {
	count := func(own, shared string) {
		all++
		if source := cmp.Or(own, shared); source == "" || strings.HasPrefix(source, "assumed") || strings.HasPrefix(source, "derived") {
			assumed++
		}
	}
	for _, c := range d.Components {
		for _, s := range c.States {
			if s.Kind != Base {
				count(s.Source, c.Source)
			}
		}
		for _, t := range c.Transitions {
			if len(t.On) == 0 && !t.Idle {
				count(t.Source, c.Source)
			}
		}
		for _, w := range c.Work {
			count(w.Source, c.Source)
		}
	}
	return assumed, all
}
