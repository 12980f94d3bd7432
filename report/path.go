package report

import (
	"slices"

	"github.com/diffprof/diffprof/eflask"
	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
)

const (
	// pathEnd is how many labels of a long path are written from either of its ends, at
	// most and at least. Paths of apps seldom have more than a hundred. Those of a chain that
	// is as deep as it has nodes would otherwise take the square of the input.
	mostPathEnd, leastPathEnd = 64, 4
	// mostLabels bounds the labels in all paths of a document: where they are more, less
	// of either end is written.
	mostLabels = 1 << 21
)

// paths knows the path of each node of a tree, and writes it in a time that does not
// depend on its length.
type paths struct {
	tree *preprocess.Tree
	// end is how many labels are written from either end of a path.
	end int
	// depth is the number of nodes above each node. head is the node of its path with
	// depth end-1, or itself where it lies higher.
	depth, head []int32
}

func newPaths(t *preprocess.Tree) *paths {
	p := &paths{tree: t, depth: make([]int32, len(t.Nodes)), head: make([]int32, len(t.Nodes))}
	for v := range t.Nodes {
		if parent := t.Nodes[v].Parent; parent >= 0 {
			p.depth[v] = p.depth[parent] + 1
		}
	}
	p.cut(mostPathEnd)
	return p
}

// cut is the number of labels written from each end of a long path.
func (p *paths) cut(end int) {
	p.end = end
	for v := range p.head {
		p.head[v] = int32(v)
		if int(p.depth[v]) >= end {
			p.head[v] = p.head[p.tree.Nodes[v].Parent]
		}
	}
}

// nodes returns the path from the root to a node, both included, and how many nodes it
// leaves out in the middle: all but end at either end.
func (p *paths) nodes(v int32) (path []int32, omitted int) {
	length := int(p.depth[v]) + 1
	up := func(v int32, n int) {
		for ; v >= 0 && n > 0; v, n = p.tree.Nodes[v].Parent, n-1 {
			path = append(path, v)
		}
	}
	if omitted = max(length-2*p.end, 0); omitted == 0 {
		up(v, length)
	} else {
		up(v, p.end)
		up(p.head[v], p.end)
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

// fit has the paths of the given rows written as far as a document may have labels.
func (ts *RowWriter) fit(rows []finding.Ranked) {
	for end := mostPathEnd; end >= leastPathEnd; end /= 2 {
		labels := 0
		for _, row := range rows {
			subject, reference := ts.nodes(row)
			labels += min(int(ts.subject.depth[subject])+1, 2*end)
			if reference >= 0 {
				labels += min(int(ts.reference.depth[reference])+1, 2*end)
			}
		}
		if end < mostPathEnd {
			ts.subject.cut(end)
			ts.reference.cut(end)
		}
		if labels <= mostLabels {
			return
		}
	}
}

// nodes returns the nodes whose paths the report of a row has; that of the reference is -1
// where there is none.
func (ts *RowWriter) nodes(row finding.Ranked) (subject, reference int32) {
	if row.Code {
		code := &ts.set.Result.AppCode.Rows[row.Index]
		if code.Peer == nil {
			return code.Parts[0].Node, -1
		}
		return code.Parts[0].Node, code.Peer.Parts[0].Node
	}
	task := &ts.set.Result.Tasks[row.Index]
	switch {
	case task.Perhaps != nil:
		return task.Node, task.Perhaps.Reference
	case task.Found != eflask.Unmatched:
		return task.Node, task.Peer
	}
	return task.Node, -1
}
