package group

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/diffprof/diffprof/repeats"
	"github.com/diffprof/diffprof/units"
)

// A CommonTask is a task that at least two members have, such as drawing a text. It joins one task
// of each of these members. All of them have the same framework method (F-method), and any two are
// counterparts in the comparison of their members. The energies of any two can be ranked.
type CommonTask struct {
	// Label is the label of the framework method. Short is its short name, and Under is the short
	// name of its caller in the first user.
	Label, Short, Under string
	// PerCall is set if calls are counted: Users are then sorted by energy per call. Otherwise they
	// are sorted by energy.
	PerCall bool
	// Users are the members with the task, the lowest energy first.
	Users []Use
	// Saving is the possible saving: the energy that the other members would save if each used only
	// as much as the first. If PerCall is set, this is computed per call. Members without evidence
	// of a difference do not count.
	Saving units.Energy
}

// most returns the energy of the most expensive user.
func (d *CommonTask) most() units.Energy { return d.Users[len(d.Users)-1].Energy }

// A Use is the energy of a task in a member.
type Use struct {
	Member int
	// Energy is the energy of the task, including its callees.
	Energy units.Energy
	// Counted is set if Calls were counted.
	Counted bool
	Calls   int64
	// Task is the ID of the member's task.
	Task string
	// Verdict tells how the runs differ from the first user's runs, as a repeats.Verdict. Single
	// sampled runs get repeats.NoEvidence if they have too few samples to distinguish the tasks.
	// Otherwise it is empty.
	Verdict string
}

// These are the codes of reasons why two recordings cannot be ranked. The first list applies to all
// tasks. The second applies to tasks whose energies are not divided by calls.
var (
	neverRanked = []string{"energy", "unit", "sampled-vs-instrumented"}
	onlyPerCall = []string{"length", "partial", "overflow"}
)

// ranks reports whether the two recordings can be ranked against each other.
func (p *pair) ranks(perCall bool) bool {
	return !slices.ContainsFunc(p.Unlike, func(code string) bool {
		return slices.Contains(neverRanked, code) || !perCall && slices.Contains(onlyPerCall, code)
	})
}

// A memberTask is a task of a member.
type memberTask struct {
	member int
	task   *task
	// counted is set if the task's calls were counted, perCall if there are some calls, and sampled
	// if the calls are counts of samples.
	counted, perCall, sampled bool
}

// key identifies a member's task. The task has the same identity in all comparisons of its member.
func (d *memberTask) key() memberTaskKey { return memberTaskKey{d.member, d.task.ID} }

type memberTaskKey struct {
	member int
	id     string
}

// A match joins two tasks that are counterparts and have the same F-method (framework method).
type match [2]memberTask

// CommonTasks returns the tasks that several members have, sorted by possible saving.
func (g *Group) CommonTasks() []CommonTask {
	matches := make(map[string][]match)
	for i := range g.Members {
		for j := i + 1; j < len(g.Members); j++ {
			if p := g.pairs[g.index(i, j)]; p != nil {
				p.matches(i, j, matches)
			}
		}
	}
	var list []CommonTask
	for _, label := range slices.Sorted(maps.Keys(matches)) {
		for _, clique := range g.cliques(matches[label]) {
			list = append(list, g.commonTask(clique))
		}
	}
	slices.SortStableFunc(list, func(a, b CommonTask) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(b.most(), a.most()), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Users[0].Task, b.Users[0].Task))
	})
	return list
}

// matches adds the matched tasks of members i and j to a map, by F-method (framework method).
func (p *pair) matches(i, j int, to map[string][]match) {
	memberOf := func(member, at int, t *task) memberTask {
		s := &p.Sides[at]
		return memberTask{member, t, s.Counted, s.Counted && t.Calls > 0, s.Sampled}
	}
	for t := range p.Sides[0].Tasks {
		mine := &p.Sides[0].Tasks[t]
		if !mine.matched() {
			continue
		}
		other := &p.Sides[1].Tasks[mine.Peer]
		b := match{memberOf(i, 0, mine), memberOf(j, 1, other)}
		switch {
		case mine.Label != other.Label, mine.Inner, other.Inner, mine.Energy <= 0, other.Energy <= 0:
		case b[0].perCall != b[1].perCall, !p.ranks(b[0].perCall):
		default:
			to[mine.Label] = append(to[mine.Label], b)
		}
	}
}

// cliques divides the tasks into sets in which any two are joined. It starts with the strongest
// matches. It merges two sets if all of their tasks are joined. A task without a match is in no set.
func (g *Group) cliques(matches []match) [][]memberTask {
	slices.SortFunc(matches, func(a, b match) int {
		exact := func(x match) int {
			if x[0].task.Exact {
				return 0
			}
			return 1
		}
		energy := func(x match) units.Energy { return x[0].task.Energy + x[1].task.Energy }
		name := func(x match) string {
			first, second := g.Members[x[0].member].Name+"\x00"+x[0].task.ID, g.Members[x[1].member].Name+"\x00"+x[1].task.ID
			return min(first, second) + "\x00" + max(first, second)
		}
		return cmp.Or(cmp.Compare(exact(a), exact(b)), cmp.Compare(energy(b), energy(a)), cmp.Compare(name(a), name(b)))
	})
	joined := make(map[[2]memberTaskKey]bool)
	for i := range matches {
		a, b := matches[i][0].key(), matches[i][1].key()
		joined[[2]memberTaskKey{a, b}], joined[[2]memberTaskKey{b, a}] = true, true
	}
	sets := make(map[memberTaskKey]*[]memberTask)
	var order []*[]memberTask
	setOf := func(d memberTask) *[]memberTask {
		if sets[d.key()] == nil {
			sets[d.key()] = &[]memberTask{d}
			order = append(order, sets[d.key()])
		}
		return sets[d.key()]
	}
	for i := range matches {
		first, second := setOf(matches[i][0]), setOf(matches[i][1])
		if first == second || !allJoined(joined, *first, *second) {
			continue
		}
		for _, d := range *second {
			sets[d.key()] = first
		}
		*first, *second = append(*first, *second...), nil
	}
	var found [][]memberTask
	for _, set := range order {
		if len(*set) > 1 {
			found = append(found, *set)
		}
	}
	return found
}

// allJoined reports whether each task of one set is joined with each task of the other.
func allJoined(joined map[[2]memberTaskKey]bool, a, b []memberTask) bool {
	for i := range a {
		for j := range b {
			if !joined[[2]memberTaskKey{a[i].key(), b[j].key()}] {
				return false
			}
		}
	}
	return true
}

// commonTask sorts the users of a task, and computes the possible saving.
func (g *Group) commonTask(tasks []memberTask) CommonTask {
	d := CommonTask{Label: tasks[0].task.Label, Short: tasks[0].task.Short, PerCall: tasks[0].perCall}
	slices.SortFunc(tasks, func(a, b memberTask) int {
		by := cmp.Compare(a.task.Energy, b.task.Energy)
		if d.PerCall {
			// Compare energies per call without rounding.
			aHigh, aLow := bits.Mul64(uint64(a.task.Energy), uint64(b.task.Calls))
			bHigh, bLow := bits.Mul64(uint64(b.task.Energy), uint64(a.task.Calls))
			by = cmp.Or(cmp.Compare(aHigh, bHigh), cmp.Compare(aLow, bLow))
		}
		return cmp.Or(by, cmp.Compare(g.Members[a.member].Name, g.Members[b.member].Name))
	})
	least := tasks[0]
	d.Under = least.task.Under
	for i, at := range tasks {
		u := Use{Member: at.member, Energy: at.task.Energy, Counted: at.counted, Calls: at.task.Calls, Task: at.task.ID}
		if i > 0 {
			u.Verdict = g.verdict(at, least)
		}
		if u.Verdict != repeats.NoEvidence.String() {
			need := least.task.Energy
			if d.PerCall {
				need = units.Energy(units.MulDiv(int64(need), u.Calls, least.task.Calls))
			}
			d.Saving += max(u.Energy-need, 0)
		}
		d.Users = append(d.Users, u)
	}
	return d
}

// verdict returns the result of comparing a task with another member's task, over the runs of both
// members.
func (g *Group) verdict(this, against memberTask) string {
	mine := g.between(this.member, against.member)
	for t := range mine.Tasks {
		if at := &mine.Tasks[t]; at.ID == this.task.ID && at.Verdict != "" {
			return at.Verdict
		}
	}
	if this.sampled && against.sampled && !distinguishable(this.task, against.task) {
		return repeats.NoEvidence.String()
	}
	return ""
}

// distinguishable reports whether samples distinguish the energies of two tasks: the difference
// must exceed 2.576 standard errors (surely). The sum over n samples has a relative standard error
// of at least 1/√n, because it is a sum of n independent parts (a compound Poisson distribution).
func distinguishable(a, b *task) bool {
	const surely = 2.576 // 99 % of a normal distribution are within this number of standard errors.
	variance := func(t *task) float64 { return float64(t.Energy) * float64(t.Energy) / float64(max(t.Calls, 1)) }
	return math.Abs(float64(a.Energy-b.Energy)) > surely*math.Sqrt(variance(a)+variance(b))
}
