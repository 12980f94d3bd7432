package preprocess

import (
	"strings"

	"github.com/diffprof/diffprof/code/name"
)

// An epithet is what two methods of unlike detail have in common: the plain name, by kind
// of code.
type epithet struct {
	lang name.Lang
	name string
}

// epithetOf returns a method's epithet; ok is false for methods that all recorders name in
// full. poor says that the method is without what others have.
func epithetOf(m *name.Method) (e epithet, poor, ok bool) {
	switch {
	case m.Lang == name.JVM && m.Type != "":
		return epithet{m.Lang, m.Plain().Name}, m.Signature == "", true
	case m.Lang == name.Native || m.Lang == name.CPP:
		return epithet{m.Lang, m.Bare().Label()}, m.Module == "", true
	}
	return epithet{}, false, false
}

// common returns a function that gives methods the names by which the runs of these words
// compare. No recorder's marks are in it. Where one of the words is without a descriptor, or
// without the library of a native symbol, all of its epithet are: simpleperf has
// View.measure where ART has View.measure(II)V, and overloads cannot be told apart where
// one run does not. Where one names the lambdas of a class without numbers, all are.
//
// It depends on both runs, and on the set of their names alone. So it is one relation for
// the pair, and the steps, γ and the matching see equal names on both sides.
func common(words []word) func(m *name.Method) name.Method {
	poor := make(map[epithet]bool)
	unnumbered := make(map[string]bool) // classes
	for i := range words {
		m := words[i].method
		if e, is, ok := epithetOf(m); ok && is {
			poor[e] = true
		}
		if plain := m.Plain(); m.IsLambda() && strings.TrimSuffix(m.Type, "_") == plain.Type {
			unnumbered[plain.Class()] = true
		}
	}
	return func(m *name.Method) name.Method {
		out := m.Unmarked()
		if e, _, ok := epithetOf(m); ok && poor[e] {
			out = m.Bare()
		}
		if plain := out.Plain(); plain.Type != out.Type && unnumbered[plain.Class()] {
			return plain
		}
		return out
	}
}

// detail plans to give all nodes the names by which the runs compare. Calls that become calls
// of one method merge as recursion does: a call below another one of its method is
// counted with that, as in a tree that was built with these names. changed is false if all
// names stay.
func detail(nodes []place, v *vocabulary) (p plan, changed bool) {
	p.label = make([]LabelID, len(nodes))
	for i := range nodes {
		p.label[i] = v.common[nodes[i].label]
		changed = changed || p.label[i] != nodes[i].label
	}
	if !changed {
		return plan{}, false
	}
	p.merge, p.under = make([]bool, len(nodes)), make([]int32, len(nodes))
	path := newPath(len(v.texts), len(nodes))
	for i := range nodes {
		n := &nodes[i]
		p.under[i] = stay
		path.leave(int32(i))
		depth := int32(0)
		if n.parent >= 0 {
			depth = path.depth[n.parent] + 1
		}
		if v.joint[p.label[i]] {
			if at := path.find(p.label[i], depth); at >= 0 {
				p.merge[i], p.under[i], path.depth[i] = true, path.nodes[at], at
				continue
			}
		}
		path.enter(int32(i), n.end, depth, p.label[i])
	}
	return p, true
}

// A path is that of the node which a walk in preorder has come to, in the tree as it will
// be: a call that merges into one above it has the path of that one, and so have its
// callees. Each node is written once and taken back once, so that a walk takes linear time.
type path struct {
	// nodes and labels are by depth. Of what is deeper than the walk, nothing counts.
	nodes  []int32
	labels []LabelID
	// at is the depth at which a label was written last, -1 for never.
	at []int32
	// depth is by node.
	depth []int32
	open  []written
}

// A written is an entry of a path, with what stood there before.
type written struct {
	end, depth, at, node int32
	label, old           LabelID
}

func newPath(labels, nodes int) *path {
	p := &path{at: make([]int32, labels), depth: make([]int32, nodes)}
	for i := range p.at {
		p.at[i] = -1
	}
	return p
}

// find returns the depth above the given one at which the path has a label, -1 for none.
func (p *path) find(label LabelID, depth int32) int32 {
	if at := p.at[label]; at >= 0 && at < depth && p.labels[at] == label {
		return at
	}
	return -1
}

// enter writes a node, which ends at end, at its depth.
func (p *path) enter(node, end, depth int32, label LabelID) {
	if int(depth) == len(p.nodes) {
		p.nodes, p.labels = append(p.nodes, -1), append(p.labels, -1)
	}
	p.open = append(p.open, written{end, depth, p.at[label], p.nodes[depth], label, p.labels[depth]})
	p.nodes[depth], p.labels[depth], p.at[label], p.depth[node] = node, label, depth, depth
}

// leave takes back the nodes that end before the given one begins.
func (p *path) leave(node int32) {
	for n := len(p.open) - 1; n >= 0 && p.open[n].end <= node; n-- {
		w := &p.open[n]
		p.nodes[w.depth], p.labels[w.depth], p.at[w.label] = w.node, w.old, w.at
		p.open = p.open[:n]
	}
}
