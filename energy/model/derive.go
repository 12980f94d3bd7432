package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Notes describe how a model was made from a power profile. Read lists the items that were read.
// Assumed lists the assumptions about data that profiles lack. Missing lists the missing parts.
type Notes struct{ Read, Assumed, Missing []string }

// FromProfile makes a model from a power profile, for a voltage. Voltage 0 means
// units.DefaultVoltage. A profile states a current for each component while it works. It states no
// tails, ramps or times, so these are assumed. They come from published measurements of the
// generation g of radios, and have their source and range.
func FromProfile(p *profile.Profile, name string, v units.Voltage, g Generation) (*Device, *Notes) {
	if v == 0 {
		v = units.DefaultVoltage
	}
	m := &deriver{profile: p, d: &Device{Name: name, Source: "a power profile", Voltage: v}, notes: &Notes{}, generation: g}
	if capacity, err := p.Numbers("battery.capacity", 1, maxCapacity); err == nil && len(capacity) > 0 && capacity[0] > 0 {
		m.notes.Read = append(m.notes.Read, "battery.capacity")
		m.d.Battery = units.Energy(units.MulDiv(capacity[0], 3600*int64(v), 1))
	} else {
		m.addMissing("a battery's capacity (battery.capacity)")
	}
	m.cellular()
	m.wifi()
	m.bluetooth()
	m.gps()
	m.screen()
	m.switched("camera", []trace.Verb{trace.OpOpen, trace.OpStart}, "camera.avg")
	m.switched("flashlight", starts, "camera.flashlight")
	m.switched("audio", starts, "audio", "dsp.audio")
	m.switched("video", starts, "video", "dsp.video")
	m.wakelock()
	m.addMissing("storage, which no power profile states: reads and writes use only the processor")
	m.addMissing("sensors, which no power profile states")
	for _, radio := range []string{"cellular", "wifi"} {
		if m.d.Component(radio) != nil {
			m.d.Services = []Service{{Name: "network", Component: radio}}
			m.assume("network operations use %s; serves: network changes that", radio)
			break
		}
	}
	m.cpu()
	return m.d, m.notes
}

// maxCapacity is more than the capacity of any phone battery, in mAh.
const maxCapacity = 100_000

// deriver makes a device from a profile, and collects notes.
type deriver struct {
	profile *profile.Profile
	d       *Device
	notes   *Notes
	// generation is the cellular generation. It may be empty.
	generation Generation
}

var (
	starts    = []trace.Verb{trace.OpStart}
	transfers = []trace.Verb{trace.OpOpen, trace.OpSend, trace.OpReceive, trace.OpClose}
)

func (m *deriver) assume(format string, a ...any) {
	m.notes.Assumed = append(m.notes.Assumed, fmt.Sprintf(format, a...))
}

func (m *deriver) addMissing(what string) { m.notes.Missing = append(m.notes.Missing, what) }

// all returns the milliamperes of an item. It is empty if the profile has no number for the item.
func (m *deriver) all(name string) []units.Current {
	out, err := m.profile.Currents(name)
	if err != nil {
		m.addMissing(fmt.Sprintf("%s, since %v", name, err))
	}
	return out
}

// A figure is a current of the profile, with the name of its item. least and most are the ends of
// its range. If the item has only one level, they are equal.
type figure struct {
	current, least, most units.Current
	item                 string
}

// first returns the figure of the first item that states a current. If that item has several
// levels, the figure has the current of the middle level, and its range extends over all levels.
// first returns the zero figure if no item states a current.
func (m *deriver) first(items ...string) figure {
	return m.choose("the middle one", func(levels int) int { return (levels - 1) / 2 }, items...)
}

// last returns the same as first, except that it uses the last level of an item.
func (m *deriver) last(which string, items ...string) figure {
	return m.choose(which, func(levels int) int { return levels - 1 }, items...)
}

func (m *deriver) choose(which string, level func(levels int) int, items ...string) figure {
	for _, item := range items {
		all := slices.DeleteFunc(m.all(item), func(c units.Current) bool { return c == 0 })
		if len(all) == 0 {
			continue
		}
		m.notes.Read = append(m.notes.Read, item)
		if len(all) > 1 {
			m.assume("%s: %s of its %d levels", item, which, len(all))
		}
		return figure{all[level(len(all))], slices.Min(all), slices.Max(all), item}
	}
	return figure{}
}

// state returns a state with the power of a figure.
func (m *deriver) state(name string, kind Kind, f figure) State {
	s := State{Name: name, Kind: kind, Power: f.current.Power(m.d.Voltage), Source: "read: power profile, " + f.item}
	if f.least < f.most {
		s.Powers = Range[units.Power]{f.least.Power(m.d.Voltage), f.most.Power(m.d.Voltage)}
		s.Source += ", one level of several"
	}
	return s
}

// derived returns a state whose power is a fraction of a figure's power. The fraction was measured
// on another device.
func (m *deriver) derived(name string, kind Kind, f figure, by share, why string) State {
	at := func(num int64) units.Power {
		return units.Current(units.MulDiv(int64(f.current), num, by.den)).Power(m.d.Voltage)
	}
	s := State{Name: name, Kind: kind, Power: at(by.num)}
	if by.least < by.most {
		s.Powers = Range[units.Power]{at(by.least), at(by.most)}
	}
	s.Source = fmt.Sprintf("derived: %s times %d/%d, %s", f.item, by.num, by.den, why)
	return s
}

func (m *deriver) bluetooth() {
	f := m.first("bluetooth.controller.rx", "bluetooth.active")
	if f.item == "" {
		m.addMissing("Bluetooth (bluetooth.controller.rx, bluetooth.active)")
		return
	}
	m.d.Components = append(m.d.Components, Component{
		Name:   "bluetooth",
		States: []State{{Name: "idle"}, m.state("active", Productive, f)},
		Transitions: []Transition{
			{From: 0, To: 1, On: transfers},
			{From: 1, To: 0, Idle: true},
		},
		Work: []Work{
			{On: []trace.Verb{trace.OpReceive}, PerKiB: 8 * time.Millisecond, Source: "assumed, 1 Mbit/s"},
			{
				On: []trace.Verb{trace.OpOpen, trace.OpSend, trace.OpClose}, PerKiB: 8 * time.Millisecond, Latency: 10 * time.Millisecond,
				Source: "assumed, 1 Mbit/s and a round trip",
			},
		},
	})
	m.assume("bluetooth: no tail; transfers at 1 Mbit/s")
}

func (m *deriver) gps() {
	// Android states the current with a poor signal first in the list.
	f := m.first("gps.on")
	if f.item == "" {
		f = m.last("a good signal, the last one", "gps.signalqualitybased")
	}
	if f.item == "" {
		m.addMissing("GPS (gps.on, gps.signalqualitybased)")
		return
	}
	const why = "as eprof's figures for a browser on the HTC Passion give"
	m.d.Components = append(m.d.Components, Component{
		Name:   "gps",
		States: []State{{Name: "off"}, m.state("on", On, f), m.derived("tail", Tail, f, share{72, 1, 170, 170}, why)},
		Transitions: []Transition{
			{From: 0, To: 1, On: starts},
			{From: 1, To: 2, Idle: true},
			{From: 2, To: 1, On: starts},
			{From: 2, To: 0, After: 5 * time.Second, AfterRange: Range[time.Duration]{time.Second, 30 * time.Second}, Source: "assumed"},
		},
	})
	m.assume("gps: a tail of 5 s at 72/170 of its current, %s", why)
}

// screen adds a screen whose level is its brightness in percent.
func (m *deriver) screen() {
	if !m.display("screen", "screen.on.display0", "screen.full.display0", "screen.on", "screen.full") {
		m.addMissing("a screen (screen.on)")
		return
	}
	for i := 1; i < maxDisplays; i++ {
		name := fmt.Sprintf("screen%d", i)
		if !m.display(name, fmt.Sprintf("screen.on.display%d", i), fmt.Sprintf("screen.full.display%d", i)) {
			break
		}
		m.assume("%s: off, unless a table of triggers starts it, since recordings do not name the display", name)
	}
}

// maxDisplays is more than the displays of any phone.
const maxDisplays = 8

// display adds a display. The items are pairs: one for the display when it is on, and one for its
// additional current at full brightness. display uses the first pair that the profile has, and
// reports whether there is one.
func (m *deriver) display(name string, items ...string) bool {
	for i := 0; i < len(items); i += 2 {
		on := m.first(items[i])
		if on.item == "" {
			continue
		}
		s := m.state("on", On, on)
		if full := m.first(items[i+1]); full.item != "" {
			s.PerLevel = full.current.Power(m.d.Voltage) / 100
			s.Source += " and " + full.item + " at full brightness, the level in percent"
		}
		m.d.Components = append(m.d.Components, onOff(name, s, []trace.Verb{trace.OpStart, trace.OpAcquire}))
		return true
	}
	return false
}

// switched adds a component that one operation switches on and another one switches off.
func (m *deriver) switched(name string, on []trace.Verb, items ...string) {
	f := m.first(items...)
	if f.item == "" {
		m.addMissing(name + " (" + strings.Join(items, ", ") + ")")
		return
	}
	m.d.Components = append(m.d.Components, onOff(name, m.state("on", On, f), on))
}

// onOff returns a component without a tail. It is either off, or in the state s.
func onOff(name string, s State, on []trace.Verb) Component {
	return Component{Name: name, States: []State{{Name: "off"}, s}, Transitions: []Transition{
		{From: 0, To: 1, On: on},
		{From: 1, To: 0, Idle: true},
	}}
}

// wakelock adds the power of an awake idle processor minus the power of a sleeping one. Profiles
// with cpu.awake state the current of the sleeping processor as cpu.idle. Profiles with cpu.suspend
// state the difference as cpu.idle.
func (m *deriver) wakelock() {
	acquire := []trace.Verb{trace.OpAcquire}
	if awake := m.first("cpu.awake"); awake.item != "" {
		if asleep := m.first("cpu.idle"); asleep.current < awake.current {
			s := m.state("held", On, figure{current: awake.current - asleep.current, item: "cpu.awake less cpu.idle"})
			m.d.Components = append(m.d.Components, onOff("wakelock", s, acquire))
			return
		}
	}
	if len(m.all("cpu.suspend")) > 0 {
		if idle := m.first("cpu.idle"); idle.item != "" {
			m.d.Components = append(m.d.Components, onOff("wakelock", m.state("held", On, idle), acquire))
			return
		}
	}
	s := State{Name: "held", Kind: On, Power: (25 * units.Milliampere).Power(m.d.Voltage), Source: "assumed, the 25 mA of eprof's HTC Passion"}
	m.d.Components = append(m.d.Components, onOff("wakelock", s, acquire))
	m.assume("wakelock: 25 mA, as eprof measured on the HTC Passion, since the profile has no current for a processor that is awake and idle")
}

// maxAssumed bounds the number of cores that is assumed if a profile does not state the number.
const maxAssumed = 8

// cpu adds the processor to the device.
func (m *deriver) cpu() {
	p, v := m.profile, m.d.Voltage
	cpu := &CPU{Base: p.Base.Power(v), Source: "power profile"}
	clusters := p.Clusters
	if len(clusters) == 0 {
		clusters = []profile.Cluster{{Kind: "cpu", Steps: p.Steps}}
	}
	for i, cores := range m.cores(clusters) {
		c := &clusters[i]
		out := Cluster{Name: fmt.Sprintf("%s%d", c.Kind, c.Number), Cores: cores}
		for _, s := range c.Steps {
			point := Point{Frequency: s.Frequency, DepPolicy: -1, Shared: c.Own.Power(v), Active: s.Core.Power(v)}
			if point.Frequency == 0 {
				point.Frequency = units.Gigahertz
				m.assume("%s: its steps have no frequencies, so one step is used for all", out.Name)
			}
			if s.Core > 0 && int64(point.Frequency) <= frequencyQuantity.most && !slices.ContainsFunc(out.Points, func(p Point) bool { return p.Frequency == point.Frequency }) {
				out.Points = append(out.Points, point)
			}
		}
		slices.SortFunc(out.Points, comparePoints)
		if len(out.Points) > 0 && len(cores) > 0 {
			cpu.Clusters = append(cpu.Clusters, out)
		}
	}
	if len(cpu.Clusters) == 0 {
		m.addMissing("the processor, since its clusters have no cores")
		return
	}
	m.notes.Read = append(m.notes.Read, "the processor's "+plural(len(cpu.Clusters), "cluster"))
	for _, w := range p.CPU(v).Warnings {
		m.assume("%s", w.Message)
	}
	m.d.CPU = cpu
}

// cores returns the numbers of each cluster's cores. For policies, the number of a policy is the
// number of its first core. For clusters, the profile may state the number of cores. Otherwise this
// number is assumed.
func (m *deriver) cores(clusters []profile.Cluster) [][]int {
	counts, _ := m.profile.Numbers("cpu.clusters.cores", 1, maxCores)
	out := make([][]int, len(clusters))
	next := 0
	for i, c := range clusters {
		first, end := next, maxAssumed
		switch {
		case c.Kind == "policy":
			first = min(c.Number, maxCores)
			if i+1 < len(clusters) {
				end = clusters[i+1].Number
			}
		case c.Number < len(counts):
			first = 0
			for _, n := range counts[:c.Number] {
				first += int(n)
			}
			end = first + int(counts[c.Number])
		case i+1 < len(clusters):
			end = first + maxAssumed/len(clusters)
			m.assume("%s%d has %d cores, since the profile does not state their number", c.Kind, c.Number, end-first)
		default:
			m.assume("%s%d has all remaining cores, since the profile does not state their number", c.Kind, c.Number)
		}
		for core := first; core < min(end, maxCores); core++ {
			out[i] = append(out[i], core)
		}
		next = end
	}
	return out
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(n, " ", noun, "s")
}
