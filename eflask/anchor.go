package eflask

import (
	"context"
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// Anchors divide a large matching into small ones.
//
// Two nodes with equal paths from the root are natural partners. An anchor is a pair (a, a') of
// natural partners that every best matching uses: whichever maxima in Lemma 3.1 give the largest
// size, μ(a, a') contributes to it. The roots are an anchor.
//
// Two bounds of μ decide which other pairs are anchors:
//
//   - natural(a), a lower bound of μ(a, a'), is the number of nodes in T1(a) with a natural partner.
//     These pairs are a matching for every α.
//   - The upper bound is the number of labels that two subtrees have in common, counting repeats.
//
// Let (a, a') be an anchor, and let T be a set of pairs of children that are natural partners. All
// pairs of T are anchors under two conditions:
//
//  1. natural(a) is more than the upper bound of (a, w) for each child w of a', and of (v, a') for
//     each child v of a. This bound ignores the matchings of (a, w) that continue with the child of
//     a that is w's natural partner. Such matchings are too small by one, because they do not pair
//     a with a'. A best matching therefore pairs a with a', and assigns their children to each
//     other.
//  2. Each other assignment is worth less than the assignment of all pairs of T to each other. The
//     method decide has the details.
//
// The zone of an anchor has the nodes below it, without those at or below another anchor. A best
// matching pairs nodes of a's zone only with nodes of the zone of a'. So only these are candidates
// of each other. The best matchings all remain, with their sizes, so the rule for ties chooses the
// same one.
//
// Distances in a zone are computed from the anchor, not from the root. The result is the same,
// because aligning equal beginnings of two paths is never worse than another alignment.
type anchors struct {
	m *matcher
	// partner has the natural partner of each node of the subject. It is -1 if there is none.
	partner []int32
	// natural has the number of natural partners in the subtree of each node that has one.
	natural []int32
	// sub[v] and ref[w] report whether a node of the subject or reference is an anchor.
	sub, ref []bool
}

// Limits of the search for anchors. Two subtrees with fewer than leastZone nodes together are not
// searched. The search ends after labelVisits visits per node of the trees. Anchors with at most
// maxRows children get one bound for each pair of children.
const (
	leastZone   = 8
	labelVisits = 192
	maxRows     = 24
	// Bounds of at least leastLarge labels are refined by recursion, up to maxLevels levels deep.
	leastLarge = 128
	maxLevels  = 3
	// Other limits of the recursion: maxSpread nodes on its last level, mostVisits visits per node
	// of the two subtrees, and mostBelow children that are almost as large as their parent.
	maxSpread  = 64
	mostVisits = 64
	mostBelow  = 4
	// searchesAtOnce is the number of anchors that a worker takes at a time.
	searchesAtOnce = 4
)

// divide finds the anchors, level by level, and sets the zones.
func (m *matcher) divide(ctx context.Context) error {
	a := &anchors{m: m, sub: make([]bool, m.sub.len()), ref: make([]bool, m.ref.len())}
	a.sub[0], a.ref[0] = true, true
	a.pairUp()
	searchers := make([]*worker, m.options.Threads)
	for i := range searchers {
		searchers[i] = &worker{m: m, searcher: newSearcher(a)}
	}
	var level []int32
	for _, nodes := range m.levels {
		level = level[:0]
		for _, v := range nodes {
			if a.sub[v] && a.worthwhile(v) {
				level = append(level, v)
			}
		}
		// Workers share a level in any order. The sum of their visits is always the same.
		for _, k := range searchers {
			m.visits -= k.searcher.visits
			k.searcher.visits = 0
		}
		if len(level) == 0 || m.visits <= 0 {
			break
		}
		if err := m.share(ctx, searchers, level, searchesAtOnce, (*worker).search); err != nil {
			return err
		}
	}
	m.anchors = a
	m.setZones(m.ref.without(a.ref))
	return nil
}

// without returns a copy of the tree in which marked nodes are no longer children of their parents.
func (s *side) without(marked []bool) *side {
	out := *s
	out.kidStart, out.kids, out.kidLabel = make([]int32, len(s.kidStart)), make([]int32, 0, len(s.kids)), make([]preprocess.LabelID, 0, len(s.kids))
	for v := range s.len() {
		for _, k := range s.children(int32(v)) {
			if !marked[k] {
				out.kids, out.kidLabel = append(out.kids, k), append(out.kidLabel, s.label[k])
			}
		}
		out.kidStart[v+1] = int32(len(out.kids))
	}
	return &out
}

func (k *worker) search(v int32) error {
	k.searcher.search(v)
	return nil
}

// pairUp finds the natural partners.
func (a *anchors) pairUp() {
	s, r := a.m.sub, a.m.ref
	a.partner, a.natural = slices.Repeat([]int32{-1}, s.len()), make([]int32, s.len())
	a.partner[0] = 0
	for v := range int32(s.len()) {
		if a.partner[v] < 0 {
			continue
		}
		there, labels := r.children(a.partner[v]), r.childLabels(a.partner[v])
		j := 0
		for i, label := range s.childLabels(v) {
			for j < len(labels) && labels[j] < label {
				j++
			}
			if j < len(labels) && labels[j] == label {
				a.partner[s.children(v)[i]] = there[j]
				j++
			}
		}
	}
	for v := int32(s.len()) - 1; v >= 0; v-- {
		if a.partner[v] >= 0 {
			a.natural[v] += 1 - a.m.gamma.distance(s.label[v], r.label[a.partner[v]])
			if v > 0 {
				a.natural[s.parent[v]] += a.natural[v]
			}
		}
	}
}

// worthwhile reports whether to search for anchors below anchor v.
func (a *anchors) worthwhile(v int32) bool {
	w := a.partner[v]
	if a.m.sub.leaf(v) || a.m.ref.leaf(w) || a.m.gamma.distance(a.m.sub.label[v], a.m.ref.label[w]) != 0 {
		return false // only the roots of subtrees may have γ = 1
	}
	return a.m.sub.size(v)+a.m.ref.size(w) >= leastZone && !a.m.sub.equalSubtree(v, a.m.ref, w)
}

// A searcher finds the anchors among the children of an anchor. One goroutine uses it.
type searcher struct {
	*anchors
	// Label counts by class, for a part of the subject (here) and of the reference (there).
	here, there counter
	rows        []child
	// With n rows, edges[i*n+j] is an upper bound of μ for row i's v and row j's w. It is reused.
	edges []int32
	// worth is a matrix: the value of the best path from row i to row j. It is reused.
	worth []int64
	// visits counts the work: the compared labels, and the steps of decide.
	visits int64
}

// A child is a row of an assignment. It is a pair of children that are natural partners, or one
// child without a partner. In the second case, v or w is -1.
type child struct {
	v, w   int32
	anchor bool
}

func newSearcher(a *anchors) *searcher {
	classes := len(a.m.gamma.class)
	return &searcher{anchors: a, here: newCounter(classes), there: newCounter(classes)}
}

// A counter counts labels by class.
type counter struct{ count []int32 }

func newCounter(classes int) counter { return counter{make([]int32, classes)} }

func (c *counter) add(classes []int32, n int32) {
	for _, class := range classes {
		c.count[class] += n
	}
}

// common counts how many of the classes are also in the counter, counting repeats.
func (c *counter) common(classes []int32) int32 {
	n := int32(0)
	for _, class := range classes {
		if c.count[class]--; c.count[class] >= 0 {
			n++
		}
	}
	for _, class := range classes {
		c.count[class]++
	}
	return n
}

// search marks the anchors among the children of anchor v.
func (s *searcher) search(v int32) {
	w := s.partner[v]
	s.list(v, w)
	if !slices.ContainsFunc(s.rows, func(r child) bool { return r.anchor }) || !s.direct(v, w) {
		return
	}
	rows, nodes := len(s.rows), int64(s.m.sub.size(v)+s.m.ref.size(w))
	if rows <= maxRows && (rows <= few || int64(rows*rows*rows) <= few*nodes) {
		s.narrow(s.visits + mostVisits*nodes)
	} else {
		s.wide(v, w)
	}
	for _, r := range s.rows {
		if r.anchor {
			s.sub[r.v], s.ref[r.w] = true, true
		}
	}
}

func (s *searcher) subClasses(v int32) []int32 { return s.m.sub.class[v:s.m.sub.end[v]] }
func (s *searcher) refClasses(w int32) []int32 { return s.m.ref.class[w:s.m.ref.end[w]] }

// direct reports whether a best matching of T1(v) and T2(w) pairs v with w.
func (s *searcher) direct(v, w int32) bool {
	sub, ref := s.m.sub, s.m.ref
	large := 0
	for _, y := range ref.children(w) {
		if min(ref.size(y), sub.size(v)) < s.natural[v] {
			continue
		}
		if large++; large > mostBelow || !s.below(sub, ref, v, y, s.here, func(x int32) bool { return s.partner[x] == y }, s.natural[v]) {
			return false
		}
	}
	large = 0
	for _, x := range sub.children(v) {
		if min(sub.size(x), ref.size(w)) < s.natural[v] {
			continue
		}
		if large++; large > mostBelow || !s.below(ref, sub, w, x, s.there, func(y int32) bool { return s.partner[x] == y }, s.natural[v]) {
			return false
		}
	}
	return true
}

// below reports whether no matching of T1(v) and T2(y) can be a best matching of T1(v) and T2(w),
// where y is a child of w. It compares upper bounds with natural, the size of a known matching. If
// y is the partner of a child x of v, μ(x, y) is not compared, because pairing v with w as well is
// always better. The trees can also be given in the other order.
func (s *searcher) below(one, other *side, v, y int32, count counter, partner func(x int32) bool, natural int32) bool {
	mine, theirs := one.children(v), other.children(y)
	largest := func(s *side, nodes []int32) (most int32) {
		for _, v := range nodes {
			most = max(most, s.size(v))
		}
		return most
	}
	// Matchings that pair v with y, and matchings of v and a node below y.
	here, there := largest(one, mine), largest(other, theirs)
	edges := func(s *side, nodes []int32, most int32) (sum int32) {
		for _, v := range nodes {
			sum += min(s.size(v), most)
		}
		return sum
	}
	ok := there < natural && 1+min(edges(one, mine, there), edges(other, theirs, here)) < natural
	// Matchings of a child of v and y.
	for _, x := range mine {
		ok = ok && (partner(x) || min(one.size(x), other.size(y)) < natural)
	}
	if ok {
		return true
	}
	all := one.class[v:one.end[v]]
	s.visits += 2 * int64(len(all)+int(other.size(y)))
	count.add(all, 1)
	common := count.common(other.class[y:other.end[y]])
	count.add(all, -1)
	return common < natural
}

// list sets rows to the children of v and w.
func (s *searcher) list(v, w int32) {
	s.rows = s.rows[:0]
	there := s.m.ref.children(w)
	j := 0
	for _, x := range s.m.sub.children(v) {
		r := child{v: x, w: s.partner[x], anchor: s.partner[x] >= 0}
		for r.anchor && there[j] != r.w {
			s.rows = append(s.rows, child{v: -1, w: there[j]})
			j++
		}
		if r.anchor {
			j++
		}
		s.rows = append(s.rows, r)
	}
	for _, y := range there[j:] {
		s.rows = append(s.rows, child{v: -1, w: y})
	}
}

// narrow decides which pairs are anchors, with a bound for each edge. If needed, it refines the
// bounds while visits is less than limit.
func (s *searcher) narrow(limit int64) {
	n := len(s.rows)
	s.edges = fill(s.edges, n*n, 0)
	for i := range s.rows {
		for j := range s.rows {
			if i != j && s.rows[i].v >= 0 && s.rows[j].w >= 0 {
				s.edges[i*n+j] = s.common(s.rows[i].v, s.rows[j].w)
			}
		}
	}
	for levels := 0; !s.decide() && levels < maxLevels && s.visits < limit; {
		levels++
		for i := range s.rows {
			s.rows[i].anchor = s.rows[i].v >= 0 && s.rows[i].w >= 0
			for j := range s.rows {
				if e := &s.edges[i*n+j]; *e >= leastLarge && s.visits < limit && s.m.sub.spread(s.rows[i].v, levels) && s.m.ref.spread(s.rows[j].w, levels) {
					*e = min(*e, s.bound(s.rows[i].v, s.rows[j].w, levels))
				}
			}
		}
	}
}

// spread reports whether at most maxSpread nodes are the given number of levels below v. More would
// be too slow, because bound visits the other tree for each of them.
func (s *side) spread(v int32, levels int) bool {
	nodes := []int32{v}
	for ; levels > 0; levels-- {
		var next []int32
		for _, v := range nodes {
			if next = append(next, s.children(v)...); len(next) > maxSpread {
				return false
			}
		}
		nodes = next
	}
	return true
}

// decide marks the pairs that are anchors, by the bounds of the edges. It reports whether all pairs
// of large subtrees are anchors.
//
// Let T be the pairs that are still marked. Another assignment differs from T by cycles and paths:
//
//   - A cycle leads from each of its pairs (c, c') to the pair whose c' is assigned to c. Its value
//     is the sum of the bounds of these edges, minus natural(c) for each pair.
//   - A path begins and ends outside of T. One additional node outside of T closes it to a cycle.
//
// If each cycle has a negative value, all pairs of T are anchors. Otherwise decide removes the
// smallest pair of a cycle with a value of 0 or more, and tries again.
func (s *searcher) decide() bool {
	n, all := len(s.rows), true
	for {
		s.worth = fill(s.worth, (n+1)*(n+1), nothing)
		for i := range s.rows {
			for j := range s.rows {
				if i == j {
					continue
				}
				// Index n is the node outside of T.
				from, to, loss := n, n, int64(0)
				if s.rows[i].anchor {
					from, loss = i, int64(s.natural[s.rows[i].v])
				}
				if s.rows[j].anchor {
					to = j
				}
				if from != to {
					at := &s.worth[from*(n+1)+to]
					*at = max(*at, int64(s.edges[i*n+j])-loss)
				}
			}
			if s.rows[i].anchor { // the nodes of this row may have no edge
				out, in := &s.worth[i*(n+1)+n], &s.worth[n*(n+1)+i]
				*out, *in = max(*out, -int64(s.natural[s.rows[i].v])), max(*in, 0)
			}
		}
		s.visits += int64(n * n * n)
		worst := s.worst(n + 1)
		if worst < 0 {
			return all
		}
		s.rows[worst].anchor = false
		all = all && s.natural[s.rows[worst].v] < leastLarge
	}
}

// Path values are at most the constant most. nothing means no path.
const (
	nothing = -1 << 40
	most    = 1 << 40
)

// worst returns the smallest pair on a cycle with a value of 0 or more, or -1 if there is none. It
// uses the Floyd-Warshall algorithm.
func (s *searcher) worst(n int) int {
	for k := range n {
		for i := range n {
			to := s.worth[i*n+k]
			if to == nothing {
				continue
			}
			for j := range n {
				if on := s.worth[k*n+j]; on != nothing {
					s.worth[i*n+j] = max(s.worth[i*n+j], min(max(to+on, nothing+1), most))
				}
			}
		}
	}
	worst := -1
	for i := range n - 1 {
		if s.worth[i*n+i] >= 0 && (worst < 0 || s.natural[s.rows[i].v] < s.natural[s.rows[worst].v]) {
			worst = i
		}
	}
	return worst
}

// common returns the number of labels that two subtrees share, counting repeats.
func (s *searcher) common(v, w int32) int32 {
	if s.m.sub.size(v) == 1 && s.m.ref.size(w) == 1 {
		if s.m.sub.class[v] == s.m.ref.class[w] {
			return 1
		}
		return 0
	}
	mine, others := s.subClasses(v), s.refClasses(w)
	s.visits += 2 * int64(len(mine)+len(others))
	s.here.add(mine, 1)
	n := s.here.common(others)
	s.here.add(mine, -1)
	return n
}
