package report

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A Group sums up tasks with a common property, such as the same caller. A task inside another task
// of the group counts only for Own, because the outer task already includes its energy.
type Group struct {
	// Name is the label of a method, or the name of a package. It is empty if there is none.
	Name string `json:"name"`
	// Tasks are the IDs of the tasks, sorted by possible saving. Matched counts the tasks that the
	// reference also has.
	Tasks   []string `json:"tasks"`
	Matched int      `json:"matched"`
	// Energy is the energy of the tasks. Reference is the energy of their counterparts. Saving is
	// the difference.
	Energy    units.Energy `json:"energyNJ"`
	Share     float64      `json:"share"`
	Reference units.Energy `json:"referenceNJ"`
	Saving    units.Energy `json:"savingNJ"`
	// Own is Energy without tasks that are inside these. The sum of Own over all groups is the
	// energy of all tasks.
	Own units.Energy `json:"ownNJ"`
	// Places are the positions of the tasks in the ranked list, from 1. Suspects are the positions
	// of tasks that a fleet suspects.
	Places   []int `json:"-"`
	Suspects []int `json:"-"`
}

// GroupBy adds the groups of tasks to the report: the first ones up to top, or all if top is 0. set
// is the set of the report. An empty grouping does nothing.
func (r *Report) GroupBy(set *finding.Set, by finding.Grouping, top int) {
	if by == "" {
		return
	}
	found := set.Groups(by)
	r.GroupedBy, r.AllGroups = string(by), len(found)
	if top > 0 {
		found = found[:min(top, len(found))]
	}
	rows := NewRowWriter(set)
	for _, g := range found {
		made := Group{
			Name: g.Name, Matched: g.Matched, Energy: g.Energy, Share: set.Share(g.Energy),
			Reference: g.Reference, Saving: g.Saving, Own: g.Own,
		}
		for _, i := range g.Tasks {
			made.Tasks, made.Places = append(made.Tasks, set.ID(i)), append(made.Places, i+1)
			if set.Suspect(i) {
				made.Suspects = append(made.Suspects, i+1)
			}
		}
		// Add the methods of the first task's path and callers.
		rows.AddMethods(r.Methods, finding.Ranked{Index: g.Tasks[0]})
		r.Groups = append(r.Groups, made)
	}
}
