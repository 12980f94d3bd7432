package analysis

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/preprocess"
	"github.com/diffprof/diffprof/units"
)

// An aligner makes the rows of a [Flask] (the call tree of one task in both runs).
//
// It relies on a property of the matching (DiffProf, Section 3.4.2): if two matched nodes are
// ancestor and descendant in the subject, so are their partners in the reference.
type aligner struct {
	task               int
	subject, reference *preprocess.Tree
	pairs              []eflask.Pair
	// f and g are the nodes of the task's framework method (F-method) in the subject and in the
	// reference. If the task is not matched, g is the lowest node of the reference's call path
	// (neck).
	f, g    int32
	matched bool
	// partner maps nodes of the subject's body to nodes of the reference's body. Its indices count
	// from f. back is the inverse map, with indices from g. gamma is γ of each pair, indexed like
	// partner. -1 means no partner.
	partner, back []int32
	gamma         []uint8
	// first and final are the range of subject nodes that match the subtree of each node of the
	// reference's body. They are -1 if no node in the subtree is matched.
	first, final []int32
	// rowOf is the row of each node of the reference's body.
	rowOf []int32

	rows []Row
	fRow int32
	// waiting is a stack of rows still to be appended to rows. Their parents are already there.
	waiting []sibling
}

// A sibling is a row that waits to be appended to aligner.rows.
type sibling struct {
	subject, reference, parent int32
	heavy                      units.Energy
	// position orders siblings. It is the subject node, if the row has one. A reference node that
	// precedes a subject node has that node's position. The field with is then the index of the
	// subject node's row, and otherwise -1.
	position int32
	with     int
}

func (r *Result) align(task int) *aligner {
	a := &aligner{
		task: task, subject: r.Subject.Tree, reference: r.Reference.Tree, pairs: r.pairs, matched: true,
	}
	if task != WholeRun {
		a.f, a.g = r.Tasks[task].Node, r.Tasks[task].Peer
		a.matched = a.g >= 0
	}
	if a.matched && !a.paired() {
		a.pairs = r.pairsOf(a)
	}
	above := a.neck()
	a.fRow = int32(len(a.rows))
	a.match()
	a.body(above)
	return a
}

// paired reports whether the matching pairs the F-methods of the task.
func (a *aligner) paired() bool {
	i := a.firstPair(a.f)
	return i < len(a.pairs) && a.pairs[i].Subject == a.f && a.pairs[i].Reference == a.g
}

// maxPairsOf is the largest number of candidate pairs when two bodies are matched for one flask.
const maxPairsOf = 1 << 20

// pairsOf matches a task whose two F-methods are no pair of the matching. The two call paths keep
// the pairs of the matching. The two bodies are matched again, without the rest of the trees.
// Bodies with more than maxPairsOf candidate pairs get no pairs.
func (r *Result) pairsOf(a *aligner) []eflask.Pair {
	s, t := r.Subject.Tree, r.Reference.Tree
	above := ancestors(t, a.g) // ascending, because nodes are in preorder
	var pairs []eflask.Pair
	for _, v := range ancestors(s, a.f) {
		i := a.firstPair(v)
		if i == len(a.pairs) || a.pairs[i].Subject != v {
			continue
		}
		if _, ok := slices.BinarySearch(above, a.pairs[i].Reference); ok {
			pairs = append(pairs, a.pairs[i])
		}
	}
	gamma := s.Labels.Gamma(s.Nodes[a.f].Label, t.Nodes[a.g].Label)
	pairs = append(pairs, eflask.Pair{Subject: a.f, Reference: a.g, Gamma: uint8(gamma)})
	bodies, err := eflask.MatchBelow(context.Background(), s, t, a.f, a.g, r.Matching.Alpha, eflask.Options{MaxPairs: maxPairsOf})
	if err != nil {
		return pairs
	}
	for _, p := range bodies.Pairs {
		if p.Subject != a.f && p.Reference != a.g {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// believed returns the matched pairs that agree with the counterparts of tasks. If one node of a
// pair is inside a task, the other node must be inside the task's counterpart. For nested tasks,
// the innermost task decides. The two roots are always a pair.
func believed(subject, reference *preprocess.Tree, m *eflask.Matching, tasks []eflask.Task) []eflask.Pair {
	peer := make([]int32, len(subject.Nodes)) // the task's counterpart
	for i := range tasks {
		peer[tasks[i].Node] = tasks[i].Peer
	}
	s, t := eflask.Innermost(subject), eflask.Innermost(reference)
	var out []eflask.Pair
	for _, p := range withRoots(m.Pairs) {
		v, w := s[p.Subject], t[p.Reference]
		if v < 0 && w < 0 || v >= 0 && w >= 0 && peer[v] == w {
			out = append(out, p)
		}
	}
	return out
}

// withRoots returns the pairs with the two roots as a pair. A largest matching sometimes pairs a
// root with another node, or leaves it unpaired. That means nothing, because a root represents its
// whole run.
func withRoots(pairs []eflask.Pair) []eflask.Pair {
	if len(pairs) > 0 && pairs[0].Subject == 0 && pairs[0].Reference == 0 {
		return pairs
	}
	out := []eflask.Pair{{}}
	for _, p := range pairs {
		if p.Subject != 0 && p.Reference != 0 {
			out = append(out, p)
		}
	}
	return out
}

// firstPair returns the index of the first pair whose subject node is v or later. Pairs are in
// preorder of the subject.
func (a *aligner) firstPair(v int32) int {
	i, _ := slices.BinarySearchFunc(a.pairs, v, func(p eflask.Pair, v int32) int { return cmp.Compare(p.Subject, v) })
	return i
}

// ancestors lists the nodes above v, the root first.
func ancestors(t *preprocess.Tree, v int32) []int32 {
	var list []int32
	for v = t.Nodes[v].Parent; v >= 0; v = t.Nodes[v].Parent {
		list = append(list, v)
	}
	slices.Reverse(list)
	return list
}

// neck makes the rows of the two call paths. It returns the row of the reference F-method's parent.
func (a *aligner) neck() int32 {
	s := ancestors(a.subject, a.f)
	var meet []eflask.Pair // the pairs with both nodes on the call paths
	for _, v := range s {
		if i := a.firstPair(v); i < len(a.pairs) && a.pairs[i].Subject == v {
			meet = append(meet, a.pairs[i])
		}
	}
	var t []int32
	switch {
	case a.matched:
		t = ancestors(a.reference, a.g)
	case len(meet) > 0:
		a.g = meet[len(meet)-1].Reference
		t = append(ancestors(a.reference, a.g), a.g)
	}
	n := &necks{aligner: a, s: s, t: t, parent: -1, above: -1, meet: -1}
	for _, p := range meet {
		n.gap(p.Subject, p.Reference)
		n.pair(p.Gamma)
	}
	n.gap(a.f, -1)
	a.waiting = append(a.waiting, sibling{subject: a.f, reference: a.g, parent: n.parent})
	if !a.matched {
		a.waiting[0].reference = -1
	}
	return n.above
}

// necks is the state of merging two call paths into rows.
type necks struct {
	*aligner
	// s and t are the nodes of the two paths that have no row yet.
	s, t []int32
	// parent is the parent row of the next subject node. above is the parent row of the next
	// reference node. meet is the row of the last pair. All are -1 at first.
	parent, above, meet int32
}

// gap makes rows for the nodes before the next pair on both paths. The parameters subject and
// reference are this pair. The reference's rows come first.
func (n *necks) gap(subject, reference int32) {
	parent := n.parent
	for len(n.t) > 0 && n.t[0] != reference {
		n.add(Row{Parent: parent, ReferenceParent: n.above, Subject: -1, Reference: n.t[0]})
		parent, n.above = n.last(), n.last()
	}
	for len(n.s) > 0 && n.s[0] != subject {
		n.add(Row{Parent: n.parent, ReferenceParent: -1, Subject: n.s[0], Reference: -1})
		n.parent = n.last()
	}
}

// pair makes one row from the next nodes of both paths.
func (n *necks) pair(gamma uint8) {
	n.meet = int32(len(n.rows))
	n.add(Row{Parent: n.parent, ReferenceParent: n.above, Subject: n.s[0], Reference: n.t[0], Gamma: gamma})
	n.parent, n.above = n.meet, n.meet
}

func (n *necks) last() int32 { return int32(len(n.rows)) - 1 }

// add appends a row with the next node of one path or of both paths. It also sets the number of
// nodes and the energy that branch off the path at this row.
func (n *necks) add(row Row) {
	n.rows = append(n.rows, row)
	at := &n.rows[len(n.rows)-1]
	if v := row.Subject; v >= 0 {
		n.s = n.s[1:]
		next := n.f
		if len(n.s) > 0 {
			next = n.s[0]
		}
		nodes, energy := n.subject.Nodes, n.subject.Energy
		at.Pruned += nodes[v].End - v - 1 - (nodes[next].End - next)
		at.PrunedSubject = energy.All(v) - energy.Self(v) - energy.All(next)
		// Both sides count the nodes of a pair, but a pair is one row.
		if n.meet >= 0 {
			both := n.firstPair(next) - n.firstPair(v+1) + n.firstPair(nodes[v].End) - n.firstPair(nodes[next].End)
			n.rows[n.meet].Pruned -= int32(both)
		}
	}
	if w := row.Reference; w >= 0 {
		n.t = n.t[1:]
		nodes, energy := n.reference.Nodes, n.reference.Energy
		at.Pruned += nodes[w].End - w - 1
		at.PrunedReference = energy.All(w) - energy.Self(w)
		next := int32(-1)
		if len(n.t) > 0 {
			next = n.t[0]
		} else if n.matched {
			next = n.g
		}
		if next >= 0 {
			at.Pruned -= nodes[next].End - next
			at.PrunedReference -= energy.All(next)
		}
	}
}

// match collects the pairs inside the two bodies.
func (a *aligner) match() {
	if !a.matched {
		return
	}
	size := a.subject.Nodes[a.f].End - a.f
	end := a.reference.Nodes[a.g].End
	a.partner, a.gamma = unmatched(size), make([]uint8, size)
	a.back, a.rowOf = unmatched(end-a.g), unmatched(end-a.g)
	a.first, a.final = unmatched(end-a.g), unmatched(end-a.g)
	for _, p := range a.pairs[a.firstPair(a.f):a.firstPair(a.f+size)] {
		if p.Reference >= a.g && p.Reference < end {
			a.partner[p.Subject-a.f], a.gamma[p.Subject-a.f] = p.Reference, p.Gamma
			a.back[p.Reference-a.g] = p.Subject
		}
	}
	for w := end - 1; w > a.g; w-- {
		i, up := w-a.g, a.reference.Nodes[w].Parent-a.g
		if v := a.back[i]; v >= 0 {
			// Descendants of w are matched with descendants of v.
			a.first[i], a.final[i] = v, a.subject.Nodes[v].End-1
		}
		if a.first[i] >= 0 && (a.first[up] < 0 || a.first[i] < a.first[up]) {
			a.first[up] = a.first[i]
		}
		a.final[up] = max(a.final[up], a.final[i])
	}
}

// unmatched returns a slice of n elements, each -1.
func unmatched(n int32) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// body makes the rows of the F-method and of everything below it. The parameter above is the row of
// the reference F-method's parent.
func (a *aligner) body(above int32) {
	for len(a.waiting) > 0 {
		w := a.waiting[len(a.waiting)-1]
		a.waiting = a.waiting[:len(a.waiting)-1]
		at := int32(len(a.rows))
		row := Row{Parent: w.parent, ReferenceParent: -1, Subject: w.subject, Reference: w.reference, Part: Body}
		if at == a.fRow {
			row.Part = FMethod
			row.ReferenceParent = above
		}
		if w.reference >= 0 {
			a.rowOf[w.reference-a.g] = at
			if at != a.fRow {
				row.ReferenceParent = a.rowOf[a.reference.Nodes[w.reference].Parent-a.g]
			}
			if w.subject >= 0 {
				row.Gamma = a.gamma[w.subject-a.f]
			}
		}
		a.rows = append(a.rows, row)
		a.below(at, w)
	}
	if !a.matched {
		a.rows[a.fRow].ReferenceParent = -1
	}
}

// below pushes the children of a row onto the stack. at is the row's index.
func (a *aligner) below(at int32, w sibling) {
	first := len(a.waiting)
	if v := w.subject; v >= 0 {
		nodes := a.subject.Nodes
		for child := v + 1; child < nodes[v].End; child = nodes[child].End {
			s := sibling{subject: child, reference: -1, parent: at, heavy: a.subject.Energy.All(child), position: child}
			if a.matched {
				s.reference = a.partner[child-a.f]
			}
			if s.reference >= 0 {
				s.heavy = max(s.heavy, a.reference.Energy.All(s.reference))
			}
			a.waiting = append(a.waiting, s)
		}
	}
	subjects := len(a.waiting)
	if x := w.reference; x >= 0 {
		nodes := a.reference.Nodes
		for child := x + 1; child < nodes[x].End; child = nodes[child].End {
			if a.back[child-a.g] < 0 { // a matched child is in the row of its partner
				a.waiting = append(a.waiting, a.referenceRow(child, at, a.waiting[first:subjects]))
			}
		}
	}
	for i := subjects; i < len(a.waiting); i++ {
		if s := &a.waiting[i]; s.with >= 0 {
			s.heavy = a.waiting[first+s.with].heavy
		}
	}
	// The last row of the stack is appended to rows first.
	slices.SortFunc(a.waiting[first:], func(x, y sibling) int {
		if c := cmp.Compare(x.heavy, y.heavy); c != 0 {
			return c
		}
		if c := cmp.Compare(y.position, x.position); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(y.subject, x.subject), cmp.Compare(y.reference, x.reference))
	})
}

// referenceRow returns the row of a reference node without a partner. children are the subject's
// children of the same parent.
//
// If one of the children contains everything that matches the node's subtree, the row comes
// directly before this child. If several do together, the row comes first.
func (a *aligner) referenceRow(child, at int32, children []sibling) sibling {
	s := sibling{subject: -1, reference: child, parent: at, heavy: a.reference.Energy.All(child), with: -1}
	s.position = int32(len(a.subject.Nodes)) + child
	first, final := a.first[child-a.g], a.final[child-a.g]
	if first < 0 || len(children) == 0 {
		return s
	}
	i, found := slices.BinarySearchFunc(children, first, func(s sibling, v int32) int { return cmp.Compare(s.subject, v) })
	if !found {
		i--
	}
	if i < 0 || final >= a.subject.Nodes[children[i].subject].End {
		s.heavy = math.MaxInt64
		return s
	}
	children[i].heavy = max(children[i].heavy, s.heavy)
	s.position, s.with = children[i].subject, i
	return s
}
