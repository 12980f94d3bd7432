package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/diffprof/diffprof/energy/profile"
	"github.com/diffprof/diffprof/units"
)

// TestDisplays checks the components for the displays of a power profile. Displays are numbered
// from 0 without gaps. Older profiles have one display without a number.
func TestDisplays(t *testing.T) {
	for _, test := range []struct {
		items []string // the names of items, each with its current in mA
		want  []string // the components with the power of the state "on", and for each percent of brightness, in mW at 4 V
	}{
		{[]string{"screen.on 10", "screen.full 100"}, []string{"screen 40 4"}},
		{[]string{"screen.on 10"}, []string{"screen 40 0"}},
		{[]string{"screen.on.display0 20", "screen.full.display0 200"}, []string{"screen 80 8"}},
		{[]string{"screen.on.display0 20", "screen.on 10"}, []string{"screen 80 0"}},
		{[]string{"screen.on.display0 20", "screen.on.display1 30", "screen.full.display1 50"}, []string{"screen 80 0", "screen1 120 2"}},
		{[]string{"screen.on.display0 20", "screen.on.display1 30", "screen.on.display2 40"}, []string{"screen 80 0", "screen1 120 0", "screen2 160 0"}},
		{[]string{"screen.on.display0 20", "screen.on.display2 40"}, []string{"screen 80 0"}},
		{[]string{"screen.full 100"}, nil},
	} {
		text := "<device><item name=\"cpu.active\">100</item>"
		for _, item := range test.items {
			name, current, _ := strings.Cut(item, " ")
			text += fmt.Sprintf("<item name=%q>%s</item>", name, current)
		}
		p, err := profile.Read(strings.NewReader(text + "</device>"))
		if err != nil {
			t.Fatal(err)
		}
		d, notes := FromProfile(p, "made", 4*units.Volt, "")
		var got []string
		for _, c := range d.Components {
			if !strings.HasPrefix(c.Name, "screen") {
				continue
			}
			i := slices.IndexFunc(c.States, func(s State) bool { return s.Name == "on" })
			got = append(got, fmt.Sprint(c.Name, " ", int64(c.States[i].Power/units.Milliwatt), " ", int64(c.States[i].PerLevel/units.Milliwatt)))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %q, want %q", test.items, got, test.want)
		}
		if missing := slices.Contains(notes.Missing, "a screen (screen.on)"); missing != (len(test.want) == 0) {
			t.Errorf("%v: no screen is noted: %v", test.items, missing)
		}
	}
}
