package eflask

import (
	"slices"
	"sync"

	"github.com/diffprof/diffprof/name"
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

// sites numbers the sites where a task of the subject that may have moved is called. A shorter site has a
// lower number.
type sites struct {
	// numbers has the provisional numbers, by key. rank turns them into the numbers.
	numbers map[uint64]int32
	rank    []int32
	depth   []int32
	// told says whether an own method is among the callers of a site.
	told []bool
	// all counts the tasks of either run at a site, open those without a counterpart.
	all, open [2][]int32
}

func (s site) key() uint64 { return uint64(uint32(s.shorter))<<32 | uint64(uint32(s.method)) }

// number returns the provisional number of a site, -1 for one that is new, unless it is to be added.
func (s *sites) number(at site, add bool) int32 {
	n, ok := s.numbers[at.key()]
	switch {
	case ok:
		return n
	case !add:
		return -1
	}
	n = int32(len(s.numbers))
	s.numbers[at.key()] = n
	return n
}

// callers are what the callers of both runs are compared by.
type callers struct {
	numbers map[string]int32
	// methods are by method of the run: the number of its class and name.
	methods [2][]int32
	// own is by number: whether both runs have it as their own.
	own []bool
	// actors has what Actors returns for either tree.
	actors [2][]int32
	// entered has the calls of the tasks: those of a task are calls[first[task]:first[task+1]].
	entered [2]struct {
		first []int32
		calls []preprocess.Call
	}
	// label is by label of the trees: the number of its text, nil until asked for.
	label []int32
}

func newCallers(own [2]func(trace.MethodID) bool, subject, reference *taskSide) *callers {
	c := &callers{numbers: make(map[string]int32)}
	var wg sync.WaitGroup
	defer wg.Wait()
	for k, side := range []*taskSide{subject, reference} {
		wg.Go(func() {
			c.actors[k] = side.tree.Actors()
			e := &c.entered[k]
			e.first, e.calls = make([]int32, 1, len(side.nodes)+1), make([]preprocess.Call, 0, len(side.nodes))
			for _, v := range side.nodes {
				e.calls = side.tree.AppendCallers(e.calls, v)
				e.first = append(e.first, int32(len(e.calls)))
			}
		})
	}
	var owned [2][]bool // by number
	for k, side := range []*taskSide{subject, reference} {
		tree := side.tree
		c.methods[k] = make([]int32, len(tree.Source.Methods))
		for id := range tree.Source.Methods {
			compared := tree.Compared(trace.MethodID(id))
			n := numberIn(c.numbers, named(compared))
			c.methods[k][id] = n
			for len(owned[k]) <= int(n) {
				owned[k] = append(owned[k], false)
			}
			if own[k](trace.MethodID(id)) && telling(compared) {
				owned[k][n] = true
			}
		}
	}
	c.own = make([]bool, len(c.numbers))
	for n := range c.own {
		c.own[n] = n < len(owned[0]) && n < len(owned[1]) && owned[0][n] && owned[1][n]
	}
	return c
}

// of returns the calls of a task of either run, as preprocess.Tree.Callers does.
func (c *callers) of(k int, task int32) []preprocess.Call {
	e := &c.entered[k]
	return e.calls[e.first[task]:e.first[task+1]]
}

// labels returns the numbers of labels.
func (c *callers) labels(all *preprocess.Labels) []int32 {
	if c.label == nil {
		c.label = make([]int32, all.Len())
		for id := range c.label {
			c.label[id] = numberIn(c.numbers, all.Text(preprocess.LabelID(id)))
		}
		c.own = append(c.own, make([]bool, len(c.numbers)-len(c.own))...)
	}
	return c.label
}

// identify finds the sites of the tasks that may have moved, and counts the tasks that are called there.
func (m *mover) identify() {
	s := &m.sites
	s.numbers = make(map[uint64]int32)
	classes := m.openClasses()
	for k, side := range m.sides {
		side.sites, side.entrances = make([][]int32, len(side.nodes)), make([][]entrance, len(side.nodes))
		for task, class := range side.class {
			if task := int32(task); classes[class] && m.mayMove(k, task) {
				side.entrances[task] = m.locate(k, task, k == 0)
			}
		}
	}
	n := len(s.numbers)
	s.rank, s.depth, s.told = slices.Repeat([]int32{-1}, n), make([]int32, n), make([]bool, n)
	ranks, seen := int32(0), make([]int32, n)
	for k, side := range m.sides {
		s.all[k], s.open[k] = make([]int32, n), make([]int32, n)
		clear(seen)
		for task, class := range side.class {
			if !classes[class] {
				continue
			}
			m.walk(k, int32(task), false)
			for _, at := range m.walked {
				n := at.number
				if s.rank[n] < 0 {
					s.rank[n] = ranks
					if at.shorter >= 0 {
						above := s.rank[at.shorter]
						s.depth[ranks] = s.depth[above] + 1
						s.told[ranks] = s.told[above] || m.callers.own[at.method]
					}
					ranks++
				}
				if seen[n] != int32(task)+1 {
					seen[n] = int32(task) + 1
					s.all[k][s.rank[n]]++
					if side.peer[task] < 0 {
						s.open[k][s.rank[n]]++
					}
				}
			}
		}
	}
	for _, side := range m.sides {
		for task, entrances := range side.entrances {
			if len(entrances) > 0 {
				side.sites[task] = s.ranked(entrances)
			}
		}
	}
	s.numbers, s.rank = nil, nil
}

// ranked turns the provisional numbers of a task's entrances into the numbers, and returns all of them.
func (s *sites) ranked(entrances []entrance) []int32 {
	var all []int32
	for _, p := range entrances {
		for i, n := range p.sites {
			p.sites[i] = s.rank[n]
		}
		all = append(all, p.sites...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mayMove reports whether a task of either run, 0 or 1, may have moved.
func (m *mover) mayMove(k int, task int32) bool {
	peer := m.sides[k].peer[task]
	switch {
	case peer < 0:
		return true
	case k == 0:
		return m.relocated(task)
	}
	return m.relocated(peer)
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

// A walked is a site of a task: the place of its entrance, -1 for the site without callers, and its
// provisional number.
type walked struct {
	site
	entrance int
	number   int32
}

// walk lists the sites of a task of either run, and the calls that are its entrances. New sites are added if
// asked for, and left out otherwise.
func (m *mover) walk(k int, task int32, add bool) {
	side := m.sides[k]
	t, methods := side.tree, m.callers.methods[k]
	m.walked, m.calls = m.walked[:0], m.callers.of(k, task)
	m.calls = m.calls[:min(len(m.calls), maxEntrances)]
	first := site{-1, side.class[task]}
	top := m.sites.number(first, add)
	if top < 0 {
		return
	}
	m.walked = append(m.walked, walked{first, -1, top})
	for i := range m.calls {
		source := m.calls[i].Source
		at, last := top, int32(-1)
		for o, n := m.callers.actors[k][source], 0; n < maxCallers && o >= 0 && t.Into[o] == t.Into[source]; o, n = t.Caller(o), n+1 {
			// A call inside another call of the same method is part of the outer call.
			id := t.Source.Nodes[o].Method
			if id < 0 || t.MethodKind(id) != preprocess.App || methods[id] == last {
				continue
			}
			last = methods[id]
			next := site{at, last}
			if at = m.sites.number(next, add); at < 0 {
				break
			}
			m.walked = append(m.walked, walked{next, i, at})
		}
	}
}

// locate returns the entrances of a task of either run, with their sites. New sites are added if asked for.
func (m *mover) locate(k int, task int32, add bool) []entrance {
	m.walk(k, task, add)
	entrances, sites := make([]entrance, len(m.calls)), make([]int32, len(m.walked))
	for i, c := range m.calls {
		entrances[i] = entrance{source: c.Source, calls: c.Calls, energy: c.Energy}
	}
	for i, from := 0, 0; i < len(m.walked); i++ {
		at := &m.walked[i]
		sites[i] = at.number
		if i+1 == len(m.walked) || m.walked[i+1].entrance != at.entrance {
			if at.entrance >= 0 {
				entrances[at.entrance].sites = sites[from : i+1 : i+1]
			}
			from = i + 1
		}
	}
	return entrances
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
