package outline

import (
	"path"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// A kotlin reads the syntax tree of a Kotlin file.
type kotlin struct {
	*builder
	// aliases maps the names defined by import aliases and type aliases to what they refer to.
	aliases map[string]string
	// path is the prefix of class names for lambdas in the current code. For example, it is Foo$bar
	// for a lambda class Foo$bar$1.
	path string
	// local is set inside functions and initializers.
	local bool
	// property is the last property that was read. Its accessors may follow.
	property int32
	// passedTo is the name of the function to which the next lambda is passed.
	passedTo string
	// passed is the type of the argument with which passedTo calls the lambda. It is empty if
	// unknown.
	passed string
	// subject is the variable that the current `when` tests.
	subject string
	// constants has the names of the file's constants that are in scope.
	constants map[string]bool
	// suspends is set if the next lambda is suspending.
	suspends bool
}

// suspending are functions of Kotlin's libraries that take a suspending lambda and are not inline.
var suspending = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`launch async withContext runBlocking coroutineScope supervisorScope withTimeout
		withTimeoutOrNull flow callbackFlow channelFlow produce actor collect collectLatest collectIndexed flatMapLatest
		flatMapConcat flatMapMerge mapLatest transformLatest transformWhile onStart onCompletion onEmpty retryWhen catch
		sequence iterator liveData runTest launchIn LaunchedEffect produceState repeatOnLifecycle launchWhenCreated
		launchWhenStarted launchWhenResumed withLifecycle invokeOnReceive onReceiveCatching runInterruptible`) {
		m[name] = true
	}
	return m
}()

func (k *kotlin) file(root syntaxtree.Node, name string) {
	k.typ, k.member, k.property = None, None, None
	k.aliases, k.constants = map[string]string{}, map[string]bool{}
	k.header(root)
	facade, multifile := facadeName(name), false
	for n := root.First(); n.Exists(); n = n.Next() {
		if n.Kind() == "file_annotation" {
			if jvm := jvmName(n); jvm != "" {
				facade = jvm
			}
			multifile = multifile || strings.Contains(brief(n), "JvmMultifileClass")
		}
	}
	if multifile {
		k.builder.file.Facade = facade
		facade += "__" + facadeName(name)
	}
	k.typ = k.addType(Type{Kind: Facade, Outer: None, Owner: None, Name: facade}, syntaxtree.Node{}, root)
	k.builder.file.Types[0].HeaderEndLine = 0
	k.path = facade
	k.propertiesInSight(root)
	k.children(root)
}

// header reads the package, the imports and the type aliases.
func (k *kotlin) header(root syntaxtree.Node) {
	for n := root.First(); n.Exists(); n = n.Next() {
		switch n.Kind() {
		case "package_header":
			k.builder.file.Package = dotted(n.Child("identifier"))
		case "import_list":
			for c := n.First(); c.Exists(); c = c.Next() {
				if c.Kind() != "import_header" {
					continue
				}
				i := Import{Name: k.intern(dotted(c.Child("identifier"))), Wildcard: c.Child("wildcard_import").Exists()}
				if alias := c.Child("import_alias"); alias.Exists() {
					i.Alias = k.intern(unquote(alias.Last().Text()))
					k.aliases[i.Alias] = simpleName(i.Name)
				}
				k.builder.file.Imports = append(k.builder.file.Imports, i)
			}
		}
	}
	for n := root.First(); n.Exists(); n = n.Next() {
		if n.Kind() == "type_alias" {
			name := unquote(n.Child("type_identifier").Text())
			if typ := k.suspended(k.kotlinType(n.Last(), false), n.Child("type_modifiers").Child("suspend").Exists()); typ != name {
				k.aliases[name] = typ
				k.builder.file.Aliases = append(k.builder.file.Aliases, Alias{k.intern(name), k.intern(typ)})
			}
		}
	}
}

// facadeName returns the name of the class that holds a file's top-level functions.
func facadeName(file string) string {
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".kts"), ".kt")
	var out strings.Builder
	for i, r := range base {
		switch letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7F; {
		case i == 0 && r >= 'a' && r <= 'z':
			r -= 'a' - 'A'
		case letter || i > 0 && r >= '0' && r <= '9':
		case i == 0 && r >= '0' && r <= '9':
			out.WriteByte('_')
		default:
			r = '_'
		}
		out.WriteRune(r)
	}
	return out.String() + "Kt"
}

// jvmName returns the name in a JvmName annotation below n, or "".
func jvmName(n syntaxtree.Node) string {
	for c := n.First(); c.Exists(); c = c.Next() {
		switch c.Kind() {
		case "constructor_invocation":
			if simpleName(c.Child("user_type").Text()) == "JvmName" {
				return c.Child("value_arguments").Child("value_argument").Child("string_literal").Child("string_content").Text()
			}
		case "annotation", "modifiers":
			if c.Child("use_site_target").Exists() && c.Child("use_site_target").First().Kind() != "file" {
				continue
			}
			if name := jvmName(c); name != "" {
				return name
			}
		}
	}
	return ""
}

// accessorName returns the name that an annotation gives to the getter or the setter of a property,
// or "".
func accessorName(n syntaxtree.Node, accessor string) string {
	modifiers := n.Child("modifiers")
	for c := modifiers.First(); c.Exists(); c = c.Next() {
		if c.Child("use_site_target").First().Kind() == accessor {
			if call := c.Child("constructor_invocation"); simpleName(call.Child("user_type").Text()) == "JvmName" {
				return call.Child("value_arguments").Child("value_argument").Child("string_literal").Child("string_content").Text()
			}
		}
	}
	return ""
}

// walk reads a declaration, a statement or an expression.
func (k *kotlin) walk(n syntaxtree.Node) {
	switch n.Kind() {
	case "class_declaration", "object_declaration", "companion_object":
		k.declaration(n)
	case "function_declaration":
		k.function(n)
	case "secondary_constructor":
		k.secondaryConstructor(n)
	case "anonymous_initializer":
		at := n.First()
		index := k.addMember(Member{Kind: Initializer}, at, n)
		k.within(index, k.path, func() { k.children(n) })
	case "property_declaration":
		k.propertyDeclaration(n)
	case "getter", "setter":
		k.accessor(n)
	case "enum_entry":
		k.enumEntry(n)
	case "lambda_literal", "anonymous_function":
		k.lambda(n)
	case "object_literal":
		k.object(n)
	case "call_expression":
		k.call(n)
	case "navigation_expression":
		k.navigation(n, Read)
	case "callable_reference":
		k.reference(n, n.Child("type_identifier", "user_type"), n.Last())
	case "assignment":
		k.assignment(n)
	case "simple_identifier":
		k.identifier(n, Read)
	case "interpolated_identifier":
		k.identifier(n, Read)
	case "string_literal":
		k.children(n)
		if !k.constant(n) {
			from := len(k.builder.file.Sites)
			k.concatenation(n, k.pieces(n))
			for i := range k.builder.file.Sites[from:] {
				k.builder.file.Sites[from+i].At = k.lines.place(n.Start(), n.Start()+1)
			}
		}
	case "for_statement":
		k.forStatement(n)
	case "catch_block":
		mark := len(k.scope)
		k.bind(n.Child("simple_identifier").Text(), k.declaredType(n))
		for c := n.First(); c.Exists(); c = c.Next() {
			if c.Kind() == "statements" {
				k.walk(c)
			}
		}
		k.scope = k.scope[:mark]
	case "when_subject":
		if v := n.Child("variable_declaration"); v.Exists() {
			k.walk(n.Last())
			k.subject = unquote(v.Child("simple_identifier").Text())
			k.bind(k.subject, k.receiver(n.Last()).typ)
		} else {
			if name := n.Child("simple_identifier"); name.Exists() {
				k.subject = unquote(name.Text())
			}
			k.children(n)
		}
	case "when_expression":
		mark, subject := len(k.scope), k.subject
		k.subject = ""
		k.children(n)
		k.scope, k.subject = k.scope[:mark], subject
	case "when_entry":
		mark := len(k.scope)
		if typ := k.tested(n); typ != "" {
			k.bind(k.subject, typ)
		}
		k.children(n)
		k.scope = k.scope[:mark]
	case "control_structure_body":
		mark := len(k.scope)
		k.children(n)
		k.scope = k.scope[:mark]
	case "infix_expression", "additive_expression", "multiplicative_expression", "range_expression",
		"comparison_expression", "equality_expression", "check_expression", "indexing_expression",
		"prefix_expression", "postfix_expression":
		k.operator(n)
	case "import_list", "package_header", "type_alias", "file_annotation", "modifiers", "annotation", "user_type",
		"type_parameters", "type_constraints", "type_arguments", "nullable_type", "function_type", "label",
		"type_test", "shebang_line":
	default:
		k.children(n)
	}
}

// tested returns the type that a branch of a `when` tests, such as Foo for `is Foo`. In the branch,
// the subject of the `when` has this type.
func (k *kotlin) tested(entry syntaxtree.Node) string {
	if _, known := k.lookup(k.subject, false); !known || k.subject == "" {
		return ""
	}
	typ := ""
	for c := entry.First(); c.Exists(); c = c.Next() {
		if c.Kind() != "when_condition" {
			continue
		}
		test := c.Child("type_test")
		if typ != "" || !test.Child("is").Exists() {
			return ""
		}
		typ = k.kotlinType(test.Last(), true)
	}
	return typ
}

func (k *kotlin) children(n syntaxtree.Node) {
	for c := n.First(); c.Exists(); c = c.Next() {
		k.walk(c)
	}
}

// within calls read to read the code of a member. path is the prefix of class names for lambdas in
// the code.
func (k *kotlin) within(member int32, path string, read func()) {
	oldMember, oldPath, oldLocal, oldProperty, mark := k.member, k.path, k.local, k.property, len(k.scope)
	inDefault := k.inDefault
	k.member, k.path, k.local, k.property, k.inDefault = member, bounded(path), true, None, false
	read()
	k.member, k.path, k.local, k.property, k.scope = oldMember, oldPath, oldLocal, oldProperty, k.scope[:mark]
	k.inDefault = inDefault
}

// enter calls read to read the inside of a type.
func (k *kotlin) enter(typ int32, read func()) {
	oldType, oldMember, oldPath, oldLocal, oldProperty, mark := k.typ, k.member, k.path, k.local, k.property, len(k.scope)
	k.typ, k.member, k.path, k.local, k.property = typ, None, k.builder.file.Types[typ].Name, false, None
	read()
	k.typ, k.member, k.path, k.local, k.property, k.scope = oldType, oldMember, oldPath, oldLocal, oldProperty, k.scope[:mark]
}

// propertiesInSight binds the properties of a type or a file. Code that reads a property of its own
// class does not call its getter.
func (k *kotlin) propertiesInSight(n syntaxtree.Node) {
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() != "property_declaration" || c.Child(".").Exists() {
			continue
		}
		v := c.Child("variable_declaration")
		if name := v.Child("simple_identifier"); name.Exists() {
			typ := k.declaredType(v)
			if typ == "" {
				typ = k.valueType(c)
			}
			k.bind(unquote(name.Text()), typ)
			if has(c, "const") {
				k.constants[unquote(name.Text())] = true
			}
		}
	}
}

// constantsInSight binds the constants of a class's companion object.
func (k *kotlin) constantsInSight(body syntaxtree.Node) {
	companion := body.Child("companion_object").Child("class_body")
	for c := companion.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "property_declaration" && has(c, "const") {
			v := c.Child("variable_declaration")
			name := unquote(v.Child("simple_identifier").Text())
			typ := k.declaredType(v)
			if typ == "" {
				typ = k.valueType(c)
			}
			k.bind(name, typ)
			k.constants[name] = true
		}
	}
}

// constant reports whether an expression is a compile-time constant.
func (k *kotlin) constant(n syntaxtree.Node) bool {
	switch n.Kind() {
	case "string_literal", "interpolated_expression":
		for c := n.First(); c.Exists(); c = c.Next() {
			if c.Named() && c.Kind() != "string_content" && !k.constant(c) {
				return false
			}
		}
		return true
	case "character_escape_seq", "integer_literal", "long_literal", "real_literal", "character_literal", "boolean_literal":
		return true
	case "simple_identifier", "interpolated_identifier":
		return k.constants[unquote(n.Text())]
	}
	return false
}

// valueType returns the type of a declaration's initial value, or "" if the source does not show
// it.
func (k *kotlin) valueType(n syntaxtree.Node) string {
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "=" {
			if r := k.receiver(c.Next()); !r.static {
				return r.typ
			}
		}
	}
	return ""
}

// has reports whether a declaration has the modifier word.
func has(n syntaxtree.Node, word string) bool {
	modifiers := n.Child("modifiers")
	for c := modifiers.First(); c.Exists(); c = c.Next() {
		if c.Kind() != "annotation" && c.Text() == word {
			return true
		}
	}
	return false
}

// annotated reports whether a declaration has an annotation called name.
func annotated(n syntaxtree.Node, name string) bool {
	modifiers := n.Child("modifiers")
	for c := modifiers.First(); c.Exists(); c = c.Next() {
		if c.Kind() == "annotation" && strings.Contains(c.Text(), name) {
			return true
		}
	}
	return false
}
