package report

import (
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/units"
)

// A Group is some tasks that have something in common. A task inside of another of its
// group counts with that: it is in no sum but Own.
type Group struct {
	// Name is the label of a method, or the name of a package; empty where there is none.
	Name string `json:"name"`
	// Tasks are the IDs of the tasks, most room for saving first. Matched counts those
	// that the reference has, too.
	Tasks   []string `json:"tasks"`
	Matched int      `json:"matched"`
	// Energy is the tasks', Share its part of the subject, Reference their
	// counterparts' and Saving the difference of Energy and Reference.
	Energy    units.Energy `json:"energyNJ"`
	Share     float64      `json:"share"`
	Reference units.Energy `json:"referenceNJ"`
	Saving    units.Energy `json:"savingNJ"`
	// Own adds up that of the tasks. Over all groups it is the energy of all tasks.
	Own units.Energy `json:"ownNJ"`
	// Places are the tasks' in the ranked list, from 1, and Suspects those of tasks that are suspect.
	Places   []int `json:"-"`
	Suspects []int `json:"-"`
}

// GroupBy adds the first top groups of tasks to the report, or all groups if top is 0. set is the set
// that the report was made from. GroupBy does nothing if by is empty.
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
		// The first task names the methods of its path and its callers.
		rows.AddMethods(r.Methods, finding.Ranked{Index: g.Tasks[0]})
		r.Groups = append(r.Groups, made)
	}
}
