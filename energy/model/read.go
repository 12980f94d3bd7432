package model

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/internal/nearest"
	"github.com/diffprof/diffprof/internal/table"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// day is longer than any state lasts.
const day = 24 * time.Hour

// Read reads a power model in YAML. docs/energy.md describes the format. Errors in the file are
// table.Problems. Each problem has its line.
func Read(r io.Reader) (*Device, error) {
	data, err := io.ReadAll(io.LimitReader(r, table.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading power model: %w", err)
	}
	root, err := table.Read(data, "power model")
	if err != nil {
		return nil, err
	}
	return read(root)
}

// read reads a model from the root of its file.
func read(root table.Value) (*Device, error) {
	d := &Device{Voltage: units.DefaultVoltage}
	var components, serves, cpu, battery table.Value
	var base string
	root.Object(map[string]func(table.Value){
		"name": sentence(&d.Name), "title": sentence(&d.Title), "source": sentence(&d.Source),
		"extends": func(v table.Value) {
			var ok bool
			if base, ok = v.Text(); ok {
				d.extend(v, base)
			}
		},
		"voltage": func(v table.Value) {
			if n, ok := voltageQuantity.sum(v, volt); ok {
				if d.Voltage = units.Voltage(n[fixed]); d.Voltage == 0 {
					v.Fail("the voltage is 0")
				}
			}
		},
		"components": func(v table.Value) { components = v },
		"serves":     func(v table.Value) { serves = v },
		"cpu":        func(v table.Value) { cpu = v },
		"battery":    func(v table.Value) { battery = v },
	})
	// All other values depend on the voltage.
	if battery.Given() {
		if n, ok := chargeQuantity.sum(battery, energies(d.Voltage)); ok {
			d.Battery = units.Energy(n[fixed])
		}
	}
	if components.Given() {
		d.readComponents(components)
	}
	if cpu.Given() {
		d.CPU = readCPU(cpu, d.Voltage)
	}
	if serves.Given() {
		d.readServes(serves)
	}
	if root.Problems() == 0 && len(d.Components) == 0 && d.CPU == nil {
		root.Fail("the model has no components and no cpu")
	}
	if err := root.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// sentence returns a function that reads a text and joins its lines.
func sentence(to *string) func(table.Value) {
	return func(v table.Value) {
		text, _ := v.Text()
		*to = strings.Join(strings.Fields(text), " ")
	}
}

// extend copies one of the built-in models to d.
func (d *Device) extend(v table.Value, name string) {
	base, err := Ready(name)
	if err != nil {
		v.Fail("%v", err)
		return
	}
	d.Voltage, d.Battery, d.CPU = base.Voltage, base.Battery, base.CPU
	d.Components, d.Services = slices.Clone(base.Components), slices.Clone(base.Services)
	if d.Source == "" {
		d.Source = base.Source
	}
}

// readComponents reads components. If d extends a model that has a component of the same name, the
// new component replaces it.
func (d *Device) readComponents(v table.Value) {
	for name, value := range v.Entries() {
		if !isName(name) {
			value.Fail("a component's name has lower-case letters, digits and - alone")
			continue
		}
		c := readComponent(value, name, d.Voltage)
		if i := slices.IndexFunc(d.Components, func(c Component) bool { return c.Name == name }); i >= 0 {
			d.Components[i] = c
		} else {
			d.Components = append(d.Components, c)
		}
	}
}

// isName reports whether s consists of lower-case letters, digits and dashes.
func isName(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (d *Device) readServes(v table.Value) {
	var names []string
	for _, c := range d.Components {
		names = append(names, c.Name)
	}
	for name, value := range v.Entries() {
		component, ok := value.Text()
		switch {
		case !ok:
		case !slices.Contains(names, component):
			value.Fail("the model has no component %q%s", component, meant(component, names))
		case slices.Contains(names, name):
			value.Fail("the model has a component %s, so serves cannot assign that name", name)
		default:
			d.Services = slices.DeleteFunc(d.Services, func(s Service) bool { return s.Name == name })
			d.Services = append(d.Services, Service{name, component})
		}
	}
}

// meant returns a question that suggests the name closest to written, such as "did you mean wifi?".
// If no name is close, it lists all names.
func meant(written string, names []string) string {
	if near := nearest.Name(written, names); near != "" {
		return "; did you mean " + near + "?"
	}
	if len(names) == 0 {
		return ""
	}
	return "; use one of " + strings.Join(names, ", ")
}

func readComponent(v table.Value, name string, volts units.Voltage) Component {
	c := Component{Name: name, Line: v.Line()}
	var transitions, work table.Value
	var at places
	before := v.Problems()
	v.Object(map[string]func(table.Value){
		"source": sentence(&c.Source),
		"rails":  func(v table.Value) { c.Rails = readPatterns(v) },
		"states": func(v table.Value) {
			for name, value := range v.Entries() {
				c.States = append(c.States, readState(value, name, volts))
				at.states = append(at.states, value)
			}
		},
		"transitions": func(v table.Value) { transitions = v },
		"work":        func(v table.Value) { work = v },
	})
	if v.Problems() == before && len(c.States) == 0 {
		v.Fail("the component has no states")
	}
	if transitions.Given() {
		for _, value := range transitions.List() {
			if t, ok := readTransition(value, c.States); ok {
				c.Transitions = append(c.Transitions, t)
				at.transitions = append(at.transitions, value)
			}
		}
	}
	if work.Given() {
		for _, value := range work.List() {
			c.Work = append(c.Work, readWork(value, volts))
			at.work = append(at.work, value)
		}
	}
	if v.Problems() == before {
		c.check(v, at)
	}
	return c
}

// readPatterns reads patterns for names of tracks.
func readPatterns(v table.Value) (out []string) {
	for _, value := range v.List() {
		text, ok := value.Text()
		switch {
		case !ok:
		case !isPattern(text):
			value.Fail("%q is not a pattern: * matches any text, ? one character, [abc] one of a, b and c", text)
		default:
			out = append(out, text)
		}
	}
	return out
}

func readState(v table.Value, name string, volts units.Voltage) State {
	s := State{Name: name, Line: v.Line()}
	kind, drawn := false, false
	before := v.Problems()
	v.Object(map[string]func(table.Value){
		"kind": func(v table.Value) {
			text, ok := v.Text()
			i := slices.Index(kinds[:], text)
			if kind = ok; ok && i < 0 {
				v.Fail("unknown kind %q%s", text, meant(text, kinds[:]))
			}
			s.Kind = Kind(max(i, 0))
		},
		"draw": func(v table.Value) {
			drawn = true
			if n, ok := powerQuantity.measures(v, powers(volts), fixed); ok {
				s.Power, s.PerLevel = units.Power(n[fixed].n), units.Power(n[perLevel].n)
				s.Powers = rangeOf[units.Power](n[fixed])
			}
		},
		"source": sentence(&s.Source),
	})
	switch {
	case v.Problems() > before:
	case !kind:
		v.Fail("the state has no kind: it is one of %s", strings.Join(kinds[:], ", "))
	case s.Kind == Base && (s.Power > 0 || s.PerLevel > 0):
		v.Fail("a base state draws nothing: all powers are on top of the device's idle power")
	case s.Kind != Base && !drawn:
		v.Fail("the state needs a draw, such as draw: 75 mA or draw: 280 mW")
	}
	return s
}

// readTransition returns false if a state of the transition is invalid.
func readTransition(v table.Value, states []State) (Transition, bool) {
	t := Transition{From: -1, To: -1, Line: v.Line()}
	var names []string
	for _, s := range states {
		names = append(names, s.Name)
	}
	state := func(to *int) func(table.Value) {
		return func(v table.Value) {
			text, ok := v.Text()
			if *to = slices.Index(names, text); ok && *to < 0 {
				v.Fail("the component has no state %q%s", text, meant(text, names))
			}
		}
	}
	causes, sized, ends := 0, false, map[string]bool{}
	v.Object(map[string]func(table.Value){
		"from": func(v table.Value) { ends["from"] = true; state(&t.From)(v) },
		"to":   func(v table.Value) { ends["to"] = true; state(&t.To)(v) },
		"on":   func(v table.Value) { causes++; t.On = readVerbs(v) },
		"atLeast": func(v table.Value) {
			sized = true
			if n, ok := sizeQuantity.sum(v, byteUnits); ok {
				t.MinBytes = n[fixed]
			}
		},
		"after": func(v table.Value) {
			causes++
			if n, ok := timeQuantity.measures(v, times, fixed); ok {
				t.After, t.AfterRange = time.Duration(n[fixed].n), rangeOf[time.Duration](n[fixed])
			}
		},
		"when": func(v table.Value) {
			causes++
			if text, ok := v.Text(); ok && text != "idle" {
				v.Fail("when is idle, or left out")
			}
			t.Idle = true
		},
		"source": sentence(&t.Source),
	})
	switch {
	case !ends["from"] || !ends["to"]:
		v.Fail("a transition needs from and to, two states")
	case causes != 1:
		v.Fail("a transition is taken on operations, after a time, or when: idle; state one of the three")
	case sized && len(t.On) == 0:
		v.Fail("atLeast is for transitions on operations")
	case t.From >= 0 && t.From == t.To:
		v.Fail("the transition leads from a state to itself")
	}
	return t, t.From >= 0 && t.To >= 0
}

func readVerbs(v table.Value) (out []trace.Verb) {
	for _, value := range v.List() {
		text, ok := value.Text()
		verb, known := trace.VerbOf(text)
		switch {
		case !ok:
		case !known:
			value.Fail("unknown operation %q%s", text, meant(text, trace.VerbNames()))
		case slices.Contains(out, verb):
			value.Fail("%s is given twice", text)
		default:
			out = append(out, verb)
		}
	}
	return out
}

func readWork(v table.Value, volts units.Voltage) Work {
	w := Work{Line: v.Line()}
	given := false
	v.Object(map[string]func(table.Value){
		"on": func(v table.Value) { w.On = readVerbs(v) },
		"busy": func(v table.Value) {
			given = true
			if n, ok := workTimeQuantity.measures(v, times, perKiB); ok {
				w.Fixed, w.PerKiB = time.Duration(n[fixed].n), time.Duration(n[perKiB].n)
				w.Rates = rangeOf[time.Duration](n[perKiB])
			}
		},
		"latency": func(v table.Value) {
			given = true
			if n, ok := timeQuantity.measures(v, times, fixed); ok {
				w.Latency, w.Latencies = time.Duration(n[fixed].n), rangeOf[time.Duration](n[fixed])
			}
		},
		"energy": func(v table.Value) {
			given = true
			if n, ok := energyQuantity.measures(v, energies(volts), perKiB); ok {
				w.Energy, w.EnergyPerKiB, w.EnergyPerPacket = units.Energy(n[fixed].n), units.Energy(n[perKiB].n), units.Energy(n[perPacket].n)
				w.Costs = rangeOf[units.Energy](n[perKiB])
			}
		},
		"source": sentence(&w.Source),
	})
	if !given {
		v.Fail("work is busy, such as 10 ms + 8 ms/KiB, latency, such as 70 ms, or energy, such as 3 µJ/KiB")
	}
	return w
}

// rangeOf returns the range of a figure.
func rangeOf[T ~int64](f measure) Range[T] { return Range[T]{T(f.about.Least), T(f.about.Most)} }
