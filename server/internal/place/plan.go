package place

import (
	"maps"
	"slices"

	"github.com/diffprof/diffprof/code/source"
	"github.com/diffprof/diffprof/finding"
)

// A plan lists the findings to look up in the sources: callers of tasks, and costs of methods and
// classes. Its order is the order of findings at the same place. It is immutable.
type plan struct {
	// callers has the callers of task i at callers[first[i]:first[i+1]]. Only tasks to show have
	// callers.
	callers []caller
	first   []int
	// costs has the methods, the largest energy first, and then the classes, sorted by name.
	costs []*finding.Cost
	// all has all indices of callers and costs. The map by has the indices for each top-level
	// class, so that an edit looks up only those that depend on its classes.
	all planRefs
	by  map[string]planRefs
}

// A caller is a method that calls a task, with its part of the task.
type caller struct {
	task int
	site finding.Site
}

// planRefs are indices of callers and costs in a plan.
type planRefs struct{ callers, costs []int }

func (s planRefs) empty() bool { return len(s.callers) == 0 && len(s.costs) == 0 }

func newPlan(set *finding.Set, minShare float64) *plan {
	p := &plan{first: []int{0}, by: make(map[string]planRefs)}
	// With a table of API costs, each call of an API with a cost has a place.
	costed := make(map[string]bool)
	if c := set.Result.Subject.APICosts; c != nil && c.Bill != nil {
		for i := range c.Bill.APIs {
			costed[c.Bill.APIs[i].Method.Label()] = true
		}
	}
	for i, t := range set.Result.Tasks {
		if set.Tasks()[i].Code != finding.Nothing && (set.Share(t.Saving) >= minShare || set.Suspect(i)) || costed[set.Tasks()[i].Callee.Label()] {
			for _, site := range set.Tasks()[i].Sites {
				p.callers = append(p.callers, caller{i, site})
			}
		}
		p.first = append(p.first, len(p.callers))
	}
	for i := range set.Methods() {
		c := &set.Methods()[i]
		if set.Share(c.Energy) < minShare {
			break // sorted by energy
		}
		p.costs = append(p.costs, c)
	}
	for _, name := range slices.Sorted(maps.Keys(set.Classes())) {
		if c := set.Classes()[name]; set.Share(c.Energy) >= minShare {
			p.costs = append(p.costs, c)
		}
	}
	for i := range p.callers {
		class := source.TopLevel(p.callers[i].site.Method.Class())
		list := p.by[class]
		list.callers = append(list.callers, i)
		p.by[class] = list
		p.all.callers = append(p.all.callers, i)
	}
	for i, c := range p.costs {
		class := source.TopLevel(c.Method.Class())
		list := p.by[class]
		list.costs = append(list.costs, i)
		p.by[class] = list
		p.all.costs = append(p.all.costs, i)
	}
	return p
}

// declaredIn returns the callers and costs in classes that the files declare.
func (p *plan) declaredIn(paths map[string]bool, index *source.Index) planRefs {
	classes := make(map[string]bool)
	for path := range paths {
		for _, class := range index.Declares(path) {
			classes[class] = true
		}
	}
	var out planRefs
	for class := range classes {
		out.callers = append(out.callers, p.by[class].callers...)
		out.costs = append(out.costs, p.by[class].costs...)
	}
	return out
}
