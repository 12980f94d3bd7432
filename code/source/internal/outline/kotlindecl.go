package outline

import (
	"cmp"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// declaration reads a class, an interface, an object or a companion object.
func (k *kotlin) declaration(n syntaxtree.Node) {
	name := n.Child("type_identifier")
	t := Type{Outer: k.typ, Owner: k.member, Local: k.local, Name: unquote(name.Text())}
	switch {
	case n.Kind() == "object_declaration":
		t.Kind = Object
	case n.Kind() == "companion_object":
		t.Kind = Companion
		if !name.Exists() {
			name = n.Child("companion")
			t.Name = "Companion"
		}
	case n.Child("enum").Exists():
		t.Kind = Enum
	case n.Child("interface").Exists():
		t.Kind = Interface
	case has(n, "annotation"):
		t.Kind = Annotation
	}
	t.Data = has(n, "data")
	t.Value = has(n, "value") || has(n, "inline")
	t.Inner = t.Local || has(n, "inner")
	if k.local || k.typ != 0 {
		t.Name = k.path + "$" + t.Name
	}
	mark := len(k.scope)
	k.typeParameters(n)
	k.supers(n, &t)
	index := k.addType(t, name, n)
	body := n.Child("class_body", "enum_class_body")
	if body.Exists() {
		k.builder.file.Types[index].HeaderEndLine, _ = k.lines.position(body.Start())
	}
	k.enter(index, func() {
		k.primaryConstructor(n, name, body)
		k.propertiesInSight(body)
		k.constantsInSight(body)
		k.children(body)
	})
	k.scope = k.scope[:mark]
}

// supers reads the supertypes. The superclass is the supertype whose constructor is called.
func (k *kotlin) supers(n syntaxtree.Node, t *Type) {
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() != "delegation_specifier" {
			continue
		}
		switch s := c.First(); s.Kind() {
		case "constructor_invocation":
			t.Super = k.kotlinType(s.Child("user_type"), true)
		case "explicit_delegation":
			t.Interfaces = append(t.Interfaces, k.kotlinType(s.First(), true))
		case "user_type":
			t.Interfaces = append(t.Interfaces, k.kotlinType(s, true))
		}
	}
}

// primaryConstructor adds the constructor of a class header, which calls the superclass
// constructor. It also adds the implicit constructor of a class that declares none.
func (k *kotlin) primaryConstructor(n, name, body syntaxtree.Node) {
	kind := k.builder.file.Types[k.typ].Kind
	if kind == Interface || kind == Annotation {
		return
	}
	whole := n.Child("primary_constructor")
	if !whole.Exists() {
		if body.Child("secondary_constructor").Exists() {
			return
		}
		whole = name
	}
	m := Member{Kind: Constructor, Primary: true, Name: "<init>", Overloads: annotated(whole, "JvmOverloads")}
	type property struct {
		name, whole syntaxtree.Node
		typ         string
	}
	var properties []property
	for p := whole.First(); p.Exists(); p = p.Next() {
		if p.Kind() != "class_parameter" {
			continue
		}
		id := p.Child("simple_identifier")
		typ := k.declaredType(p)
		if has(p, "vararg") || p.Child("vararg").Exists() {
			typ, m.Varargs = k.intern(typ+"[]"), true
		}
		m.Params = append(m.Params, typ)
		if p.Child("=").Exists() {
			m.Defaults++
		}
		k.bind(unquote(id.Text()), typ)
		if p.Child("binding_pattern_kind").Exists() {
			properties = append(properties, property{id, p, typ})
		}
	}
	index := k.addMember(m, name, whole)
	k.within(index, k.path, func() {
		for p := whole.First(); p.Exists(); p = p.Next() {
			k.defaultValues(p)
		}
		for c := n.First(); c.Exists(); c = c.Next() {
			if s := c.First(); c.Kind() == "delegation_specifier" {
				k.superCall(s)
			}
		}
	})
	for _, p := range properties {
		k.addMember(Member{Kind: Property, Name: unquote(p.name.Text()), Result: p.typ,
			JVM: accessorName(p.whole, "get"), JVMSetter: accessorName(p.whole, "set")}, p.name, p.whole)
	}
}

// defaultValues reads the default values in a parameter or a parameter list.
func (k *kotlin) defaultValues(parameter syntaxtree.Node) {
	k.inDefault = true
	for c := parameter.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "=" {
			k.walk(c.Next())
		}
	}
	k.inDefault = false
}

// superCall reads the call of the superclass constructor.
func (k *kotlin) superCall(n syntaxtree.Node) {
	switch n.Kind() {
	case "constructor_invocation":
		typ := n.Child("user_type")
		var at syntaxtree.Node
		for c := typ.First(); c.Exists(); c = c.Next() {
			if c.Kind() == "type_identifier" {
				at = c
			}
		}
		args, spread := k.arguments(n.Child("value_arguments"), "")
		k.addSite(call{kind: Super, at: at, whole: n, name: "super", receiver: receiver{typ: k.kotlinType(typ, true)}, args: args, spread: spread})
	case "explicit_delegation":
		k.walk(n.Last())
	}
}

// parameters reads a function's parameters and brings them into scope.
func (k *kotlin) parameters(n syntaxtree.Node, m *Member) {
	vararg := false
	for p := n.First(); p.Exists(); p = p.Next() {
		switch p.Kind() {
		case "parameter_modifiers":
			for c := p.First(); c.Exists(); c = c.Next() {
				vararg = vararg || c.Text() == "vararg"
				m.Crossinline = m.Crossinline || c.Text() == "crossinline"
			}
		case "parameter", "parameter_with_optional_type":
			typ := k.declaredType(p)
			if vararg {
				typ, m.Varargs, vararg = k.intern(typ+"[]"), true, false
			}
			m.Params = append(m.Params, typ)
			k.bind(unquote(p.Child("simple_identifier").Text()), typ)
		case "=":
			m.Defaults++
		}
	}
}

func (k *kotlin) function(n syntaxtree.Node) {
	name := n.Child("simple_identifier")
	if !name.Exists() {
		k.children(n)
		return
	}
	mark := len(k.scope)
	k.typeParameters(n)
	m := Member{
		Kind: Method, Name: unquote(name.Text()), JVM: jvmName(n), Local: k.local,
		Suspend: has(n, "suspend"), Inline: has(n, "inline"), Result: k.declaredType(n),
		Static:    k.builder.file.Types[k.typ].Kind == Facade || annotated(n, "JvmStatic"),
		Overloads: annotated(n, "JvmOverloads"),
	}
	body := n.Child("function_body")
	if m.Result == "" && !body.Child("=").Exists() || m.Result == "Unit" {
		m.Result = "void"
	}
	for c := n.First(); c.Exists() && c.Start() < name.Start(); c = c.Next() {
		switch c.Kind() {
		case "user_type", "nullable_type", "parenthesized_type", "function_type", "type_identifier":
			m.Params = append(m.Params, k.suspended(k.kotlinType(c, false), strings.HasPrefix(brief(c), "(suspend ")))
		}
	}
	m.Extension = len(m.Params) > 0
	parameters := n.Child("function_value_parameters")
	k.parameters(parameters, &m)
	if m.Result == "" {
		m.Inferred = k.valueType(body)
	}
	m.Abstract = !body.Exists()
	index := k.addMember(m, name, n)
	k.within(index, k.path+"$"+m.Name, func() {
		if m.Suspend && !m.Abstract {
			// kotlinc reserves the first number for the class with the function's state, even if
			// the function needs no such class.
			k.nextNumber(k.path)
		}
		k.defaultValues(parameters)
		k.children(body)
	})
	k.scope = k.scope[:mark]
}

func (k *kotlin) secondaryConstructor(n syntaxtree.Node) {
	m := Member{Kind: Constructor, Name: "<init>", Overloads: annotated(n, "JvmOverloads")}
	mark := len(k.scope)
	parameters := n.Child("function_value_parameters")
	k.parameters(parameters, &m)
	index := k.addMember(m, n.Child("constructor"), n)
	k.within(index, k.path, func() {
		k.defaultValues(parameters)
		if d := n.Child("constructor_delegation_call"); d.Exists() {
			at := d.Child("this", "super")
			t := &k.builder.file.Types[k.typ]
			c := call{kind: Super, at: at, whole: d, name: at.Text(), receiver: receiver{typ: simpleName(t.Name)}}
			if at.Text() == "super" {
				if c.receiver.typ = t.Super; t.Super == "" && len(t.Interfaces) > 0 {
					c.receiver.typ = t.Interfaces[0]
				}
			}
			c.args, c.spread = k.arguments(d.Child("value_arguments"), "")
			k.addSite(c)
		}
		for c := n.First(); c.Exists(); c = c.Next() {
			if c.Kind() == "statements" {
				k.walk(c)
			}
		}
	})
	k.scope = k.scope[:mark]
}

// propertyDeclaration reads a property of a type or of the file, or a local variable.
func (k *kotlin) propertyDeclaration(n syntaxtree.Node) {
	v := n.Child("variable_declaration")
	if !v.Exists() {
		k.destructured(n)
		return
	}
	id := v.Child("simple_identifier")
	name := unquote(id.Text())
	typ := k.declaredType(v)
	var value syntaxtree.Node
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "=" {
			value = c.Next()
		}
	}
	delegate := n.Child("property_delegate")
	if typ == "" {
		typ = k.valueType(n)
	}
	k.suspends = v.Child("type_modifiers").Child("suspend").Exists() && (value.Kind() == "lambda_literal" || value.Kind() == "anonymous_function")
	if k.local {
		oldPath := k.path
		k.path = bounded(k.path + "$" + name)
		if delegate.Exists() {
			k.nextNumber(k.path)
		}
		k.walk(value)
		k.children(delegate)
		k.path = oldPath
		if delegate.Exists() {
			k.accessors(n, id)
		}
		k.bind(name, typ)
		return
	}
	m := Member{Kind: Property, Name: name, Result: typ, Delegated: delegate.Exists(), Field: value.Exists() || delegate.Exists()}
	m.JVM, m.JVMSetter = accessorName(n, "get"), accessorName(n, "set")
	m.Static = k.builder.file.Types[k.typ].Kind == Facade
	if n.Child(".").Exists() {
		for c := n.First(); c.Kind() != "."; c = c.Next() {
			if c.Kind() != "modifiers" && c.Kind() != "binding_pattern_kind" && c.Kind() != "type_parameters" {
				m.Params = append(m.Params, k.kotlinType(c, false))
			}
		}
	}
	m.Extension = len(m.Params) > 0
	index := k.addMember(m, id, n)
	k.within(index, k.path+"$"+name, func() {
		if m.Delegated {
			// kotlinc reserves a number for a class of the property.
			k.nextNumber(k.path)
		}
		k.walk(value)
		k.children(delegate)
	})
	k.property = index
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "getter" || c.Kind() == "setter" {
			k.accessor(c)
		}
	}
}

// accessors adds the methods that read and write a delegated local variable.
func (k *kotlin) accessors(n, name syntaxtree.Node) {
	k.addMember(Member{Kind: Reference, Counted: true}, name, n)
	if n.Child("binding_pattern_kind").Text() == "var" {
		k.addMember(Member{Kind: Reference, Counted: true}, name, n)
	}
}

// destructured reads a declaration that destructures a value into several variables.
func (k *kotlin) destructured(n syntaxtree.Node) {
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "=" {
			k.walk(c.Next())
		}
	}
	names := n.Child("multi_variable_declaration")
	for c := names.First(); c.Exists(); c = c.Next() {
		k.bind(unquote(c.Child("simple_identifier").Text()), k.declaredType(c))
	}
}

// accessor reads a getter or a setter of the property that was read last.
func (k *kotlin) accessor(n syntaxtree.Node) {
	if k.property == None {
		k.children(n)
		return
	}
	p := k.builder.file.Members[k.property]
	m := Member{Kind: Getter, Name: p.Name, JVM: cmp.Or(jvmName(n), p.JVM), Static: p.Static, Extension: p.Extension, Result: p.Result, Params: p.Params}
	at := n.Child("get", "set")
	mark := len(k.scope)
	if n.Kind() == "setter" {
		m.Kind, m.Result, m.JVM = Setter, "void", cmp.Or(jvmName(n), p.JVMSetter)
		m.Params = append(p.Params[:len(p.Params):len(p.Params)], p.Result)
		id := n.Child("parameter_with_optional_type", "parameter").Child("simple_identifier")
		k.bind(unquote(id.Text()), p.Result)
	}
	k.bind("field", p.Result)
	body := n.Child("function_body")
	property := k.property
	m.Abstract = !body.Exists()
	index := k.addMember(m, at, n)
	k.within(index, k.path+"$"+p.Name, func() { k.children(body) })
	k.property, k.scope = property, k.scope[:mark]
}

func (k *kotlin) enumEntry(n syntaxtree.Node) {
	name := n.Child("simple_identifier")
	index := k.addMember(Member{Kind: Initializer, Field: true, Static: true, Name: unquote(name.Text())}, name, n)
	enum, body := k.builder.file.Types[k.typ].Name, n.Child("class_body")
	path := k.path
	if body.Exists() {
		path = enum + "$" + unquote(name.Text())
	}
	k.within(index, path, func() {
		args, spread := k.arguments(n.Child("value_arguments"), "")
		k.addSite(call{kind: New, at: name, whole: n, name: simpleName(enum), args: args, spread: spread})
		if body.Exists() {
			k.typeBody(Type{Kind: Anonymous, Inner: true, Local: true, Outer: k.typ, Owner: index, Super: enum, Name: path}, name, n, body)
		}
	})
}

// typeBody adds an anonymous type and reads its body.
func (k *kotlin) typeBody(t Type, name, whole, body syntaxtree.Node) {
	index := k.addType(t, name, whole)
	k.enter(index, func() {
		k.propertiesInSight(body)
		k.children(body)
	})
}

// object reads an anonymous object.
func (k *kotlin) object(n syntaxtree.Node) {
	t := Type{Kind: Anonymous, Inner: true, Local: true, Outer: k.typ, Owner: k.member}
	t.Name = k.path + "$" + k.nextNumber(k.path)
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "delegation_specifier" {
			k.superCall(c.First())
		}
	}
	k.supers(n, &t)
	k.typeBody(t, n.Child("object"), n, n.Child("class_body"))
}

// lambda reads a lambda or an anonymous function.
func (k *kotlin) lambda(n syntaxtree.Node) {
	passedTo, passed := k.passedTo, k.passed
	k.passedTo, k.passed = "", ""
	mark := len(k.scope)
	m := Member{Kind: Lambda, PassedTo: passedTo, Path: k.path + "$" + k.nextNumber(k.path), Suspend: k.suspends || suspending[passedTo]}
	k.suspends = false
	if n.Kind() == "anonymous_function" {
		k.parameters(n.Child("function_value_parameters"), &m)
	} else {
		parameters := n.Child("lambda_parameters")
		for p := parameters.First(); p.Exists(); p = p.Next() {
			switch p.Kind() {
			case "variable_declaration":
				typ := k.declaredType(p)
				m.Params = append(m.Params, typ)
				k.bind(unquote(p.Child("simple_identifier").Text()), cmp.Or(typ, passed))
			case "multi_variable_declaration":
				m.Params = append(m.Params, "")
				for v := p.First(); v.Exists(); v = v.Next() {
					k.bind(unquote(v.Child("simple_identifier").Text()), "")
				}
			}
		}
		if !parameters.Exists() {
			k.bind("it", passed)
		}
	}
	m.First = k.firstLine(n.Child("statements", "function_body"), true)
	index := k.addMember(m, n, n)
	// A lambda has no name. Its brace or its keyword serves as its name.
	k.builder.file.Members[index].At = k.lines.place(n.Start(), min(n.Start()+1, n.End()))
	if fun := n.Child("fun"); fun.Exists() {
		k.builder.file.Members[index].At = k.place(fun)
	}
	k.within(index, m.Path, func() {
		for c := n.First(); c.Exists(); c = c.Next() {
			if c.Kind() == "statements" || c.Kind() == "function_body" {
				k.children(c)
			}
		}
	})
	k.scope = k.scope[:mark]
}
