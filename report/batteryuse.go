package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/units"
)

// A BatteryUse is Android's own estimate of the charge that apps and components used. No other
// figure includes it.
type BatteryUse struct {
	// Path is the file of the estimate.
	Path string `json:"path"`
	// Capacity is from the phone's power profile. Computed is the charge that Android estimates.
	// Actual is the charge that the battery's gauge measured.
	Capacity    units.Charge `json:"capacityNAh"`
	Computed    units.Charge `json:"computedNAh"`
	ActualLeast units.Charge `json:"actualLeastNAh"`
	ActualMost  units.Charge `json:"actualMostNAh"`
	// Unaccounted is what the battery lost beyond the estimate. Overcounted is what the estimate
	// has too much. Computed includes neither.
	Unaccounted units.Charge `json:"unaccountedNAh"`
	Overcounted units.Charge `json:"overcountedNAh"`
	// Components and Users are sorted by charge.
	Components []BatteryComponent `json:"components"`
	Users      []BatteryUser      `json:"users"`
	// Notes are the reasons for not trusting the estimate.
	Notes []Note `json:"notes"`
}

// A BatteryComponent is a component of the phone.
type BatteryComponent struct {
	Name   string       `json:"name"`
	Charge units.Charge `json:"chargeNAh"`
	// Share is Charge divided by BatteryUse.Computed.
	Share float64 `json:"share"`
	// Apps is the part of Charge that Android attributes to apps. It is null if unknown.
	Apps *units.Charge `json:"appsNAh"`
}

// A BatteryUser is an app, or a part of the system, by its uid.
type BatteryUser struct {
	UID string `json:"uid"`
	// Package is empty if the file does not name one.
	Package string       `json:"package"`
	Charge  units.Charge `json:"chargeNAh"`
	Share   float64      `json:"share"`
	// Smeared is Charge plus the app's share of the screen and of the system, as Android estimates
	// it. It is 0 if unknown.
	Smeared    units.Charge       `json:"smearedNAh"`
	Components []BatteryComponent `json:"components"`
}

// newBatteryUse converts an estimate. It returns nil if there is none.
func newBatteryUse(u *analysis.BatteryUse) *BatteryUse {
	if u == nil {
		return nil
	}
	share := func(c units.Charge) float64 { return units.Share(units.Energy(c), units.Energy(u.Computed)) }
	made := &BatteryUse{
		Path: u.Path, Capacity: u.Capacity, Computed: u.Computed, ActualLeast: u.ActualLeast, ActualMost: u.ActualMost,
		Unaccounted: u.Unaccounted, Overcounted: u.Overcounted, Components: []BatteryComponent{}, Users: []BatteryUser{}, Notes: notes(u.Warnings()),
	}
	component := func(name string, charge, apps units.Charge) BatteryComponent {
		c := BatteryComponent{Name: name, Charge: charge, Share: share(charge)}
		if apps >= 0 {
			c.Apps = &apps
		}
		return c
	}
	for _, c := range u.Components {
		made.Components = append(made.Components, component(c.Name, c.Charge, c.Apps))
	}
	for _, user := range u.Users {
		row := BatteryUser{UID: user.UID, Package: user.Package, Charge: user.Charge, Share: share(user.Charge), Smeared: user.Smeared, Components: []BatteryComponent{}}
		for _, c := range user.Components {
			row.Components = append(row.Components, component(c.Name, c.Charge, c.Apps))
		}
		made.Users = append(made.Users, row)
	}
	return made
}
