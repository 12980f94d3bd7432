// Package syntaxtree parses Java and Kotlin with tree-sitter. It returns trees as flat arrays.
// tree-sitter and its grammars are C code, compiled to an embedded WebAssembly module by
// module/build. Parsing a file takes one call into the module, and walking its tree takes none. If
// the parser crashes on a file or needs too much memory, only the call for this file fails.
//
// A [Tree] has the nodes of the grammar in the order in which they begin. It omits comments,
// brackets, commas and semicolons, and code that is nested deeper than people write. Offsets are in
// bytes of the given source.
//
// The parser recovers from syntax errors. Code that it cannot parse is in nodes of kind ERROR, and
// the code around it is parsed as usual. Time and depth are bounded on any input. The Kotlin
// grammar is older than the language. [Parser.Parse] replaces code that is known to confuse the
// grammar by other code of the same length. This preserves offsets.
//
// A tree belongs to its parser. Trees and parsers are not safe for concurrent use.
package syntaxtree

// A node of a tree. next is the index of the first node after the node and all its descendants.
type node struct {
	start, end, next uint32
	kind             uint16
	field, named     uint8
}

// nodeSize is the size in bytes of a node in the module's memory.
const nodeSize = 16

// A grammar has the names of a language's node kinds and fields. Nodes refer to them by index.
type grammar struct {
	kinds  []string
	fields []string
}

// A Tree is the syntax tree of one file.
type Tree struct {
	Source []byte
	// HasError is set if the source has a syntax error, or syntax that the grammar does not
	// support.
	HasError bool
	grammar  *grammar
	nodes    []node
}

// Root returns the node of the whole file.
func (t *Tree) Root() Node {
	if len(t.nodes) == 0 {
		return Node{}
	}
	return Node{t, 0, uint32(len(t.nodes))}
}

// A Node is a node of a tree. The zero Node represents a missing node, without kind, text and
// children.
type Node struct {
	t *Tree
	// i is the index of the node. end is the index of the first node after its parent.
	i, end uint32
}

// Exists reports whether the node is not the zero Node.
func (n Node) Exists() bool { return n.t != nil }

// Kind returns the node's kind: the name of a grammar rule, or the text of a token.
func (n Node) Kind() string {
	if n.t == nil || int(n.t.nodes[n.i].kind) >= len(n.t.grammar.kinds) {
		// The number of the kind ERROR is above all others.
		if n.t != nil {
			return "ERROR"
		}
		return ""
	}
	return n.t.grammar.kinds[n.t.nodes[n.i].kind]
}

// Field returns the name of the parent's field that holds the node, or "".
func (n Node) Field() string {
	if n.t == nil || int(n.t.nodes[n.i].field) >= len(n.t.grammar.fields) {
		return ""
	}
	return n.t.grammar.fields[n.t.nodes[n.i].field]
}

// Named reports whether the node comes from a grammar rule rather than a token.
func (n Node) Named() bool { return n.t != nil && n.t.nodes[n.i].named != 0 }

// Start returns the offset of the node's first byte.
func (n Node) Start() uint32 {
	if n.t == nil {
		return 0
	}
	return n.t.nodes[n.i].start
}

// End returns the offset after the node's last byte.
func (n Node) End() uint32 {
	if n.t == nil {
		return 0
	}
	return n.t.nodes[n.i].end
}

// Text returns the node's part of the source.
func (n Node) Text() string {
	if n.t == nil {
		return ""
	}
	at := n.t.nodes[n.i]
	return string(n.t.Source[min(int(at.start), len(n.t.Source)):min(int(at.end), len(n.t.Source))])
}

// First returns the first child.
func (n Node) First() Node {
	if n.t == nil || n.t.nodes[n.i].next == n.i+1 {
		return Node{}
	}
	return Node{n.t, n.i + 1, n.t.nodes[n.i].next}
}

// Next returns the next sibling.
func (n Node) Next() Node {
	if n.t == nil || n.t.nodes[n.i].next >= n.end {
		return Node{}
	}
	return Node{n.t, n.t.nodes[n.i].next, n.end}
}

// Last returns the last child.
func (n Node) Last() Node {
	var last Node
	for c := n.First(); c.Exists(); c = c.Next() {
		last = c
	}
	return last
}

// Child returns the first child whose kind is among kinds.
func (n Node) Child(kinds ...string) Node {
	for c := n.First(); c.Exists(); c = c.Next() {
		kind := c.Kind()
		for _, k := range kinds {
			if kind == k {
				return c
			}
		}
	}
	return Node{}
}

// ByField returns the first child with the given field name.
func (n Node) ByField(name string) Node {
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Field() == name {
			return c
		}
	}
	return Node{}
}
