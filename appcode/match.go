package appcode

import (
	"cmp"
	"slices"
	"sync"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
)

// A peer is the reference's counterpart of one of the subject's sides.
type peer struct {
	side  *side
	match Match
}

// pairs has the matches so far. peers maps a side of the subject to its counterpart. taken has the
// sides of the reference that are matched.
type pairs struct {
	peers map[*side]peer
	taken map[*side]bool
}

func newPairs() *pairs { return &pairs{make(map[*side]peer), make(map[*side]bool)} }

func (p *pairs) add(s, r *side, m Match) {
	p.peers[s], p.taken[r] = peer{r, m}, true
}

// labels returns the labels of the matched methods that have the same name in both runs.
func (p *pairs) labels() map[string]bool {
	labels := make(map[string]bool)
	for s, peer := range p.peers {
		if s.label == peer.side.label {
			labels[s.label] = true
		}
	}
	return labels
}

// matchNames pairs the A-methods (methods of the app) of two runs that have equal and distinctive
// full names.
func (r *run) matchNames(o *run, found *pairs) {
	r.matchBy(o, found, rule{Exact, labelOf, func(s, _ *side) bool { return distinctive(s.Method) }})
}

// matchVersions pairs the A-methods of two versions of an app whose names can be trusted
// (believed). It tries equal full names first, then other parameters, then another class.
func (r *run) matchVersions(o *run, found *pairs, believed func(*side) bool) {
	both := func(s, t *side) bool { return believed(s) && believed(t) }
	places := [2]map[string]bool{r.places(), o.places()}
	r.matchBy(o, found, rule{Exact, labelOf, both})
	r.matchBy(o, found, rule{Signature, func(s *side) string { return s.compared.Place() + "\x00" + s.compared.Name }, both})
	r.matchBy(o, found, rule{Moved, func(s *side) string { return s.compared.Name + "\x00" + s.compared.Signature }, func(s, t *side) bool {
		// If a class is in both runs, its methods have not moved.
		gone := !places[1][s.Method.Place()] || !places[0][t.Method.Place()]
		return gone && both(s, t) && haveSameCallbacks(r.tree, s, o.tree, t)
	}})
}

// matchRenamed pairs methods of two builds of an app in which a shrinker changed some names. It
// pairs by shape, and only own methods that have no counterpart and whose class the other run
// lacks. It does nothing if their shapes agree too little. Then the versions simply have different
// methods.
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
		if n < minRenamed {
			return
		}
	}
	if votes := r.vote(o, found.labels(), alone); votes.enough(minRenamed) {
		votes.pairByVotes(found, func(s, t *side) bool { return alone(0, s) && alone(1, t) })
	}
}

// A rule pairs A-methods that have the same key, such as their full name. Each must be the only
// method without a counterpart that has this key in its run.
type rule struct {
	match Match
	key   func(s *side) string
	// fits reports whether two sides with the same key may be counterparts.
	fits func(s, r *side) bool
}

func labelOf(s *side) string { return s.label }

// matchBy pairs sides without a counterpart by a rule.
func (r *run) matchBy(o *run, found *pairs, by rule) {
	index := func(sides []*side, done func(*side) bool) map[string][]*side {
		byKey := make(map[string][]*side)
		for _, s := range sides {
			if !done(s) {
				key := by.key(s)
				byKey[key] = append(byKey[key], s)
			}
		}
		return byKey
	}
	here := index(r.sides, func(s *side) bool { _, ok := found.peers[s]; return ok })
	there := index(o.sides, func(s *side) bool { return found.taken[s] })
	for _, s := range r.sides {
		key := by.key(s)
		if one, other := here[key], there[key]; len(one) == 1 && one[0] == s && len(other) == 1 && by.fits(s, other[0]) {
			found.add(s, other[0], by.match)
		}
	}
}

// haveSameCallbacks reports whether callbacks with the same name call the two sides. For a side
// that is itself the callback, the caller of the callback counts.
func haveSameCallbacks(t *preprocess.Tree, s *side, u *preprocess.Tree, r *side) bool {
	labels := make(map[preprocess.LabelID]bool)
	for _, p := range s.Parts {
		labels[calledFrom(t, s, p.Node)] = true
	}
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return labels[calledFrom(u, r, p.Node)] })
}

// calledFrom returns the label of the callback that a side is part of. If the side is the callback
// itself, it returns the label of the callback's parent.
func calledFrom(t *preprocess.Tree, s *side, callback int32) preprocess.LabelID {
	n := t.Nodes[callback]
	if known := t.Labels.Method(n.Label); n.Parent >= 0 && known.Label() == s.label {
		return t.Nodes[n.Parent].Label
	}
	return n.Label
}

// matchCallbacks pairs callbacks of two apps. They must have the same name, and half of their tasks
// must be the same. Pairs with the most common tasks come first.
//
// Neither the name nor a few common tasks are evidence: *.run is the work of any thread, and many
// callbacks append to a string. Tasks are the same if they are matched and have the same name.
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

// matchPlaces pairs the callbacks of one app that have the same path in both runs.
func (r *run) matchPlaces(o *run, found *pairs) {
	here, there := r.callbacks(), o.callbacks()
	for _, nodes := range aligned(r.tree, o.tree) {
		if s, t := here[nodes[0]], there[nodes[1]]; s != nil && t != nil {
			found.add(s, t, Exact)
		}
	}
}

// matchRenamedCallbacks pairs callbacks of one app whose names differ. At least half of their tasks
// must be counterparts. Their methods must have the same class and parameters, and in each run no
// other such method may be without a counterpart.
func (r *run) matchRenamedCallbacks(o *run, tasks []eflask.Task, found *pairs) {
	// Most runs have no pair of sides that needs the numbers of common tasks.
	common := sync.OnceValue(func() map[[2]int32]int {
		common := make(map[[2]int32]int)
		for i := range tasks {
			if t := &tasks[i]; t.Peer >= 0 {
				common[[2]int32{r.tree.Nodes[t.Node].Parent, o.tree.Nodes[t.Peer].Parent}]++
			}
		}
		return common
	})
	called := func(t *preprocess.Tree, v int32, s *side) bool {
		return t.Labels.Method(t.Nodes[v].Label).Name == s.compared.Name
	}
	r.matchBy(o, found, rule{Alike, func(s *side) string { return s.compared.Place() + "\x00" + s.compared.Signature }, func(s, t *side) bool {
		return slices.ContainsFunc(s.Parts, func(p Part) bool {
			return called(r.tree, p.Node, s) && slices.ContainsFunc(t.Parts, func(q Part) bool {
				n := 2 * common()[[2]int32{p.Node, q.Node}]
				return n > 0 && called(o.tree, q.Node, t) && 2*n >= calledTasks(r.tree, p.Node)+calledTasks(o.tree, q.Node)
			})
		})
	}})
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

// callbacks returns the sides that are callbacks, by node.
func (r *run) callbacks() map[int32]*side {
	out := make(map[int32]*side)
	for _, s := range r.sides {
		if s.kind == Callback {
			out[s.Parts[0].Node] = s
		}
	}
	return out
}
