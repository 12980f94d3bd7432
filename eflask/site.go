package eflask

import (
	"slices"
	"sync"

	"github.com/diffprof/diffprof/name"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/units"
)

// A site describes where in the app's code tasks are called: a class of F-methods and a list of
// callers, the innermost first. It is stored as its outermost caller (method) and the number of the
// site without that caller (shorter).
type site struct {
	shorter int32
	method  int32
}

// maxCallers limits the callers in a site. maxEntrances limits how many calls of a task are
// compared.
const (
	maxCallers   = 64
	maxEntrances = 32
)

// An entrance is a node of the source tree that calls a task, with the sites of the call.
type entrance struct {
	source int32
	sites  []int32
	calls  int64
	energy units.Energy
}

// sites numbers the sites at which tasks of the subject that may have moved are called. Sites with
// fewer callers have lower numbers.
type sites struct {
	// numbers has the provisional number of each site, by key. rank maps these to final numbers.
	numbers map[uint64]int32
	rank    []int32
	depth   []int32
	// owned reports, for each site, whether one of its callers is the app's own code.
	owned []bool
	// all is the number of tasks at each site, by run. open is the number of those without a
	// counterpart.
	all, open [2][]int32
}

func (s site) key() uint64 { return uint64(uint32(s.shorter))<<32 | uint64(uint32(s.method)) }

// number returns the provisional number of a site. An unknown site is added if add is true.
// Otherwise number returns -1 for it.
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

// callers has the data for comparing the callers of both runs.
type callers struct {
	numbers map[string]int32
	// methods has a number for each method of each run. Methods with the same class and name share
	// a number.
	methods [2][]int32
	// own reports, by that number, whether the method is the app's own code in both runs.
	own []bool
	// actors has the result of preprocess.Tree.Actors for each tree.
	actors [2][]int32
	// entered has the calls of the tasks of each run: calls[first[task]:first[task+1]].
	entered [2]struct {
		first []int32
		calls []preprocess.Call
	}
	// label has a number for each label of the trees. Equal texts share a number. It is nil until
	// the method labels computes it.
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
	var owned [2][]bool // by number of class and name
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

// callsOf returns the calls of a task of run k, in the form of preprocess.Tree.Callers.
func (c *callers) callsOf(k int, task int32) []preprocess.Call {
	e := &c.entered[k]
	return e.calls[e.first[task]:e.first[task+1]]
}

// labels returns the field label, and computes it if needed.
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

// identify finds the sites of the tasks that may have moved, and counts the tasks at each site.
func (m *mover) identify() {
	s := &m.sites
	s.numbers = make(map[uint64]int32)
	classes, w := m.openClasses(), &walker{mover: m}
	for k, side := range m.sides {
		side.sites, side.entrances = make([][]int32, len(side.nodes)), make([][]entrance, len(side.nodes))
		for task, class := range side.class {
			if task := int32(task); classes[class] && m.mayMove(k, task) {
				side.entrances[task] = w.locate(k, task, k == 0)
			}
		}
	}
	n := len(s.numbers)
	s.rank, s.depth, s.owned = slices.Repeat([]int32{-1}, n), make([]int32, n), make([]bool, n)
	var wg sync.WaitGroup
	for k := range m.sides {
		s.all[k], s.open[k] = make([]int32, n), make([]int32, n)
		wg.Go(func() { m.count(k, classes) })
	}
	wg.Wait()
	for k, side := range m.sides {
		s.all[k], s.open[k] = reordered(s.all[k], s.rank), reordered(s.open[k], s.rank)
		for task, entrances := range side.entrances {
			if len(entrances) > 0 {
				side.sites[task] = s.ranked(entrances)
			}
		}
	}
	s.numbers, s.rank = nil, nil
}

// reordered moves element i of a list to place rank[i].
func reordered(list, rank []int32) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[rank[i]] = n
	}
	return out
}

// count counts the tasks of run k at each site. The subject has a task at each site, so count also
// ranks the sites by the subject's tasks.
func (m *mover) count(k int, classes []bool) {
	s, side := &m.sites, m.sides[k]
	w := &walker{mover: m}
	seen, ranks := make([]int32, len(s.rank)), int32(0)
	for task, class := range side.class {
		if !classes[class] {
			continue
		}
		w.walk(k, int32(task), false)
		for _, at := range w.walked {
			n := at.number
			if k == 0 && s.rank[n] < 0 {
				s.rank[n] = ranks
				if at.shorter >= 0 {
					above := s.rank[at.shorter]
					s.depth[ranks] = s.depth[above] + 1
					s.owned[ranks] = s.owned[above] || m.callers.own[at.method]
				}
				ranks++
			}
			if seen[n] != int32(task)+1 {
				seen[n] = int32(task) + 1
				s.all[k][n]++
				if side.peer[task] < 0 {
					s.open[k][n]++
				}
			}
		}
	}
}

// ranked replaces the provisional site numbers in a task's entrances by final ones. It returns all
// of them, sorted.
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

// mayMove reports whether a task of run k, 0 or 1, may have moved.
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

// openClasses reports, for each class of F-methods, whether both runs have a task of the class that
// may have moved.
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

// relocated reports whether a task of the subject and its counterpart have the same method but
// callbacks with different names. Only sure counterparts found by likelihood or by the matching
// count.
func (m *mover) relocated(i int32) bool {
	j := m.subject.peer[i]
	if f := m.found[i].Found; j < 0 || f != Path && f != Likeness || m.labels.Gamma(m.subject.label(i), m.reference.label(j)) != 0 {
		return false
	}
	return m.subject.callbacks[m.subject.callback[i]].label != m.reference.callbacks[m.reference.callback[j]].label
}

// A walked is a site that walk found for a task, with its provisional number and the index of the
// entrance. The index is -1 for the site without callers.
type walked struct {
	site
	entrance int
	number   int32
}

// A walker finds the sites of tasks. One goroutine uses it. walked and calls are the result of the
// last call of walk.
type walker struct {
	*mover
	walked []walked
	calls  []preprocess.Call
}

// walk finds the sites of a task of run k. It sets walked to the sites, and calls to the calls of
// the task. If add is true, it adds sites that are not yet numbered, and otherwise skips them.
func (m *walker) walk(k int, task int32, add bool) {
	side := m.sides[k]
	t, methods := side.tree, m.callers.methods[k]
	m.walked, m.calls = m.walked[:0], m.callers.callsOf(k, task)
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
		for o, n := m.callers.actors[k][source], 0; n < maxCallers && o >= 0 && t.Image[o] == t.Image[source]; o, n = t.Caller(o), n+1 {
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

// locate returns the entrances of a task of run k, with their sites. The parameter add is that of
// walk.
func (m *walker) locate(k int, task int32, add bool) []entrance {
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

// named returns the class and name of a method, which identify it across versions. The parameters
// are left out, because a new version may change them.
func named(m name.Method) string { return m.Place() + "\x00" + m.Name }

// telling reports whether a class name identifies the class. A name of one or two letters does not,
// because obfuscators give such names.
func telling(m name.Method) bool { return len(m.Type) > 2 || m.Type == "" && len(m.Place()) > 2 }

// common returns the site with the most callers that two tasks share. It is -1 if none of the
// shared sites has a caller of the app's own code.
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
			if n := a[x]; m.sites.owned[n] && (best < 0 || m.sites.depth[n] > m.sites.depth[best]) {
				best = n
			}
			x++
			y++
		}
	}
	return best
}

// fairShare limits the sites at which tasks may have moved. In both runs, at least 1/fairShare of
// the tasks at the site must be without a counterpart.
const fairShare = 4

// decisive reports whether enough tasks at a site have no counterpart to conclude that they moved.
func (s *sites) decisive(n int32) bool {
	return s.owned[n] && fairShare*s.open[0][n] >= s.all[0][n] && fairShare*s.open[1][n] >= s.all[1][n]
}
