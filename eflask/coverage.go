package eflask

import (
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// Coverage is how much of the subject a matching finds counterparts for.
type Coverage struct {
	// Alpha is the matching's.
	Alpha int
	// Tasks counts the subject's tasks, Matched those that are paired with a task of
	// the reference.
	Tasks, Matched int
	// Energy is what the matched tasks drain. A nested task's energy counts for the
	// innermost task alone.
	Energy units.Energy
}

// Share returns the share of the tasks that are matched, 1 if there are none.
func (c Coverage) Share() float64 {
	if c.Tasks == 0 {
		return 1
	}
	return float64(c.Matched) / float64(c.Tasks)
}

// Cover returns what a matching of the two trees covers. It agrees with what
// [Tasks] says of the same matching and is much cheaper.
func Cover(subject, reference *preprocess.Tree, m *Matching) Coverage {
	c := Coverage{Alpha: m.Alpha}
	// covered says of each node whether the innermost task at or above it is matched.
	covered := make([]bool, len(subject.Nodes))
	for _, p := range m.Pairs {
		covered[p.Subject] = p.Subject > 0 && p.Reference > 0 && IsTask(reference, p.Reference)
	}
	for v := 1; v < len(subject.Nodes); v++ {
		n := &subject.Nodes[v]
		if IsTask(subject, int32(v)) {
			c.Tasks++
			if covered[v] {
				c.Matched++
			}
		} else {
			covered[v] = covered[n.Parent]
		}
		if covered[v] {
			c.Energy += subject.Energy.Self(int32(v))
		}
	}
	return c
}
