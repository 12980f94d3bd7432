package truth

import (
	"bytes"
	"context"
	"os"
	"sort"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// texts has the parsed source files by path.
type texts map[string]*text

type text struct {
	lines []int // lines has the offset at which each line begins.
	tree  *syntaxtree.Tree
}

// lines returns the lines that a compiler may give to the call at a site, counted from 1:
//
//   - the line of the site,
//   - the first lines of the enclosing expressions, up to the statement,
//   - the lines of the arguments, because the call instruction follows theirs.
func (t texts) lines(path string, offset uint32) []int {
	f := t[path]
	if f == nil {
		f = parse(path)
		t[path] = f
	}
	lines := []int{f.line(offset)}
	if f.tree == nil {
		return lines
	}
	var call, sum syntaxtree.Node
	for n := f.tree.Root(); n.Named(); {
		switch kind := n.Kind(); {
		case isBlock(kind):
			lines, call, sum = lines[:1], syntaxtree.Node{}, syntaxtree.Node{}
		case isCall(kind):
			call, sum = n, syntaxtree.Node{}
		case isSum(kind) && !sum.Exists():
			call, sum = syntaxtree.Node{}, n
		}
		if !isBlock(n.Kind()) {
			lines = append(lines, f.line(n.Start()))
		}
		if object := n.ByField("object"); object.Exists() && object.End() <= offset {
			// javac marks only the lines of calls by name. Other code in the arguments gets the
			// line of the preceding call.
			lines = append(lines, f.line(object.ByField("name").Start()))
		}
		child := n.First()
		for child.Exists() && child.End() <= offset {
			child = child.Next()
		}
		if child.Start() > offset {
			break
		}
		n = child
	}
	if call.Exists() {
		lines = f.through(lines, offset, call)
	}
	if sum.Exists() {
		lines = f.through(lines, sum.Start(), sum)
	}
	return lines
}

// through adds the lines from an offset to the end of a node, or to the first block in it.
func (t *text) through(lines []int, from uint32, n syntaxtree.Node) []int {
	for l := t.line(from); l <= t.line(firstBlock(n, from)); l++ {
		lines = append(lines, l)
	}
	return lines
}

// firstBlock returns the start of the first block after an offset, or the end of the node if
// there is none.
func firstBlock(n syntaxtree.Node, from uint32) uint32 {
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Start() >= from && isBlock(c.Kind()) {
			return c.Start()
		}
		if at := firstBlock(c, from); at < c.End() {
			return at
		}
	}
	return n.End()
}

func isCall(kind string) bool {
	switch kind {
	case "method_invocation", "object_creation_expression", "explicit_constructor_invocation", "enum_constant",
		"call_expression", "constructor_invocation", "constructor_delegation_call", "enum_entry", "assignment":
		return true
	}
	return false
}

// isSum reports whether a node can be a string concatenation.
func isSum(kind string) bool {
	return kind == "binary_expression" || kind == "additive_expression" || kind == "string_literal"
}

func parse(path string) *text {
	source, err := os.ReadFile(path)
	if err != nil {
		return &text{lines: []int{0}}
	}
	f := &text{lines: []int{0}}
	for i, b := range source {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	lang := syntaxtree.Java
	if strings.HasSuffix(path, ".kt") {
		lang = syntaxtree.Kotlin
	}
	parser := syntaxtree.NewParser()
	defer parser.Close()
	if tree, err := parser.Parse(context.Background(), lang, bytes.Clone(source)); err == nil {
		f.tree = tree
	}
	return f
}

func (t *text) line(offset uint32) int {
	return sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > int(offset) })
}

// isBlock reports whether the children of a node are statements or declarations.
func isBlock(kind string) bool {
	switch kind {
	case "program", "block", "class_body", "interface_body", "enum_body", "enum_body_declarations", "constructor_body",
		"switch_block", "switch_block_statement_group", "annotation_type_body",
		"source_file", "statements", "enum_class_body", "lambda_literal", "function_body", "control_structure_body",
		"when_expression", "when_entry":
		return true
	}
	return false
}
