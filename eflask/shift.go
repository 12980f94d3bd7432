package eflask

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A Shift is a group of calls that the two runs make in different tasks. For example, a method with
// 3 calls of List.add moves from onClick to onResume, and onResume also makes other calls of
// List.add.
type Shift struct {
	// Subject and Reference are the F-methods of the tasks that make the calls in the subject and
	// in the reference. The two tasks are not counterparts.
	Subject, Reference int32
	// Calls and Energy are the number and the energy of these calls in the reference. SubjectEnergy
	// is their energy in the subject. In sampled runs, Calls must not be used to split a saving.
	Calls                 int64
	Energy, SubjectEnergy units.Energy
}

// Shifts finds the calls that the runs make in different tasks. It takes the arguments of [Moves],
// but counterparts is the result of Moves. Each call is shifted at most once.
//
// Calls are recognized by their callers: all methods from the F-method's caller outwards. Shifts
// compares the calls of one F-method that have equal callers, and adds one more caller while they
// are ambiguous. It does not shift calls between a task and its counterpart. Other calls are
// shifted if one of their callers is a method of the app's own code, and one of these conditions
// holds:
//
//   - Exactly one task of each run has such calls.
//   - Both runs count calls and make the same number of such calls, and all of them come from one
//     task or go to one task.
func Shifts(subject, reference *preprocess.Tree, counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Shift {
	return NewPairer(subject, reference).Shifts(counterparts, own)
}

// shifts returns all shifts: those of calls with equal callers, and those of recursive calls.
func (m *mover) shifts() []Shift { return sorted(m.recursive(m.callShifts())) }

// callShifts returns the shifts of calls with equal callers. Several goroutines share the classes
// of F-methods, which do not depend on each other.
func (m *mover) callShifts() []Shift {
	counted := BothCount(m.subject.tree, m.reference.tree)
	var at, tasks [2][]int32
	for k, side := range m.sides {
		at[k], tasks[k] = grouped(side.class, len(m.rarity.class))
	}
	var open []int32
	for class, shifts := range m.split(counted) {
		if shifts {
			open = append(open, int32(class))
		}
	}
	if len(open) == 0 {
		return nil
	}
	outward := m.callers.outward(m.sides, m.callers.labels(m.labels))
	workers := make([]*shifter, min(runtime.GOMAXPROCS(0), (len(open)+classesAtOnce-1)/classesAtOnce))
	var next atomic.Int64
	var wg sync.WaitGroup
	for n := range workers {
		s := &shifter{mover: m, counted: counted, outward: outward, bucket: make([]int32, len(m.callers.own))}
		for k, side := range m.sides {
			s.row[k] = make([]int32, len(side.nodes))
		}
		workers[n] = s
		wg.Go(func() {
			for {
				from := int(next.Add(classesAtOnce)) - classesAtOnce
				if from >= len(open) {
					return
				}
				for _, class := range open[from:min(from+classesAtOnce, len(open))] {
					s.class([2][]int32{tasks[0][at[0][class]:at[0][class+1]], tasks[1][at[1][class]:at[1][class+1]]})
				}
			}
		})
	}
	wg.Wait()
	var shifts []Shift
	for _, s := range workers {
		shifts = append(shifts, s.shifts...)
	}
	return shifts
}

// sorted sorts shifts by their tasks, and adds up the shifts between the same two tasks.
func sorted(shifts []Shift) []Shift {
	slices.SortFunc(shifts, func(a, b Shift) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Reference, b.Reference))
	})
	return merged(shifts)
}

// classesAtOnce is the number of classes of F-methods that a goroutine takes at a time.
const classesAtOnce = 16

// class finds the shifts between tasks of one class of F-methods, given by side.
func (s *shifter) class(tasks [2][]int32) {
	s.calls(tasks)
	s.groups = append(s.groups[:0], group{calls: s.portions})
	for len(s.groups) > 0 {
		g := s.groups[len(s.groups)-1]
		s.groups = s.groups[:len(s.groups)-1]
		if !g.both() || g.callers > maxPath || s.alone(g.calls) {
			continue
		}
		if g.owned && s.shift(s.rows(g.calls)) {
			continue
		}
		s.refine(g)
	}
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

// A shifter finds calls that one run makes in other tasks than the other run.
type shifter struct {
	*mover
	counted bool
	// outward has the next caller at or above each node of the source trees, by side.
	outward [2][]caller
	shifts  []Shift
	// The other fields are working memory for the current class and group. row[side][task] is the
	// index of the task's row plus one. bucket[n] is the index of the bucket of caller n plus one.
	// row and bucket are zero between uses.
	more, fewer, here, there []*row
	portions, sorted         []portion
	groups                   []group
	list                     []row
	row                      [2][]int32
	bucket                   []int32
	buckets                  []bucket
}

// A portion is the calls of a task that one node of the source tree makes.
type portion struct {
	task int32
	caller
	side   uint8
	calls  int64
	energy units.Energy
}

// A group is a list of portions with equal callers, as far as these were compared. It is sorted by
// side and task.
type group struct {
	calls []portion
	// callers is the number of callers that were compared. owned means that one of these callers is
	// a method of the app's own code.
	callers int
	owned   bool
}

// A bucket is a part of a group: the portions with the same next caller. end is the index after the
// last portion.
type bucket struct{ next, end int32 }

// maxPath limits how many callers of a call are compared. Paths on Android have about sixty
// methods. A malicious file may have a hundred thousand.
const maxPath = 128

// both reports whether both runs have calls in a group. The subject's calls come first.
func (g *group) both() bool {
	return len(g.calls) > 0 && g.calls[0].side != g.calls[len(g.calls)-1].side
}

// split reports, for each class of F-methods, whether calls may have moved between its tasks. This
// needs several tasks, and not only counterparts with equal numbers of calls.
func (m *mover) split(counted bool) []bool {
	classes := make([]bool, len(m.rarity.class))
	tasks, differ := make([]int32, len(classes)), make([]bool, len(classes))
	for k, side := range m.sides {
		for task, class := range side.class {
			peer := side.peer[task]
			if k == 0 || peer < 0 {
				tasks[class]++ // count two counterparts once
			}
			if peer < 0 || !counted || k == 0 && side.tree.Calls.Self(side.nodes[task]) != m.reference.tree.Calls.Self(m.reference.nodes[peer]) {
				differ[class] = true
			}
		}
	}
	for class := range classes {
		classes[class] = tasks[class] > 1 && differ[class]
	}
	return classes
}

// calls sets portions to the calls of tasks, the subject's first.
func (s *shifter) calls(tasks [2][]int32) {
	s.portions = s.portions[:0]
	for k, side := range s.sides {
		t := side.tree
		for _, task := range tasks[k] {
			v, first, sum := side.nodes[task], len(s.portions), units.Energy(0)
			for _, c := range s.callers.callsOf(k, task) {
				s.portions = append(s.portions, portion{side: uint8(k), task: task, caller: caller{at: c.Source}, calls: c.Calls, energy: c.Energy})
				sum += c.Energy
			}
			// Preprocessing may move waiting time and handed-over work into or out of calls. Scale
			// the portions so that they add up to the node's energy.
			if all := t.Energy.All(v); all != sum {
				for i := first; i < len(s.portions); i++ {
					p := &s.portions[i]
					p.energy = units.Energy(units.MulDiv(int64(all), int64(p.energy), int64(max(sum, 1))))
				}
			}
		}
	}
}

// alone reports whether one task and its counterpart make all the calls.
func (s *shifter) alone(calls []portion) bool {
	first := &calls[0]
	peer := s.sides[first.side].peer[first.task]
	for i := range calls {
		p := &calls[i]
		if p.side == first.side && p.task != first.task || p.side != first.side && p.task != peer {
			return false
		}
	}
	return true
}

// refine divides a group by the next caller. It keeps the order of the portions in each part.
func (s *shifter) refine(g group) {
	s.buckets = s.buckets[:0]
	for i := range g.calls {
		p := &g.calls[i]
		p.caller = s.outward[p.side][max(p.at, 0)]
		if p.next < 0 {
			continue // the portion's path has ended
		}
		if s.bucket[p.next] == 0 {
			s.buckets = append(s.buckets, bucket{next: p.next})
			s.bucket[p.next] = int32(len(s.buckets))
		}
		s.buckets[s.bucket[p.next]-1].end++
	}
	from := int32(0)
	for i := range s.buckets {
		b := &s.buckets[i]
		b.end, from = from, from+b.end
	}
	s.sorted = append(s.sorted[:0], g.calls...)
	for i := range s.sorted {
		if p := &s.sorted[i]; p.next >= 0 {
			b := &s.buckets[s.bucket[p.next]-1]
			g.calls[b.end] = *p
			b.end++
		}
	}
	from = 0
	for _, b := range s.buckets {
		s.bucket[b.next] = 0
		s.groups = append(s.groups, group{g.calls[from:b.end], g.callers + 1, g.owned || s.callers.own[b.next]})
		from = b.end
	}
}

// A row is a task with its counterpart, if any, and their calls in a group.
type row struct {
	// tasks has the task of the subject and of the reference, or -1. calls and energy are the
	// totals of the group's calls in each of the two tasks.
	tasks  [2]int32
	has    [2]bool
	calls  [2]int64
	energy [2]units.Energy
}

// rows adds up portions by task, in the order of the portions. The rows are valid until the next
// call.
func (s *shifter) rows(calls []portion) []row {
	rows := s.list[:0]
	for i := range calls {
		p := &calls[i]
		at := s.row[p.side][p.task]
		if at == 0 {
			peer := s.sides[p.side].peer[p.task]
			r := row{tasks: [2]int32{-1, -1}}
			r.tasks[p.side], r.tasks[1-p.side] = p.task, peer
			rows = append(rows, r)
			at = int32(len(rows))
			s.row[p.side][p.task] = at
			if peer >= 0 {
				s.row[1-p.side][peer] = at
			}
		}
		r := &rows[at-1]
		r.has[p.side] = true
		r.calls[p.side] += p.calls
		r.energy[p.side] += p.energy
	}
	for i := range rows {
		for side, task := range rows[i].tasks {
			if task >= 0 {
				s.row[side][task] = 0
			}
		}
	}
	s.list = rows
	return rows
}

// shift adds the shifts between the rows of a group, unless they are ambiguous. done is true if
// comparing more callers cannot change the result.
func (s *shifter) shift(rows []row) (done bool) {
	more, fewer, here, there := s.more[:0], s.fewer[:0], s.here[:0], s.there[:0]
	defer func() { s.more, s.fewer, s.here, s.there = more, fewer, here, there }()
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
			return true // with these callers, neither counterpart has the call
		}
		s.add(h, t, t.calls[1], t.energy[1], h.energy[0])
		return true
	}
	return false
}

// all reports whether a row includes all calls of its task on the given side.
func (s *shifter) all(r *row, side int) bool {
	t := s.sides[side]
	return r.calls[side] == t.tree.Calls.Self(t.nodes[r.tasks[side]])
}

// pool shifts surplus calls between rows. In the first list, the subject makes more calls than the
// reference, and in the second list fewer. If both lists have several rows, pool shifts nothing and
// returns false, because it is ambiguous which calls moved.
func (s *shifter) pool(more, fewer []*row) bool {
	switch {
	case len(more) == 1:
		before := int64(0)
		for _, f := range fewer {
			n := f.calls[1] - f.calls[0]
			s.add(more[0], f, n, units.Energy(units.MulDiv(int64(f.energy[1]), n, f.calls[1])), more[0].spent(before+n)-more[0].spent(before))
			before += n
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

// add records a shift: the subject makes the calls in the task of the row to, and the reference makes
// them in the task of the row from.
func (s *shifter) add(to, from *row, calls int64, energy, here units.Energy) {
	s.shifts = append(s.shifts, Shift{s.subject.nodes[to.tasks[0]], s.reference.nodes[from.tasks[1]], calls, energy, here})
}

// spent returns the energy that the subject uses for this many calls of the row.
func (r *row) spent(calls int64) units.Energy {
	return units.Energy(units.MulDiv(int64(r.energy[0]), calls, r.calls[0]))
}
