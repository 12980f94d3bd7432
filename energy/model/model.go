// Package model holds power models: what each component of a device draws in each of its
// states, and what takes it from one state to another.
//
// A component is a finite state machine (Pathak et al., "Where is the energy spent inside
// my app?", EuroSys 2012, which names its profiler eprof, Section 3). It rests in its base
// state. An operation, such as sending bytes, takes it to a productive state, often by way
// of a ramp. After the last operation it stays in a tail for a while, and then it
// goes back to its base state. A wakelock, a camera or a GPS receiver is on from the
// operation that acquires or starts it to the one that releases or stops it.
//
// The package knows models as data. What a machine does is in package energy/machine.
//
// Power is what flows on top of the device's idle power, so that a base state draws
// nothing. Currents of a model's file become powers at the model's voltage, rounded once
// to a microwatt.
//
// A Device is not changed once it is read, and may be used concurrently.
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
	// Name is what users call the model, such as "passion". Title says in a line which
	// device it is, Source where its figures come from.
	Name, Title, Source string
	// Voltage is the one at which currents became powers.
	Voltage units.Voltage
	// Battery is what a full battery holds, 0 if unknown.
	Battery units.Energy
	// Components are in the order of the file; no two have the same name.
	Components []Component
	// Serves says which components answer to what recordings call otherwise: nobody sees
	// in a socket which radio carries it.
	Serves []Service
	// CPU says what the processor draws by its frequencies and idle states. It is nil
	// where one figure stands for all of a run.
	CPU *CPU
}

// Component returns the component of that name, nil if the model has none.
func (d *Device) Component(name string) *Component {
	for i := range d.Components {
		if d.Components[i].Name == name {
			return &d.Components[i]
		}
	}
	return nil
}

// For returns the component that answers to operations of what a recording calls by that
// name: the component of the name, else the one that serves it, else nil.
func (d *Device) For(name string) *Component {
	if c := d.Component(name); c != nil {
		return c
	}
	for _, s := range d.Serves {
		if s.Name == name {
			return d.Component(s.Component)
		}
	}
	return nil
}

// A Service is a name that a component answers to.
type Service struct {
	// Name is what recordings say, such as "network".
	Name string
	// Component is the name of a component of the device.
	Component string
}

// A Component is a part of a device with its states.
type Component struct {
	// Name is in the words of trace.Account.Component: cellular, wifi, disk, gps,
	// wakelock, camera, screen, audio, bluetooth, sensor.
	Name string
	// States has the base state first, and no other.
	States []State
	// Transitions are in the order of the file. Of two that an operation could take the
	// first one counts.
	Transitions []Transition
	// Work estimates how long operations keep the component busy.
	Work []Work
	// Rails are patterns, as of path.Match, of the names of tracks that measure what the
	// component drains.
	Rails []string
	// Source is where figures without a source of their own come from.
	Source string
	Line   int
}

// Kind says what a component does in a state.
type Kind uint8

// The kinds of state.
const (
	// Base is rest: no power, and no operation.
	Base Kind = iota
	// Ramp leads from rest to work. It belongs to the operation that caused it.
	Ramp
	// Productive lasts while an operation is active.
	Productive
	// Tail follows on work, while the component waits for more to do.
	Tail
	// On lasts while anything is acquired, started or opened and not yet released,
	// stopped or closed.
	On
)

// kinds are the names of the kinds.
var kinds = [...]string{Base: "base", Ramp: "ramp", Productive: "productive", Tail: "tail", On: "on"}

// String names the kind: "base", "ramp", "productive", "tail", "on".
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// A State is what a component draws for a while.
type State struct {
	Name string
	Kind Kind
	// Power flows while the component is in the state. It is 0 in a base state.
	Power units.Power
	// PerLevel is added to Power for each step of the component's level where one is
	// known: the brightness of a screen in percent, the bars of a signal.
	PerLevel units.Power
	// Source says where the figures come from; it may be empty.
	Source string
	Line   int
}

// PacketBytes is what a packet carries: an Ethernet frame less the headers of IP and TCP.
const PacketBytes = 1460

// A Transition takes a component from a state to another: on an operation, after a time,
// or once nothing is active any more.
type Transition struct {
	// From and To are indices of Component.States.
	From, To int
	// On are the operations that take it. It is empty for the other transitions.
	On []trace.Verb
	// MinBytes is the least size of an operation that takes it.
	MinBytes int64
	// After is how long the component stays in From, counted from when it came there,
	// or from the last operation that was done there. It counts where On is empty and
	// Idle is not set.
	After time.Duration
	// Idle: it is taken when the last active operation has ended, and nothing is held.
	Idle   bool
	Source string
	Line   int
}

// Work is what operations cost beyond the states that they take a component to: how long
// they keep it busy, as a line through what was measured (eprof, Section 4.3), and what
// their bytes and packets drain on top of the state's power.
type Work struct {
	On []trace.Verb
	// An operation keeps the component busy for Fixed, and PerKiB for each KiB.
	Fixed, PerKiB time.Duration
	// It drains Energy, with EnergyPerKiB for each KiB and EnergyPerPacket for each packet
	// of PacketBytes bytes, or a part of so many.
	Energy, EnergyPerKiB, EnergyPerPacket units.Energy
	Source                                string
	Line                                  int
}

// Levelled says whether what a state draws depends on the component's level.
func (c *Component) Levelled() bool {
	return slices.ContainsFunc(c.States, func(s State) bool { return s.PerLevel > 0 })
}

// WorkOf returns the work of an operation; nil if the model has none.
func (c *Component) WorkOf(v trace.Verb) *Work {
	for i := range c.Work {
		if slices.Contains(c.Work[i].On, v) {
			return &c.Work[i]
		}
	}
	return nil
}

// Busy returns how long an operation of so many bytes keeps the component busy, and
// whether the model says so: it is 0 where the model knows no time of the operation.
func (c *Component) Busy(v trace.Verb, bytes int64) (time.Duration, bool) {
	return c.WorkOf(v).Busy(bytes)
}

// Busy returns how long an operation of so many bytes keeps the component busy, and
// whether the work says so. That of nil does not.
func (w *Work) Busy(bytes int64) (time.Duration, bool) {
	if w == nil || w.Fixed == 0 && w.PerKiB == 0 {
		return 0, false
	}
	return w.Fixed + time.Duration(units.MulDiv(int64(w.PerKiB), bytes, kibibyte)), true
}

const kibibyte = 1024

// Uses tells whether the component answers to an operation in any of its states.
func (c *Component) Uses(v trace.Verb) bool {
	for i := range c.Transitions {
		if slices.Contains(c.Transitions[i].On, v) {
			return true
		}
	}
	return false
}

// Assumed tells how many of the model's figures nobody has measured on the device: those
// whose source says that they are assumed, or that have none. all counts the figures of
// components: powers, times and work.
func (d *Device) Assumed() (assumed, all int) {
	count := func(own, shared string) {
		all++
		if source := cmp.Or(own, shared); source == "" || strings.HasPrefix(source, "assumed") {
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
