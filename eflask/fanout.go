package eflask

import (
	"cmp"
	"slices"
)

// Limits of fanOut, an index of child nodes by the labels in their subtrees. Without it, two nodes
// with thousands of children would compare all pairs of children. With it, a child whose subtree
// has few labels is compared only with children that share a label. A node with very many children
// is called wide.
const (
	// wide is the smallest number of nodes for which a fanOut is made.
	wide = 128
	// small is the size up to which subtrees are indexed. The few larger subtrees are compared with
	// all nodes.
	small = 16
)

// A fanOut is an index of nodes by label. Nodes are numbered by their position in the list that the
// index was made from.
type fanOut struct {
	// classes and places are sorted in parallel: the subtree of node places[i] has a label of class
	// classes[i].
	classes, places []int32
	large           []int32 // indices of the nodes with larger subtrees
}

// newFanOut returns the index of n nodes. node(i) is the i-th node.
func (s *side) newFanOut(g *gamma, n int, node func(i int) int32) *fanOut {
	f := &fanOut{}
	var pairs [][2]int32
	for i := range n {
		y := node(i)
		if s.size(y) > small {
			f.large = append(f.large, int32(i))
			continue
		}
		for at := y; at < s.end[y]; at++ {
			pairs = append(pairs, [2]int32{g.class[s.label[at]], int32(i)})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, p := range slices.Compact(pairs) {
		f.classes = append(f.classes, p[0])
		f.places = append(f.places, p[1])
	}
	return f
}

// fanOuts returns the fanOut of the children of each wide node.
func (s *side) fanOuts(g *gamma) map[int32]*fanOut {
	all := make(map[int32]*fanOut)
	for x := range int32(s.len()) {
		if kids := s.children(x); len(kids) >= wide {
			all[x] = s.newFanOut(g, len(kids), func(i int) int32 { return kids[i] })
		}
	}
	return all
}

// meet appends the nodes whose subtrees have one of the classes, and all nodes with large subtrees.
// A node may be appended twice.
func (f *fanOut) meet(places, classes []int32) []int32 {
	places = append(places, f.large...)
	for _, c := range classes {
		lo, _ := slices.BinarySearch(f.classes, c)
		hi, _ := slices.BinarySearch(f.classes[lo:], c+1)
		places = append(places, f.places[lo:lo+hi]...)
	}
	return places
}
