package eflask

import (
	"cmp"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// Moves finds tasks that run under another callback in the other run of the same app, and adds them
// to the counterparts. The caller must know that both runs are of one app, because two apps may
// contain the same library, even one that no table lists.
//
// A task is recognized by its F-method and its callers: the A-method that calls the F-method, and
// the A-methods above it up to the callback. Two tasks without a sure counterpart become [Moved]
// under these conditions:
//
//   - Their callers agree, from the F-method up to at least one own method of the app. The name of
//     that method must not be obfuscated.
//   - The calls by these callers use at least half of the energy of both tasks.
//   - The callees of these calls are alike, at least as much as [Evidence.Sure] requires of two
//     methods, or the calls have no callees.
//   - In both runs, a fair part of the tasks with these callers has no counterpart. This excludes
//     helpers that all callbacks call, because their calls do not show which of them moved.
//
// Moves pairs in this order:
//
//  1. The tasks with the most common callers come first, and among these the tasks with equal
//     callees. So several tasks of one caller find their partners.
//  2. Tasks inside other tasks come later.
//  3. If a task moved, the tasks at equal paths below it moved with it.
//
// A pair that moved replaces a counterpart that was only likely. A sure counterpart with the same
// method that was found by likelihood becomes Moved if the two callbacks differ and the callers
// agree.
//
// The result is in the order of the subject's nodes, like counterparts. Swapping the runs swaps the
// pairs.
func Moves(subject, reference *preprocess.Tree, counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Counterpart {
	return NewPairer(subject, reference).Moves(counterparts, own)
}

// moves returns the counterparts together with the pairs that moved.
func (m *mover) moves(counterparts []Counterpart) []Counterpart {
	m.identify()
	m.renameFound()
	for _, outermost := range []bool{true, false} {
		m.inside()
		m.assign(outermost)
	}
	m.inside()
	return m.counterparts(counterparts)
}

// A mover finds tasks that moved. Its pairing starts with the sure counterparts.
type mover struct {
	*pairing
	sides   [2]*moverSide
	sites   sites
	callers *callers
	// steps is the number of nodes that the method inside may still visit.
	steps int
}

// A moverSide has a mover's data about the tasks of one run.
type moverSide struct {
	*taskSide
	// sites has the sites of each task: where in the app's code it is called, with one caller, with
	// two, and so on. It has only sites that a possibly moved task of the subject has. It is nil
	// for tasks that cannot have moved. entrances has the calls of each task.
	sites     [][]int32
	entrances [][]entrance
	// within[v] is the number of nodes before v that are tasks without a counterpart.
	within []int32
}

// newMover returns a mover. p must not have counterparts yet. newMover adds the sure ones to it.
func newMover(p *pairing, counterparts []Counterpart) *mover {
	for _, c := range counterparts {
		if i, j := p.subject.at[c.Subject], p.reference.at[c.Reference]; c.Evidence.Sure() {
			p.subject.peer[i], p.reference.peer[j] = j, i
			p.found[i] = c
		}
	}
	m := &mover{pairing: p, steps: maxNests * (len(p.subject.tree.Nodes) + len(p.reference.tree.Nodes))}
	for k, s := range []*taskSide{p.subject, p.reference} {
		m.sides[k] = &moverSide{taskSide: s}
	}
	return m
}

// open reports whether any task may have moved. Either both runs have tasks without a counterpart,
// or a pair without equal paths may itself be a move.
func (m *mover) open() bool {
	if slices.ContainsFunc(m.found, func(c Counterpart) bool { return c.Found >= Path }) {
		return true
	}
	return slices.Contains(m.subject.peer, -1) && slices.Contains(m.reference.peer, -1)
}

// A move is a pair of tasks that may have moved.
type move struct {
	i, j  int32
	depth int32
	below float64
	apart int64
}

// assign pairs the tasks that moved. If outermost is true, it skips tasks inside other unpaired
// tasks.
func (m *mover) assign(outermost bool) {
	// at lists the reference's tasks without a counterpart by site.
	at := make(map[int32][]int32)
	for j, list := range m.sides[1].sites {
		if m.reference.peer[j] < 0 && (!outermost || m.sides[1].outermost(int32(j))) {
			for _, n := range list {
				if m.sites.decisive(n) {
					at[n] = append(at[n], int32(j))
				}
			}
		}
	}
	here := make(map[int32]int32) // for each site, how many tasks of the subject have used it
	total := make(map[int32]int32)
	each := func(visit func(i, n int32)) {
		for i, list := range m.sides[0].sites {
			if m.subject.peer[i] < 0 && (!outermost || m.sides[0].outermost(int32(i))) {
				for _, n := range list {
					if len(at[n]) > 0 {
						visit(int32(i), n)
					}
				}
			}
		}
	}
	each(func(_, n int32) { total[n]++ })
	var moves []move
	each(func(i, n int32) {
		for _, j := range nearby(at[n], here[n], total[n]) {
			if m.common(i, j) == n {
				if found, ok := m.weigh(i, j, n); ok {
					moves = append(moves, found)
				}
			}
		}
		here[n]++
	})
	slices.SortFunc(moves, compareMoves)
	for _, c := range moves {
		if m.free(c.i, c.j) {
			m.move(c.i, c.j, c.below)
		}
	}
}

// outermost reports whether a task is not directly inside a task without a counterpart.
func (s *moverSide) outermost(task int32) bool {
	for v := s.tree.Nodes[s.nodes[task]].Parent; v > 0; v = s.tree.Nodes[v].Parent {
		if outer := s.at[v]; outer >= 0 {
			return s.peer[outer] >= 0
		}
	}
	return true
}

// weigh compares two tasks that may be the same task, moved. n is the site with the most callers
// that they have in common. ok is false if they are too different.
func (m *mover) weigh(i, j, n int32) (found move, ok bool) {
	if m.labels.Gamma(m.subject.label(i), m.reference.label(j)) != 0 {
		return move{}, false
	}
	a, b := m.shared(0, i, m.sides[1].sites[j]), m.shared(1, j, m.sides[0].sites[i])
	if !a.most(&b) {
		return move{}, false
	}
	found = move{i, j, m.sites.depth[n], m.below(i, j), m.apart(i, j)}
	if !a.whole || !b.whole {
		x, y := m.sides[0].bagOf(i, &a, m.callers.actors[0]), m.sides[1].bagOf(j, &b, m.callers.actors[1])
		if found.below = Unknown; len(x.classes)+len(y.classes) > 0 {
			found.below = dice(m.rarity.common(x, y), x.weight, y.weight)
		}
	}
	return found, found.below == Unknown || found.below >= carried
}

// sharing describes a task's calls whose callers also call the other task of a pair.
type sharing struct {
	sources []int32 // the nodes that make the calls
	whole   bool    // these are all calls of the task
	// Sums over the shared calls at index 0, and over all calls of the task at index 1.
	energy [2]units.Energy
	calls  [2]int64
}

// shared returns the calls of a task that have one of the given sites. sites must be sorted.
func (m *mover) shared(side int, task int32, sites []int32) sharing {
	s := sharing{whole: true}
	for _, p := range m.sides[side].entrances[task] {
		s.energy[1] += p.energy
		s.calls[1] += p.calls
		if !slices.ContainsFunc(p.sites, func(n int32) bool {
			_, ok := slices.BinarySearch(sites, n)
			return ok && m.sites.owned[n]
		}) {
			s.whole = false
			continue
		}
		s.energy[0] += p.energy
		s.calls[0] += p.calls
		s.sources = append(s.sources, p.source)
	}
	return s
}

// most reports whether the shared calls use at least half of the energy of both tasks together. If
// no call uses energy, the numbers of calls decide.
func (s *sharing) most(o *sharing) bool {
	if all := s.energy[1] + o.energy[1]; all > 0 {
		return 2*(s.energy[0]+o.energy[0]) >= all
	}
	return 2*(s.calls[0]+o.calls[0]) >= s.calls[1]+o.calls[1]
}

// bagOf returns the bag of the callees of a task's shared calls.
func (s *moverSide) bagOf(task int32, calls *sharing, actors []int32) *bag {
	if calls.whole {
		return s.belowOf(task)
	}
	t := s.tree
	var classes []int32
	for _, o := range t.Originals(s.nodes[task]) {
		if from := t.Caller(o); from < 0 || !slices.Contains(calls.sources, actors[from]) {
			continue
		}
		for x := o + 1; x < t.Source.Nodes[o].End && len(classes) < maxBelow; x++ {
			if v := t.Image[x]; v > s.nodes[task] && v < t.Nodes[s.nodes[task]].End {
				classes = append(classes, s.rarity.class[t.Nodes[v].Label])
			}
		}
	}
	b := s.rarity.bag(classes)
	return &b
}

// compareMoves orders moves by decreasing number of common callers, then by decreasing similarity,
// then as candidates are ordered. Two tasks that call nothing have the highest similarity.
func compareMoves(a, b move) int {
	alike := func(m move) float64 {
		if m.below == Unknown {
			return 1
		}
		return m.below
	}
	return cmp.Or(
		cmp.Compare(b.depth, a.depth),
		cmp.Compare(alike(b), alike(a)),
		cmp.Compare(a.apart, b.apart),
		cmp.Compare(max(a.i-a.j, a.j-a.i), max(b.i-b.j, b.j-b.i)),
		cmp.Compare(a.i+a.j, b.i+b.j),
	)
}

// movedLikelihood is the likelihood of a pair that moved. All 334 such pairs in generated runs were
// right. It is still below 1, because these are too few to fit a weight, and real apps are less
// regular.
const movedLikelihood = 0.95

// MovedCalls is the evidence for a Shift.
var MovedCalls = Evidence{Likelihood: movedLikelihood, Name: 1, Below: Unknown, Around: Unknown, Way: Unknown}

// move pairs two tasks as Moved.
func (m *mover) move(i, j int32, below float64) {
	m.pair(i, j, Moved, m.distance(m.subject.nodes[i], m.reference.nodes[j]),
		Evidence{Likelihood: movedLikelihood, Name: 1, Below: below, Around: Unknown, Way: Unknown})
}

// renameFound changes sure counterparts to Moved if the same code calls both tasks, but in
// callbacks with different names.
func (m *mover) renameFound() {
	for i, j := range m.subject.peer {
		if m.relocated(int32(i)) && m.common(int32(i), j) >= 0 {
			m.found[i].Found = Moved
		}
	}
}

// inside pairs tasks without counterparts that have equal paths inside two moved tasks.
func (m *mover) inside() {
	if !slices.ContainsFunc(m.found, func(c Counterpart) bool { return c.Found == Moved }) {
		return
	}
	var wg sync.WaitGroup
	for _, side := range m.sides {
		wg.Go(side.countWithin)
	}
	wg.Wait()
	for i, j := range m.subject.peer {
		if j >= 0 && m.found[i].Found == Moved {
			m.follow(m.subject.nodes[i], m.reference.nodes[j])
		}
	}
}

// countWithin sets within.
func (s *moverSide) countWithin() {
	s.within = slices.Grow(s.within[:0], len(s.tree.Nodes)+1)
	n := int32(0)
	for _, task := range s.at {
		s.within = append(s.within, n)
		if task >= 0 && s.peer[task] < 0 {
			n++
		}
	}
	s.within = append(s.within, n)
}

// holds reports whether there is a task without a counterpart below a node.
func (s *moverSide) holds(v int32) bool {
	return s.within[s.tree.Nodes[v].End] > s.within[v+1]
}

// follow pairs tasks without counterparts at equal paths below two nodes.
func (m *mover) follow(v, w int32) {
	s, r := m.subject.tree.Nodes, m.reference.tree.Nodes
	waiting := [][2]int32{{v, w}}
	for len(waiting) > 0 && m.steps > 0 {
		v, w := waiting[len(waiting)-1][0], waiting[len(waiting)-1][1]
		waiting = waiting[:len(waiting)-1]
		if !m.sides[0].holds(v) || !m.sides[1].holds(w) {
			continue
		}
		for x, y := v+1, w+1; x < s[v].End && y < r[w].End; m.steps-- {
			switch {
			case s[x].Label < r[y].Label:
				x = s[x].End
			case s[x].Label > r[y].Label:
				y = r[y].End
			default:
				if i, j := m.subject.at[x], m.reference.at[y]; i >= 0 && j >= 0 && m.free(i, j) {
					m.move(i, j, m.below(i, j))
				}
				waiting = append(waiting, [2]int32{x, y})
				x, y = s[x].End, r[y].End
			}
		}
	}
}

// counterparts returns all pairs that the mover found. A given pair that was only likely remains if
// its two tasks still have no counterpart.
func (m *mover) counterparts(given []Counterpart) []Counterpart {
	all := m.pairing.counterparts()
	out := make([]Counterpart, 0, max(len(all), len(given)))
	for _, c := range given { // both lists are in the order of the subject's nodes
		if c.Evidence.Sure() || !m.free(m.subject.at[c.Subject], m.reference.at[c.Reference]) {
			continue
		}
		for len(all) > 0 && all[0].Subject < c.Subject {
			out, all = append(out, all[0]), all[1:]
		}
		out = append(out, c)
	}
	return append(out, all...)
}

// Callbacks returns the callbacks between which the calls of a task moved. They are the innermost
// callbacks around v and w whose labels differ. If no labels differ, they are the innermost ones.
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

// callbackAbove returns the nearest ancestor of v that is a method of the app, or 0 if there is
// none.
func callbackAbove(t *preprocess.Tree, v int32) int32 {
	for v = t.Nodes[v].Parent; v > 0 && t.Nodes[v].Kind != preprocess.App; v = t.Nodes[v].Parent {
	}
	return max(v, 0)
}
