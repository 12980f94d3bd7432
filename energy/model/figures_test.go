package model

import (
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// lampModel returns a model at 4 V with a lamp that has the given states besides its base state off.
// The last state follows the first, and nothing else leads to it.
func lampModel(t *testing.T, battery string, states ...string) (*Device, error) {
	t.Helper()
	text := "voltage: 4 V\nbattery: " + battery + "\ncomponents:\n  lamp:\n    states:\n      off: {kind: base}\n"
	for _, s := range states {
		text += "      " + s + "\n"
	}
	text += "    transitions:\n      - {from: off, to: lit, on: start}\n"
	switch {
	case len(states) == 1:
		text += "      - {from: lit, to: off, when: idle}\n"
	case len(states) == 2:
		text += "      - {from: lit, to: tail, when: idle}\n      - {from: tail, to: off, after: 1 s}\n"
	}
	return Read(strings.NewReader(text))
}

// TestUnitsOfAmounts reads amounts in each unit. A current of 1 mA at 4 V is 4 mW, and a charge of
// 1 mAh at 4 V is 14.4 J.
func TestUnitsOfAmounts(t *testing.T) {
	for text, want := range map[string]units.Power{
		"5 µW": 5, "5 uW": 5, "5 mW": 5000, "5 W": 5_000_000, "500 µA": 2000, "500 uA": 2000, "5 mA": 20_000, "2 A": 8_000_000,
		"2.5 mW": 2500, "1 mW + 2 mW": 3000,
	} {
		d, err := lampModel(t, "1 J", "lit: {kind: productive, draw: "+text+"}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := d.Components[0].States[1].Power; got != want {
			t.Errorf("%s is %d µW, want %d", text, got, want)
		}
	}
	for text, want := range map[string]units.Energy{
		"3 nJ": 3, "3 µJ": 3000, "3 uJ": 3000, "3 mJ": 3_000_000, "3 J": 3_000_000_000, "1 µAh": 14_400_000, "1 uAh": 14_400_000, "1 mAh": 14_400_000_000,
	} {
		d, err := lampModel(t, text, "lit: {kind: productive, draw: 1 mW}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d.Battery != want {
			t.Errorf("%s is %d nJ, want %d", text, d.Battery, want)
		}
	}
}

// TestTailsDrawLess compares the tail with the largest power of the component at work: the power
// with its range and 100 levels.
func TestTailsDrawLess(t *testing.T) {
	for _, c := range []struct {
		lit, tail string
		fails     bool
	}{
		{"productive, draw: 10 mW", "10 mW", false},
		{"productive, draw: 10 mW", "10.001 mW", true},
		{`"on", draw: 10 mW`, "10.001 mW", true},
		{"productive, draw: 10 mW + 1 mW/level", "110 mW", false},
		{"productive, draw: 10 mW + 1 mW/level", "110.001 mW", true},
		{"productive, draw: 10 mW (5 to 20)", "20 mW", false},
		{"productive, draw: 10 mW (5 to 20)", "20.001 mW", true},
	} {
		d, err := lampModel(t, "1 J", "lit: {kind: "+c.lit+"}", "tail: {kind: tail, draw: "+c.tail+"}")
		if fails := err != nil && strings.Contains(err.Error(), "the tail draws more"); fails != c.fails || !fails && err != nil {
			t.Errorf("%s, tail %s: %v %v", c.lit, c.tail, d, err)
		}
	}
}

// TestWrittenFigures checks the text of written models: the largest unit in which a figure is at
// least 1, and no lines for what the model lacks.
func TestWrittenFigures(t *testing.T) {
	text := func(d *Device) string {
		t.Helper()
		var b strings.Builder
		if err := Write(&b, d, ""); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	lamp := func(p, least, most units.Power, w Work) *Device {
		w.On = []trace.Verb{trace.OpStart}
		return &Device{Name: "made", Voltage: 4 * units.Volt, Components: []Component{{
			Name: "lamp", States: []State{{Name: "off"}, {Name: "lit", Kind: Productive, Power: p, Powers: Range[units.Power]{Least: least, Most: most}}},
			Transitions: []Transition{{From: 0, To: 1, On: []trace.Verb{trace.OpStart}}, {From: 1, To: 0, Idle: true}},
			Work:        []Work{w},
		}}}
	}
	for want, p := range map[string][3]units.Power{
		"draw: 1 mW (1 to 2)":        {1000, 1000, 2000},
		"draw: 999 µW (500 to 1000)": {999, 500, 1000},
		"draw: 1.5 mW (1 to 2)":      {1500, 1000, 2000},
		"draw: 1 W (0.5 to 2)":       {1_000_000, 500_000, 2_000_000},
		"draw: 2 mW}":                {2000, 0, 0},
	} {
		if got := text(lamp(p[0], p[1], p[2], Work{})); !strings.Contains(got, want) {
			t.Errorf("%v is written without %q:\n%s", p, want, got)
		}
	}
	for _, c := range []struct {
		work                  Work
		busy, latency, energy bool
	}{
		{Work{Fixed: time.Millisecond}, true, false, false},
		{Work{PerKiB: time.Millisecond}, true, false, false},
		{Work{Latency: time.Millisecond}, false, true, false},
		{Work{Energy: 5}, false, false, true},
		{Work{EnergyPerKiB: 5}, false, false, true},
		{Work{EnergyPerPacket: 5}, false, false, true},
		{Work{Fixed: 1, Energy: 5}, true, false, true},
		{Work{}, true, false, false}, // A row has at least one figure.
	} {
		got := text(lamp(1000, 0, 0, c.work))
		if strings.Contains(got, "busy:") != c.busy || strings.Contains(got, "latency:") != c.latency || strings.Contains(got, "energy:") != c.energy {
			t.Errorf("%+v is written as\n%s", c.work, got)
		}
	}
	bare := text(&Device{Name: "made", Voltage: 4 * units.Volt, CPU: &CPU{Clusters: []Cluster{{Name: "little", Cores: []int{0}, Points: []Point{{Frequency: units.Gigahertz, DepPolicy: -1, Active: 5}}}}}})
	for _, not := range []string{"battery:", "components:", "base:", "shared:", "beside:", "serves:"} {
		if strings.Contains(bare, not) {
			t.Errorf("a model without %s is written as\n%s", not, bare)
		}
	}
	full := text(&Device{Name: "made", Voltage: 4 * units.Volt, Battery: 5, CPU: &CPU{Base: 7, Clusters: []Cluster{{Name: "little", Cores: []int{0}, Points: []Point{{Frequency: units.Gigahertz, DepPolicy: 0, DepFrequency: units.Gigahertz, Active: 5, Shared: 3}}}}}})
	for _, has := range []string{"battery: 5 nJ", "base: 7 µW", "shared: 3 µW", "beside: 0"} {
		if !strings.Contains(full, has) {
			t.Errorf("a model with %s is written as\n%s", has, full)
		}
	}
}
