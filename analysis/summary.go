package analysis

import (
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
}

// LittleInCommon reports whether fewer than a tenth of the tasks are matched. What is only
// in one run then says more of what was done in it than of what could be saved.
func (s *Summary) LittleInCommon() bool { return 10*s.Matched < s.Tasks }

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
func summaries(subject, reference *preprocess.Tree, tasks []eflask.Task) (s, r Summary) {
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
	return s, r
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
