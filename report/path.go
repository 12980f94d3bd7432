package report

import (
	"slices"

	"github.com/diffprof/diffprof/finding"
	"github.com/diffprof/diffprof/preprocess"
)

const (
	// A long path is shortened to its two ends. Each has between minPathEnd and maxPathEnd
	// labels. Paths of apps are rarely longer than a hundred labels. Without a limit, the paths of
	// a chain of n nodes would take time and space proportional to n².
	maxPathEnd, minPathEnd = 64, 4
	// maxLabels limits the labels of all paths in a document. Beyond it, ends become shorter.
	maxLabels = 1 << 21
)

// paths writes the path of any node of a tree, in time that does not depend on the path's length.
type paths struct {
	tree *preprocess.Tree
	// end is the number of labels written from each end of a path.
	end int
	// depth is the number of nodes above each node. head is the last node of the upper end of its
	// path: the ancestor at depth end-1, or the node itself.
	depth, head []int32
}

func newPaths(t *preprocess.Tree) *paths {
	p := &paths{tree: t, depth: make([]int32, len(t.Nodes)), head: make([]int32, len(t.Nodes))}
	for v := range t.Nodes {
		if parent := t.Nodes[v].Parent; parent >= 0 {
			p.depth[v] = p.depth[parent] + 1
		}
	}
	p.cut(maxPathEnd)
	return p
}

// cut sets the number of labels at each end of a long path.
func (p *paths) cut(end int) {
	p.end = end
	for v := range p.head {
		p.head[v] = int32(v)
		if int(p.depth[v]) >= end {
			p.head[v] = p.head[p.tree.Nodes[v].Parent]
		}
	}
}

// nodes returns the path from the root to a node, both included. A long path is cut to p.end nodes
// at each end; omitted is the number of nodes left out.
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

// labels is like nodes, but returns the labels of the nodes.
func (p *paths) labels(v int32) (labels []string, omitted int) {
	nodes, omitted := p.nodes(v)
	labels = make([]string, len(nodes))
	for i, node := range nodes {
		labels[i] = p.tree.Labels.Text(p.tree.Nodes[node].Label)
	}
	return labels, omitted
}

// fit shortens long paths until the rows have at most maxLabels labels in total.
func (ts *RowWriter) fit(rows []finding.Ranked) {
	for end := maxPathEnd; end >= minPathEnd; end /= 2 {
		labels := 0
		for _, row := range rows {
			subject, reference := ts.nodes(row)
			labels += min(int(ts.subject.depth[subject])+1, 2*end)
			if reference >= 0 {
				labels += min(int(ts.reference.depth[reference])+1, 2*end)
			}
		}
		if end < maxPathEnd {
			ts.subject.cut(end)
			ts.reference.cut(end)
		}
		if labels <= maxLabels {
			return
		}
	}
}

// nodes returns the nodes whose paths a row shows. reference is -1 if there is none.
func (ts *RowWriter) nodes(row finding.Ranked) (subject, reference int32) {
	if row.Code {
		code := &ts.set.Result.AppCode.Rows[row.Index]
		if code.Peer == nil {
			return code.Parts[0].Node, -1
		}
		return code.Parts[0].Node, code.Peer.Parts[0].Node
	}
	task := &ts.set.Result.Tasks[row.Index]
	if task.Perhaps != nil {
		return task.Node, task.Perhaps.Reference
	}
	there, _, _ := task.There()
	return task.Node, there
}
