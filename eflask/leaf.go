package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// A leafFinder finds the candidates of leaves. Most nodes of a tree are leaves, and a leaf has few
// candidates: the nodes with γ = 0, and nodes above these. The search starts at the nodes with γ =
// 0 and goes upwards. All leaves below one parent share the data here.
type leafFinder struct {
	// parent is the node whose leaves are prepared. It is -1 if there is none.
	parent int32
	// stamp marks the entries of upper and first that are valid for the current parent.
	stamp uint32
	// upper[w] has the distance of (parent, w) if w is in finder.above.
	upper []stamped
	// first[c] is the first seed of class c, or -1 if there is none. It is set only for classes of
	// leaves below parent.
	first []stamped
	seeds []seed
	// Working memory.
	chain     []int32
	distances []int32
	labels    []preprocess.LabelID
}

// A stamped has a number. The number is valid while the stamp is the current one.
type stamped struct {
	stamp uint32
	value int32
}

// A seed is a node w that starts the search: its parent is a candidate of the current parent, and
// its class is the class of a leaf below the current parent. distance is the distance of the two
// parents, which is also the distance of the leaf from w if γ = 0.
type seed struct {
	w, distance int32
	next        int32 // the next seed of the same class, or -1
}

func (l *leafFinder) init(m *matcher) {
	l.parent = -1
	l.upper, l.first = make([]stamped, m.ref.len()), make([]stamped, len(m.gamma.class))
}

func (l *leafFinder) nextStamp() {
	if l.stamp++; l.stamp == 0 {
		clear(l.upper)
		clear(l.first)
		l.stamp = 1
	}
}

// turnToLeaves finds the seeds of the leaves below a node. finder.above must be known.
func (f *finder) turnToLeaves(parent int32) {
	m, l := f.m, &f.leaves
	l.nextStamp()
	l.parent, l.seeds, l.labels = parent, l.seeds[:0], l.labels[:0]
	var classes sketch
	for _, v := range m.sub.children(parent) {
		if class := m.sub.class[v]; m.sub.leaf(v) {
			l.first[class] = stamped{l.stamp, -1}
			classes.add(class)
			l.labels = append(append(l.labels, m.sub.label[v]), m.gamma.labels.Related(m.sub.label[v])...)
		}
	}
	for i := range f.above {
		e := &f.above[i]
		l.upper[e.w] = stamped{l.stamp, e.distance}
		if !classes.meets(&e.sketch) {
			continue
		}
		kids, labels := m.zones.children(e.w), m.zones.childLabels(e.w)
		if len(kids) > few*len(l.labels) {
			for _, label := range l.labels {
				if i, ok := slices.BinarySearch(labels, label); ok {
					l.add(m.gamma.class[label], kids[i], e.distance)
				}
			}
			continue
		}
		for i, label := range labels {
			if class := m.gamma.class[label]; l.first[class].stamp == l.stamp {
				l.add(class, kids[i], e.distance)
			}
		}
	}
}

func (l *leafFinder) add(class, w, distance int32) {
	first := &l.first[class]
	l.seeds = append(l.seeds, seed{w, distance, first.value})
	first.value = int32(len(l.seeds) - 1)
}

// findLeaf appends the candidates of a leaf v with μ > 0, in the order of their nodes. Each has
// size 1. These are the nodes within α that have γ = 0, and the nodes above them that are connected
// to them by candidates. If γ(v, w) = 0, then ρ(v, w) is the ρ of the two parents, because aligning
// equal ends of two paths is never worse than another alignment.
func (f *finder) findLeaf(list []entry, v int32) []entry {
	m, l := f.m, &f.leaves
	if l.parent != f.parent {
		f.turnToLeaves(f.parent)
	}
	from, label := len(list), m.sub.label[v]
	for at := l.first[m.sub.class[v]].value; at >= 0; {
		s := &l.seeds[at]
		at = s.next
		if f.seen[s.w].epoch == f.epoch || m.gamma.distance(label, m.ref.label[s.w]) != 0 {
			continue
		}
		f.climb(v, s.w)
		for i, w := range l.chain {
			d := l.distances[i]
			if d > m.alpha || f.seen[w].epoch == f.epoch {
				break
			}
			f.seen[w].epoch, f.seen[w].distance = f.epoch, d
			list = append(list, entry{w: w, size: 1, distance: uint16(d)})
		}
	}
	found := f.m.dropEqual(v, list[from:])
	slices.SortFunc(found, func(a, b entry) int { return int(a.w) - int(b.w) })
	return list[:from+len(found)]
}

// climb sets chain to w and the nodes above it that may be candidates of the leaf v, with their
// distances. The chain ends below a node that is already known to be a candidate.
func (f *finder) climb(v, w int32) {
	m, l := f.m, &f.leaves
	l.chain, l.distances = l.chain[:0], l.distances[:0]
	lowest, d := m.sub.depth[v]-m.alpha, int32(far)
	for ; w >= 0 && m.ref.depth[w] >= lowest; w = m.ref.parent[w] {
		if f.seen[w].epoch == f.epoch {
			d = f.seen[w].distance
			break
		}
		l.chain = append(l.chain, w)
	}
	l.distances = slices.Grow(l.distances, len(l.chain))[:len(l.chain)]
	for i := len(l.chain) - 1; i >= 0; i-- {
		w := l.chain[i]
		d++ // insertion of w
		if e := l.upper[w]; e.stamp == l.stamp {
			d = min(d, e.value+1) // deletion of v
		}
		if p := m.ref.parent[w]; p >= 0 && l.upper[p].stamp == l.stamp {
			d = min(d, l.upper[p].value+m.gamma.distance(m.sub.label[v], m.ref.label[w])) // substitution of v by w
		}
		l.distances[i] = d
	}
}
