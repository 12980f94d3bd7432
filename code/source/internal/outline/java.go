package outline

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// A java reads the syntax tree of a Java file.
type java struct {
	*builder
	// components are the components of the record being read.
	components       []string
	componentVarargs bool
}

func (j *java) file(root syntaxtree.Node) {
	j.typ, j.member = None, None
	for n := root.First(); n.Exists(); n = n.Next() {
		switch n.Kind() {
		case "package_declaration":
			j.builder.file.Package = dotted(n.Child("scoped_identifier", "identifier"))
		case "import_declaration":
			j.builder.file.Imports = append(j.builder.file.Imports, Import{
				Name:     j.intern(dotted(n.Child("scoped_identifier", "identifier"))),
				Wildcard: n.Child("asterisk").Exists(),
				Static:   n.Child("static").Exists(),
			})
		default:
			j.walk(n)
		}
	}
}

// maxText is the length in bytes above which an expression is not read as a name. Without it, the
// time for a chain of thousands of names would be quadratic.
const maxText = 512

// brief returns the text of an expression that may be a name, or "" if it is longer than maxText.
func brief(n syntaxtree.Node) string {
	if n.End()-n.Start() > maxText {
		return ""
	}
	return n.Text()
}

// dotted returns a dotted name without white space.
func dotted(n syntaxtree.Node) string {
	text := brief(n)
	if strings.ContainsAny(text, " \t\r\n/") {
		var parts []string
		var collect func(n syntaxtree.Node)
		collect = func(n syntaxtree.Node) {
			if k := n.Kind(); k == "identifier" || k == "simple_identifier" || k == "type_identifier" {
				if !n.First().Exists() {
					parts = append(parts, unquote(n.Text()))
					return
				}
			}
			for c := n.First(); c.Exists(); c = c.Next() {
				collect(c)
			}
		}
		collect(n)
		return strings.Join(parts, ".")
	}
	return strings.ReplaceAll(text, "`", "")
}

// javaTypeKind returns the kind of a type declaration.
func javaTypeKind(kind string) (TypeKind, bool) {
	switch kind {
	case "class_declaration":
		return Class, true
	case "interface_declaration":
		return Interface, true
	case "enum_declaration":
		return Enum, true
	case "record_declaration":
		return Record, true
	case "annotation_type_declaration":
		return Annotation, true
	}
	return 0, false
}

// walk reads a declaration, a statement or an expression.
func (j *java) walk(n syntaxtree.Node) {
	switch n.Kind() {
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration":
		j.declaredType(n)
	case "method_declaration", "annotation_type_element_declaration":
		j.method(n, Method)
	case "constructor_declaration", "compact_constructor_declaration":
		j.method(n, Constructor)
	case "field_declaration", "constant_declaration":
		j.fields(n)
	case "static_initializer":
		j.initializer(n, true)
	case "enum_constant":
		j.enumConstant(n)
	case "lambda_expression":
		j.lambda(n)
	case "object_creation_expression":
		j.creation(n)
	case "method_invocation":
		j.invocation(n)
	case "explicit_constructor_invocation":
		j.constructorCall(n)
	case "method_reference":
		j.reference(n)
	case "block", "switch_block_statement_group", "for_statement", "catch_clause", "switch_rule":
		mark := len(j.scope)
		j.children(n)
		j.scope = j.scope[:mark]
	case "local_variable_declaration":
		j.local(n)
	case "enhanced_for_statement":
		mark := len(j.scope)
		j.walk(n.ByField("value"))
		for _, name := range []string{"iterator", "hasNext", "next"} {
			j.addSite(call{kind: Implied, at: n.ByField("name"), name: name})
		}
		j.bind(n.ByField("name").Text(), j.variableType(n.ByField("type"), syntaxtree.Node{}, n.ByField("value")))
		j.walk(n.ByField("body"))
		j.scope = j.scope[:mark]
	case "try_with_resources_statement":
		mark := len(j.scope)
		j.children(n)
		j.scope = j.scope[:mark]
	case "resource":
		typ := j.variableType(n.ByField("type"), syntaxtree.Node{}, n.ByField("value"))
		j.walk(n.ByField("value"))
		if name := n.ByField("name"); name.Exists() {
			j.bind(name.Text(), typ)
			j.addSite(call{kind: Implied, at: name, name: "close", receiver: receiver{typ: typ}})
		} else {
			j.children(n)
			j.addSite(call{kind: Implied, at: n.Last(), name: "close", receiver: j.receiver(n.Last())})
		}
	case "catch_formal_parameter":
		j.bind(n.ByField("name").Text(), j.javaType(n.Child("catch_type").First()))
	case "instanceof_expression":
		j.children(n)
		if name := n.ByField("name"); name.Exists() {
			j.bind(name.Text(), j.javaType(n.ByField("right")))
		}
	case "binary_expression":
		j.binary(n)
	case "import_declaration", "package_declaration", "modifiers", "type_parameters", "type_arguments":
		// These nodes contain no calls.
	default:
		j.children(n)
	}
}

func (j *java) children(n syntaxtree.Node) {
	for c := n.First(); c.Exists(); c = c.Next() {
		j.walk(c)
	}
}

// binary reads a binary expression with any number of operands, without recursion.
func (j *java) binary(n syntaxtree.Node) {
	var parts []syntaxtree.Node
	text := false
	var operator syntaxtree.Node
	for n.Kind() == "binary_expression" {
		right := n.ByField("right")
		parts = append(parts, right)
		if n.ByField("operator").Kind() == "+" {
			operator = n.ByField("operator")
			text = text || right.Kind() == "string_literal" || n.ByField("left").Kind() == "string_literal"
		}
		n = n.ByField("left")
	}
	j.walk(n)
	for i := len(parts) - 1; i >= 0; i-- {
		j.walk(parts[i])
	}
	if text {
		operands := []argument{j.argument(n)}
		for _, part := range slices.Backward(parts) {
			operands = append(operands, j.argument(part))
		}
		j.concatenation(operator, operands)
	}
}

// concatenation adds the calls that compilers generate for a string concatenation. A single site
// for append represents all calls of append.
func (b *builder) concatenation(at syntaxtree.Node, operands []argument) {
	b.addSite(call{kind: Implied, at: at, name: "append", receiver: receiver{typ: "StringBuilder"}, args: operands})
	for _, name := range []string{"toString", "<init>"} {
		b.addSite(call{kind: Implied, at: at, name: name, receiver: receiver{typ: "StringBuilder"}})
	}
}

func (j *java) local(n syntaxtree.Node) {
	typ := n.ByField("type")
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "variable_declarator" {
			value := c.ByField("value")
			j.walk(value)
			j.bind(c.ByField("name").Text(), j.variableType(typ, c.ByField("dimensions"), value))
		}
	}
}

// variableType returns a variable's declared type. If it is var, it returns the type of the value.
func (j *java) variableType(typ, dimensions, value syntaxtree.Node) string {
	if typ.Text() == "var" {
		r := j.receiver(value)
		if r.static {
			return ""
		}
		return r.typ
	}
	return j.javaType(typ) + brackets(dimensions)
}

// brackets returns "[]" for each dimension of an array.
func brackets(dimensions syntaxtree.Node) string {
	return strings.Repeat("[]", strings.Count(dimensions.Text(), "["))
}

// javaType returns a type without type arguments and annotations. It replaces a type parameter by
// its bound.
func (j *java) javaType(n syntaxtree.Node) string {
	switch n.Kind() {
	case "":
		return ""
	case "type_identifier", "identifier":
		return j.intern(j.erase(n.Text()))
	case "array_type":
		return j.intern(j.javaType(n.ByField("element")) + brackets(n.ByField("dimensions")))
	case "generic_type":
		return j.javaType(n.Child("scoped_type_identifier", "type_identifier"))
	case "scoped_type_identifier":
		var parts []string
		for c := n.First(); c.Exists(); c = c.Next() {
			switch c.Kind() {
			case "type_identifier":
				parts = append(parts, c.Text())
			case "scoped_type_identifier", "generic_type":
				parts = append(parts, j.javaType(c))
			}
		}
		return j.intern(strings.Join(parts, "."))
	case "annotated_type":
		return j.javaType(n.Last())
	}
	return j.intern(n.Text())
}

// typeParameters brings type parameters into scope.
func (j *java) typeParameters(n syntaxtree.Node) {
	for p := n.First(); p.Exists(); p = p.Next() {
		if p.Kind() != "type_parameter" {
			continue
		}
		bound := "Object"
		if b := p.Child("type_bound"); b.Exists() {
			if first := b.Child("type_identifier", "generic_type", "scoped_type_identifier"); first.Exists() {
				bound = j.javaType(first)
			}
		}
		if name := p.Child("type_identifier", "identifier").Text(); name != bound {
			j.bindType(name, bound)
		}
	}
}

// params returns the types of parameters and brings the parameters into scope.
func (j *java) params(n syntaxtree.Node) (types []string, varargs bool) {
	for p := n.First(); p.Exists(); p = p.Next() {
		switch p.Kind() {
		case "formal_parameter":
			typ := j.intern(j.javaType(p.ByField("type")) + brackets(p.ByField("dimensions")))
			types = append(types, typ)
			j.bind(p.ByField("name").Text(), typ)
		case "spread_parameter":
			varargs = true
			declarator := p.Child("variable_declarator")
			var typ syntaxtree.Node
			for c := p.First(); c.Exists(); c = c.Next() {
				if k := c.Kind(); c.Named() && k != "modifiers" && k != "variable_declarator" {
					typ = c
					break
				}
			}
			types = append(types, j.intern(j.javaType(typ)+"[]"))
			j.bind(declarator.ByField("name").Text(), types[len(types)-1])
		case "inferred_parameters":
			return j.params(p)
		case "identifier":
			types = append(types, "")
			j.bind(p.Text(), "")
		}
	}
	return types, varargs
}

// hasModifier reports whether a declaration has the modifier word.
func hasModifier(n syntaxtree.Node, word string) bool {
	return n.Child("modifiers").Child(word).Exists()
}
