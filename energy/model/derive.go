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

// Notes list the basis of a model that was made from a power profile: the items read, the
// assumptions about data that profiles do not state, and the missing parts.
type Notes struct{ Read, Assumed, Lacks []string }

// FromProfile makes a model from a power profile at a voltage. Voltage 0 means
// units.DefaultVoltage. A profile states a current for each component at work. It states no
// tails, ramps or times. These are assumed from published measurements, with their source.
func FromProfile(p *profile.Profile, name string, v units.Voltage) (*Device, *Notes) {
	if v == 0 {
		v = units.DefaultVoltage
	}
	m := &maker{profile: p, d: &Device{Name: name, Source: "a power profile", Voltage: v}, notes: &Notes{}}
	if capacity, err := p.Numbers("battery.capacity", 1, mostCapacity); err == nil && len(capacity) > 0 && capacity[0] > 0 {
		m.notes.Read = append(m.notes.Read, "battery.capacity")
		m.d.Battery = units.Energy(units.MulDiv(capacity[0], 3600*int64(v), 1))
	} else {
		m.lacks("a battery's capacity (battery.capacity)")
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
	m.lacks("storage, which no power profile states: reads and writes drain nothing but the processor")
	m.lacks("sensors, which no power profile states")
	for _, radio := range []string{"cellular", "wifi"} {
		if m.d.Component(radio) != nil {
			m.d.Serves = []Service{{Name: "network", Component: radio}}
			m.assume("what goes over the network goes by %s; serves: network changes that", radio)
			break
		}
	}
	m.cpu()
	return m.d, m.notes
}

// mostCapacity exceeds the capacity of any phone battery, in mAh.
const mostCapacity = 100_000

// maker makes a device from a profile, and collects notes.
type maker struct {
	profile *profile.Profile
	d       *Device
	notes   *Notes
}

var (
	starts    = []trace.Verb{trace.OpStart}
	transfers = []trace.Verb{trace.OpOpen, trace.OpSend, trace.OpReceive, trace.OpClose}
)

func (m *maker) assume(format string, a ...any) {
	m.notes.Assumed = append(m.notes.Assumed, fmt.Sprintf(format, a...))
}

func (m *maker) lacks(what string) { m.notes.Lacks = append(m.notes.Lacks, what) }

// all returns the milliamperes of an item. It is empty if the profile has no number for it.
func (m *maker) all(name string) []units.Current {
	out, err := m.profile.Currents(name)
	if err != nil {
		m.lacks(fmt.Sprintf("%s, since %v", name, err))
	}
	return out
}

// A figure is a current of the profile, with the item that states it.
type figure struct {
	current units.Current
	item    string
}

// first returns the first of the items that states a current. Of an item with levels, it uses
// the middle one. It returns the zero figure if none does.
func (m *maker) first(items ...string) figure {
	for _, item := range items {
		all := slices.DeleteFunc(m.all(item), func(c units.Current) bool { return c == 0 })
		if len(all) == 0 {
			continue
		}
		m.notes.Read = append(m.notes.Read, item)
		if len(all) > 1 {
			m.assume("%s: the middle one of its %d levels", item, len(all))
		}
		return figure{all[(len(all)-1)/2], item}
	}
	return figure{}
}

// state returns a state with the power of a figure.
func (m *maker) state(name string, kind Kind, f figure) State {
	return State{Name: name, Kind: kind, Power: f.current.At(m.d.Voltage), Source: "power profile, " + f.item}
}

// assumed returns a state with num/den of a figure's power, by a measurement of another device.
func (m *maker) assumed(name string, kind Kind, f figure, num, den int64, why string) State {
	s := State{Name: name, Kind: kind, Power: units.Current(units.MulDiv(int64(f.current), num, den)).At(m.d.Voltage)}
	s.Source = fmt.Sprintf("assumed, %s times %d/%d, %s", f.item, num, den, why)
	return s
}

// A radio has the assumptions about a radio.
type radio struct {
	ramp, tail  time.Duration
	perKiB      time.Duration
	roundTrip   time.Duration
	source      string // of ramp and tail
	rate        string
	rampN, over int64 // the ramp's current relative to the active one
	tailN       int64
}

// Published measurements of radios: 3G by eprof (EuroSys 2012, Section 4.1), LTE and Wi-Fi by
// Huang et al. (MobiSys 2012, Tables 3 and 4). Their powers are used as fractions of the
// power of the active state.
var (
	radio3G = radio{ramp: 2500 * time.Millisecond, tail: 6 * time.Second, perKiB: 13800 * time.Microsecond, roundTrip: 156 * time.Millisecond,
		source: "as eprof measured 3G on the HTC Passion", rate: "as fast as eprof's 3G", rampN: 87, tailN: 120, over: 300}
	radioLTE = radio{ramp: 260100 * time.Microsecond, tail: 11576 * time.Millisecond, perKiB: 1368 * time.Microsecond, roundTrip: 70 * time.Millisecond,
		source: "as Huang et al., MobiSys 2012, measured LTE", rate: "at 6 Mbit/s", rampN: 1211, tailN: 1060, over: 1288}
	radioWiFi = radio{ramp: 79100 * time.Microsecond, tail: 238100 * time.Microsecond, perKiB: 410 * time.Microsecond, roundTrip: 20 * time.Millisecond,
		source: "as Huang et al., MobiSys 2012, measured Wi-Fi", rate: "at 20 Mbit/s", rampN: 124, tailN: 119, over: 133}
)

func (m *maker) cellular() {
	receive := m.first("modem.active.LTE.receive", "modem.active.DEFAULT.receive", "modem.controller.rx")
	send := m.first("modem.active.LTE.transmit", "modem.active.DEFAULT.transmit", "modem.controller.tx")
	if receive.item != "" || send.item != "" {
		m.radio("cellular", radioLTE, receive, send, m.first("modem.idle", "modem.controller.idle"))
	} else if active := m.first("radio.active"); active.item != "" {
		// Profiles state the battery's capacity since Android 2.3, which is older than LTE.
		r := radioLTE
		if m.d.Battery == 0 {
			r = radio3G
		}
		m.radio("cellular", r, active, active, figure{})
	} else {
		m.lacks("a cellular radio (modem.controller.rx, radio.active)")
	}
}

func (m *maker) wifi() {
	receive, send := m.first("wifi.controller.rx"), m.first("wifi.controller.tx")
	if receive.item != "" || send.item != "" {
		m.radio("wifi", radioWiFi, receive, send, m.first("wifi.controller.idle"))
	} else if active := m.first("wifi.active"); active.item != "" {
		m.radio("wifi", radioWiFi, active, active, figure{})
	} else {
		m.lacks("a Wi-Fi radio (wifi.controller.rx, wifi.active)")
	}
}

// radio adds a radio with one current for receiving and another for sending. The state draws
// the smaller one. The difference is part of the other operation's work. idle is the profile's
// current of the radio between packets.
func (m *maker) radio(name string, r radio, receive, send, idle figure) {
	if receive.item == "" {
		receive = send
	}
	if send.item == "" {
		send = receive
	}
	active := receive
	if send.current < receive.current {
		active = send
	}
	tail := m.assumed("tail", Tail, active, r.tailN, r.over, r.source)
	if idle.item != "" {
		tail = m.state("tail", Tail, idle)
	}
	c := Component{Name: name, States: []State{
		{Name: "idle"}, m.assumed("ramp", Ramp, active, r.rampN, r.over, r.source), m.state("active", Productive, active), tail,
	}}
	why := "assumed, " + r.source
	c.Transitions = []Transition{
		{From: 0, To: 1, On: transfers},
		{From: 1, To: 2, After: r.ramp, Source: why},
		{From: 2, To: 3, Idle: true},
		{From: 3, To: 2, On: transfers},
		{From: 3, To: 0, After: r.tail, Source: why},
	}
	busy := "assumed, " + r.rate
	c.Work = []Work{{On: []trace.Verb{trace.OpOpen, trace.OpClose}, Fixed: r.roundTrip, Source: "assumed, one round trip"}}
	for _, w := range []struct {
		verb trace.Verb
		figure
	}{{trace.OpSend, send}, {trace.OpReceive, receive}} {
		work := Work{On: []trace.Verb{w.verb}, PerKiB: r.perKiB, Source: busy}
		if more := (w.current - active.current).At(m.d.Voltage); more > 0 {
			work.EnergyPerKiB = units.Energy(units.MulDiv(int64(more), int64(r.perKiB), int64(time.Millisecond)))
			work.Source += "; what it draws beyond the state, power profile, " + w.item
		}
		c.Work = append(c.Work, work)
	}
	m.d.Components = append(m.d.Components, c)
	m.assume("%s: ramp of %s, tail of %s, %s; transfers %s", name, write(int64(r.ramp), outTimes), write(int64(r.tail), outTimes), r.source, r.rate)
	if idle.item == "" {
		m.assume("%s: the tail draws %d/%d of what the radio draws while it works", name, r.tailN, r.over)
	}
}

func (m *maker) bluetooth() {
	f := m.first("bluetooth.controller.rx", "bluetooth.active")
	if f.item == "" {
		m.lacks("Bluetooth (bluetooth.controller.rx, bluetooth.active)")
		return
	}
	m.d.Components = append(m.d.Components, Component{
		Name:   "bluetooth",
		States: []State{{Name: "idle"}, m.state("active", Productive, f)},
		Transitions: []Transition{
			{From: 0, To: 1, On: transfers},
			{From: 1, To: 0, Idle: true},
		},
		Work: []Work{{On: transfers, Fixed: 10 * time.Millisecond, PerKiB: 8 * time.Millisecond, Source: "assumed, 1 Mbit/s"}},
	})
	m.assume("bluetooth: no tail; transfers at 1 Mbit/s")
}

func (m *maker) gps() {
	f := m.first("gps.on", "gps.signalqualitybased")
	if f.item == "" {
		m.lacks("GPS (gps.on, gps.signalqualitybased)")
		return
	}
	const why = "as eprof's figures for a browser on the HTC Passion give"
	m.d.Components = append(m.d.Components, Component{
		Name:   "gps",
		States: []State{{Name: "off"}, m.state("on", On, f), m.assumed("tail", Tail, f, 72, 170, why)},
		Transitions: []Transition{
			{From: 0, To: 1, On: starts},
			{From: 1, To: 2, Idle: true},
			{From: 2, To: 1, On: starts},
			{From: 2, To: 0, After: 5 * time.Second, Source: "assumed"},
		},
	})
	m.assume("gps: a tail of 5 s at 72/170 of its current, %s", why)
}

// screen adds a screen whose level is its brightness in percent.
func (m *maker) screen() {
	on := m.first("screen.on.display0", "screen.on")
	if on.item == "" {
		m.lacks("a screen (screen.on)")
		return
	}
	s := m.state("on", On, on)
	if full := m.first("screen.full.display0", "screen.full"); full.item != "" {
		s.PerLevel = full.current.At(m.d.Voltage) / 100
		s.Source += " and " + full.item + " at full brightness, the level in percent"
	}
	m.d.Components = append(m.d.Components, onOff("screen", s, []trace.Verb{trace.OpStart, trace.OpAcquire}))
}

// switched adds a component that is on from its start to its end.
func (m *maker) switched(name string, on []trace.Verb, items ...string) {
	f := m.first(items...)
	if f.item == "" {
		m.lacks(name + " (" + strings.Join(items, ", ") + ")")
		return
	}
	m.d.Components = append(m.d.Components, onOff(name, m.state("on", On, f), on))
}

// onOff returns a component without a tail that is off or in the state s.
func onOff(name string, s State, on []trace.Verb) Component {
	return Component{Name: name, States: []State{{Name: "off"}, s}, Transitions: []Transition{
		{From: 0, To: 1, On: on},
		{From: 1, To: 0, Idle: true},
	}}
}

// wakelock adds the power of an awake idle processor in excess of a sleeping one. Profiles with
// cpu.awake state the sleeping current as cpu.idle. Profiles with cpu.suspend state the
// difference as cpu.idle.
func (m *maker) wakelock() {
	acquire := []trace.Verb{trace.OpAcquire}
	if awake := m.first("cpu.awake"); awake.item != "" {
		if asleep := m.first("cpu.idle"); asleep.current < awake.current {
			s := m.state("held", On, figure{awake.current - asleep.current, "cpu.awake less cpu.idle"})
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
	s := State{Name: "held", Kind: On, Power: (25 * units.Milliampere).At(m.d.Voltage), Source: "assumed, the 25 mA of eprof's HTC Passion"}
	m.d.Components = append(m.d.Components, onOff("wakelock", s, acquire))
	m.assume("wakelock: 25 mA, as eprof measured on the HTC Passion, since the profile does not tell what a processor draws that is awake and idle")
}

// mostAssumed bounds the number of cores assumed for a profile that does not state it.
const mostAssumed = 8

// cpu adds the processor.
func (m *maker) cpu() {
	p, v := m.profile, m.d.Voltage
	cpu := &CPU{Base: p.Base.At(v), Source: "power profile"}
	clusters := p.Clusters
	if len(clusters) == 0 {
		clusters = []profile.Cluster{{Kind: "cpu", Steps: p.Steps}}
	}
	for i, cores := range m.cores(clusters) {
		c := &clusters[i]
		out := Cluster{Name: fmt.Sprintf("%s%d", c.Kind, c.Number), Cores: cores}
		for _, s := range c.Steps {
			point := Point{Frequency: s.Frequency, Beside: -1, Shared: c.Own.At(v), Active: s.Core.At(v)}
			if point.Frequency == 0 {
				point.Frequency = units.Gigahertz
				m.assume("%s: its steps have no frequencies; one counts at any", out.Name)
			}
			if s.Core > 0 && int64(point.Frequency) <= clocks.most && !slices.ContainsFunc(out.Points, func(p Point) bool { return p.Frequency == point.Frequency }) {
				out.Points = append(out.Points, point)
			}
		}
		slices.SortFunc(out.Points, comparePoints)
		if len(out.Points) > 0 && len(cores) > 0 {
			cpu.Clusters = append(cpu.Clusters, out)
		}
	}
	if len(cpu.Clusters) == 0 {
		m.lacks("the processor, since its clusters have no cores")
		return
	}
	m.notes.Read = append(m.notes.Read, "the processor's "+plural(len(cpu.Clusters), "cluster"))
	for _, w := range p.CPU(v).Warnings {
		m.assume("%s", w.Message)
	}
	m.d.CPU = cpu
}

// cores returns the numbers of each cluster's cores. A policy is named after its first core.
// For clusters, the profile states the number of cores, or it is assumed.
func (m *maker) cores(clusters []profile.Cluster) [][]int {
	counts, _ := m.profile.Numbers("cpu.clusters.cores", 1, mostCores)
	out := make([][]int, len(clusters))
	next := 0
	for i, c := range clusters {
		first, end := next, mostAssumed
		switch {
		case c.Kind == "policy":
			first = min(c.Number, mostCores)
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
			end = first + mostAssumed/len(clusters)
			m.assume("%s%d has %d cores, since the profile does not say", c.Kind, c.Number, end-first)
		default:
			m.assume("%s%d has all other cores, since the profile does not say how many", c.Kind, c.Number)
		}
		for core := first; core < min(end, mostCores); core++ {
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
