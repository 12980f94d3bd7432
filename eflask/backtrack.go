package eflask

import (
	"cmp"
	"slices"

	"github.com/agnivade/levenshtein"

	"github.com/diffprof/diffprof/preprocess"
)

// backtracker finds a matching of the size that is known to be reached.
type backtracker struct {
	m                  *matcher
	subject, reference *preprocess.Tree
	assigner           *assigner
	names              map[[2]preprocess.LabelID]int64
}

// rank is the rule for ties between pairs: smaller is better.
type rank struct {
	distance int64
	name     int64
	energy   int64
	v, w     int32
}

// state is a pair of subtrees that remain to be matched.
type state struct{ v, w int32 }

func (b *backtracker) pairs() []Pair {
	var pairs []Pair
	work := []state{{0, 0}}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		size, distance := b.at(s.v, s.w)
		edges, sum := b.assignment(s.v, s.w)
		here := sum+1-b.gamma(s.v, s.w) == size

		// The pair itself, or one of the pairs of a node and the other's child, all
		// that reach the size: the best of them is where the search goes on.
		best, found := state{}, false
		if here {
			best, found = s, true
		}
		for _, w := range b.m.ref.children(s.w) {
			if n, _ := b.at(s.v, w); n == size {
				best, found = b.better(best, state{s.v, w}, found), true
			}
		}
		for _, v := range b.m.sub.children(s.v) {
			if n, _ := b.at(v, s.w); n == size {
				best, found = b.better(best, state{v, s.w}, found), true
			}
		}
		if !found {
			continue // only where the roots themselves have nothing in common
		}
		if best != s || !here {
			work = append(work, best)
			continue
		}
		pairs = append(pairs, Pair{Subject: s.v, Reference: s.w, Distance: int32(distance), Gamma: uint8(b.gamma(s.v, s.w))})
		for _, e := range edges {
			work = append(work, state{e.row, e.col})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Compare(a.Subject, b.Subject) })
	return pairs
}

func (b *backtracker) gamma(v, w int32) int32 {
	return b.m.gamma.of(b.m.sub.label[v], b.m.ref.label[w])
}

// at returns the size and the distance of a pair, 0 and 0 if it is no candidate.
func (b *backtracker) at(v, w int32) (size, distance int32) {
	list := b.m.entries[v]
	i, ok := slices.BinarySearchFunc(list, w, func(e entry, w int32) int { return cmp.Compare(e.w, w) })
	if !ok {
		return 0, 0
	}
	return list[i].size, int32(list[i].distance)
}

// better returns the better of two states under the rule for ties.
func (b *backtracker) better(old, other state, valid bool) state {
	if !valid {
		return other
	}
	_, d := b.at(old.v, old.w)
	_, e := b.at(other.v, other.w)
	if d != e { // most ties end here; names take time to compare
		if e < d {
			return other
		}
		return old
	}
	if b.rank(other).compare(b.rank(old)) < 0 {
		return other
	}
	return old
}

func (b *backtracker) rank(s state) rank {
	_, d := b.at(s.v, s.w)
	return rank{int64(d), b.name(s.v, s.w), b.energy(s.v, s.w), s.v, s.w}
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.distance, o.distance), cmp.Compare(r.name, o.name), cmp.Compare(r.energy, o.energy),
		cmp.Compare(r.v, o.v), cmp.Compare(r.w, o.w))
}

// name is the Levenshtein distance of the two labels.
func (b *backtracker) name(v, w int32) int64 {
	l, r := b.m.sub.label[v], b.m.ref.label[w]
	if l == r {
		return 0
	}
	key := [2]preprocess.LabelID{l, r}
	d, ok := b.names[key]
	if !ok {
		labels := b.m.gamma.labels
		d = int64(levenshtein.ComputeDistance(labels.Text(l), labels.Text(r)))
		b.names[key] = d
	}
	return d
}

// energy is how far apart the energies of the two subtrees are. It is halved
// twice, so that sums over siblings stay within 63 bits.
func (b *backtracker) energy(v, w int32) int64 {
	x, y := int64(b.subject.Nodes[v].Inclusive)/4, int64(b.reference.Nodes[w].Inclusive)/4
	return max(x-y, y-x)
}

// assignment returns the best assignment between the children of v and w, under
// the rule for ties, and its size.
func (b *backtracker) assignment(v, w int32) (chosen []edge, sum int32) {
	m := b.m
	var edges []edge
	for _, child := range m.sub.children(v) {
		list := m.entries[child]
		i, _ := slices.BinarySearchFunc(list, w+1, func(e entry, w int32) int { return cmp.Compare(e.w, w) })
		for ; i < len(list) && list[i].w < m.ref.end[w]; i++ {
			if m.ref.parent[list[i].w] == w {
				edges = append(edges, edge{row: child, col: list[i].w, size: list[i].size})
			}
		}
	}
	if len(edges) == 0 {
		return nil, 0
	}
	edges = b.assigner.optimal(edges)
	if !isMatching(edges) {
		b.assigner.solve(edges, func(e edge) weight {
			_, d := b.at(e.row, e.col)
			return weight{int64(e.size), -int64(d), -b.name(e.row, e.col), -b.energy(e.row, e.col)}
		})
		edges = b.assigner.chosen(edges)
	}
	for _, e := range edges {
		sum += e.size
	}
	return edges, sum
}

// isMatching reports whether no two edges share a row or a column.
func isMatching(edges []edge) bool {
	cols := make(map[int32]bool, len(edges))
	for i, e := range edges {
		if cols[e.col] || i > 0 && edges[i-1].row == e.row {
			return false
		}
		cols[e.col] = true
	}
	return true
}
