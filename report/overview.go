package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An Overview is the part of a run's profile that a web page shows.
type Overview struct {
	// Headline names the methods that use the most, in a sentence or two. It is empty for a run
	// without energy.
	Headline   string       `json:"headline"`
	Components []Component  `json:"components"`
	IO         *IO          `json:"io"`
	Battery    *Battery     `json:"battery"`
	Threads    []ProfileRow `json:"threads"`
	Libraries  []ProfileRow `json:"libraries"`
	// Lanes show when each component was active.
	Lanes []Lane `json:"lanes"`
	// Begin and End bound the times of the Lanes, in nanoseconds since the recording began. Begin
	// may be negative.
	Begin int64 `json:"beginNS"`
	End   int64 `json:"endNS"`
	// Bundles has the profile's first bundles (active periods of components), or nil. Methods
	// describes their methods.
	Bundles *Bundles `json:"bundles"`
	Methods Methods  `json:"methods"`
	// APICosts is the start of the bill, for a run with API costs, and nil otherwise. BatteryUse
	// and Activities are as in a Profile.
	APICosts   *APIOverview `json:"apiCosts,omitempty"`
	BatteryUse *BatteryUse  `json:"batteryUse,omitempty"`
	Activities []Activity   `json:"activities,omitempty"`
}

// An APIOverview is an APIBill with only the first rows of each list.
type APIOverview struct {
	APIBill
	// Costed is the energy of all calls with a cost, without guesses.
	Costed      units.Energy `json:"costedNJ"`
	AllRoutines int          `json:"allRoutines"`
	AllAPIs     int          `json:"allAPIs"`
	AllMissing  int          `json:"allMissing"`
	// Share is a sentence about how many calls have a cost, and Disclaimer about how far to trust
	// the costs. Legend explains BatteryUse.
	Share      string `json:"shareMessage"`
	Disclaimer string `json:"disclaimer"`
	Legend     string `json:"batteryLegend"`
}

// maxAPIRows limits each list of an APIOverview.
const maxAPIRows = 100

// newAPIOverview shortens a profile's bill. It adds the methods that remain to methods.
func (p *Profile) newAPIOverview(methods Methods) *APIOverview {
	if p.APICosts == nil {
		return nil
	}
	o := &APIOverview{
		APIBill: *p.APICosts, AllRoutines: len(p.APICosts.Routines), AllAPIs: len(p.APICosts.APIs), AllMissing: len(p.APICosts.Missing),
		Disclaimer: words.APIDisclaimer,
	}
	for i := range o.APIs {
		o.Costed += o.APIs[i].Energy
	}
	if c := p.Input.APICosts; c != nil {
		o.Share = c.Message
	}
	if u := p.BatteryUse; u != nil {
		o.Legend = words.BatteryUseLegend(words.Name(u.Path), u.Computed, u.ActualLeast, u.ActualMost)
	}
	o.Routines, o.APIs, o.Missing = o.Routines[:min(len(o.Routines), maxAPIRows)], o.APIs[:min(len(o.APIs), maxAPIRows)], o.Missing[:min(len(o.Missing), maxAPIRows)]
	add := func(label string) {
		if m, ok := p.Methods[label]; ok {
			methods[label] = m
		}
	}
	for i := range o.Routines {
		add(o.Routines[i].Method)
	}
	for i := range o.APIs {
		add(o.APIs[i].Method)
	}
	for i := range o.Missing {
		add(o.Missing[i].Method)
	}
	return o
}

// maxBundles limits the bundles and the findings of an overview.
const maxBundles = 30

// A Lane has the active periods of one component.
type Lane struct {
	Component string   `json:"component"`
	States    []string `json:"states"`
	// Resolution is the time below which spans were merged, or 0 if none were.
	Resolution int64 `json:"resolutionNS"`
	// Spans are sorted by time. A span is: begin and end in nanoseconds, the index into States, 1
	// for a tail or else 0, and the energy in nanojoules.
	Spans [][5]int64 `json:"spans"`
}

// NewOverview makes the overview of a run without a profile.
func NewOverview(in *analysis.Input) *Overview {
	// One row suffices: the overview does not depend on the rows.
	return NewProfile(in, "", ProfileOptions{By: finding.EachMethod, Rows: 1}).Overview(in)
}

// Overview returns the overview of a profile. The parameter in is the input of the profile.
func (p *Profile) Overview(in *analysis.Input) *Overview {
	o := &Overview{Components: p.Components, IO: p.IO, Battery: p.Battery, Threads: p.Threads, Libraries: p.Libraries, Lanes: []Lane{}, End: int64(in.Trace.Elapsed), Methods: Methods{}}
	for i := range in.Components {
		c := &in.Components[i]
		if len(c.Lane.Spans) == 0 {
			continue
		}
		lane := Lane{Component: c.Name, Resolution: int64(c.Lane.Resolution)}
		for _, s := range c.States {
			lane.States = append(lane.States, s.Name)
		}
		for _, s := range c.Lane.Spans {
			tail := int64(0)
			if s.Part == trace.Tail {
				tail = 1
			}
			lane.Spans = append(lane.Spans, [5]int64{s.Begin, s.End, int64(s.State), tail, int64(s.Energy)})
			// Signals from a second recording may begin earlier, and a tail may end later.
			o.Begin, o.End = min(o.Begin, s.Begin), max(o.End, s.End)
		}
		o.Lanes = append(o.Lanes, lane)
	}
	o.Headline = p.headline(in)
	o.APICosts, o.BatteryUse, o.Activities = p.newAPIOverview(o.Methods), p.BatteryUse, p.Activities
	if p.Bundles != nil {
		o.Methods = p.Methods
		cut := *p.Bundles
		cut.List, cut.Findings = cut.List[:min(len(cut.List), maxBundles)], cut.Findings[:min(len(cut.Findings), maxBundles)]
		o.Bundles = &cut
	}
	return o
}

// maxNamed is the largest number of methods in a headline.
const maxNamed = 3

// headline names the methods with the most exclusive energy, with their shares.
func (p *Profile) headline(in *analysis.Input) string {
	table, unnamed := p.methods, units.Energy(0)
	rows := order(table, bySelf, func(u *finding.MethodUse) bool {
		if u.Method.Process() || u.Method.Label() == cct.RootLabel {
			unnamed += u.Runs[0].Self
			return false
		}
		return u.Runs[0].Self > 0
	})
	most := make([]string, 0, maxNamed)
	for _, i := range rows[:min(len(rows), maxNamed)] {
		most = append(most, words.ShareOf(table.Methods[i].Method.Short(), table.Methods[i].Runs[0].Self, in.Energy))
	}
	return words.TopMethods(most, units.Share(unnamed, in.Energy))
}
