package report

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A Group is a set of tasks with a common property. A task inside another task of its group
// contributes only to Own, because the outer task already includes it.
type Group struct {
	// Name is the label of a method, or the name of a package. It is empty if there is none.
	Name string `json:"name"`
	// Tasks are the IDs of the tasks, sorted by possible saving. Matched counts the tasks that the
	// reference also has.
	Tasks   []string `json:"tasks"`
	Matched int      `json:"matched"`
	// Energy is the energy of the tasks. Share is its share of the subject's energy. Reference is
	// the energy of their counterparts. Saving is Energy minus Reference.
	Energy    units.Energy `json:"energyNJ"`
	Share     float64      `json:"share"`
	Reference units.Energy `json:"referenceNJ"`
	Saving    units.Energy `json:"savingNJ"`
	// Own is the exclusive energy of the tasks, without inner tasks. The sum over all groups is the
	// energy of all tasks.
	Own units.Energy `json:"ownNJ"`
	// Places are the positions of the tasks in the ranked list, from 1. Suspects are the positions of
	// suspect tasks.
	Places   []int `json:"-"`
	Suspects []int `json:"-"`
}

// GroupBy adds the first top groups of tasks to the report, or all groups if top is 0. set is the
// set that the report was made from. If by is empty, GroupBy does nothing.
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
