package preprocess

import (
	"strings"

	"github.com/diffprof/diffprof/name"
)

// A methodKey is the part of a method's name that all recorders have: the kind of code and the
// plain name, such as View.measure for View.measure(II)V.
type methodKey struct {
	lang name.Lang
	name string
}

// methodKeyOf returns a method's epithet. ok is false if all recorders have the method's full name.
// poor reports that this name has no descriptor or no library, which other recorders may have.
func methodKeyOf(m *name.Method) (e methodKey, poor, ok bool) {
	switch {
	case m.Lang == name.JVM && m.Type != "":
		return methodKey{m.Lang, m.Plain().Name}, m.Signature == "", true
	case m.Lang == name.Native || m.Lang == name.CPP:
		return methodKey{m.Lang, m.Bare().Label()}, m.Module == "", true
	}
	return methodKey{}, false, false
}

// common returns a function that maps each method to the name by which two runs are compared. words
// has the methods of both runs. The mapping removes what one of the runs omits:
//
//   - Descriptors: simpleperf has View.measure where ART has View.measure(II)V. If one run does not
//     distinguish overloads, the comparison cannot either.
//   - Libraries of native symbols.
//   - Numbers of a class's lambdas.
//
// It also removes what is not part of a name or differs between builds:
//
//   - The recorder's marks, and V8's tiers of scripts.
//   - Addresses. All addresses of a file get the same name, because they differ between builds of a
//     program, and between the instructions of a function.
//   - Folders of a program: the same script in two folders has the same path.
//
// The result depends only on the set of names in both runs. So the steps, γ and the matching see
// equal names in both trees.
func common(words []labelEntry, folders map[string]home) func(m *name.Method) name.Method {
	poor := make(map[methodKey]bool)
	unnumbered := make(map[string]bool) // Class names.
	for i := range words {
		m := words[i].method
		if e, is, ok := methodKeyOf(m); ok && is {
			poor[e] = true
		}
		if plain := m.Plain(); m.IsLambda() && strings.TrimSuffix(m.Type, "_") == plain.Type {
			unnumbered[plain.Class()] = true
		}
	}
	return func(m *name.Method) name.Method {
		if m.Lang == name.JavaScript || m.Lang == name.Python {
			if at, ok := folders[m.Scope]; ok {
				return m.Moved(at.path, at.shown)
			} else if m.Tiered() {
				return m.Moved(m.Scope, m.Scope)
			}
		}
		if m.Nameless() {
			return m.Unnamed()
		}
		out := m.Unmarked()
		if e, _, ok := methodKeyOf(m); ok && poor[e] {
			out = m.Bare()
		}
		if plain := out.Plain(); plain.Type != out.Type && unnumbered[plain.Class()] {
			return plain
		}
		return out
	}
}

// detail returns a plan that gives all nodes the names by which runs are compared. changed is false
// if all names stay the same.
//
// If different methods get the same name, their calls merge like recursion: a call below another
// call of the same name becomes part of it, as if the tree had been built with these names.
// Addresses in a file merge only if one calls the other directly. Otherwise the library that starts
// a program would merge with the calls that the program makes to it.
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
		p.under[i] = unmoved
		path.leave(int32(i))
		depth := int32(0)
		if n.parent >= 0 {
			depth = path.depth[n.parent] + 1
		}
		if v.nameless[p.label[i]] {
			if n.parent >= 0 && p.label[n.parent] == p.label[i] {
				p.merge[i], path.depth[i] = true, path.depth[n.parent]
				continue
			}
		} else if v.joint[p.label[i]] {
			if at := path.find(p.label[i], depth); at >= 0 {
				p.merge[i], p.under[i], path.depth[i] = true, path.nodes[at], at
				continue
			}
		}
		path.enter(int32(i), n.end, depth, p.label[i])
	}
	return p, true
}

// A path is the path from the root to the current node of the new tree, in a preorder walk. If a
// call merges into an ancestor, the path continues from that ancestor. Each node is entered once
// and left once, so a walk takes linear time.
type path struct {
	// nodes and labels have the nodes of the path by depth. Entries below the current depth are not
	// valid.
	nodes  []int32
	labels []LabelID
	// at has the depth at which each label was last entered, or -1.
	at []int32
	// depth has the depth of each node.
	depth []int32
	open  []written
}

// A written is an entry that was written to a path. It remembers the old entry, for leave.
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

// find returns the depth of a label on the path above the given depth, or -1.
func (p *path) find(label LabelID, depth int32) int32 {
	if at := p.at[label]; at >= 0 && at < depth && p.labels[at] == label {
		return at
	}
	return -1
}

// enter adds a node to the path. end is the end of the node's subtree.
func (p *path) enter(node, end, depth int32, label LabelID) {
	if int(depth) == len(p.nodes) {
		p.nodes, p.labels = append(p.nodes, -1), append(p.labels, -1)
	}
	p.open = append(p.open, written{end, depth, p.at[label], p.nodes[depth], label, p.labels[depth]})
	p.nodes[depth], p.labels[depth], p.at[label], p.depth[node] = node, label, depth, depth
}

// leave removes the nodes from the path whose subtrees do not contain the given node.
func (p *path) leave(node int32) {
	for n := len(p.open) - 1; n >= 0 && p.open[n].end <= node; n-- {
		w := &p.open[n]
		p.nodes[w.depth], p.labels[w.depth], p.at[w.label] = w.node, w.old, w.at
		p.open = p.open[:n]
	}
}
