package eflask

import (
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// Coverage reports how many of the subject's tasks have counterparts.
type Coverage struct {
	// Alpha is the α of the matching.
	Alpha int
	// Tasks counts the subject's tasks. Matched counts the tasks with a sure counterpart.
	Tasks, Matched int
	// Energy is the energy of the matched tasks, each without its inner tasks.
	Energy units.Energy
}

// Share returns the share of the tasks that are matched. It is 1 if there are no tasks.
func (c Coverage) Share() float64 {
	if c.Tasks == 0 {
		return 1
	}
	return float64(c.Matched) / float64(c.Tasks)
}

// Cover counts the sure counterparts, which were found from a matching at alpha. The result agrees
// with [Tasks], but Cover is much faster.
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
