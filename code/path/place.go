package path

import (
	"cmp"
	"slices"
)

// place decides which edges add to the register (Ball 1994, event counting). The edges of a
// spanning tree add nothing. The other edges add numbers that sum up to the path's number. For
// this, the tree includes an edge from the exit to the entry.
func (n *Numbering) place(order []int32) {
	blocks := int32(len(n.next))
	exit, entry := blocks, blocks+1
	type link struct {
		from, to int32
		e        *edge
		weight   float32
	}
	links := make([]link, 0, len(n.edges)+len(n.starts))
	weights := n.weights(order)
	for _, b := range order {
		out := n.out(b)
		for i := range out {
			to := out[i].to
			if out[i].cut {
				to = exit
			}
			links = append(links, link{b, to, &out[i], weights[b] / float32(len(out))})
		}
	}
	// An edge to a block where a path begins costs nothing, because the program sets the register
	// there anyway. Such edges therefore come last.
	for i := range n.starts {
		links = append(links, link{entry, n.starts[i].to, &n.starts[i], -1})
	}
	slices.SortStableFunc(links, func(a, b link) int { return cmp.Compare(b.weight, a.weight) })
	group := make([]int32, blocks+2)
	for i := range group {
		group[i] = int32(i)
	}
	find := func(v int32) int32 {
		for group[v] != v {
			group[v] = group[group[v]]
			v = group[v]
		}
		return v
	}
	group[exit] = entry
	tree := make([]int32, 0, len(order)+1)
	degree := make([]int32, blocks+3)
	for i := range links {
		l := &links[i]
		a, b := find(l.from), find(l.to)
		if a == b {
			continue
		}
		group[a] = b
		tree = append(tree, int32(i))
		degree[l.from+1]++
		degree[l.to+1]++
	}
	// near lists the tree edges of each vertex.
	for v := range degree[1:] {
		degree[v+1] += degree[v]
	}
	near, at := make([]int32, 2*len(tree)), slices.Clone(degree)
	for _, i := range tree {
		for _, v := range [2]int32{links[i].from, links[i].to} {
			near[at[v]] = i
			at[v]++
		}
	}
	n.potential = make([]int32, blocks+2)
	seen := make([]bool, blocks+2)
	seen[exit], seen[entry] = true, true
	for queue := []int32{exit, entry}; len(queue) > 0; {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, i := range near[degree[v]:degree[v+1]] {
			l := &links[i]
			switch v {
			case l.from:
				if !seen[l.to] {
					n.potential[l.to] = n.potential[v] + l.e.value
					seen[l.to] = true
					queue = append(queue, l.to)
				}
			default:
				if !seen[l.from] {
					n.potential[l.from] = n.potential[v] - l.e.value
					seen[l.from] = true
					queue = append(queue, l.from)
				}
			}
		}
	}
	for i := range links {
		l := &links[i]
		l.e.add = l.e.value + n.potential[l.from] - n.potential[l.to]
	}
}

// weights estimates how often each block runs. A block in a loop is assumed to run ten times as
// often as a block outside the loop. A loop is assumed to have all blocks from its first block to
// the source of its back edge. The slice order comes from search, so it has the last block of a
// loop first.
func (n *Numbering) weights(order []int32) []float32 {
	last := len(order) - 1
	place := make([]int32, len(n.next))
	for i, b := range order {
		place[b] = int32(last - i)
	}
	change := make([]int32, len(order)+1)
	for _, b := range order {
		for _, e := range n.out(b) {
			if e.cut && place[e.to] <= place[b] {
				change[place[e.to]]++
				change[place[b]+1]--
			}
		}
	}
	const most = 6
	powers := [most + 1]float32{1, 10, 100, 1e3, 1e4, 1e5, 1e6}
	weights := make([]float32, len(n.next))
	depth := int32(0)
	for i := range order {
		depth += change[i]
		weights[order[last-i]] = powers[min(depth, most)]
	}
	return weights
}
