package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// far is greater than any α. It marks a pair that is no longer a candidate.
const far = 1<<16 - 1

// An entry is a candidate w of a node v: w is in Cα(v).
type entry struct {
	w int32
	// size is μα(T1(v), T2(w)) once it is computed.
	size int32
	// distance is ρ of the two paths.
	distance uint16
	// equal means that both the paths of v and w and their subtrees are equal.
	equal bool
}

// finder computes candidate sets from the top down. ρ is an edit distance of strings, so Cα(v)
// follows from Cα of v's parent:
//
//	ρ(v, w) = min(ρ(v', w) + 1, ρ(v, w') + 1, ρ(v', w') + γ(v, w))
//
// where v' and w' are the parents. So each ρ ≤ α follows from a term ≤ α.
//
// Two kinds of pairs are left out:
//
//   - Pairs whose subtrees have no label in common, with all pairs below them. Their μ is 0, and no
//     other ρ follows from theirs.
//   - All pairs inside two equal subtrees with equal paths, except for the roots (v, w). There the
//     whole subtree of v matches the whole subtree of w.
//
// The second kind is safe for this reason. Another pair (x, y) of the two subtrees contributes to a
// size only through a pair (a, w) with a at or above v, or (v, b) with b at or above w. The paths
// are equal, so every such pair is a candidate if its depths differ by at most α. A chain of
// candidates leads from it to (v, w). So it already has the size of the whole smaller subtree, and
// (x, y) cannot raise it. No ρ of a pair outside the two subtrees follows from (x, y) either.
// Versions of one app are equal nearly everywhere, so this rule covers most pairs of nodes.
//
// Each goroutine has its own finder.
type finder struct {
	m *matcher
	// seen[w] is the state of the pair (v, w). It is a slice of structs, so that an access causes
	// only one cache miss.
	seen  []sighting
	epoch uint32
	// above has the candidates of parent. Those of its children follow from them. parent is -1 if
	// none is prepared.
	above  []upper
	parent int32
	// levels[i] has the candidates at depth lowest+i, for i < used. The depths of a pair differ by
	// at most α, so there are at most 2α+1 levels.
	levels [][]int32
	used   int
	lowest int32
	// classes lists the label classes in v's subtree. It is set on first use, and only for small
	// subtrees. places and kids are buffers of find and children.
	classes, places, kids []int32
	sketches              []sketch
	// under[c] == epoch if the current node's subtree has a label of class c. This holds only while
	// marked == epoch.
	under  []uint32
	marked uint32
	// sketch, leaf, size, class and related describe the current node and its subtree. own is the
	// sketch of the current node alone.
	sketch, own sketch
	leaf        bool
	size, class int32
	related     []preprocess.LabelID
	// list is an index of the candidates of node number listed, or unused if listed is -1. Only
	// nodes with very many candidates and children need it.
	list   *fanOut
	listed int32
	leaves leafFinder
}

// A sighting has the smallest ρ(v, w) found so far, or far if the pair was dropped. It is valid
// only in the finder's current epoch, which changes with v. size and class describe w, and are here
// because the same visits need them.
type sighting struct {
	epoch       uint32
	distance    int32
	size, class int32
}

func newFinder(m *matcher) *finder {
	f := &finder{
		m: m, seen: make([]sighting, m.ref.len()), levels: make([][]int32, 2*m.alpha+3), parent: -1, listed: -1,
		under: make([]uint32, len(m.gamma.class)),
	}
	f.leaves.init(m)
	for w := range f.seen {
		f.seen[w].size, f.seen[w].class = m.ref.size(int32(w)), m.ref.class[w]
	}
	return f
}

// An upper is a candidate of a parent. The candidates of the parent's children follow from it.
type upper struct {
	w, distance, depth int32
	sketch             sketch
}

// turnToParent sets above to the candidates of parent that matter to its children, once for all
// siblings. A candidate at distance α matters only if it and parent have children with the same
// label.
func (f *finder) turnToParent(parent int32) {
	m := f.m
	f.parent, f.above = parent, f.above[:0]
	f.nextEpoch()
	for _, l := range m.sub.childLabels(parent) {
		f.under[m.gamma.class[l]] = f.epoch
	}
	for _, e := range m.entries[parent] {
		if d := int32(e.distance); !e.equal && (d < m.alpha || f.sharesChild(e.w)) {
			f.above = append(f.above, upper{e.w, d, m.ref.depth[e.w], m.ref.sketch[e.w]})
		}
	}
	f.leaves.parent = -1
}

// sharesChild reports whether a child of x has a label whose class is in the field under. It also
// returns true if x has many children, without a check.
func (f *finder) sharesChild(x int32) bool {
	labels := f.m.zones.childLabels(x)
	if len(labels) > wide {
		return true
	}
	for _, l := range labels {
		if f.under[f.m.gamma.class[l]] == f.epoch {
			return true
		}
	}
	return false
}

func (f *finder) nextEpoch() {
	if f.epoch++; f.epoch == 0 {
		for w := range f.seen {
			f.seen[w].epoch = 0
		}
		clear(f.under)
		f.epoch, f.marked = 1, 0
	}
}

// find appends Cα(v) to list. The entries of v's parent must be known. Entries are sorted by depth.
func (f *finder) find(list []entry, v int32) []entry {
	if parent := f.m.sub.parent[v]; f.parent != parent {
		f.turnToParent(parent)
	}
	f.nextEpoch()
	if f.m.sub.leaf(v) {
		return f.findLeaf(list, v)
	}
	alpha := f.m.alpha
	f.lowest = max(f.m.sub.depth[v]-alpha, 0)
	f.used = 0

	f.classes = f.classes[:0]
	label := f.m.sub.label[v]
	f.turnTo(v)
	visit := func(e *upper) {
		if !f.sketch.meets(&e.sketch) {
			return // no child of e.w is a candidate
		}
		level := int(e.depth - f.lowest)
		if e.distance < alpha && level >= 0 && !f.reach(v, e.w, e.distance+1, level) { // deletion of v
			return
		}
		f.turn(v, label, e, level+1) // substitution of v by a child of e.w
	}
	if parent := f.m.sub.parent[v]; len(f.above) >= wide && len(f.m.sub.children(parent)) >= wide && f.small(v) {
		if f.listed != parent {
			f.listed, f.list = parent, f.m.ref.newFanOut(f.m.gamma, len(f.above), func(i int) int32 { return f.above[i].w })
		}
		f.places = f.list.meet(f.places[:0], f.classes)
		for _, i := range f.places {
			visit(&f.above[i])
		}
	} else {
		for i := range f.above {
			visit(&f.above[i])
		}
	}
	for level := 0; level < f.used; level++ {
		for _, x := range f.levels[level] {
			if d := f.seen[x].distance; d < alpha {
				kids, sketches := f.children(v, x)
				for i, y := range kids { // insertion of y
					if f.sketch.meets(&sketches[i]) {
						f.reach(v, y, d+1, level+1)
					}
				}
			}
		}
	}
	from := len(list)
	for i, level := range f.levels[:f.used] {
		f.levels[i] = level[:0]
		for _, w := range level {
			list = append(list, entry{w: w, distance: uint16(f.seen[w].distance)})
		}
	}
	return list[:from+len(f.m.dropEqual(v, list[from:]))]
}

// dropEqual finds the candidate with the same path and subtree as v, and marks it equal. If there
// is one, dropEqual removes the candidates below it.
func (m *matcher) dropEqual(v int32, list []entry) []entry {
	for i := range list {
		e := &list[i]
		if e.distance > 0 || !m.sub.equalSubtree(v, m.ref, e.w) {
			continue
		}
		e.equal = true
		w, end := e.w, m.ref.end[e.w]
		return slices.DeleteFunc(list, func(e entry) bool { return e.w > w && e.w < end })
	}
	return list
}

// few is the largest number of labels that are searched linearly. Longer lists are searched by
// bisection.
const few = 8

// turnTo makes v the current node of the subject.
func (f *finder) turnTo(v int32) {
	f.sketch, f.leaf, f.size = f.m.sub.sketch[v], f.m.sub.leaf(v), f.m.sub.size(v)
	f.own = sketch{}
	f.class = f.m.sub.class[v]
	f.own.add(f.class)
	f.related = f.m.gamma.labels.Related(f.m.sub.label[v])
}

// turn lowers the distance of (v, y) to the distance of e plus γ if that is less, for each child y
// of e.w.
func (f *finder) turn(v int32, label preprocess.LabelID, e *upper, level int) {
	ref, x, d := f.m.ref, e.w, e.distance
	if d < f.m.alpha {
		kids, sketches := f.children(v, x)
		for i, y := range kids {
			if f.sketch.meets(&sketches[i]) {
				gamma := int32(1)
				if f.seen[y].class == f.class {
					gamma = f.m.gamma.distance(label, ref.label[y])
				}
				f.reach(v, y, d+gamma, level)
			}
		}
		return
	}
	// The distance is already α, so only children with γ = 0 remain. Look them up by their labels.
	// If there are many such labels, check each child instead.
	if !f.own.meets(&e.sketch) {
		return
	}
	kids, labels, related := f.m.zones.children(x), f.m.zones.childLabels(x), f.related
	if len(related) == 0 && len(kids) <= few {
		for i, l := range labels {
			if l == label {
				f.relax(v, kids[i], d, level)
				return
			}
		}
		return
	}
	if 4*len(related) >= len(kids) {
		for i, y := range kids {
			if f.m.gamma.distance(label, labels[i]) == 0 {
				f.relax(v, y, d, level)
			}
		}
		return
	}
	if i, ok := slices.BinarySearch(labels, label); ok {
		f.relax(v, kids[i], d, level)
	}
	for _, r := range related {
		if i, ok := slices.BinarySearch(labels, r); ok {
			f.relax(v, kids[i], d, level)
		}
	}
}

// children returns the children of x that may be candidates of v, and their sketches. A child may
// be in the list twice.
func (f *finder) children(v, x int32) ([]int32, []sketch) {
	from, to := f.m.zones.kidStart[x], f.m.zones.kidStart[x+1]
	kids, sketches := f.m.zones.kids[from:to], f.m.kidSketch[from:to]
	if len(kids) < wide || !f.small(v) {
		return kids, sketches
	}
	f.kids, f.sketches = f.m.fanOuts[x].meet(f.kids[:0], f.classes), f.sketches[:0]
	for i, place := range f.kids {
		f.kids[i] = kids[place]
		f.sketches = append(f.sketches, sketches[place])
	}
	return f.kids, f.sketches
}

// small reports whether v's subtree is small, and sets classes if so.
func (f *finder) small(v int32) bool {
	if f.size > small {
		return false
	}
	if len(f.classes) == 0 {
		for i := v; i < f.m.sub.end[v]; i++ {
			f.classes = append(f.classes, f.m.sub.class[i])
		}
		slices.Sort(f.classes)
		f.classes = slices.Compact(f.classes)
	}
	return true
}

// Limits of subtrees whose labels are compared one by one. For a larger subtree of the subject this
// takes too long, because it is repeated at each of its nodes. A larger subtree of the reference
// shares a label with almost any subtree anyway.
const (
	maxMarked = 512
	maxScan   = 64
	maxSought = 4
)

// hopeless reports whether the labels show that v and w cannot match, like matcher.hopeless. It is
// called if the sketches have common bits. It is exact if either subtree is small.
func (f *finder) hopeless(v, w int32) bool {
	m := f.m
	switch at := &f.seen[w]; {
	case f.leaf || at.size == 1 && f.size > maxMarked:
		return m.hopeless(v, w)
	case f.size > maxMarked:
		return false
	case at.size <= maxScan:
		f.mark(v)
		if f.under[at.class] == f.epoch {
			return false
		}
		if at.size == 1 {
			return true
		}
		for _, c := range m.ref.class[w+1 : w+at.size] {
			if f.under[c] == f.epoch {
				return false
			}
		}
		return true
	case f.size <= maxSought:
		for _, c := range m.sub.class[v : v+f.size] {
			if m.refAt.within(c, w, w+at.size) {
				return false
			}
		}
		return true
	}
	return false
}

// mark marks the label classes of the current node's subtree in under.
func (f *finder) mark(v int32) {
	if f.marked == f.epoch {
		return
	}
	f.marked = f.epoch
	for _, c := range f.m.sub.class[v : v+f.size] {
		f.under[c] = f.epoch
	}
}

// relax calls reach if the sketches of v and w have a common bit. It reports whether (v, w) is
// still possible.
func (f *finder) relax(v, w, d int32, level int) bool {
	if !f.sketch.meets(&f.m.ref.sketch[w]) {
		return false
	}
	return f.reach(v, w, d, level)
}

// reach records that ρ(v, w) ≤ d, for a w on the given level. The sketches of v and w must have a
// common bit. reach reports whether (v, w) is still possible.
func (f *finder) reach(v, w, d int32, level int) bool {
	s := &f.seen[w]
	if s.epoch == f.epoch {
		if s.distance == far {
			return false
		}
		s.distance = min(s.distance, d)
		return true
	}
	s.epoch = f.epoch
	if f.hopeless(v, w) {
		s.distance = far
		return false
	}
	s.distance = d
	f.used = max(f.used, level+1)
	f.levels[level] = append(f.levels[level], w)
	return true
}
