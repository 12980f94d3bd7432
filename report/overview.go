package report

import (
	"github.com/diffprof/diffprof/analysis"
	"github.com/diffprof/diffprof/cct"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// An Overview is what a page of one run shows of its profile.
type Overview struct {
	// Headline says in a sentence or two which methods use most of the energy; empty for a run
	// without energy.
	Headline   string       `json:"headline"`
	Components []Component  `json:"components"`
	IO         *IO          `json:"io"`
	Battery    *Battery     `json:"battery"`
	Threads    []ProfileRow `json:"threads"`
	Libraries  []ProfileRow `json:"libraries"`
	// Lanes say when components were away from their base states.
	Lanes []Lane `json:"lanes"`
	// Begin and End are the first and the last moment of the run, in nanoseconds on the
	// timeline of the Lanes: 0 is the beginning of the recording. All spans are within them.
	Begin int64 `json:"beginNS"`
	End   int64 `json:"endNS"`
	// Bundles has the first bundles of the profile, or nil if they were not requested. Methods has
	// the methods that they name.
	Bundles *Bundles `json:"bundles"`
	Methods Methods  `json:"methods"`
}

// mostBundles is how many bundles, and how many findings, an overview has.
const mostBundles = 30

// A Lane is a component by time.
type Lane struct {
	Component string   `json:"component"`
	States    []string `json:"states"`
	// Resolution is the time below which spans were put together, 0 where none were.
	Resolution int64 `json:"resolutionNS"`
	// Spans are in order of time: begin and end in nanoseconds, an index of States, 1 for a
	// tail, and nanojoules.
	Spans [][5]int64 `json:"spans"`
}

// NewOverview makes the overview of a run of which no profile was made.
func NewOverview(in *analysis.Input) *Overview {
	// A single row: what the overview shows does not depend on the rows.
	return NewProfile(in, "", ProfileOptions{By: finding.EachMethod, Rows: 1}).Overview(in)
}

// Overview is what a page shows of the profile, which was made of in.
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
			// A second recording of the run may begin before it, and a tail may end after it.
			o.Begin, o.End = min(o.Begin, s.Begin), max(o.End, s.End)
		}
		o.Lanes = append(o.Lanes, lane)
	}
	o.Headline = p.headline(in)
	if p.Bundles != nil {
		o.Methods = p.Methods
		cut := *p.Bundles
		cut.List, cut.Findings = cut.List[:min(len(cut.List), mostBundles)], cut.Findings[:min(len(cut.Findings), mostBundles)]
		o.Bundles = &cut
	}
	return o
}

// mostNamed is how many methods a headline names.
const mostNamed = 3

// headline names the methods that use most energy themselves, each with its own share.
func (p *Profile) headline(in *analysis.Input) string {
	table, unnamed := p.methods, units.Energy(0)
	rows := order(table, bySelf, func(u *finding.MethodUse) bool {
		if u.Method.Process() || u.Method.Label() == cct.RootLabel {
			unnamed += u.Runs[0].Self
			return false
		}
		return u.Runs[0].Self > 0
	})
	most := make([]string, 0, mostNamed)
	for _, i := range rows[:min(len(rows), mostNamed)] {
		most = append(most, words.ShareOf(table.Methods[i].Method.Short(), table.Methods[i].Runs[0].Self, in.Energy))
	}
	return words.Most(most, units.Share(unnamed, in.Energy))
}
