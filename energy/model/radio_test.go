package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/units"
)

// TestRadioOfOneCurrent makes radios of profiles that state the current of receiving, of sending,
// or of both. One current counts for both. A larger current of sending is part of the work.
func TestRadioOfOneCurrent(t *testing.T) {
	radio := func(items map[string]int) *Component {
		var b strings.Builder
		b.WriteString(`<device><item name="cpu.active">50</item>`)
		for name, mA := range items {
			fmt.Fprintf(&b, `<item name="wifi.controller.%s">%d</item>`, name, mA)
		}
		p, err := profile.Read(strings.NewReader(b.String() + "</device>"))
		if err != nil {
			t.Fatal(err)
		}
		d, _ := FromProfile(p, "made", 4*units.Volt, "")
		c := d.Component("wifi")
		if c == nil {
			t.Fatalf("%v: no Wi-Fi radio", items)
		}
		return c
	}
	work := func(c *Component) (energies []units.Energy) {
		for _, w := range c.Work {
			energies = append(energies, w.Energy, w.EnergyPerKiB, w.EnergyPerPacket)
		}
		return energies
	}
	equal := radio(map[string]int{"rx": 100, "tx": 100})
	for _, items := range []map[string]int{{"rx": 100}, {"tx": 100}, {"rx": 100, "tx": 300}, {"rx": 300, "tx": 100}} {
		c := radio(items)
		found := false
		for _, s := range c.States {
			if s.Kind == Productive {
				found = true
				if s.Power != 400*units.Milliwatt {
					t.Errorf("%v: %s draws %d, want 400 mW", items, s.Name, s.Power)
				}
			}
		}
		if !found {
			t.Errorf("%v: no state is productive", items)
		}
		if same := fmt.Sprint(work(c)) == fmt.Sprint(work(equal)); same != (len(items) == 1) {
			t.Errorf("%v: work takes %v, with equal currents %v", items, work(c), work(equal))
		}
	}
}
