package model

import (
	"testing"

	"github.com/diffprof/diffprof/trace"
)

// TestSplitNumber splits amounts into a number and a unit. An e without digits after it is part of
// the unit.
func TestSplitNumber(t *testing.T) {
	for text, want := range map[string][2]string{
		"75 mA": {"75", " mA"}, "-1.5mW": {"-1.5", "mW"}, "2e3 mA": {"2e3", " mA"}, "2E-3mA": {"2E-3", "mA"}, "2e+10": {"2e+10", ""},
		"2eV": {"2", "eV"}, "2e": {"2", "e"}, "2e-": {"2", "e-"}, "2e-A": {"2", "e-A"}, "2e+": {"2", "e+"}, "5": {"5", ""}, "mA": {"", "mA"}, "": {"", ""}, "09": {"09", ""},
	} {
		if number, rest := splitNumber(text); number != want[0] || rest != want[1] {
			t.Errorf("%q is %q and %q, want %q", text, number, rest, want)
		}
	}
}

// TestAssumed counts the figures of a component and their sources. Base states, and transitions on
// an operation or when idle, have no figures.
func TestAssumed(t *testing.T) {
	d := &Device{Components: []Component{{
		Source: "measured",
		States: []State{{Kind: Base}, {Kind: Productive, PerLevel: 3}, {Kind: Tail, Source: "assumed"}},
		Transitions: []Transition{
			{On: []trace.Verb{trace.OpSend}}, {Idle: true}, {After: 1, Source: "derived from it"}, {After: 1},
		},
		Work: []Work{{Source: "assumed too"}, {}},
	}, {
		States: []State{{Kind: Base}, {Kind: Productive}, {Kind: Productive, Source: "measured"}},
	}}}
	if assumed, all := d.Assumed(); assumed != 4 || all != 8 {
		t.Errorf("%d of %d figures are assumed, want 4 of 8", assumed, all)
	}
	if !d.Components[0].Levelled() || d.Components[1].Levelled() {
		t.Error("only the first component depends on a level")
	}
}
