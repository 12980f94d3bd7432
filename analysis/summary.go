package analysis

import (
	"fmt"

	"github.com/diffprof/diffprof/appcode"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// A Summary breaks down a run's energy. The run's energy is MatchedEnergy + UnmatchedEnergy +
// OutsideEnergy, and OutsideEnergy is the sum of the fields of Outside. A task is matched if it has
// a counterpart in the other run, or if its calls are in other tasks there.
type Summary struct {
	Tasks, Matched, Unmatched int
	// Possible counts the unmatched tasks that have a possible counterpart. It is 0 for the
	// reference.
	Possible                                      int
	MatchedEnergy, UnmatchedEnergy, OutsideEnergy units.Energy
	Outside                                       Outside
	// Common says how much of the run's work the other run does too, from 0 to 1. It is a share of
	// the energy of tasks and app code. Between two different apps, work that many apps do, such as
	// scheduling, counts only in part.
	Common float64
	// CommonReference is the Common of the other run.
	CommonReference float64
	// OneApp is appcode.Comparison.OneApp.
	OneApp bool
}

// minCommon is the smallest Common at which a comparison of two apps shows possible savings. Both
// runs must reach it.
const minCommon = 0.2

// LittleInCommon reports whether the work that both runs do is less than a fifth of the tasks and
// app code of at least one run, by energy. Differences then show that the apps were used
// differently, not possible savings. The result is the same if the two runs are swapped. Two runs
// of one app have little in common only if they share no work, because tasks change from version to
// version. The result is false for runs without tasks and without energy of app code.
func (s *Summary) LittleInCommon() bool {
	switch {
	case s.Tasks == 0 && s.Outside.AppCode == 0:
		return false
	case s.OneApp:
		return s.Common == 0
	}
	return min(s.Common, s.CommonReference) < minCommon
}

// Shared describes in words how much work both runs do. s is the summary of the subject.
func (s *Summary) Shared() string {
	return fmt.Sprintf("the work that both runs do uses %.1f%% of the energy of tasks and app code in the subject, and %.1f%% in the reference", 100*s.Common, 100*s.CommonReference)
}

// Outside breaks down a run's energy outside of tasks.
type Outside struct {
	// AppCode is the exclusive energy of the app's methods.
	AppCode units.Energy
	// System is the energy of framework code outside the calls of the app's methods.
	System units.Energy
	// Recorder is the known energy of recording the run.
	Recorder units.Energy
	// Waiting is the energy charged for time in which the run waited. It is known only if energy is
	// charged for elapsed time.
	Waiting units.Energy
	// Toplevel is the energy outside any method.
	Toplevel units.Energy
}

// summaries returns the summaries of both runs.
func summaries(subject, reference *preprocess.Tree, tasks []eflask.Task, code *appcode.Comparison) (s, r Summary) {
	trees := [2]*preprocess.Tree{subject, reference}
	here, there := make([]bool, len(subject.Nodes)), make([]bool, len(reference.Nodes))
	perhaps := 0
	for i := range tasks {
		t := &tasks[i]
		if t.Perhaps != nil {
			perhaps++
		}
		if node, _, _ := t.There(); node >= 0 {
			here[t.Node], there[node] = true, true
		}
	}
	var both [2]Summary
	bothRuns(func(run int) { both[run] = summarize(trees[run], [][]bool{here, there}[run]) })
	s, r = both[0], both[1]
	s.Possible = perhaps
	var mine, theirs units.Energy
	for i := range code.Rows {
		// A process row is the time outside of trace slices, which is no common work of two apps.
		if row := &code.Rows[i]; row.Peer != nil && (code.OneApp || !row.Method.Process()) {
			mine += row.Own
			theirs += row.Peer.Own
		}
	}
	s.share(subject, here, code.OneApp, mine)
	r.share(reference, there, code.OneApp, theirs)
	s.CommonReference, r.CommonReference = r.Common, s.Common
	return s, r
}

// share sets Common. matched is true for the nodes of the matched tasks. code is the energy of
// matched app code outside of tasks.
func (s *Summary) share(t *preprocess.Tree, matched []bool, oneApp bool, code units.Energy) {
	s.OneApp = oneApp
	all := s.MatchedEnergy + s.UnmatchedEnergy + s.Outside.AppCode
	if all <= 0 {
		// The run used no energy, so all tasks have equal weight.
		s.Common = float64(s.Matched) / float64(max(s.Tasks, 1))
		return
	}
	common := float64(code)
	if oneApp {
		common += float64(s.MatchedEnergy)
	} else {
		for v, f := range eflask.Innermost(t) {
			if f >= 0 && matched[f] {
				common += eflask.Distinctive(t.Labels.Method(t.Nodes[f].Label)) * float64(t.Energy.Self(int32(v)))
			}
		}
	}
	s.Common = min(common/float64(all), 1)
}

// summarize sums up a run. matched is true for the nodes of the matched tasks.
func summarize(t *preprocess.Tree, matched []bool) Summary {
	s := Summary{}
	for v, f := range eflask.Innermost(t) {
		if f == int32(v) {
			s.Tasks++
		}
		if matched[v] {
			s.Matched++
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
