package appcode

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
)

// A peer is the counterpart of a side of the subject.
type peer struct {
	side  *side
	match Match
}

// pairs are the counterparts that were found: those of the subject's sides, and which
// sides of the reference are one.
type pairs struct {
	peers map[*side]peer
	taken map[*side]bool
}

func newPairs() *pairs { return &pairs{make(map[*side]peer), make(map[*side]bool)} }

func (p *pairs) add(s, r *side, m Match) {
	p.peers[s], p.taken[r] = peer{r, m}, true
}

// labels are those of the methods that have a counterpart of the same name.
func (p *pairs) labels() map[string]bool {
	labels := make(map[string]bool)
	for s, peer := range p.peers {
		if label := s.compared.Label(); label == peer.side.compared.Label() {
			labels[label] = true
		}
	}
	return labels
}

// matchNames pairs the A-methods of two runs whose whole names are equal, and tell.
func (r *run) matchNames(o *run, found *pairs) {
	r.matchBy(o, found, way{Exact, name.Method.Label, func(s, _ *side) bool { return telling(s.Method) }})
}

// matchVersions pairs the A-methods of two versions of an app whose names are believed: whole
// names first, then methods with other parameters, then those of another class.
func (r *run) matchVersions(o *run, found *pairs, believed func(*side) bool) {
	both := func(s, t *side) bool { return believed(s) && believed(t) }
	places := [2]map[string]bool{r.places(), o.places()}
	r.matchBy(o, found, way{Exact, name.Method.Label, both})
	r.matchBy(o, found, way{Signature, func(m name.Method) string { return m.Place() + "\x00" + m.Name }, both})
	r.matchBy(o, found, way{Moved, func(m name.Method) string { return m.Name + "\x00" + m.Signature }, func(s, t *side) bool {
		// A class that is in both runs kept its methods.
		gone := !places[1][s.Method.Place()] || !places[0][t.Method.Place()]
		return gone && both(s, t) && meet(r.tree, s, o.tree, t)
	}})
}

// matchRenamed pairs methods of two builds of an app whose names show that it is one, where a
// shrinker renamed the rest: own methods that have no counterpart, and whose class the other run
// does not have, pair by shape. Their shapes have to agree as the shapes of two runs of one app
// do: in two versions of an app, one of which has other methods, they do not.
func (r *run) matchRenamed(o *run, found *pairs, own func(run int, s *side) bool) {
	places := [2]map[string]bool{r.places(), o.places()}
	alone := func(run int, s *side) bool {
		if _, ok := found.peers[s]; ok || found.taken[s] {
			return false
		}
		return own(run, s) && !places[1-run][s.Method.Place()]
	}
	for run, sides := range [][]*side{r.sides, o.sides} {
		n := 0
		for _, s := range sides {
			if alone(run, s) {
				n++
			}
		}
		if n < leastRenamed {
			return
		}
	}
	if votes := r.vote(o, found.labels(), alone); votes.enough(leastRenamed) {
		votes.elect(found, func(s, t *side) bool { return alone(0, s) && alone(1, t) })
	}
}

// A way is how A-methods may be paired: those of one key, if each run has one.
type way struct {
	match Match
	key   func(m name.Method) string
	// fits says whether two sides with one key may be counterparts.
	fits func(s, r *side) bool
}

// matchBy pairs sides that have no counterpart yet in one way.
func (r *run) matchBy(o *run, found *pairs, w way) {
	index := func(sides []*side, done func(*side) bool) map[string][]*side {
		by := make(map[string][]*side)
		for _, s := range sides {
			if !done(s) {
				by[w.key(s.compared)] = append(by[w.key(s.compared)], s)
			}
		}
		return by
	}
	here := index(r.sides, func(s *side) bool { _, ok := found.peers[s]; return ok })
	there := index(o.sides, func(s *side) bool { return found.taken[s] })
	for _, s := range r.sides {
		key := w.key(s.compared)
		if one, other := here[key], there[key]; len(one) == 1 && one[0] == s && len(other) == 1 && w.fits(s, other[0]) {
			found.add(s, other[0], w.match)
		}
	}
}

// meet says whether two sides are called from a callback of the same name.
func meet(t *preprocess.Tree, s *side, u *preprocess.Tree, r *side) bool {
	labels := make(map[preprocess.LabelID]bool)
	for _, p := range s.Parts {
		labels[t.Nodes[p.Node].Label] = true
	}
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return labels[u.Nodes[p.Node].Label] })
}

// matchCallbacks pairs the callbacks of two apps: those of one name that call the same
// tasks, the most of them first. Tasks are the same if they are matched and have one name,
// and half of what the two callbacks call has to be: *.run is a thread's work in any app,
// and that both append to a string tells nothing.
func (r *run) matchCallbacks(o *run, tasks []eflask.Task, found *pairs) {
	votes := make(map[[2]int32]int)
	for _, t := range tasks {
		if t.Peer < 0 || r.tree.Nodes[t.Node].Label != o.tree.Nodes[t.Peer].Label {
			continue
		}
		v, w := r.tree.Nodes[t.Node].Parent, o.tree.Nodes[t.Peer].Parent
		if r.tree.Nodes[v].Label == o.tree.Nodes[w].Label {
			votes[[2]int32{v, w}]++
		}
	}
	here, there := r.callbacks(), o.callbacks()
	type candidate struct {
		nodes [2]int32
		votes int
	}
	var candidates []candidate
	alike := func(nodes [2]int32, n int) bool {
		return 4*n >= calledTasks(r.tree, nodes[0])+calledTasks(o.tree, nodes[1])
	}
	for nodes, n := range votes {
		if here[nodes[0]] != nil && there[nodes[1]] != nil && alike(nodes, n) {
			candidates = append(candidates, candidate{nodes, n})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.votes, a.votes), slices.Compare(a.nodes[:], b.nodes[:]))
	})
	for _, c := range candidates {
		s, t := here[c.nodes[0]], there[c.nodes[1]]
		if _, ok := found.peers[s]; !ok && !found.taken[t] {
			found.add(s, t, Tasks)
		}
	}
}

// matchPlaces pairs the callbacks of one app that have equal paths.
func (r *run) matchPlaces(o *run, found *pairs) {
	here, there := r.callbacks(), o.callbacks()
	for _, nodes := range aligned(r.tree, o.tree) {
		if s, t := here[nodes[0]], there[nodes[1]]; s != nil && t != nil {
			found.add(s, t, Exact)
		}
	}
}

// calledTasks counts the tasks that a callback calls.
func calledTasks(t *preprocess.Tree, v int32) int {
	n := 0
	for child := v + 1; child < t.Nodes[v].End; child = t.Nodes[child].End {
		if eflask.IsTask(t, child) {
			n++
		}
	}
	return n
}

// callbacks returns the sides that are callbacks, by their nodes.
func (r *run) callbacks() map[int32]*side {
	out := make(map[int32]*side)
	for _, s := range r.sides {
		if s.kind == Callback {
			out[s.Parts[0].Node] = s
		}
	}
	return out
}
