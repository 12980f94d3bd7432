package group

import (
	"iter"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// An App has the figures of one member: a row of Table 3 and a bar of Figure 1 in the DiffProf
// paper.
type App struct {
	// Member is its index in Group.Members.
	Member int
	// Energy is the total energy of its run.
	Energy units.Energy
	// Tasks is the number of its tasks. With[k] of them also exist in exactly k of the other
	// members. Exact has the same counts for tasks with equal call paths, which a matching with α =
	// 0 finds.
	Tasks                    int
	SharedTasks, ExactShared []int
	// Unique is the energy of the tasks that no other member has.
	Unique units.Energy
	// Others is the number of members that it was compared with.
	Others int
}

// Apps returns the rows of all members, in their order.
func (g *Group) Apps() []App {
	apps := make([]App, len(g.Members))
	for i := range apps {
		apps[i] = g.app(i)
	}
	return apps
}

// app adds up the comparisons of a member. A task counts if any of them has it. Tasks are
// recognized by ID and not by node, because nodes differ: the other member decides which methods
// are merged.
func (g *Group) app(i int) App {
	type known struct {
		own         units.Energy
		with, exact int
	}
	tasks := make(map[string]*known)
	a := App{Member: i, SharedTasks: make([]int, len(g.Members)), ExactShared: make([]int, len(g.Members))}
	for mine := range g.sides(i) {
		if a.Others++; a.Others == 1 {
			a.Energy = mine.Energy
		}
		for t := range mine.Tasks {
			at := &mine.Tasks[t]
			entry := tasks[at.ID]
			if entry == nil {
				entry = &known{own: at.Own}
				tasks[at.ID] = entry
			}
			if at.matched() {
				entry.with++
			}
			if at.Exact {
				entry.exact++
			}
		}
	}
	a.Tasks = len(tasks)
	for _, entry := range tasks {
		a.SharedTasks[entry.with]++
		a.ExactShared[entry.exact]++
		if entry.with == 0 {
			a.Unique += entry.own
		}
	}
	return a
}

// An Overlap is the common part of two members. Shares are from 0 to 1.
type Overlap struct {
	// OneApp reports whether both members are the same app, according to the code that ran. Equal
	// is set if they are copies of one recording: the same tasks have the same energies.
	OneApp, Equal bool
	// Unlike has the codes of differences that make the recordings hard to compare
	// (analysis.Result.Comparability). Ranked is set if their energies are nevertheless compared,
	// by energy per call or by energy.
	Unlike []string
	Ranked bool
	// Methods is p/q. Here, p framework methods ran in both members, and q ran in at least one.
	Methods float64
	// Tasks is the share of the tasks of the two members that are matched.
	Tasks float64
	// Alpha is the α (tolerance) of their matching.
	Alpha int
}

// Overlap returns the overlap of members i and j. ok is false if their comparison failed, or if i
// is j.
func (g *Group) Overlap(i, j int) (o Overlap, ok bool) {
	if i == j {
		return Overlap{}, false
	}
	p := g.pairs[g.index(min(i, j), max(i, j))]
	if p == nil {
		return Overlap{}, false
	}
	matched, all := 0, 0
	for s := range p.Sides {
		for t := range p.Sides[s].Tasks {
			if all++; p.Sides[s].Tasks[t].matched() {
				matched++
			}
		}
	}
	return Overlap{
		OneApp: p.OneApp, Equal: p.equal(), Unlike: p.Unlike, Ranked: p.ranks(p.Sides[0].Counted && p.Sides[1].Counted),
		Methods: ratio(p.Shared, p.Either), Tasks: ratio(matched, all), Alpha: p.Alpha,
	}, true
}

// equal reports whether both sides have the same energies in the same tasks.
func (p *pair) equal() bool {
	a, b := &p.Sides[0], &p.Sides[1]
	return a.Energy > 0 && a.Energy == b.Energy && len(a.Tasks) > 0 && slices.EqualFunc(a.Tasks, b.Tasks, func(x, y task) bool {
		return x.ID == y.ID && x.Energy == y.Energy && x.Calls == y.Calls
	})
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// sides yields the results for member i of each of its comparisons.
func (g *Group) sides(i int) iter.Seq[*side] {
	return func(yield func(*side) bool) {
		for j := range g.Members {
			if j == i {
				continue
			}
			if mine := g.between(i, j); mine != nil && !yield(mine) {
				return
			}
		}
	}
}
