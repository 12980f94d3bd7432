package eflask

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

// side is one of the two trees, prepared for the matching. Each field is a flat array with one
// entry per node, in preorder.
type side struct {
	label []preprocess.LabelID
	// class has the class of each node's label (see gamma).
	class  []int32
	parent []int32
	end    []int32
	depth  []int32
	// kids[kidStart[v]:kidStart[v+1]] are v's children, sorted by label, and kidLabel their labels.
	// So loops over children use few cache lines, and bisection finds the child with a given label.
	kidStart []int32
	kids     []int32
	kidLabel []preprocess.LabelID
	// sketch has the sketch of the labels in each node's subtree.
	sketch []sketch
	// hash is a hash of each node's subtree.
	hash []uint64
}

// A sketch is a Bloom filter of labels with one bit per label. If two sketches have no bit in
// common, the subtrees have no label in common, and no nodes in them match. This test rules out
// most candidate pairs, because most nodes have few descendants.
type sketch [2]uint64

func (s *sketch) add(class int32) {
	// Fibonacci hashing spreads neighboring numbers. The top 7 bits select the bit of the sketch.
	h := uint32(class) * 0x9E3779B1 >> 25
	s[h>>6] |= 1 << (h & 63)
}

func (s *sketch) join(o *sketch) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *sketch) meets(o *sketch) bool {
	return s[0]&o[0]|s[1]&o[1] != 0
}

// newSide prepares the subtree at a node of a tree. Its nodes are numbered from that node.
func newSide(t *preprocess.Tree, root int32, g *gamma) *side {
	nodes := t.Nodes[root:t.Nodes[root].End]
	n := len(nodes)
	s := &side{
		label: make([]preprocess.LabelID, n), class: make([]int32, n), parent: make([]int32, n), end: make([]int32, n), depth: make([]int32, n),
		kidStart: make([]int32, n+1), kids: make([]int32, n-1), kidLabel: make([]preprocess.LabelID, n-1),
		sketch: make([]sketch, n), hash: make([]uint64, n),
	}
	for i := range nodes {
		node := &nodes[i]
		s.label[i], s.class[i], s.parent[i], s.end[i] = node.Label, g.class[node.Label], node.Parent-root, node.End-root
		if i > 0 {
			s.depth[i] = s.depth[s.parent[i]] + 1
			s.kidStart[s.parent[i]+1]++
		}
	}
	s.parent[0] = -1
	for i := range n {
		s.kidStart[i+1] += s.kidStart[i]
	}
	at := slices.Clone(s.kidStart)
	for i := int32(1); int(i) < n; i++ {
		p := s.parent[i]
		s.kids[at[p]] = i
		at[p]++
	}
	for j, k := range s.kids {
		s.kidLabel[j] = s.label[k]
	}
	for i := n - 1; i >= 0; i-- {
		s.sketch[i].add(s.class[i])
		s.hash[i] = mix(s.hash[i] ^ uint64(s.label[i]))
		if i > 0 {
			s.sketch[s.parent[i]].join(&s.sketch[i])
			s.hash[s.parent[i]] += s.hash[i]
		}
	}
	return s
}

// levels returns the nodes by depth, ascending in each level.
func (s *side) levels() [][]int32 {
	count := make([]int32, slices.Max(s.depth)+1)
	for _, d := range s.depth {
		count[d]++
	}
	levels, nodes := make([][]int32, len(count)), make([]int32, s.len())
	for d, n := range count {
		levels[d], nodes = nodes[:0:n], nodes[n:]
	}
	for v, d := range s.depth {
		levels[d] = append(levels[d], int32(v))
	}
	return levels
}

// mix spreads a number over 64 bits. It is the finalizer of MurmurHash3.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}

// equalSubtree reports whether two subtrees have the same shape and labels. Different hashes show
// that they differ. Equal hashes prove nothing, so the nodes are compared.
func (s *side) equalSubtree(v int32, o *side, w int32) bool {
	n := s.size(v)
	if s.hash[v] != o.hash[w] || n != o.size(w) || !slices.Equal(s.label[v:v+n], o.label[w:w+n]) {
		return false
	}
	for i := range n {
		if s.end[v+i]-v != o.end[w+i]-w {
			return false
		}
	}
	return true
}

func (s *side) len() int { return len(s.label) }

func (s *side) size(v int32) int32 { return s.end[v] - v }

func (s *side) leaf(v int32) bool { return s.end[v] == v+1 }

func (s *side) children(v int32) []int32 { return s.kids[s.kidStart[v]:s.kidStart[v+1]] }

func (s *side) childLabels(v int32) []preprocess.LabelID {
	return s.kidLabel[s.kidStart[v]:s.kidStart[v+1]]
}

// gamma computes γ, the cost of pairing two labels: 0 or 1.
type gamma struct {
	labels *preprocess.Labels
	// class numbers the labels. Two labels share a number if γ = 0 for them, or if a chain of
	// labels with γ = 0 connects them.
	class []int32
	// related is true for labels that have γ = 0 with another label.
	related []bool
}

func newGamma(l *preprocess.Labels) *gamma {
	g := &gamma{labels: l, class: make([]int32, l.Len()), related: make([]bool, l.Len())}
	for i := range g.class {
		g.class[i] = int32(i)
	}
	find := func(i int32) int32 {
		for g.class[i] != i {
			g.class[i] = g.class[g.class[i]]
			i = g.class[i]
		}
		return i
	}
	for i := range g.class {
		others := l.Related(preprocess.LabelID(i))
		g.related[i] = len(others) > 0
		for _, o := range others {
			a, b := find(int32(i)), find(int32(o))
			g.class[max(a, b)] = min(a, b)
		}
	}
	for i := range g.class {
		g.class[i] = find(int32(i))
	}
	return g
}

// distance returns γ of two labels.
func (g *gamma) distance(a, b preprocess.LabelID) int32 {
	if a == b {
		return 0
	}
	if g.related[a] && g.class[a] == g.class[b] {
		return int32(g.labels.Gamma(a, b))
	}
	return 1
}
