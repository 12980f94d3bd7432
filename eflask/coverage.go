package eflask

import (
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// Coverage is how much of the subject has counterparts.
type Coverage struct {
	// Alpha is the matching's.
	Alpha int
	// Tasks counts the subject's tasks, Matched those with a sure counterpart.
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

// Cover returns the coverage of counterparts that were found from a matching at alpha. Only sure
// ones count. It agrees with [Tasks], and is much cheaper.
func Cover(subject *preprocess.Tree, alpha int, counterparts []Counterpart) Coverage {
	c := Coverage{Alpha: alpha}
	matched := make([]bool, len(subject.Nodes)) // by F-method
	for i := range counterparts {
		if counterparts[i].Evidence.Sure() {
			matched[counterparts[i].Subject] = true
			c.Matched++
		}
	}
	for v, f := range Innermost(subject) {
		if f == int32(v) {
			c.Tasks++
		}
		if f >= 0 && matched[f] {
			c.Energy += subject.Energy.Self(int32(v))
		}
	}
	return c
}
