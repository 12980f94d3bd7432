package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// far is more than any α: it marks a pair that was looked at and dropped.
const far = 1<<16 - 1

// entry is a candidate w of some node v: w lies in Cα(v).
type entry struct {
	w int32
	// size is μα(T1(v), T2(w)), once it is known.
	size int32
	// distance is ρ of the two paths.
	distance uint16
}

// finder computes candidate sets from the top down. Cα(v) follows from Cα of v's
// parent, since ρ is an edit distance of strings and so
//
//	ρ(v, w) = min(ρ(v', w) + 1, ρ(v, w') + 1, ρ(v', w') + γ(v, w))
//
// with v' and w' the parents: each ρ ≤ α has a term ≤ α to come from. Pairs whose
// subtrees have no label in common are left out, and all pairs below them with
// them, since μ is 0 there; no other pair's ρ comes from those.
//
// A finder belongs to one goroutine.
type finder struct {
	m *matcher
	// dist[w] is ρ(v, w) as found so far, or far if the pair was dropped, where
	// mark[w] == epoch.
	dist  []uint16
	mark  []uint32
	epoch uint32
	// levels[i] holds the candidates at depth lowest+i. A pair's depths differ by
	// at most α, so there are at most 2α+1.
	levels [][]int32
	lowest int32
}

func newFinder(m *matcher) *finder {
	return &finder{m: m, dist: make([]uint16, m.ref.len()), mark: make([]uint32, m.ref.len())}
}

// find appends Cα(v) to list, given that of v's parent. Entries come in the order
// of w's depth.
func (f *finder) find(list []entry, v int32, above []entry) []entry {
	if f.epoch++; f.epoch == 0 {
		clear(f.mark)
		f.epoch = 1
	}
	alpha := f.m.alpha
	f.lowest = max(f.m.sub.depth[v]-alpha, 0)
	f.levels = f.levels[:0]

	label := f.m.sub.label[v]
	for i := range above {
		x, d := above[i].w, int32(above[i].distance)
		if d < alpha {
			f.relax(v, x, d+1) // v is deleted
		}
		f.below(v, label, x, d, 0) // v is turned into a child of x
	}
	for level := 0; level < len(f.levels); level++ {
		for _, x := range f.levels[level] {
			if d := int32(f.dist[x]); d < alpha {
				f.below(v, label, x, d, 1) // a child of x is inserted
			}
		}
	}
	for _, level := range f.levels {
		for _, w := range level {
			list = append(list, entry{w: w, distance: f.dist[w]})
		}
	}
	return list
}

// below relaxes (v, y) for the children y of x: to d plus γ, or to d plus one if
// insert is 1.
func (f *finder) below(v int32, label preprocess.LabelID, x, d, insert int32) {
	ref := f.m.ref
	kids := ref.children(x)
	if len(kids) == 0 {
		return
	}
	if d == f.m.alpha {
		// Only a label at no cost is within reach: bisect for those that there
		// are, rather than look at all children, unless they are more.
		related := f.m.gamma.labels.Related(label)
		if 4*len(related) < len(kids) {
			f.equal(v, label, x, d)
			for _, r := range related {
				f.equal(v, r, x, d)
			}
			return
		}
		for i, l := range ref.childLabels(x) {
			if f.m.gamma.of(label, l) == 0 {
				f.relax(v, kids[i], d)
			}
		}
		return
	}
	if insert == 1 {
		for _, y := range kids {
			f.relax(v, y, d+1)
		}
		return
	}
	labels := ref.childLabels(x)
	for i, y := range kids {
		f.relax(v, y, d+f.m.gamma.of(label, labels[i]))
	}
}

// equal relaxes (v, y) to d for the child y of x that has the given label.
func (f *finder) equal(v int32, label preprocess.LabelID, x, d int32) {
	if i, ok := slices.BinarySearch(f.m.ref.childLabels(x), label); ok {
		f.relax(v, f.m.ref.children(x)[i], d)
	}
}

// relax notes that ρ(v, w) ≤ d.
func (f *finder) relax(v, w, d int32) {
	if f.mark[w] == f.epoch {
		if old := int32(f.dist[w]); old != far && d < old {
			f.dist[w] = uint16(d)
		}
		return
	}
	f.mark[w] = f.epoch
	if f.m.hopeless(v, w) {
		f.dist[w] = far
		return
	}
	f.dist[w] = uint16(d)
	level := int(f.m.ref.depth[w] - f.lowest)
	for len(f.levels) <= level {
		if len(f.levels) < cap(f.levels) {
			f.levels = f.levels[:len(f.levels)+1]
			f.levels[len(f.levels)-1] = f.levels[len(f.levels)-1][:0]
		} else {
			f.levels = append(f.levels, nil)
		}
	}
	f.levels[level] = append(f.levels[level], w)
}
