package eflask

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Shift is a part of a task's calls that the two runs of one app make in different tasks: a
// method of the app moved from one callback to another, and either callback has other calls
// of the same F-method.
type Shift struct {
	// Subject is the F-method of the task that makes the calls in the subject, Reference
	// of the task that makes them in the reference. The two are no counterparts.
	Subject, Reference int32
	// Calls and Energy are those of the calls in the reference, SubjectEnergy is what the
	// subject spends on them. Of samples, Calls counts nothing that a split could use.
	Calls                 int64
	Energy, SubjectEnergy units.Energy
}

// Shifts finds the calls that the runs make in different tasks. The arguments are those of
// [Moves], with the counterparts that it returned. Each call is shifted at most once.
//
// Calls are identified by their callers: all methods from the F-method's caller outwards. Shifts
// looks at the calls of one F-method with equal callers, and at ever more callers as long as that does not
// tell. Calls of a task and of its counterpart stay where they are. The other calls are
// shifted if an own method of the app is among their callers, and
//
//   - exactly one task of either run has such calls; or
//   - both runs count calls, both make the same number of such calls, and all come from one
//     task or go to one.
func Shifts(subject, reference *preprocess.Tree, counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Shift {
	s := &shifter{mover: newMover(subject, reference, counterparts), counted: BothCount(subject, reference)}
	s.names(own)
	classes := s.split()
	var groups []group
	for _, calls := range s.calls(classes) {
		groups = append(groups, group{calls: calls})
	}
	for len(groups) > 0 {
		g := groups[len(groups)-1]
		groups = groups[:len(groups)-1]
		if !g.both() || g.callers > maxPath {
			continue
		}
		rows := s.rows(g.calls)
		if len(rows) < 2 || g.told && s.shift(rows) {
			continue
		}
		groups = append(groups, s.refine(g)...)
	}
	slices.SortFunc(s.shifts, func(a, b Shift) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Reference, b.Reference))
	})
	return merged(s.shifts)
}

// merged adds up the shifts between the same two tasks.
func merged(list []Shift) []Shift {
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].Subject == s.Subject && out[n-1].Reference == s.Reference {
			out[n-1].Calls += s.Calls
			out[n-1].Energy += s.Energy
			out[n-1].SubjectEnergy += s.SubjectEnergy
			continue
		}
		out = append(out, s)
	}
	return out
}

// A shifter looks for calls that moved.
type shifter struct {
	*mover
	counted bool
	// methods are the numbers of either run's methods, labels those of the trees' labels.
	methods [2][]int32
	labels  []int32
	own     []bool
	shifts  []Shift
}

// A portion is calls that enter a task at one node of the source.
type portion struct {
	side int
	task int32
	// at is the caller that was looked at last, a node of the source; -1 above the root.
	at     int32
	next   int32 // the number of the caller that is looked at next
	calls  int64
	energy units.Energy
}

// A group is portions with equal callers as far as they were looked at.
type group struct {
	calls []portion
	// callers is how many callers were looked at, told whether an own method is among those.
	callers int
	told    bool
}

// maxPath bounds how many callers of a call are looked at. Paths of Android have about sixty; a
// file that means harm may have a hundred thousand.
const maxPath = 128

// both reports whether both runs have calls in a group. The subject's come first.
func (g *group) both() bool { return g.calls[0].side != g.calls[len(g.calls)-1].side }

// names numbers what callers are compared by: methods of the app, and labels of the framework.
func (s *shifter) names(own [2]func(trace.MethodID) bool) {
	numbers := make(map[string]int32)
	var owned [2]map[int32]bool
	for k, side := range s.sides {
		owned[k] = make(map[int32]bool)
		for id := range side.tree.Source.Methods {
			compared := side.tree.Compared(trace.MethodID(id))
			n := numberIn(numbers, named(compared))
			s.methods[k] = append(s.methods[k], n)
			if own[k](trace.MethodID(id)) && telling(compared) {
				owned[k][n] = true
			}
		}
	}
	all := s.subject.tree.Labels
	for id := range all.Len() {
		s.labels = append(s.labels, numberIn(numbers, all.Text(preprocess.LabelID(id))))
	}
	s.own = make([]bool, len(numbers))
	for n := range s.own {
		s.own[n] = owned[0][int32(n)] && owned[1][int32(n)]
	}
}

// split says for each class of F-methods whether its calls may have moved between tasks: whether it has several
// tasks, and they are not all counterparts with equal numbers of calls.
func (s *shifter) split() []bool {
	classes := make([]bool, len(s.rarity.class))
	tasks, differ := make([]int32, len(classes)), make([]bool, len(classes))
	for k, side := range s.sides {
		for task, class := range side.class {
			peer := side.peer[task]
			if k == 0 || peer < 0 {
				tasks[class]++ // a pair counts once
			}
			if peer < 0 || !s.counted || k == 0 && side.tree.Calls.Self(side.nodes[task]) != s.reference.tree.Calls.Self(s.reference.nodes[peer]) {
				differ[class] = true
			}
		}
	}
	for class := range classes {
		classes[class] = tasks[class] > 1 && differ[class]
	}
	return classes
}

// calls returns the portions of tasks by class, the subject's first.
func (s *shifter) calls(classes []bool) [][]portion {
	of := make([][]portion, len(classes))
	for k, side := range s.sides {
		t := side.tree
		for task, class := range side.class {
			if !classes[class] {
				continue
			}
			v, first, sum := side.nodes[task], len(of[class]), units.Energy(0)
			for _, c := range t.Callers(v) {
				of[class] = append(of[class], portion{side: k, task: int32(task), at: c.Source, calls: c.Calls, energy: c.Energy})
				sum += c.Energy
			}
			// Preprocessing takes waiting and hand-overs out of calls, or puts them in.
			for all, i := t.Energy.All(v), first; all != sum && i < len(of[class]); i++ {
				p := &of[class][i]
				p.energy = units.Energy(units.MulDiv(int64(all), int64(p.energy), int64(max(sum, 1))))
			}
		}
	}
	return slices.DeleteFunc(of, func(p []portion) bool { return len(p) == 0 })
}

// refine parts a group by the next caller.
func (s *shifter) refine(g group) []group {
	calls := slices.Clone(g.calls)
	for i := range calls {
		s.advance(&calls[i])
	}
	slices.SortFunc(calls, func(a, b portion) int {
		return cmp.Or(cmp.Compare(a.next, b.next), cmp.Compare(a.side, b.side), cmp.Compare(a.task, b.task), cmp.Compare(a.at, b.at))
	})
	var out []group
	for i := 0; i < len(calls); {
		j, next := i+1, calls[i].next
		for j < len(calls) && calls[j].next == next {
			j++
		}
		if next >= 0 { // else the paths have ended
			out = append(out, group{calls[i:j], g.callers + 1, g.told || s.own[next]})
		}
		i = j
	}
	return out
}

// advance looks at a portion's next caller.
func (s *shifter) advance(p *portion) {
	t := s.sides[p.side].tree
	for p.next = -1; p.at > 0 && p.next < 0; p.at = t.Caller(p.at) {
		method, v := t.Source.Nodes[p.at].Method, t.Into[p.at]
		switch t.Nodes[v].Kind {
		case preprocess.App:
			if t.MethodKind(method) == preprocess.App {
				p.next = s.methods[p.side][method]
			}
		case preprocess.Framework:
			if above := t.Caller(p.at); above < 0 || t.Into[above] != v {
				p.next = s.labels[t.Nodes[v].Label]
			}
		default:
			return
		}
	}
}

// A row is a task of the subject with its counterpart, or one of the two, with the calls of a group.
type row struct {
	// tasks are the subject's and the reference's, -1 for none; calls and energy are those
	// of the group in either.
	tasks  [2]int32
	has    [2]bool
	calls  [2]int64
	energy [2]units.Energy
}

// rows adds portions up by rows, in the order of the portions.
func (s *shifter) rows(calls []portion) []row {
	var rows []row
	var at [2]map[int32]int
	at[0], at[1] = make(map[int32]int), make(map[int32]int)
	for _, p := range calls {
		i, ok := at[p.side][p.task]
		if !ok {
			i = len(rows)
			r := row{tasks: [2]int32{-1, -1}}
			peer := s.sides[p.side].peer[p.task]
			r.tasks[p.side], r.tasks[1-p.side] = p.task, peer
			rows = append(rows, r)
			at[p.side][p.task] = i
			if peer >= 0 {
				at[1-p.side][peer] = i
			}
		}
		r := &rows[i]
		r.has[p.side] = true
		r.calls[p.side] += p.calls
		r.energy[p.side] += p.energy
	}
	return rows
}

// shift shifts the calls of some rows with equal callers, if they tell. done reports that more callers would not
// tell more.
func (s *shifter) shift(rows []row) (done bool) {
	var more, fewer, here, there []*row
	var sum [2]int64
	for i := range rows {
		r := &rows[i]
		sum[0] += r.calls[0]
		sum[1] += r.calls[1]
		switch {
		case !r.has[1]:
			here = append(here, r)
		case !r.has[0]:
			there = append(there, r)
		}
		switch {
		case r.calls[0] > r.calls[1]:
			more = append(more, r)
		case r.calls[0] < r.calls[1]:
			fewer = append(fewer, r)
		}
	}
	switch {
	case len(here) == len(rows) || len(there) == len(rows):
		return true
	case s.counted && sum[0] == sum[1]:
		if len(more) == 0 {
			return true
		}
		return s.pool(more, fewer)
	case len(here) == 1 && len(there) == 1 && len(rows) == 2:
		h, t := here[0], there[0]
		if s.all(h, 0) && h.tasks[1] >= 0 || s.all(t, 1) && t.tasks[0] >= 0 {
			return true // of two counterparts that share no such call
		}
		s.add(h, t, t.calls[1], t.energy[1], h.energy[0])
		return true
	}
	return false
}

// all reports whether a row's calls are all calls of its task of either run.
func (s *shifter) all(r *row, side int) bool {
	t := s.sides[side]
	return r.calls[side] == t.tree.Calls.Self(t.nodes[r.tasks[side]])
}

// pool shifts the calls that some rows have fewer of to those that have as many more. It
// reports whether one row is all of either.
func (s *shifter) pool(more, fewer []*row) bool {
	switch {
	case len(more) == 1:
		for _, f := range fewer {
			n := f.calls[1] - f.calls[0]
			s.add(more[0], f, n, units.Energy(units.MulDiv(int64(f.energy[1]), n, f.calls[1])), more[0].spent(n))
		}
	case len(fewer) == 1:
		f := fewer[0]
		n := f.calls[1] - f.calls[0]
		all := units.MulDiv(int64(f.energy[1]), n, f.calls[1])
		before := int64(0)
		for _, m := range more {
			k := m.calls[0] - m.calls[1]
			s.add(m, f, k, units.Energy(units.MulDiv(all, before+k, n)-units.MulDiv(all, before, n)), m.spent(k))
			before += k
		}
	default:
		return false
	}
	return true
}

// add notes that the subject makes in the task of one row what the reference makes in the task of
// another.
func (s *shifter) add(to, from *row, calls int64, energy, here units.Energy) {
	s.shifts = append(s.shifts, Shift{s.subject.nodes[to.tasks[0]], s.reference.nodes[from.tasks[1]], calls, energy, here})
}

// spent is what the subject spends on some of a row's calls.
func (r *row) spent(calls int64) units.Energy {
	return units.Energy(units.MulDiv(int64(r.energy[0]), calls, r.calls[0]))
}

// Shifted returns tasks whose savings allow for shifts, in the order of [Tasks]. What the reference spends on a
// task's calls counts for that task, in whichever task the reference makes them. So the move is no
// saving, and the sum over all tasks of both runs stays as it is. counted says whether both runs count calls.
func Shifted(tasks []Task, shifts []Shift, counted bool) []Task {
	if len(shifts) == 0 {
		return tasks
	}
	in, out := make(map[int32][]Shift), make(map[int32][]Shift)
	for _, s := range shifts {
		in[s.Subject] = append(in[s.Subject], s)
		out[s.Reference] = append(out[s.Reference], s)
	}
	tasks = slices.Clone(tasks)
	for i := range tasks {
		t := &tasks[i]
		t.In = in[t.Node]
		if t.Peer >= 0 {
			t.Out = out[t.Peer]
		}
		if len(t.In)+len(t.Out) == 0 {
			continue
		}
		energy := t.PeerEnergy + t.Elsewhere()
		t.Saving = t.Energy - energy
		if t.Moved() {
			t.Perhaps = nil
		}
		if t.Split != nil {
			calls := t.PeerCalls
			for _, s := range t.In {
				calls += s.Calls
			}
			for _, s := range t.Out {
				calls -= s.Calls
			}
			t.Split = NewSplit(t.Saving, t.Calls, calls, energy)
		}
	}
	return ranked(tasks)
}

// Moved reports whether a task moved: its counterpart runs under another callback, or it has
// none, and calls of other tasks of the reference have moved to it.
func (t *Task) Moved() bool {
	return t.Found == Moved || t.Found == Unmatched && len(t.In) > 0
}

// Elsewhere is what the reference spends on calls of the task in other tasks than its
// counterpart, without what the counterpart spends on calls that the subject makes in other
// tasks. The saving is Energy less PeerEnergy and Elsewhere.
func (t *Task) Elsewhere() units.Energy {
	sum := units.Energy(0)
	for _, s := range t.In {
		sum += s.Energy
	}
	for _, s := range t.Out {
		sum -= s.Energy
	}
	return sum
}

// Callbacks returns the callbacks by which the calls of a task moved: the innermost one around
// node v of the subject and around node w of the reference whose labels differ. If none differ, they are the innermost.
func Callbacks(subject, reference *preprocess.Tree, v, w int32) (here, there preprocess.LabelID) {
	first := true
	for v, w = callbackAbove(subject, v), callbackAbove(reference, w); v > 0 && w > 0; v, w = callbackAbove(subject, v), callbackAbove(reference, w) {
		a, b := subject.Nodes[v].Label, reference.Nodes[w].Label
		if first || a != b {
			here, there, first = a, b, false
		}
		if a != b {
			break
		}
	}
	return here, there
}

// callbackAbove returns the innermost node of the app above a node, 0 if there is none.
func callbackAbove(t *preprocess.Tree, v int32) int32 {
	for v = t.Nodes[v].Parent; v > 0 && t.Nodes[v].Kind != preprocess.App; v = t.Nodes[v].Parent {
	}
	return max(v, 0)
}
