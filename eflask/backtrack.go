package eflask

import (
	"cmp"
	"slices"

	"github.com/agnivade/levenshtein"

	"github.com/diffprof/diffprof/preprocess"
)

// A backtracker finds a matching of the size that the matcher has computed.
type backtracker struct {
	m                  *matcher
	subject, reference subtree
	assigner           *assigner
	names              map[[2]preprocess.LabelID]int64
	edges              []edge // reused by assignment, whose result may be a part of it
}

// A rank compares pairs under the rule for ties. The smaller rank is better.
type rank struct {
	distance int64
	name     int64
	energy   int64
	v, w     int32
}

// A state is a pair of subtrees that remain to be matched.
type state struct{ v, w int32 }

func (b *backtracker) pairs() []Pair {
	// partner[v] is v's partner plus one, or 0 if v has no partner. It is negated inside equal
	// subtrees, whose pairs all have distance 0 and γ = 0.
	partner := make([]int32, b.m.sub.len())
	count := 0
	work := []state{{0, 0}}
	for len(work) > 0 && !b.m.stopped.Load() {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if b.entry(s.v, s.w).equal {
			for i := range b.m.sub.size(s.v) {
				partner[s.v+i] = -(s.w + i + 1)
			}
			count += int(b.m.sub.size(s.v))
			continue
		}
		size, distance := b.at(s.v, s.w)
		edges, sum := b.assignment(s.v, s.w)
		here := sum+1-b.gamma(s.v, s.w) == size

		// One of three kinds of pairs continues the matching: s itself, or one node of s with a
		// child of the other node. Take the best that has the required size. If the two paths of s
		// are equal, s is the best, because the other paths differ in length.
		best := s
		if !here || distance > 0 {
			best = b.step(s, size, here)
		}
		if best.v < 0 {
			continue // the subtrees at the roots have no label in common
		}
		if best != s {
			work = append(work, best)
			continue
		}
		partner[s.v] = s.w + 1
		count++
		for _, e := range edges {
			work = append(work, state{e.row, e.col})
		}
	}
	pairs := make([]Pair, 0, count)
	for v, w := range partner {
		v := int32(v)
		switch {
		case w < 0:
			pairs = append(pairs, Pair{Subject: v, Reference: -w - 1})
		case w > 0:
			_, distance := b.at(v, w-1)
			pairs = append(pairs, Pair{Subject: v, Reference: w - 1, Distance: distance, Gamma: uint8(b.gamma(v, w-1))})
		}
	}
	return pairs
}

// step returns the state from which a matching of the given size continues: s, or one of its nodes
// with a child of the other. s itself counts only if it has this size (the parameter here). v is -1
// if no state has this size.
func (b *backtracker) step(s state, size int32, here bool) state {
	best := state{-1, -1}
	if here {
		best = s
	}
	for _, w := range b.m.ref.children(s.w) {
		if n, _ := b.at(s.v, w); n == size {
			best = b.better(best, state{s.v, w})
		}
	}
	for _, v := range b.m.sub.children(s.v) {
		if n, _ := b.at(v, s.w); n == size {
			best = b.better(best, state{v, s.w})
		}
	}
	return best
}

func (b *backtracker) gamma(v, w int32) int32 {
	return b.m.gamma.distance(b.m.sub.label[v], b.m.ref.label[w])
}

// entry returns the entry of a pair, or the zero entry if the pair is not a candidate.
func (b *backtracker) entry(v, w int32) entry {
	list := b.m.entries[v]
	i, ok := slices.BinarySearchFunc(list, w, func(e entry, w int32) int { return cmp.Compare(e.w, w) })
	if !ok {
		return entry{}
	}
	return list[i]
}

// at returns the size and the distance of a pair. Both are 0 if the pair is not a candidate.
func (b *backtracker) at(v, w int32) (size, distance int32) {
	e := b.entry(v, w)
	return e.size, int32(e.distance)
}

// better returns the better of two states under the rule for ties. old.v is negative if there is no
// old state.
func (b *backtracker) better(old, other state) state {
	if old.v < 0 {
		return other
	}
	_, d := b.at(old.v, old.w)
	_, e := b.at(other.v, other.w)
	if d != e { // decides most ties, so that names are rarely compared, which is slow
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

// name returns the Levenshtein distance of the two nodes' labels.
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

// energy returns a quarter of the difference between the energies of the two subtrees. With the
// division, sums over siblings fit into 63 bits.
func (b *backtracker) energy(v, w int32) int64 {
	x, y := int64(b.subject.Energy.All(b.subject.root+v))/4, int64(b.reference.Energy.All(b.reference.root+w))/4
	return max(x-y, y-x)
}

// assignment returns the best assignment between the children of v and w under the rule for ties,
// and its size.
func (b *backtracker) assignment(v, w int32) (chosen []edge, sum int32) {
	m := b.m
	edges := b.edges[:0]
	for _, child := range m.sub.children(v) {
		if m.stopped.Load() {
			break
		}
		list := m.entries[child]
		i, _ := slices.BinarySearchFunc(list, w+1, func(e entry, w int32) int { return cmp.Compare(e.w, w) })
		for ; i < len(list) && list[i].w < m.ref.end[w]; i++ {
			if m.ref.parent[list[i].w] == w {
				edges = append(edges, edge{row: child, col: list[i].w, size: list[i].size})
			}
		}
	}
	b.edges = edges
	if !b.assigner.isMatching(edges) {
		edges = b.assigner.optimal(edges)
	}
	if !b.assigner.isMatching(edges) {
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
