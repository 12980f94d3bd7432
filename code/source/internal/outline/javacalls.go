package outline

import (
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// arguments reads the arguments of a call in the order in which javac attributes them: lambdas are
// last.
func (j *java) arguments(n syntaxtree.Node) []argument {
	var args []argument
	lambdas := false
	for c := n.First(); c.Exists(); c = c.Next() {
		if len(args) < 256 {
			args = append(args, j.argument(c))
		}
		if c.Kind() == "lambda_expression" {
			lambdas = true
		} else {
			j.walk(c)
		}
	}
	if lambdas {
		for c := n.First(); c.Exists(); c = c.Next() {
			if c.Kind() == "lambda_expression" {
				j.walk(c)
			}
		}
	}
	return args
}

// argument returns the kind and type of an argument.
func (j *java) argument(n syntaxtree.Node) argument {
	switch n.Kind() {
	case "string_literal", "text_block":
		return argument{kind: String}
	case "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal":
		if text := n.Text(); strings.HasSuffix(text, "l") || strings.HasSuffix(text, "L") {
			return argument{kind: Long}
		}
		return argument{kind: Int}
	case "decimal_floating_point_literal", "hex_floating_point_literal":
		if text := n.Text(); strings.HasSuffix(text, "f") || strings.HasSuffix(text, "F") {
			return argument{Float, "float"}
		}
		return argument{Float, "double"}
	case "character_literal":
		return argument{kind: Char}
	case "true", "false", "instanceof_expression":
		return argument{kind: Bool}
	case "null_literal":
		return argument{kind: Null}
	case "lambda_expression", "method_reference":
		return argument{kind: Function}
	case "array_creation_expression":
		return argument{Array, j.javaType(n.ByField("type")) + brackets(n.ByField("dimensions"))}
	case "unary_expression":
		if n.ByField("operator").Kind() == "!" {
			return argument{kind: Bool}
		}
		return j.argument(n.ByField("operand"))
	case "binary_expression":
		return j.sum(n)
	case "parenthesized_expression":
		return j.argument(n.First())
	case "ternary_expression":
		return j.argument(n.ByField("consequence"))
	case "field_access":
		if isResource(brief(n)) {
			return argument{kind: Int}
		}
	case "class_literal":
		return argument{Instance, "Class"}
	}
	a := argumentOf(j.receiver(n))
	if n.Kind() == "object_creation_expression" {
		a.kind = Instance
	}
	return a
}

// sum returns the kind and type of a binary expression.
func (j *java) sum(n syntaxtree.Node) argument {
	switch n.ByField("operator").Kind() {
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
		return argument{kind: Bool}
	case "<<", ">>", ">>>":
		return j.argument(n.ByField("left"))
	}
	return promoted(n, j.argument)
}

// isResource reports whether a name belongs to a generated resource ID, such as R.id.title.
func isResource(name string) bool {
	if i := strings.LastIndex(name, "R."); i < 0 || i > 0 && name[i-1] != '.' {
		return false
	}
	return strings.Count(name[strings.LastIndex(name, "R."):], ".") == 2
}

// receiver returns the type of an expression, as far as its text and the declarations in scope
// determine it.
func (j *java) receiver(n syntaxtree.Node) receiver {
	switch n.Kind() {
	case "identifier", "type_identifier", "scoped_type_identifier", "generic_type":
		name := n.Text()
		if n.Kind() == "identifier" {
			if typ, ok := j.lookup(name, false); ok {
				return receiver{typ: typ}
			}
		} else {
			name = j.javaType(n)
		}
		if isTypeName(name) {
			return receiver{name, true}
		}
		if n.Kind() == "identifier" {
			return receiver{}.member(name)
		}
	case "method_invocation":
		name := n.ByField("name").Text() + "()"
		object := n.ByField("object")
		if !object.Exists() {
			return receiver{}.member(name)
		}
		if r := j.receiver(object); r.typ != "" {
			return r.member(name)
		}
		return usual(name)
	case "this":
		if j.typ != None {
			if name := simpleName(j.builder.file.Types[j.typ].Name); isTypeName(name) {
				return receiver{typ: name}
			}
		}
	case "super":
		return receiver{typ: "super"}
	case "object_creation_expression":
		return receiver{typ: j.javaType(n.ByField("type"))}
	case "cast_expression":
		return receiver{typ: j.javaType(n.ByField("type"))}
	case "parenthesized_expression":
		return j.receiver(n.First())
	case "assignment_expression":
		return j.receiver(n.ByField("left"))
	case "string_literal", "text_block":
		return receiver{typ: "String"}
	case "class_literal":
		return receiver{typ: "Class"}
	case "array_access":
		r := j.receiver(n.ByField("array"))
		if elem, ok := strings.CutSuffix(r.typ, "[]"); ok && !r.static {
			return receiver{typ: elem}
		}
	case "field_access":
		field := n.ByField("field").Text()
		if object := n.ByField("object"); object.Kind() == "this" {
			typ, _ := j.lookup(field, false)
			return receiver{typ: typ}
		} else if object.Kind() == "identifier" || object.Kind() == "field_access" {
			// This is a qualified class, such as Settings.System or android.util.Log.
			if isTypeName(field) && strings.ToUpper(field) != field {
				return receiver{dotted(n), true}
			}
			if r := j.receiver(object); r.typ != "" {
				return r.member(field)
			}
		}
	}
	return receiver{}
}

// isTypeName reports whether a name looks like the name of a type.
func isTypeName(name string) bool {
	name = simpleName(name)
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

func (j *java) invocation(n syntaxtree.Node) {
	// Call chains are nested to the left, so a loop avoids deep recursion.
	var chain []syntaxtree.Node
	for n.Kind() == "method_invocation" {
		chain = append(chain, n)
		n = n.ByField("object")
	}
	if n.Exists() {
		j.walk(n)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		at := chain[i]
		c := call{kind: Call, at: at.ByField("name"), whole: at, name: at.ByField("name").Text(), receiver: j.receiver(at.ByField("object"))}
		if at.Child("super").Exists() {
			c.receiver = receiver{typ: "super"}
		}
		c.args = j.arguments(at.ByField("arguments"))
		j.addSite(c)
		if sectionCalls[c.name] {
			j.addSection(c, sectionText(at.ByField("arguments").First()))
		}
	}
}

func (j *java) creation(n syntaxtree.Node) {
	typ := n.ByField("type")
	if first := n.First(); first.Kind() != "new" {
		j.walk(first)
	}
	name := typ
	for name.Kind() == "generic_type" || name.Kind() == "annotated_type" {
		name = name.Child("type_identifier", "scoped_type_identifier", "generic_type")
	}
	if name.Kind() == "scoped_type_identifier" {
		name = name.Last()
	}
	args := j.arguments(n.ByField("arguments"))
	j.addSite(call{kind: New, at: name, whole: n, name: name.Text(), receiver: receiver{j.javaType(typ), true}, args: args})
	if body := n.Child("class_body"); body.Exists() && j.typ != None {
		j.anonymous(name, n, body, j.javaType(typ))
	}
}

func (j *java) constructorCall(n syntaxtree.Node) {
	at := n.ByField("constructor")
	if object := n.ByField("object"); object.Exists() {
		j.walk(object)
	}
	c := call{kind: Super, at: at, whole: n, name: at.Text()}
	if j.typ != None {
		if t := &j.builder.file.Types[j.typ]; at.Kind() == "super" {
			c.receiver.typ = t.Super
		} else {
			c.receiver.typ = simpleName(t.Name)
		}
	}
	c.args = j.arguments(n.ByField("arguments"))
	j.addSite(c)
}

func (j *java) reference(n syntaxtree.Node) {
	object, name := n.First(), n.Last()
	if object.Kind() != "super" {
		j.walk(object)
	}
	c := call{kind: Ref, at: name, name: name.Text(), receiver: j.receiver(object)}
	if name.Kind() == "new" {
		c.name = simpleName(j.javaType(object))
		c.receiver = receiver{j.javaType(object), true}
	}
	if j.typ == None || j.member == None {
		return
	}
	// javac turns some method references into lambdas. Only these two kinds can be recognized in
	// the source.
	counted := object.Kind() == "super" || object.Kind() == "array_type"
	index := j.addMember(Member{Kind: Reference, Counted: counted}, name, n)
	j.within(index, func() { j.addSite(c) })
}
