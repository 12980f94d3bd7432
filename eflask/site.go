package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A site is a place in the app's code that tasks are called from: a class of F-methods,
// and the callers from the innermost one outwards. Its caller's site is shorter by one.
type site struct {
	shorter int32
	method  int32
}

// Bounds of the callers that identify a task: their number, and that of a task's entrances.
const (
	maxCallers   = 64
	maxEntrances = 32
)

// An entrance is a node of the source that calls a task, with its sites.
type entrance struct {
	source int32
	sites  []int32
	calls  int64
	energy units.Energy
}

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
			n := numberIn(s.methods, named(compared))
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
		side.actors = side.tree.Actors()
		for task, class := range side.class {
			if classes[class] {
				m.locate(side, int32(task), methods[k])
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

// locate finds the entrances and the sites of a task. methods numbers the run's methods.
func (m *mover) locate(side *moverSide, task int32, methods []int32) {
	t := side.tree
	top := m.sites.number(site{-1, side.class[task]})
	all := []int32{top}
	for k, call := range t.Callers(side.nodes[task]) {
		if k == maxEntrances {
			break
		}
		at, last := top, int32(-1)
		p := entrance{source: call.Source, calls: call.Calls, energy: call.Energy}
		for o, n := side.actors[call.Source], 0; n < maxCallers && o >= 0 && t.Into[o] == t.Into[call.Source]; o, n = t.Caller(o), n+1 {
			// What is called by another call of its method is a part of that call.
			id := t.Source.Nodes[o].Method
			if id < 0 || t.MethodKind(id) != preprocess.App || methods[id] == last {
				continue
			}
			last = methods[id]
			at = m.sites.number(site{at, last})
			p.sites = append(p.sites, at)
		}
		all = append(all, p.sites...)
		side.entrances[task] = append(side.entrances[task], p)
	}
	slices.Sort(all)
	side.sites[task] = slices.Compact(all)
}

// named is what methods of the app are compared by: their class and their name. A version may give a
// method other parameters.
func named(m name.Method) string { return m.Place() + "\x00" + m.Name }

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
