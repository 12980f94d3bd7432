package group

import (
	"cmp"
	"iter"
	"maps"
	"math/bits"
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
			if at.Matched {
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
			if all++; p.Sides[s].Tasks[t].Matched {
				matched++
			}
		}
	}
	return Overlap{Methods: ratio(p.Shared, p.Either), Tasks: ratio(matched, all), Alpha: p.Alpha}, true
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// A Duty is an F-method that two members or more call by tasks that are matched, and what
// each spends on it.
type Duty struct {
	// Label is the F-method's, Short what people read of it.
	Label, Short string
	// PerCall is set where all of Users count calls and have some: they are in the order of
	// energy a call then, else of energy.
	PerCall bool
	// Users are the members that call it, the one that spends least first.
	Users []Use
	// Room is what the others would save if each spent what the first does, a call where
	// PerCall is set.
	Room units.Energy
}

// A Use is what a member spends on an F-method.
type Use struct {
	Member int
	// Energy is that of its tasks, with all that they call; tasks inside of others of the
	// same F-method are in those.
	Energy units.Energy
	// Counted is set where Calls were counted.
	Counted bool
	Calls   int64
	// Task is the identity of the dearest of them that the first user does, too; empty if
	// there is none, as for the first user itself.
	Task string
}

// Duties ranks the F-methods that several members call, most room for saving first.
func (g *Group) Duties() []Duty {
	duties := make(map[string]*Duty)
	for i := range g.Members {
		for label, use := range g.uses(i) {
			d := duties[label]
			if d == nil {
				d = &Duty{Label: label, Short: use.short, PerCall: true}
				duties[label] = d
			}
			d.PerCall = d.PerCall && use.Counted && use.Calls > 0
			d.Users = append(d.Users, use.Use)
		}
	}
	var list []Duty
	for _, label := range slices.Sorted(maps.Keys(duties)) {
		if d := duties[label]; len(d.Users) > 1 {
			d.rank()
			for i := range d.Users[1:] {
				u := &d.Users[i+1]
				u.Task = g.dearest(label, u.Member, d.Users[0].Member)
			}
			list = append(list, *d)
		}
	}
	slices.SortStableFunc(list, func(a, b Duty) int { return cmp.Compare(b.Room, a.Room) })
	return list
}

// A used is a Use in the making.
type used struct {
	Use
	short string
}

// uses adds up what a member's matched tasks drain, by their F-method.
func (g *Group) uses(i int) map[string]*used {
	uses := make(map[string]*used)
	seen := make(map[string]bool)
	for mine := range g.sides(i) {
		for t := range mine.Tasks {
			at := &mine.Tasks[t]
			if !at.Matched || at.Inner || seen[at.ID] {
				continue
			}
			seen[at.ID] = true
			u := uses[at.Label]
			if u == nil {
				u = &used{Use: Use{Member: i, Counted: mine.Counted}, short: at.Short}
				uses[at.Label] = u
			}
			u.Energy += at.Energy
			u.Calls += at.Calls
		}
	}
	return uses
}

// rank puts the users in order, and says what room there is.
func (d *Duty) rank() {
	slices.SortStableFunc(d.Users, func(a, b Use) int {
		if !d.PerCall {
			return cmp.Compare(a.Energy, b.Energy)
		}
		// a.Energy/a.Calls against b.Energy/b.Calls, without rounding.
		aHigh, aLow := bits.Mul64(uint64(a.Energy), uint64(b.Calls))
		bHigh, bLow := bits.Mul64(uint64(b.Energy), uint64(a.Calls))
		return cmp.Or(cmp.Compare(aHigh, bHigh), cmp.Compare(aLow, bLow))
	})
	least := d.Users[0]
	for _, u := range d.Users[1:] {
		need := least.Energy
		if d.PerCall {
			need = units.Energy(units.MulDiv(int64(least.Energy), u.Calls, least.Calls))
		}
		d.Room += max(u.Energy-need, 0)
	}
}

// dearest is the identity of the dearest task of member i with this F-method that member j
// does, too; empty if there is none.
func (g *Group) dearest(label string, i, j int) string {
	mine := g.between(i, j)
	if mine == nil {
		return ""
	}
	id, most := "", units.Energy(-1)
	for t := range mine.Tasks {
		if at := &mine.Tasks[t]; at.Matched && at.Label == label && at.Energy > most {
			id, most = at.ID, at.Energy
		}
	}
	return id
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
