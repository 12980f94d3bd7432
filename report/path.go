package report

import (
	"slices"

	"github.com/diffprof/diffprof/preprocess"
)

const (
	// pathEnd is how many labels of a long path are written from either of its ends.
	// Paths of apps seldom have more than a hundred. Those of a chain that is as deep as
	// it has nodes would otherwise take the square of the input.
	pathEnd = 64
	// maxPath is the most labels of a path that are written.
	maxPath = 2 * pathEnd
)

// paths knows the path of each node of a tree, and writes it in a time that does not
// depend on its length.
type paths struct {
	tree *preprocess.Tree
	// depth is the number of nodes above each node. head is the node of its path with
	// depth pathEnd-1, or itself where it lies higher.
	depth, head []int32
}

func newPaths(t *preprocess.Tree) *paths {
	p := &paths{tree: t, depth: make([]int32, len(t.Nodes)), head: make([]int32, len(t.Nodes))}
	for v := range t.Nodes {
		p.head[v] = int32(v)
		if parent := t.Nodes[v].Parent; parent >= 0 {
			p.depth[v] = p.depth[parent] + 1
			if p.depth[v] >= pathEnd {
				p.head[v] = p.head[parent]
			}
		}
	}
	return p
}

// nodes returns the path from the root to a node, both included, and how many nodes it
// leaves out in the middle: all but pathEnd at either end.
func (p *paths) nodes(v int32) (path []int32, omitted int) {
	length := int(p.depth[v]) + 1
	up := func(v int32, n int) {
		for ; v >= 0 && n > 0; v, n = p.tree.Nodes[v].Parent, n-1 {
			path = append(path, v)
		}
	}
	if omitted = max(length-maxPath, 0); omitted == 0 {
		up(v, length)
	} else {
		up(v, pathEnd)
		up(p.head[v], pathEnd)
	}
	slices.Reverse(path)
	return path, omitted
}

// labels returns the labels of the nodes of a path, and how many are left out.
func (p *paths) labels(v int32) (labels []string, omitted int) {
	nodes, omitted := p.nodes(v)
	labels = make([]string, len(nodes))
	for i, node := range nodes {
		labels[i] = p.tree.Labels.Text(p.tree.Nodes[node].Label)
	}
	return labels, omitted
}
