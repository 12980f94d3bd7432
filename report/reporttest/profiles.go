package reporttest

import (
	"fmt"

	"github.com/diffprof/diffprof/report"
	"github.com/diffprof/diffprof/units"
)

// ProfileParts returns profiles of a run with the parts that need other inputs, by what they show.
// n is the length of their lists.
func ProfileParts(n int) map[string]*report.Profile {
	profile := func() *report.Profile {
		return &report.Profile{Input: sampleInput("run.trace"), By: "method", Sort: report.BySelf, Counts: "calls", Methods: Methods(), Voltage: 4 * units.Volt}
	}
	costs, guessed := profile(), profile()
	for _, p := range []*report.Profile{costs, guessed} {
		p.Input.APICosts = &report.APICharge{Table: "costs.csv", Calls: 40, Costed: 30}
		p.APICosts = &report.APIBill{Runs: 1}
		for i := range n {
			label := fmt.Sprintf("com.mine.M%02d.run()V", i)
			p.Methods[label] = Methods()[bind]
			e := units.Energy(40-i) * mJ
			p.APICosts.Routines = append(p.APICosts.Routines, report.APIRoutine{Method: bind, Calls: int64(i + 1), Energy: e, Average: e / units.Energy(i+1), Share: 0.4})
			p.APICosts.APIs = append(p.APICosts.APIs, report.APICost{Method: draw, Calls: int64(i + 2), Each: e / 4, Energy: e, Share: 0.3})
		}
	}
	guessed.Input.APICosts.Guessed = 4
	guessed.APICosts.Runs = 3
	guessed.APICosts.Routines[0].Guess = 9 * mJ
	for i := range n {
		guessed.APICosts.Missing = append(guessed.APICosts.Missing, report.APIMissing{Method: parse, Reason: []string{"other-overload", "no-cost", "no-row"}[i%3], Calls: int64(i + 3), Energy: units.Energy(i) * mJ})
	}

	battery := profile()
	battery.BatteryUse = &report.BatteryUse{
		Path: "stats/battery.txt", Capacity: 3000 * units.MilliampereHour, Computed: 200 * units.MilliampereHour, ActualLeast: 150 * units.MilliampereHour, ActualMost: 180 * units.MilliampereHour,
		Notes: []report.Note{{Code: "overcounted", Message: "the estimate is too large"}},
	}
	for i := range n {
		c := report.BatteryComponent{Name: fmt.Sprintf("part%d", i), Charge: units.Charge(50-i) * units.MilliampereHour, Share: 0.25}
		user := report.BatteryUser{UID: fmt.Sprintf("u0a%d", i), Charge: units.Charge(30-i) * units.MilliampereHour, Share: 0.1}
		if i%2 == 0 {
			c.Apps = new(units.Charge(5) * units.MilliampereHour)
			user.Package = "com.mine"
		}
		for k := range min(i, 4) {
			user.Components = append(user.Components, report.BatteryComponent{Name: fmt.Sprintf("part%d", k), Charge: units.Charge(4-k) * units.MilliampereHour / 10})
		}
		battery.BatteryUse.Components = append(battery.BatteryUse.Components, c)
		battery.BatteryUse.Users = append(battery.BatteryUse.Users, user)
	}
	phone := profile()
	phone.BatteryUse = &report.BatteryUse{Path: "battery.txt", Computed: 10 * units.MilliampereHour, Components: []report.BatteryComponent{{Name: "screen", Charge: units.MilliampereHour, Share: 0.1}}}

	rails := profile()
	const mW = units.Milliwatt
	for i := range n {
		rails.Rails = append(rails.Rails, report.Rail{Name: fmt.Sprintf("rail %d", i*i), Energy: units.Energy(90-i) * mJ, End: 4e9, Powers: []units.Power{
			0, 10 * mW, 9*mW + 990, 80 * mW, -1, units.Power(i) * 10 * mW, 40 * mW, -1,
		}})
	}
	rails.Rails[1].Powers = []units.Power{-1, 0, 0}
	rails.Rails[2].Powers = []units.Power{mW, 3 * mW, 9 * mW}
	charged := profile()
	charged.Battery = &report.Battery{Capacity: 3000 * units.MilliampereHour, Energy: 43200 * units.Joule, Share: 0.0001}
	charged.Activities = []report.Activity{{Name: "video", Minutes: 3}, {Name: "music", Minutes: 0.5}}
	empty := profile()
	empty.Input.Energy, empty.Input.Events = 0, 0
	return map[string]*report.Profile{
		"API costs": costs, "API costs with guesses": guessed, "battery use": battery, "battery use of a phone": phone, "rails": rails, "a battery": charged, "nothing": empty,
	}
}

// BundlePairs returns the active periods of components of two runs. n is the number of pairs.
func BundlePairs(n int) *report.BundleComparison {
	list := func(first int) *report.Bundles {
		b := &report.Bundles{Energy: 50 * mJ, Share: 0.5}
		for i := range n {
			one := report.Bundle{Component: "wifi", Count: int64(i + first), Time: int64(i+first) * 1e9, Energy: units.Energy(30-i+first) * mJ}
			for k, label := range []string{bind, load, "", parse}[:1+i%4] {
				one.States = append(one.States, report.BundleState{Name: "on", Drivers: []report.BundleDriver{{Method: label, Operations: int64(k)}, {Method: draw, Operations: 2}}})
			}
			b.List = append(b.List, one)
		}
		return b
	}
	c := &report.BundleComparison{Subject: list(1), Reference: list(2)}
	c.Subject.Findings = []report.Waste{
		{ID: "1", Code: "left-on", Component: "wifi", Method: bind, Path: []string{load, bind}, Energy: 9 * mJ, Saving: 7 * mJ, SavingShare: 0.07, Message: "wifi is left on"},
		{ID: "2", Code: "held-wakelock", Component: "wakelock", Caveat: "unfinished", Energy: 8 * mJ, Saving: 6 * mJ, SavingShare: 0.06, Message: "a wakelock is held"},
	}
	for i := range n {
		pair := report.BundlePair{Component: "wifi", Subject: new(i), Reference: new(n - 1 - i), Difference: units.Energy(5-i) * mJ}
		switch i % 3 {
		case 1:
			pair.Subject = nil
		case 2:
			pair.Reference = nil
		}
		c.Pairs = append(c.Pairs, pair)
	}
	return c
}

// Doctors returns what keeps a gate from working, by what they show.
func Doctors() map[string]*report.Doctor {
	return map[string]*report.Doctor{
		"nothing is wrong": {Sensitivity: report.Sensitivity{Message: "these runs show 5 %"}},
		"troubles": {
			Troubles:    []report.Trouble{{Code: "one-run", Wrong: true, Message: "there is one run"}, {Code: "noise", Message: "the noise\x1b is large"}},
			Sensitivity: report.Sensitivity{Message: "these runs show 5 %"},
			History:     []report.HistorySensitivity{{Message: "the history shows 3 %"}, {Message: "another shows 4 %"}},
		},
	}
}
