package claim

import (
	"math"
	"slices"
	"testing"
)

// TestComponents checks the components of conditions. Each component is listed once. Some
// conditions have none.
func TestComponents(t *testing.T) {
	for _, c := range []struct {
		where []Condition
		want  []string
	}{
		{[]Condition{{"network", "mobile", false}}, []string{"cellular"}},
		{[]Condition{{"network", "lte", false}, {"roaming", "on", false}}, []string{"cellular"}},
		{[]Condition{{"network", "wifi", true}}, []string{"cellular"}},
		{[]Condition{{"network", "wifi", false}, {"location", "on", false}}, []string{"wifi", "gps"}},
		{[]Condition{{"network", "lte", true}}, nil},
		{[]Condition{{"network", "none", false}}, nil},
		{[]Condition{{"screen", "on", false}, {"bluetooth", "off", true}}, []string{"display", "bluetooth"}},
		{[]Condition{{"screen", "off", false}, {"model", "Model A", false}, {"version", "4.12", false}}, nil},
	} {
		if got := (&Claim{Conditions: c.where}).Components(); !slices.Equal(got, c.want) {
			t.Errorf("%v are about %v, want %v", c.where, got, c.want)
		}
	}
}

// TestMinutes checks two limits: an excess equal to the reference halves the life of a charge, and
// a negative excess prolongs it at most tenfold.
func TestMinutes(t *testing.T) {
	d := Drain{Excess: 0.001, Half: 0.0005, Reference: 0.001}
	if minutes, least, most := d.Minutes(); math.Abs(minutes-100/0.001/120) > 1e-9 || least >= minutes || most <= minutes {
		t.Errorf("%v, from %v to %v", minutes, least, most)
	}
	d.Excess = -1
	if minutes, _, _ := d.Minutes(); minutes < -9*100/0.001/60-1e-6 {
		t.Errorf("a charge of %v minutes lasts %v longer", 100/0.001/60, -minutes)
	}
	if !d.Exceeds(Drain{Excess: -3, Half: 0.5}) || d.Exceeds(Drain{Excess: -1.2, Half: 0.5}) {
		t.Error("intervals that meet are apart, or others not")
	}
}

// TestWorst asks claims about a hog, about bugs and about a modest app for their largest excess.
func TestWorst(t *testing.T) {
	drain, at := Drain{Excess: 1}, Drain{Excess: 2}
	where := []Condition{{Feature: "network", Value: "lte"}}
	for _, c := range []struct {
		claim Claim
		more  bool
		want  Drain
	}{
		{Claim{Hog: true, Drain: drain, At: at}, true, drain},
		{Claim{Hog: true, Drain: drain, At: at, Conditions: where}, true, at},
		{Claim{Bugs: 1, At: at}, true, at},
		{Claim{Bugs: 3, At: at, Conditions: where}, true, at},
		{Claim{}, false, Drain{}},
	} {
		if got := c.claim.Worst(); got != c.want || c.claim.Drains() != c.more {
			t.Errorf("%+v: %v, uses more: %v", c.claim, got, c.claim.Drains())
		}
	}
}
