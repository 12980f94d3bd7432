package group

import (
	"iter"
	"slices"

	"github.com/diffprof/diffprof/units"
)

// An App is a member's row of Table 3, and its bar of Figure 1.
type App struct {
	// Member is its index in Group.Members.
	Member int
	// Energy is what its run drained in all.
	Energy units.Energy
	// Tasks counts its tasks. With[k] counts those that k of the others do, too; they add
	// up to Tasks. Exact is the same of those that others do by an equal call path, which
	// is what a matching with α = 0 finds.
	Tasks       int
	With, Exact []int
	// Unique is what its tasks drained that none of the others does.
	Unique units.Energy
	// Others is how many others it was compared with.
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

// app adds up what the comparisons of a member say. A task is told by its identity, since
// what the other side calls may merge a few more methods in one comparison than in the
// next; a task counts if any comparison has it.
func (g *Group) app(i int) App {
	type known struct {
		own         units.Energy
		with, exact int
	}
	tasks := make(map[string]*known)
	a := App{Member: i, With: make([]int, len(g.Members)), Exact: make([]int, len(g.Members))}
	for mine := range g.sides(i) {
		if a.Others++; a.Others == 1 {
			a.Energy = mine.Energy
		}
		for t := range mine.Tasks {
			at := &mine.Tasks[t]
			of := tasks[at.ID]
			if of == nil {
				of = &known{own: at.Own}
				tasks[at.ID] = of
			}
			if at.matched() {
				of.with++
			}
			if at.Exact {
				of.exact++
			}
		}
	}
	a.Tasks = len(tasks)
	for _, of := range tasks {
		a.With[of.with]++
		a.Exact[of.exact]++
		if of.with == 0 {
			a.Unique += of.own
		}
	}
	return a
}

// An Overlap is what two members have in common, each share from 0 to 1.
type Overlap struct {
	// OneApp is whether both are of one app, as what ran tells. Equal is set where they drained
	// the same in equal tasks: then they are copies of one recording.
	OneApp, Equal bool
	// Unlike has the codes of what makes the recordings hard to compare, as
	// analysis.Result.Comparability has them; Ranked is whether they are ranked against each other
	// all the same, if not by calls then by energy.
	Unlike []string
	Ranked bool
	// Methods is the part of the framework methods that both call, of those that either
	// does.
	Methods float64
	// Tasks is the part of the tasks of both that are matched.
	Tasks float64
	// Alpha is the one of their comparison.
	Alpha int
}

// Overlap says what members i and j have in common; ok is false where their comparison
// failed or i is j.
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

// equal reports whether both sides drained the same, in tasks that are the same.
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

// sides yields what each comparison of member i says of it.
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
