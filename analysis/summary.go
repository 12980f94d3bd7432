package analysis

import (
	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// A Summary adds up a run's energy: MatchedEnergy + UnmatchedEnergy + OutsideEnergy is
// all of it, and Outside adds up to OutsideEnergy. A task is matched if it has a
// counterpart in the other run.
type Summary struct {
	Tasks, Matched, Unmatched int
	// Perhaps counts those of the unmatched that have a counterpart perhaps. It is 0 for
	// the reference.
	Perhaps                                       int
	MatchedEnergy, UnmatchedEnergy, OutsideEnergy units.Energy
	Outside                                       Outside
	// Common is how much of the energy of tasks and of the app's code is in what both runs do,
	// from 0 to 1. Between two apps a match of plumbing, which every app has, counts in part.
	Common float64
	// OneApp is as the comparison of the app's code has it.
	OneApp bool
}

// leastCommon is how much two apps have in common at the least for a comparison to say what
// could be saved.
const leastCommon = 0.1

// LittleInCommon reports whether less than a tenth of the energy is in what both runs do. What is
// only in one run then reflects what was done in it, not what could be saved. Two runs of one app
// have little in common only if nothing is: its tasks change from version to version.
func (s *Summary) LittleInCommon() bool {
	if s.OneApp {
		return s.Tasks > 0 && s.Common == 0
	}
	return s.Tasks > 0 && s.Common < leastCommon
}

// Outside parts what a run drains outside of tasks.
type Outside struct {
	// AppCode is what the app's methods drain themselves.
	AppCode units.Energy
	// System is what the framework drains on its way to the app's methods, and what it
	// does without the app.
	System units.Energy
	// Recorder is what recording the run took, as far as that is known.
	Recorder units.Energy
	// Waiting is what was charged while a run waited, where energies are of elapsed time.
	Waiting units.Energy
	// Toplevel is what no method drains.
	Toplevel units.Energy
}

// summaries makes those of both runs.
func summaries(subject, reference *preprocess.Tree, tasks []eflask.Task, code *appcode.Comparison) (s, r Summary) {
	here, there := make(map[int32]bool), make(map[int32]bool)
	perhaps := 0
	for _, t := range tasks {
		if t.Perhaps != nil {
			perhaps++
		}
		if t.Found != eflask.Unmatched {
			here[t.Node], there[t.Peer] = true, true
		}
	}
	s, r = summarize(subject, here), summarize(reference, there)
	s.Perhaps = perhaps
	var mine, theirs units.Energy
	for i := range code.Rows {
		if row := &code.Rows[i]; row.Peer != nil {
			mine += row.Own
			theirs += row.Peer.Own
		}
	}
	s.share(subject, here, code.OneApp, mine)
	r.share(reference, there, code.OneApp, theirs)
	return s, r
}

// share sets Common. matched are the tasks with counterparts, and code is what app code drains
// outside of tasks that has one.
func (s *Summary) share(t *preprocess.Tree, matched map[int32]bool, oneApp bool, code units.Energy) {
	s.OneApp = oneApp
	all := s.MatchedEnergy + s.UnmatchedEnergy + s.Outside.AppCode
	if all <= 0 {
		// Nothing drains anything: all tasks count alike.
		s.Common = float64(s.Matched) / float64(max(s.Tasks, 1))
		return
	}
	common := float64(code)
	if oneApp {
		common += float64(s.MatchedEnergy)
	} else {
		for v, f := range eflask.Innermost(t) {
			if f >= 0 && matched[f] {
				common += eflask.Tells(t.Labels.Method(t.Nodes[f].Label)) * float64(t.Energy.Self(int32(v)))
			}
		}
	}
	s.Common = min(common/float64(all), 1)
}

// summarize adds up a run, of which the tasks at the given nodes are matched.
func summarize(t *preprocess.Tree, matched map[int32]bool) Summary {
	s := Summary{Matched: len(matched)}
	for v, f := range eflask.Innermost(t) {
		if f == int32(v) {
			s.Tasks++
		}
		to := &s.Outside.System
		switch kind := t.Nodes[v].Kind; {
		case f >= 0 && matched[f]:
			to = &s.MatchedEnergy
		case f >= 0:
			to = &s.UnmatchedEnergy
		case kind == preprocess.App:
			to = &s.Outside.AppCode
		case kind == preprocess.Recorder:
			to = &s.Outside.Recorder
		case kind == preprocess.Idle:
			to = &s.Outside.Waiting
		case kind == preprocess.Toplevel:
			to = &s.Outside.Toplevel
		}
		*to += t.Energy.Self(int32(v))
	}
	s.Unmatched = s.Tasks - s.Matched
	s.OutsideEnergy = s.Outside.AppCode + s.Outside.System + s.Outside.Recorder + s.Outside.Waiting + s.Outside.Toplevel
	return s
}
