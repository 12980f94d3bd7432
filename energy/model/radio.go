package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Generation is a generation of cellular radios. It selects the published measurements for
// figures that a power profile lacks.
type Generation string

// The generations. The empty generation means LTE, or 3G for a profile that is older than LTE.
const (
	G3    Generation = "3g"
	LTE   Generation = "lte"
	G5NSA Generation = "5g-nsa"
	G5SA  Generation = "5g-sa"
)

// Generations returns all generations. The oldest is first.
func Generations() []Generation { return []Generation{G3, LTE, G5NSA, G5SA} }

// ParseGeneration parses the name of a generation.
func ParseGeneration(s string) (Generation, error) {
	if g := Generation(s); slices.Contains(Generations(), g) {
		return g, nil
	}
	var names []string
	for _, g := range Generations() {
		names = append(names, string(g))
	}
	return "", fmt.Errorf("unknown generation %q: use one of %s", s, strings.Join(names, ", "))
}

// A share is the fraction num/den of a power. Its range is from least/den to
// most/den.
type share struct{ num, least, most, den int64 }

// A span is a time with its range.
type span struct{ value, least, most time.Duration }

func (s span) within() Range[time.Duration] { return Range[time.Duration]{s.least, s.most} }

// A radio has the assumed figures of a radio.
type radio struct {
	// title is the name of the generation in notes. net is its name in the element <modem> of a
	// profile.
	title, net string
	// ramp and tail are the durations of these states. perKiB is the time for sending or receiving
	// a KiB.
	ramp, tail, perKiB, roundTrip span
	// ramps and tails are the powers of these states, as fractions of the power of the active
	// state.
	ramps, tails share
	source, rate string
}

const milli = time.Millisecond

// These are published measurements of radios. 3G is from eprof (EuroSys 2012, Section 4.1). LTE and
// Wi-Fi are from Huang et al. (MobiSys 2012, Tables 3 and 4). 5G has the orders of magnitude of
// Narayanan et al. (SIGCOMM 2021). Their powers are used as fractions of the power of the active
// state. The range of a cellular tail has two causes: operators use inactivity timers from 5 to 15
// s, and with discontinuous reception, a radio sleeps for most of a tail.
var (
	radio3G = radio{title: "3G",
		ramp: span{2500 * milli, time.Second, 4 * time.Second}, tail: span{6 * time.Second, 3 * time.Second, 12 * time.Second},
		perKiB: span{13800 * time.Microsecond, 2 * milli, 40 * milli}, roundTrip: span{156 * milli, 80 * milli, 400 * milli},
		ramps: share{87, 60, 300, 300}, tails: share{120, 100, 220, 300},
		source: "as eprof measured 3G on the HTC Passion", rate: "as fast as eprof's 3G"}
	radioLTE = radio{title: "LTE", net: "LTE",
		ramp: span{260100 * time.Microsecond, 100 * milli, 600 * milli}, tail: span{11576 * milli, 5 * time.Second, 15 * time.Second},
		perKiB: span{1368 * time.Microsecond, 164 * time.Microsecond, 4096 * time.Microsecond}, roundTrip: span{70 * milli, 30 * milli, 150 * milli},
		ramps: share{1211, 900, 1288, 1288}, tails: share{1060, 180, 1288, 1288},
		source: "as Huang et al., MobiSys 2012, measured LTE", rate: "at 6 Mbit/s"}
	radioNSA = radio{title: "5G NSA", net: "NR",
		ramp: span{400 * milli, 200 * milli, 2 * time.Second}, tail: span{10500 * milli, 5 * time.Second, 20 * time.Second},
		perKiB: span{164 * time.Microsecond, 27 * time.Microsecond, 1640 * time.Microsecond}, roundTrip: span{30 * milli, 10 * milli, 70 * milli},
		ramps: share{1500, 800, 2000, 2000}, tails: share{1100, 260, 2000, 2000},
		source: "of the order of Narayanan et al., SIGCOMM 2021, for non-standalone 5G", rate: "at 50 Mbit/s"}
	radioSA = radio{title: "5G SA", net: "NR",
		ramp: span{350 * milli, 100 * milli, time.Second}, tail: span{10400 * milli, 5 * time.Second, 15 * time.Second},
		perKiB: span{164 * time.Microsecond, 41 * time.Microsecond, 1640 * time.Microsecond}, roundTrip: span{30 * milli, 10 * milli, 70 * milli},
		ramps: share{1200, 400, 2000, 2000}, tails: share{600, 240, 2000, 2000},
		source: "of the order of Narayanan et al., SIGCOMM 2021, for standalone 5G", rate: "at 50 Mbit/s"}
	radioWiFi = radio{title: "Wi-Fi",
		ramp: span{79100 * time.Microsecond, 20 * milli, 200 * milli}, tail: span{238100 * time.Microsecond, 100 * milli, 500 * milli},
		perKiB: span{410 * time.Microsecond, 41 * time.Microsecond, 1640 * time.Microsecond}, roundTrip: span{20 * milli, 5 * milli, 50 * milli},
		ramps: share{124, 60, 133, 133}, tails: share{119, 40, 133, 133},
		source: "as Huang et al., MobiSys 2012, measured Wi-Fi", rate: "at 20 Mbit/s"}
)

// radios has the assumed figures for each generation.
var radios = map[Generation]radio{G3: radio3G, LTE: radioLTE, G5NSA: radioNSA, G5SA: radioSA}

func (m *deriver) cellular() {
	// Since Android 2.3, which is older than LTE, profiles state the capacity of the battery.
	r, stated := radios[m.generation]
	if r = radioLTE; stated {
		r = radios[m.generation]
	}
	net := r.net
	if net == "" {
		net = "DEFAULT"
	}
	active := func(what string) []string {
		return []string{
			"modem.active." + net + "." + what, "modem.active." + net + ".DEFAULT." + what, "modem.active.DEFAULT." + what,
			"modem.active.LTE." + what,
		}
	}
	receive := m.first(append(active("receive"), "modem.controller.rx")...)
	send := m.first(append(active("transmit"), "modem.controller.tx")...)
	if receive.item != "" || send.item != "" {
		m.radio("cellular", r, receive, send)
		m.unused("cellular", "modem.idle", "modem.controller.idle")
	} else if active := m.first("radio.active"); active.item != "" {
		if m.d.Battery == 0 && !stated {
			r = radio3G
		}
		m.radio("cellular", r, active, active)
	} else {
		m.addMissing("a cellular radio (modem.controller.rx, radio.active)")
		return
	}
	if !stated {
		m.assume("cellular: the generation is %s; --generation changes that", r.title)
	}
}

func (m *deriver) wifi() {
	receive, send := m.first("wifi.controller.rx"), m.first("wifi.controller.tx")
	if receive.item != "" || send.item != "" {
		m.radio("wifi", radioWiFi, receive, send)
		m.unused("wifi", "wifi.controller.idle")
	} else if active := m.first("wifi.active"); active.item != "" {
		m.radio("wifi", radioWiFi, active, active)
	} else {
		m.addMissing("a Wi-Fi radio (wifi.controller.rx, wifi.active)")
	}
}

// unused adds a note about items that look like the current of a tail but are not. They are the
// idle current of a controller, which is used whether the app runs or not.
func (m *deriver) unused(name string, items ...string) {
	for _, item := range items {
		if len(m.all(item)) > 0 {
			m.assume("%s: %s is the current of an idle radio and not of a tail, so it is not used", name, item)
		}
	}
}

// radio adds a radio with one current for receiving and one for sending. The power of its active
// state is the smaller of the two powers. The difference counts as the work of operations with the
// larger current.
func (m *deriver) radio(name string, r radio, receive, send figure) {
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
	state := m.state("active", Productive, active)
	if active.item == send.item && send.item != receive.item {
		state.Powers = Range[units.Power]{} // The levels of the figure become the range of the work.
	}
	c := Component{Name: name, States: []State{
		{Name: "idle"}, m.derived("ramp", Ramp, active, r.ramps, r.source), state, m.derived("tail", Tail, active, r.tails, r.source),
	}}
	why := "assumed: " + r.source
	c.Transitions = []Transition{
		{From: 0, To: 1, On: transfers},
		{From: 1, To: 2, After: r.ramp.value, AfterRange: r.ramp.within(), Source: why},
		{From: 2, To: 3, Idle: true},
		{From: 3, To: 2, On: transfers},
		{From: 3, To: 0, After: r.tail.value, AfterRange: r.tail.within(), Source: why},
	}
	c.Work = []Work{{
		On: []trace.Verb{trace.OpOpen, trace.OpClose}, Latency: r.roundTrip.value, Latencies: r.roundTrip.within(), Source: "assumed: one round trip",
	}}
	for _, w := range []struct {
		verb trace.Verb
		figure
	}{{trace.OpSend, send}, {trace.OpReceive, receive}} {
		work := Work{On: []trace.Verb{w.verb}, PerKiB: r.perKiB.value, Rates: r.perKiB.within(), Source: "assumed: " + r.rate}
		if w.verb == trace.OpSend {
			work.Latency, work.Latencies = r.roundTrip.value, r.roundTrip.within()
			work.Source += ", and a round trip"
		}
		beyond := func(c units.Current) units.Energy {
			more := max(c-active.current, 0).Power(m.d.Voltage)
			return units.Energy(units.MulDiv(int64(more), int64(r.perKiB.value), int64(time.Millisecond)))
		}
		if e := beyond(w.current); e > 0 {
			work.EnergyPerKiB = e
			work.Source += "; read: what it draws beyond the state, power profile, " + w.item
			if w.least < w.most {
				work.Costs = Range[units.Energy]{beyond(w.least), beyond(w.most)}
			}
		}
		c.Work = append(c.Work, work)
	}
	m.d.Components = append(m.d.Components, c)
	seconds := func(s span) string {
		return fmt.Sprintf("%s (%s to %s)", write(int64(s.value), outTimes), write(int64(s.least), outTimes), write(int64(s.most), outTimes))
	}
	m.assume("%s: the model of %s: ramp of %s, tail of %s, %s; transfers %s", name, r.title, seconds(r.ramp), seconds(r.tail), r.source, r.rate)
	m.assume("%s: the tail draws %d/%d of what the radio draws while it works (%d/%d to %d/%d)", name,
		r.tails.num, r.tails.den, r.tails.least, r.tails.den, r.tails.most, r.tails.den)
}
