package outline

import (
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// jvmTypes maps Kotlin's built-in types to Java's names. Primitive types are boxed if they are type
// arguments or nullable.
var jvmTypes = map[string][2]string{
	"Int": {"int", "Integer"}, "Long": {"long", "Long"}, "Short": {"short", "Short"}, "Byte": {"byte", "Byte"},
	"Char": {"char", "Character"}, "Boolean": {"boolean", "Boolean"}, "Float": {"float", "Float"},
	"Double": {"double", "Double"}, "UInt": {"int", "UInt"}, "ULong": {"long", "ULong"},
	"UByte": {"byte", "UByte"}, "UShort": {"short", "UShort"},
	"Any": {"Object", "Object"}, "Nothing": {"Void", "Void"},
	"MutableList": {"List", "List"}, "MutableSet": {"Set", "Set"}, "MutableMap": {"Map", "Map"},
	"MutableCollection": {"Collection", "Collection"}, "MutableIterable": {"Iterable", "Iterable"},
	"MutableIterator": {"Iterator", "Iterator"}, "MutableListIterator": {"ListIterator", "ListIterator"},
	"MutableEntry": {"Entry", "Entry"},
	"IntArray":     {"int[]", "int[]"}, "LongArray": {"long[]", "long[]"}, "ShortArray": {"short[]", "short[]"},
	"ByteArray": {"byte[]", "byte[]"}, "CharArray": {"char[]", "char[]"}, "BooleanArray": {"boolean[]", "boolean[]"},
	"FloatArray": {"float[]", "float[]"}, "DoubleArray": {"double[]", "double[]"},
}

// kotlinTypes are the node kinds of types.
var kotlinTypes = []string{"user_type", "nullable_type", "parenthesized_type", "function_type", "not_nullable_type", "type_identifier"}

// kotlinType returns the Java name of a Kotlin type, without type arguments.
func (k *kotlin) kotlinType(n syntaxtree.Node, boxed bool) string {
	switch n.Kind() {
	case "":
		return ""
	case "nullable_type":
		return k.kotlinType(n.Child(kotlinTypes...), true)
	case "parenthesized_type", "not_nullable_type", "type_projection":
		return k.kotlinType(n.Child(kotlinTypes...), boxed)
	case "function_type":
		return k.functionType(n)
	case "type_identifier":
		return k.named(unquote(n.Text()), boxed)
	case "user_type":
		var parts []string
		var arguments syntaxtree.Node
		for c := n.First(); c.Exists(); c = c.Next() {
			switch c.Kind() {
			case "type_identifier":
				parts = append(parts, unquote(c.Text()))
			case "type_arguments":
				arguments = c
			}
		}
		name := strings.Join(parts, ".")
		if name == "Array" || name == "kotlin.Array" {
			elem := k.kotlinType(arguments.Child("type_projection"), true)
			if elem == "" {
				elem = "Object"
			}
			return k.intern(elem + "[]")
		}
		return k.named(name, boxed)
	}
	return k.intern(n.Text())
}

// named resolves a type name: a type parameter, an alias or a built-in type.
func (k *kotlin) named(name string, boxed bool) string {
	erased := k.erase(name)
	if erased != name {
		return k.intern(erased)
	}
	short := name
	if rest, ok := strings.CutPrefix(name, "kotlin."); ok {
		short = rest[strings.LastIndexByte(rest, '.')+1:]
	}
	if jvm, ok := jvmTypes[short]; ok {
		if boxed {
			return jvm[1]
		}
		return jvm[0]
	}
	return k.intern(k.imported(name))
}

// functionType returns FunctionN for a function type, such as Function1 for (Int) -> Unit. N counts
// the parameters, including a receiver and a continuation.
func (k *kotlin) functionType(n syntaxtree.Node) string {
	count := 0
	for c := n.First(); c.Exists() && c.Kind() != "->"; c = c.Next() {
		switch c.Kind() {
		case "function_type_parameters":
			for p := c.First(); p.Exists(); p = p.Next() {
				switch p.Kind() {
				case "parameter", "user_type", "nullable_type", "parenthesized_type", "function_type", "not_nullable_type":
					count++
				}
			}
		case ".":
			count++
		}
	}
	return k.intern("Function" + strconv.Itoa(count))
}

// declaredType returns the type after the colon of a declaration. In the tree, the type of a
// suspend function consists of several sibling nodes.
func (k *kotlin) declaredType(n syntaxtree.Node) string {
	colon, suspend := false, false
	for c := n.First(); c.Exists(); c = c.Next() {
		switch c.Kind() {
		case ":":
			colon = true
		case "type_modifiers":
			suspend = suspend || c.Child("suspend").Exists()
		case "function_body", "=":
			return ""
		case "user_type", "nullable_type", "parenthesized_type", "function_type", "not_nullable_type", "type_identifier":
			if colon {
				return k.suspended(k.kotlinType(c, false), suspend || strings.HasPrefix(c.Text(), "(suspend "))
			}
		}
	}
	return ""
}

// suspended adds a continuation to a function's type.
func (k *kotlin) suspended(typ string, suspend bool) string {
	if n, ok := strings.CutPrefix(typ, "Function"); ok && suspend {
		if count, err := strconv.Atoi(n); err == nil {
			return k.intern("Function" + strconv.Itoa(count+1))
		}
	}
	return typ
}

// typeParameters brings type parameters into scope, with their bounds from a where clause.
func (k *kotlin) typeParameters(n syntaxtree.Node) {
	where := map[string]string{}
	constraints := n.Child("type_constraints")
	for c := constraints.First(); c.Exists(); c = c.Next() {
		if name := c.Child("type_identifier"); name.Exists() && where[name.Text()] == "" {
			where[name.Text()] = k.kotlinType(c.Last(), true)
		}
	}
	list := n.Child("type_parameters")
	for p := list.First(); p.Exists(); p = p.Next() {
		name := p.Child("type_identifier").Text()
		if name == "" {
			continue
		}
		bound := k.declaredType(p)
		if bound == "" {
			bound = where[name]
		}
		if bound == "" {
			bound = "Object"
		}
		if bound != name {
			k.bindType(name, bound)
		}
	}
}

// imported returns the name to which an import alias refers.
func (k *kotlin) imported(name string) string {
	first, rest, nested := strings.Cut(name, ".")
	if original := k.aliases[first]; original != "" {
		if nested {
			return original + "." + rest
		}
		return original
	}
	return name
}

// unquote removes the backticks around a name.
func unquote(name string) string {
	if len(name) > 1 && name[0] == '`' && name[len(name)-1] == '`' {
		return name[1 : len(name)-1]
	}
	return name
}
