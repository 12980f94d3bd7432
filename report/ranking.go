package report

import (
	"fmt"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/report/words"
	"github.com/diffprof/diffprof/units"
)

// CodeMark represents app code in the column of task numbers.
const CodeMark = "app"

// A Row is a task or a piece of app code, for tables that list both.
type Row struct {
	// Number is the task's position among the tasks, from 1, or CodeMark.
	Number  string
	Verdict words.Verdict
	Energy  units.Energy
	Saving  units.Energy
	Share   float64
	Counts  Counts
	Standing
	Split *Split
	// Evidence is what repeated runs show, or nil.
	Evidence *Evidence
	// Suspect is why a fleet suspects the task, or nil.
	Suspect *Suspect
	// Matched is set if the reference has a counterpart, which the fields below describe.
	Matched    bool
	Peer       units.Energy
	PeerShare  float64
	PeerCounts Counts
}

// Ranking lists tasks and app code together, the most important first.
func (r *Report) Ranking() []finding.Ranked {
	tasks, code := make([]finding.Weight, len(r.Tasks)), make([]finding.Weight, len(r.AppCode))
	for i := range tasks {
		t := &r.Tasks[i]
		tasks[i] = finding.Weight{Suspect: t.Suspect != nil, IsFinding: t.IsFinding, Costlier: t.costlier, Saving: t.Saving, Energy: t.Energy}
	}
	for i := range code {
		c := &r.AppCode[i]
		code[i] = finding.Weight{IsFinding: c.IsFinding, Costlier: c.costlier, Saving: c.Saving, Energy: c.Energy}
	}
	return finding.Rank(tasks, code)
}

// Row returns the figures of a row of the ranking.
func (r *Report) Row(at finding.Ranked) Row {
	if at.Code {
		c := &r.AppCode[at.Index]
		row := Row{Number: CodeMark, Verdict: c.Verdict, Energy: c.Energy, Saving: c.Saving, Share: c.Share, Counts: c.Counts, Standing: c.Standing, Split: c.Split, Evidence: c.Evidence}
		if c.Peer != nil {
			row.Matched, row.Peer, row.PeerShare, row.PeerCounts = true, c.Peer.Energy, c.Peer.Share, c.Peer.Counts
		}
		return row
	}
	t := &r.Tasks[at.Index]
	row := Row{Number: fmt.Sprint(at.Index + 1), Verdict: t.Verdict, Energy: t.Energy, Saving: t.Saving, Share: t.Share, Counts: t.Counts, Standing: t.Standing, Split: t.Split, Evidence: t.Evidence, Suspect: t.Suspect}
	if t.Peer != nil {
		row.Matched, row.Peer, row.PeerShare, row.PeerCounts = true, t.Peer.Energy, t.Peer.Share, t.Peer.Counts
	}
	return row
}

// Omitted counts the tasks and rows of app code that the report omits. energy is their energy;
// energy in several of these rows counts once.
func (r *Report) Omitted() (tasks, code int, energy units.Energy) {
	s := &r.Summary
	energy = s.MatchedEnergy + s.UnmatchedEnergy + s.AppCode.Own
	for i := range r.Tasks {
		energy -= r.Tasks[i].Own
	}
	for i := range r.AppCode {
		energy -= r.AppCode[i].Own
	}
	return s.Tasks - len(r.Tasks) - r.Ignored, s.AppCode.Rows - len(r.AppCode) - r.IgnoredCode, energy
}

// A Portion is a named part of the energy of both runs.
type Portion struct {
	Name               string
	Subject, Reference units.Energy
	// Inner is set if the portion is part of an earlier one: the nearest that is not Inner.
	Inner bool
}

// Portions breaks down the energy of both runs. Those that are not Inner add up to the total. Empty
// Inner portions are omitted.
func (r *Report) Portions() []Portion {
	s, there := &r.Summary, &r.Summary.Reference
	portions := []Portion{
		{words.Some(s.Unmatched, "task") + " only here", s.UnmatchedEnergy, 0, false},
		{words.Some(there.Unmatched, "task") + " only there", 0, there.UnmatchedEnergy, false},
		{words.Some(s.Matched, "task") + " matched", s.MatchedEnergy, there.MatchedEnergy, false},
		{"outside of tasks", s.OutsideTasksEnergy, there.OutsideTasksEnergy, false},
	}
	for _, inner := range []Portion{
		{words.OutsideAppCode, s.Outside.AppCode, there.Outside.AppCode, true},
		{words.OutsideSystem(r.Subject.OwnCode.Unknown || r.Reference.OwnCode.Unknown), s.Outside.System, there.Outside.System, true},
		{words.OutsideRecorder, s.Outside.Recorder, there.Outside.Recorder, true},
		{words.OutsideWaiting, s.Outside.Waiting, there.Outside.Waiting, true},
		{words.OutsideToplevel, s.Outside.Toplevel, there.Outside.Toplevel, true},
	} {
		if inner.Subject != 0 || inner.Reference != 0 {
			portions = append(portions, inner)
		}
	}
	return portions
}
