package outline

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// enter calls body to read the inside of a type. Members that body adds belong to the type.
func (j *java) enter(typ int32, body func()) {
	oldType, oldMember, mark := j.typ, j.member, len(j.scope)
	j.typ, j.member = typ, None
	body()
	j.typ, j.member, j.scope = oldType, oldMember, j.scope[:mark]
}

func (j *java) declaredType(n syntaxtree.Node) {
	name := n.ByField("name")
	kind, _ := javaTypeKind(n.Kind())
	t := Type{Kind: kind, Outer: j.typ, Owner: j.member, Name: name.Text()}
	nested := false
	if j.typ != None {
		outer := &j.builder.file.Types[j.typ]
		nested = true
		if j.member != None {
			t.Local = true
			t.Name = outer.Name + "$" + j.nextNumber(outer.Name+"$#"+t.Name) + t.Name
		} else {
			t.Name = outer.Name + "$" + t.Name
		}
		nested = nested && outer.Kind != Interface && outer.Kind != Annotation
	}
	t.Inner = nested && kind == Class && (t.Local || !hasModifier(n, "static"))
	mark := len(j.scope)
	j.typeParameters(n.ByField("type_parameters"))
	if s := n.ByField("superclass"); s.Exists() {
		t.Super = j.javaType(s.Last())
	}
	for _, list := range []syntaxtree.Node{n.ByField("interfaces"), n.Child("extends_interfaces")} {
		types := list.Child("type_list", "interface_type_list")
		for c := types.First(); c.Exists(); c = c.Next() {
			if c.Named() {
				t.Interfaces = append(t.Interfaces, j.javaType(c))
			}
		}
	}
	index := j.addType(t, name, n)
	body := n.ByField("body")
	if body.Exists() {
		j.builder.file.Types[index].HeaderEndLine, _ = j.lines.position(body.Start())
	}
	j.enter(index, func() {
		if kind == Record {
			j.record(n)
		}
		j.body(body)
	})
	j.scope = j.scope[:mark]
}

// record adds a record's components, and its implicit constructor if it declares none.
func (j *java) record(n syntaxtree.Node) {
	parameters := n.ByField("parameters")
	types, varargs := j.params(parameters)
	i := 0
	for p := parameters.First(); p.Exists(); p = p.Next() {
		name := p.ByField("name")
		if p.Kind() == "spread_parameter" {
			name = p.Child("variable_declarator").ByField("name")
		}
		if name.Exists() && i < len(types) {
			j.addMember(Member{Kind: Property, Name: name.Text(), Result: types[i]}, name, p)
			i++
		}
	}
	j.components, j.componentVarargs = types, varargs
	for c := n.ByField("body").First(); c.Exists(); c = c.Next() {
		if c.Kind() == "compact_constructor_declaration" {
			return
		}
		if c.Kind() == "constructor_declaration" {
			mark := len(j.scope)
			own, _ := j.params(c.ByField("parameters"))
			j.scope = j.scope[:mark]
			if slices.Equal(own, types) {
				return
			}
		}
	}
	j.addMember(Member{Kind: Constructor, Primary: true, Name: "<init>", Params: types, Varargs: varargs},
		n.ByField("name"), parameters)
}

// body reads a type's members. In each member, all fields of the type are in scope, even those
// declared later.
func (j *java) body(n syntaxtree.Node) {
	j.fieldsInSight(n)
	for c := n.First(); c.Exists(); c = c.Next() {
		switch c.Kind() {
		case "block":
			j.initializer(c, false)
		case "enum_body_declarations":
			j.body(c)
		default:
			j.walk(c)
		}
	}
}

func (j *java) fieldsInSight(n syntaxtree.Node) {
	for c := n.First(); c.Exists(); c = c.Next() {
		switch c.Kind() {
		case "field_declaration", "constant_declaration":
			typ := c.ByField("type")
			for d := c.First(); d.Exists(); d = d.Next() {
				if d.Kind() == "variable_declarator" {
					j.bind(d.ByField("name").Text(), j.intern(j.javaType(typ)+brackets(d.ByField("dimensions"))))
				}
			}
		}
	}
}

// within calls read to read the code of a member.
func (j *java) within(member int32, read func()) {
	old, mark := j.member, len(j.scope)
	j.member = member
	read()
	j.member, j.scope = old, j.scope[:mark]
}

func (j *java) method(n syntaxtree.Node, kind MemberKind) {
	if j.typ == None {
		j.children(n)
		return
	}
	mark := len(j.scope)
	j.typeParameters(n.ByField("type_parameters"))
	name := n.ByField("name")
	m := Member{Kind: kind, Name: name.Text(), Static: hasModifier(n, "static")}
	m.Params, m.Varargs = j.params(n.ByField("parameters"))
	if kind == Constructor {
		m.Name = "<init>"
	} else {
		m.Result = j.javaType(n.ByField("type")) + brackets(n.ByField("dimensions"))
	}
	if n.Kind() == "compact_constructor_declaration" {
		m.Params, m.Varargs = j.components, j.componentVarargs
	}
	body := n.ByField("body")
	m.Abstract = !body.Exists()
	index := j.addMember(m, name, n)
	j.within(index, func() { j.walk(body) })
	j.scope = j.scope[:mark]
}

func (j *java) initializer(n syntaxtree.Node, static bool) {
	if j.typ == None {
		j.children(n)
		return
	}
	at := n.First()
	if !static {
		at = n
	}
	index := j.addMember(Member{Kind: Initializer, Static: static}, at, n)
	if !static {
		// An initializer block has no name. Its opening brace serves as its name.
		j.builder.file.Members[index].At = j.lines.place(n.Start(), n.Start()+1)
	}
	j.within(index, func() { j.children(n) })
}

func (j *java) fields(n syntaxtree.Node) {
	if j.typ == None {
		j.children(n)
		return
	}
	kind := j.builder.file.Types[j.typ].Kind
	static := hasModifier(n, "static") || kind == Interface || kind == Annotation
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() != "variable_declarator" {
			continue
		}
		name, value := c.ByField("name"), c.ByField("value")
		typ := j.javaType(n.ByField("type")) + brackets(c.ByField("dimensions"))
		if !value.Exists() {
			j.addMember(Member{Kind: Property, Static: static, Name: name.Text(), Result: typ}, name, c)
			continue
		}
		index := j.addMember(Member{Kind: Initializer, Field: true, Static: static, Name: name.Text(), Result: typ}, name, n)
		j.within(index, func() { j.walk(value) })
	}
}

func (j *java) enumConstant(n syntaxtree.Node) {
	if j.typ == None {
		j.children(n)
		return
	}
	name := n.ByField("name")
	index := j.addMember(Member{Kind: Initializer, Field: true, Static: true, Name: name.Text()}, name, n)
	j.within(index, func() {
		arguments := n.ByField("arguments")
		j.addSite(call{kind: New, at: name, whole: n, name: simpleName(j.builder.file.Types[j.typ].Name), args: j.arguments(arguments)})
		if body := n.ByField("body"); body.Exists() {
			j.anonymous(name, n, body, j.builder.file.Types[j.typ].Name)
		}
	})
}

// simpleName returns the last part of a dotted or binary name.
func simpleName(s string) string { return s[strings.LastIndexAny(s, ".$")+1:] }

// anonymous adds an anonymous class and reads its body.
func (j *java) anonymous(name, whole, body syntaxtree.Node, super string) {
	outer := j.builder.file.Types[j.typ].Name
	t := Type{
		Kind: Anonymous, Inner: true, Local: true, Outer: j.typ, Owner: j.member,
		Name: outer + "$" + j.nextNumber(outer+"$#"), Super: super,
	}
	index := j.addType(t, name, whole)
	j.builder.file.Types[index].HeaderEndLine, _ = j.lines.position(body.Start())
	j.enter(index, func() { j.body(body) })
}

func (j *java) lambda(n syntaxtree.Node) {
	if j.typ == None || j.member == None {
		j.children(n)
		return
	}
	mark := len(j.scope)
	body := n.ByField("body")
	m := Member{Kind: Lambda, First: j.firstLine(body, body.Kind() == "block")}
	parameters := n.ByField("parameters")
	if parameters.Kind() == "identifier" {
		m.Params = []string{""}
		j.bind(parameters.Text(), "")
	} else {
		m.Params, m.Varargs = j.params(parameters)
	}
	index := j.addMember(m, n.Child("->"), n)
	j.within(index, func() { j.walk(body) })
	j.scope = j.scope[:mark]
}
