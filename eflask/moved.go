package eflask

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
)

// Moves adds the tasks that run under other callbacks to the counterparts of two runs of one
// app. The caller makes sure that the runs are of one app: two apps may ship one library that
// no table knows.
//
// A task is identified by its F-method and by its callers: the A-methods from the one that
// calls the F-method up to the callback. Two tasks without a sure counterpart become
// [Moved] if
//
//   - their callers agree from the F-method up to an own method of the app at least, whose
//     name is not one that obfuscators give;
//   - what the F-methods call is alike (at least as much as [Evidence.Sure] asks of two methods), or
//     neither calls anything;
//   - a fair part of the tasks with these callers has no counterpart in either run. A helper
//     that all callbacks call does not tell which of them moved.
//
// Tasks whose callers agree furthest come first, then those that call the same, so several
// tasks of one caller find their partners. Tasks inside of other ones wait until those have
// theirs. A task that lies at the same place inside of a moved one has moved with it.
//
// A counterpart that was only likely gives way to one that moved. A sure counterpart of one
// method that was found by likelihood becomes Moved if the two callbacks differ and the
// callers agree.
//
// The result is in the order of the subject's nodes, as the counterparts are. Swapping the runs swaps the
// pairs.
func Moves(subject, reference *preprocess.Tree, counterparts []Counterpart, own [2]func(trace.MethodID) bool) []Counterpart {
	m := newMover(subject, reference, counterparts)
	if !m.open() {
		return counterparts
	}
	m.identify(own)
	m.renameFound()
	for _, outermost := range []bool{true, false} {
		m.inside()
		m.assign(outermost)
	}
	m.inside()
	return m.counterparts(counterparts)
}

// A mover finds tasks that moved. Its pairing has the sure counterparts.
type mover struct {
	*pairing
	sides [2]*moverSide
	sites sites
	// steps is how many more nodes inside may visit.
	steps int
}

// A moverSide has what a mover knows of one run's tasks.
type moverSide struct {
	*taskSide
	// sites are by task: where it is called, for each length of the callers that are compared. They
	// are nil for tasks that cannot have moved.
	sites [][]int32
	// within is by node: how many tasks without counterparts the nodes before it are.
	within []int32
}

func newMover(subject, reference *preprocess.Tree, counterparts []Counterpart) *mover {
	p := newPairing(subject, reference, nil)
	for _, c := range counterparts {
		if i, j := p.subject.at[c.Subject], p.reference.at[c.Reference]; c.Evidence.Sure() {
			p.subject.peer[i], p.reference.peer[j] = j, i
			p.found[i] = c
		}
	}
	m := &mover{pairing: p, steps: maxNests * (len(subject.Nodes) + len(reference.Nodes))}
	for k, s := range []*taskSide{p.subject, p.reference} {
		m.sides[k] = &moverSide{taskSide: s, sites: make([][]int32, len(s.nodes))}
	}
	return m
}

// open reports whether both runs have tasks without counterparts, or tasks whose counterparts
// may have moved.
func (m *mover) open() bool {
	if slices.ContainsFunc(m.found, func(c Counterpart) bool { return c.Found >= Path }) {
		return true
	}
	return slices.Contains(m.subject.peer, -1) && slices.Contains(m.reference.peer, -1)
}

// A site is a place in the app's code that tasks are called from: a class of F-methods,
// and the callers from the innermost one outwards. Its caller's site is shorter by one.
type site struct {
	shorter int32
	method  int32
}

// Bounds of the callers that identify a task: their number, and that of the places that one
// task is called from.
const (
	maxCallers = 64
	maxPlaces  = 32
)

// sites numbers the sites of both runs. A shorter site has a lower number.
type sites struct {
	numbers map[site]int32
	depth   []int32
	// told says whether an own method is among the callers of a site.
	told []bool
	// all counts the tasks of either run at a site, open those without a counterpart.
	all, open [2][]int32
	methods   map[string]int32
	// own is by method: whether both runs have it as their own.
	own []bool
}

// number returns the number of a site.
func (s *sites) number(at site) int32 {
	n, ok := s.numbers[at]
	if !ok {
		n = int32(len(s.depth))
		s.numbers[at] = n
		depth, told := int32(0), false
		if at.shorter >= 0 {
			depth = s.depth[at.shorter] + 1
			told = s.told[at.shorter] || s.own[at.method]
		}
		s.depth, s.told = append(s.depth, depth), append(s.told, told)
		for k := range s.all {
			s.all[k], s.open[k] = append(s.all[k], 0), append(s.open[k], 0)
		}
	}
	return n
}

// identify finds the sites of the tasks that may have moved, and of those that are called there
// as well.
func (m *mover) identify(own [2]func(trace.MethodID) bool) {
	s := &m.sites
	s.numbers, s.methods = make(map[site]int32), make(map[string]int32)
	var methods [2][]int32 // by method of the run
	var owned [2][]bool    // by number
	for k, side := range m.sides {
		source := side.tree.Source
		for id := range source.Methods {
			compared := side.tree.Compared(trace.MethodID(id))
			n := numberIn(s.methods, compared.Label())
			methods[k] = append(methods[k], n)
			for len(owned[k]) <= int(n) {
				owned[k] = append(owned[k], false)
			}
			if own[k](trace.MethodID(id)) && telling(compared) {
				owned[k][n] = true
			}
		}
	}
	s.own = make([]bool, len(s.methods))
	for n := range s.own {
		s.own[n] = n < len(owned[0]) && n < len(owned[1]) && owned[0][n] && owned[1][n]
	}
	classes := m.openClasses()
	for k, side := range m.sides {
		actors := side.tree.Actors()
		for task, class := range side.class {
			if classes[class] {
				side.sites[task] = m.sitesOf(side, int32(task), methods[k], actors)
			}
		}
		for task, at := range side.sites {
			for _, n := range at {
				s.all[k][n]++
				if side.peer[task] < 0 {
					s.open[k][n]++
				}
			}
		}
	}
}

// openClasses says for each class of F-methods whether both runs have a task of it that may
// have moved.
func (m *mover) openClasses() []bool {
	classes := make([]bool, len(m.rarity.class))
	here := make([]bool, len(m.rarity.class))
	for i, peer := range m.subject.peer {
		if peer < 0 {
			here[m.subject.class[i]] = true
		} else if m.relocated(int32(i)) {
			classes[m.subject.class[i]] = true
		}
	}
	for j, peer := range m.reference.peer {
		if class := m.reference.class[j]; peer < 0 && here[class] {
			classes[class] = true
		}
	}
	return classes
}

// relocated reports whether a task of the subject has a sure counterpart of the same method, found
// by likelihood or by the matching, in a callback of another name.
func (m *mover) relocated(i int32) bool {
	j := m.subject.peer[i]
	if f := m.found[i].Found; j < 0 || f != Path && f != Likeness || m.labels.Gamma(m.subject.label(i), m.reference.label(j)) != 0 {
		return false
	}
	return m.subject.callbacks[m.subject.callback[i]].label != m.reference.callbacks[m.reference.callback[j]].label
}

// sitesOf returns the sites of a task, each once, ascending. methods numbers the run's methods, and
// actors are those of preprocess.Tree.Actors.
func (m *mover) sitesOf(side *moverSide, task int32, methods, actors []int32) []int32 {
	t := side.tree
	top := m.sites.number(site{-1, side.class[task]})
	out := []int32{top}
	for k, call := range t.Callers(side.nodes[task]) {
		if k == maxPlaces {
			break
		}
		at, last := top, int32(-1)
		for o, n := actors[call.Source], 0; n < maxCallers && o >= 0 && t.Into[o] == t.Into[call.Source]; o, n = t.Caller(o), n+1 {
			// What is called by another call of its method is a part of that call.
			id := t.Source.Nodes[o].Method
			if id < 0 || t.MethodKind(id) != preprocess.App || methods[id] == last {
				continue
			}
			last = methods[id]
			at = m.sites.number(site{at, last})
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// telling reports whether the name of a method's class tells which it is: obfuscators give
// names of one or two letters.
func telling(m name.Method) bool { return len(m.Type) > 2 || m.Type == "" && len(m.Place()) > 2 }

// common returns the site with most callers that two tasks have in common, -1 if they have none
// that an own method is among.
func (m *mover) common(i, j int32) int32 {
	a, b := m.sides[0].sites[i], m.sides[1].sites[j]
	best := int32(-1)
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch {
		case a[x] < b[y]:
			x++
		case a[x] > b[y]:
			y++
		default:
			if n := a[x]; m.sites.told[n] && (best < 0 || m.sites.depth[n] > m.sites.depth[best]) {
				best = n
			}
			x++
			y++
		}
	}
	return best
}

// fairShare is how many of the tasks at a site have to be open, one in this many on each side, for
// two of them to have moved.
const fairShare = 4

// tells reports whether the tasks at a site may have moved.
func (s *sites) tells(n int32) bool {
	return s.told[n] && fairShare*s.open[0][n] >= s.all[0][n] && fairShare*s.open[1][n] >= s.all[1][n]
}

// A move is a pair of tasks that may have moved.
type move struct {
	i, j  int32
	depth int32
	below float64
	apart int64
}

// assign pairs the tasks that moved. outermost asks for those alone that lie in no other
// task without a counterpart.
func (m *mover) assign(outermost bool) {
	// at lists the reference's open tasks by site.
	at := make(map[int32][]int32)
	for j, list := range m.sides[1].sites {
		if m.reference.peer[j] < 0 && (!outermost || m.sides[1].outermost(int32(j))) {
			for _, n := range list {
				if m.sites.tells(n) {
					at[n] = append(at[n], int32(j))
				}
			}
		}
	}
	here := make(map[int32]int32) // how many of the subject's come before, by site
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
		for _, j := range beside(at[n], here[n], total[n]) {
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

// outermost reports whether a task lies in no other one without a counterpart.
func (s *moverSide) outermost(task int32) bool {
	for v := s.tree.Nodes[s.nodes[task]].Parent; v > 0; v = s.tree.Nodes[v].Parent {
		if outer := s.at[v]; outer >= 0 {
			return s.peer[outer] >= 0
		}
	}
	return true
}

// weigh measures how alike two tasks with the common site n are; ok is false if they are not.
func (m *mover) weigh(i, j, n int32) (found move, ok bool) {
	if m.labels.Gamma(m.subject.label(i), m.reference.label(j)) != 0 {
		return move{}, false
	}
	found = move{i, j, m.sites.depth[n], m.below(i, j), m.apart(i, j)}
	return found, found.below == Unknown || found.below >= carried
}

// compareMoves orders moves: more callers in common first, then more alike, then as candidates.
// A pair of tasks that call nothing is as alike as can be.
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

// move makes two tasks counterparts that moved. Likelihood does not know of callers, so it is
// unknown.
func (m *mover) move(i, j int32, below float64) {
	m.pair(i, j, Moved, m.distance(m.subject.nodes[i], m.reference.nodes[j]),
		Evidence{Likelihood: Unknown, Name: 1, Below: below, Around: Unknown, Way: Unknown, Rival: Unknown})
}

// renameFound calls the sure counterparts Moved that are called at one site in callbacks of other names.
func (m *mover) renameFound() {
	for i, j := range m.subject.peer {
		if m.relocated(int32(i)) && m.common(int32(i), j) >= 0 {
			m.found[i].Found = Moved
		}
	}
}

// inside pairs the tasks without counterparts that lie at the same place inside of moved tasks.
func (m *mover) inside() {
	for _, side := range m.sides {
		side.within = slices.Grow(side.within[:0], len(side.tree.Nodes)+1)
		n := int32(0)
		for _, task := range side.at {
			side.within = append(side.within, n)
			if task >= 0 && side.peer[task] < 0 {
				n++
			}
		}
		side.within = append(side.within, n)
	}
	for i, j := range m.subject.peer {
		if j >= 0 && m.found[i].Found == Moved {
			m.follow(m.subject.nodes[i], m.reference.nodes[j])
		}
	}
}

// holds reports whether open tasks lie below a node.
func (s *moverSide) holds(v int32) bool {
	return s.within[s.tree.Nodes[v].End] > s.within[v+1]
}

// follow pairs the open tasks at equal paths below two nodes.
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

// counterparts returns the pairs, and of those that were given the ones that were only likely, if both
// tasks are still free.
func (m *mover) counterparts(given []Counterpart) []Counterpart {
	out := m.pairing.counterparts()
	for _, c := range given {
		if !c.Evidence.Sure() && m.free(m.subject.at[c.Subject], m.reference.at[c.Reference]) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Counterpart) int { return cmp.Compare(a.Subject, b.Subject) })
	return out
}
