package outline

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/syntaxtree"
)

// arguments reads a call's arguments. Lambdas among them are passed to the called function.
func (k *kotlin) arguments(n syntaxtree.Node, function string) (args []argument, spread bool) {
	named := false
	for c := n.First(); c.Exists(); c = c.Next() {
		if c.Kind() != "value_argument" {
			continue
		}
		value := c.Last()
		if value.Kind() == "spread_expression" {
			spread = true
			value = value.Last()
		}
		named = named || c.Child("=").Exists()
		if len(args) < 256 {
			a := argument{}
			if !named {
				// From the first named argument on, the order may differ from the order of the
				// parameters.
				a = k.argument(value)
			}
			args = append(args, a)
		}
		if isFunction(value) {
			k.passedTo = function
		}
		k.walk(value)
		k.passedTo = ""
	}
	return args, spread
}

// isFunction reports whether an expression is a lambda, an anonymous function or a reference.
func isFunction(n syntaxtree.Node) bool {
	switch n.Kind() {
	case "lambda_literal", "anonymous_function", "callable_reference":
		return true
	case "navigation_expression":
		return n.Last().Child("::").Exists()
	}
	return false
}

// argument returns the kind and type of an argument.
func (k *kotlin) argument(n syntaxtree.Node) argument {
	switch n.Kind() {
	case "string_literal":
		return argument{kind: String}
	case "integer_literal", "hex_literal", "bin_literal":
		return argument{kind: Int}
	case "long_literal":
		return argument{kind: Long}
	case "real_literal":
		if text := n.Text(); strings.HasSuffix(text, "f") || strings.HasSuffix(text, "F") {
			return argument{Float, "float"}
		}
		return argument{Float, "double"}
	case "character_literal":
		return argument{kind: Char}
	case "boolean_literal", "comparison_expression", "equality_expression", "conjunction_expression", "disjunction_expression", "check_expression":
		return argument{kind: Bool}
	case "null", "null_literal":
		return argument{kind: Null}
	case "lambda_literal", "anonymous_function", "callable_reference":
		return argument{kind: Function}
	case "navigation_expression":
		if isResource(brief(n)) {
			return argument{kind: Int}
		}
	case "object_literal":
		return argument{kind: Instance}
	case "prefix_expression":
		switch n.First().Kind() {
		case "!":
			return argument{kind: Bool}
		case "-", "+", "++", "--":
			return k.argument(n.Last())
		}
	case "parenthesized_expression":
		return k.argument(n.First())
	case "additive_expression", "multiplicative_expression":
		return promoted(n, k.argument)
	}
	return argumentOf(k.receiver(n))
}

// receiver returns the type of an expression, as far as its text and the declarations in scope
// determine it.
func (k *kotlin) receiver(n syntaxtree.Node) receiver {
	switch n.Kind() {
	case "simple_identifier", "interpolated_identifier", "type_identifier", "user_type":
		name := unquote(n.Text())
		if typ, ok := k.lookup(name, false); ok && n.Kind() != "user_type" {
			return receiver{typ: typ}
		}
		if isTypeName(name) {
			return receiver{k.imported(name), true}
		}
		if n.Kind() == "simple_identifier" {
			return receiver{}.member(name)
		}
	case "this_expression":
		if n.Child("type_identifier").Exists() {
			return receiver{typ: n.Child("type_identifier").Text()}
		}
	case "super_expression":
		return receiver{typ: "super"}
	case "as_expression":
		return receiver{typ: k.kotlinType(n.Last(), true)}
	case "parenthesized_expression":
		return k.receiver(n.First())
	case "postfix_expression":
		if n.Last().Kind() == "!!" {
			return k.receiver(n.First())
		}
	case "string_literal":
		return receiver{typ: "String"}
	case "integer_literal", "hex_literal", "bin_literal":
		return receiver{typ: "int"}
	case "long_literal":
		return receiver{typ: "long"}
	case "real_literal", "boolean_literal", "character_literal":
		return receiver{typ: k.argument(n).primitive()}
	case "elvis_expression":
		return k.receiver(n.First())
	case "navigation_expression":
		last := n.Last().Last()
		if object := n.First(); object.Kind() == "this_expression" {
			typ, _ := k.lookup(unquote(last.Text()), false)
			return receiver{typ: typ}
		} else if name := dotted(n); isTypeName(name) && strings.ToUpper(simpleName(name)) != simpleName(name) && !strings.ContainsAny(name, "()?!") {
			return receiver{name, true}
		}
		if name := unquote(last.Text()); last.Kind() == "simple_identifier" {
			if r := k.receiver(n.First()); r.typ != "" {
				return r.member(name)
			}
			return usual(name)
		}
	case "call_expression":
		if r := k.constructed(n); r.typ != "" {
			return r
		}
		return k.returned(n)
	}
	return receiver{}
}

// returned returns the result type of the function that a call expression calls.
func (k *kotlin) returned(n syntaxtree.Node) receiver {
	callee := n.First()
	if callee.Kind() == "call_expression" {
		callee = callee.First()
	}
	switch callee.Kind() {
	case "simple_identifier":
		return receiver{}.member(unquote(callee.Text()) + "()")
	case "navigation_expression":
		name := unquote(callee.Last().Child("simple_identifier").Text()) + "()"
		if r := k.receiver(callee.First()); r.typ != "" {
			return r.member(name)
		}
		return usual(name)
	}
	return receiver{}
}

// typedFinders are functions whose result type is their type argument.
var typedFinders = []string{"findViewById", "requireViewById", "getSystemService", "findFragmentById", "findPreference"}

// constructed returns the type of a constructor call, or of a call of a typedFinder. It returns no
// type for other calls.
func (k *kotlin) constructed(n syntaxtree.Node) receiver {
	callee := n.First()
	suffix := n.Last()
	if callee.Kind() == "call_expression" && !suffix.Child("value_arguments").Exists() {
		// A trailing lambda after parentheses is a call node around the call.
		return k.constructed(callee)
	}
	name := callee
	if callee.Kind() == "navigation_expression" {
		name = callee.Last().Child("simple_identifier")
	}
	if slices.Contains(typedFinders, name.Text()) {
		if argument := suffix.Child("type_arguments").Child("type_projection"); argument.Exists() {
			return receiver{typ: k.kotlinType(argument, true)}
		}
	}
	if !isTypeName(name.Text()) {
		return receiver{}
	}
	if callee.Kind() == "navigation_expression" {
		if !k.receiver(callee.First()).static {
			return receiver{}
		}
		return receiver{typ: dotted(callee)}
	}
	return receiver{typ: k.imported(unquote(name.Text()))}
}

// call reads a call. A call with parentheses and a trailing lambda is two nodes of the tree.
func (k *kotlin) call(n syntaxtree.Node) {
	// Call chains are nested to the left. Listing them first avoids deep recursion.
	var chain []syntaxtree.Node
	at := n
	for {
		chain = append(chain, at)
		callee := at.First()
		if callee.Kind() == "call_expression" {
			at = callee
		} else if object := callee.First(); callee.Kind() == "navigation_expression" && object.Kind() == "call_expression" {
			at = object
		} else {
			break
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if i > 0 && chain[i-1].First().Kind() == "call_expression" && isTrailing(chain[i-1]) {
			// This call is read together with its trailing lambda, in the next step.
			continue
		}
		k.oneCall(chain[i])
	}
}

// isTrailing reports whether a call node has a trailing lambda but no parentheses.
func isTrailing(n syntaxtree.Node) bool {
	suffix := n.Last()
	return suffix.Child("annotated_lambda").Exists() && !suffix.Child("value_arguments").Exists()
}

// passesReceiver has the functions that pass their receiver to their lambda.
var passesReceiver = map[string]bool{"let": true, "also": true, "takeIf": true, "takeUnless": true, "use": true}

// oneCall reads a call. Calls in its receiver or callee have already been read.
func (k *kotlin) oneCall(n syntaxtree.Node) {
	callee := n.First()
	var suffixes []syntaxtree.Node
	if callee.Kind() == "call_expression" && isTrailing(n) {
		suffixes = append(suffixes, callee.Last())
		callee = callee.First()
	}
	suffixes = append(suffixes, n.Last())
	c := call{kind: Call, whole: n}
	switch callee.Kind() {
	case "simple_identifier":
		c.at = callee
	case "navigation_expression":
		object, suffix := callee.First(), callee.Last()
		if object.Kind() != "call_expression" {
			k.walk(object)
		}
		c.at = suffix.Child("simple_identifier")
		c.receiver = k.receiver(object)
	default:
		// This calls the value of an expression, so the call has no name.
		if callee.Kind() != "call_expression" {
			k.walk(callee)
		}
	}
	c.name = unquote(c.at.Text())
	if c.at == callee {
		c.name = k.imported(c.name)
	}
	for _, s := range suffixes {
		args, spread := k.arguments(s.Child("value_arguments"), c.name)
		c.args, c.spread = append(c.args, args...), c.spread || spread
		if lambda := s.Child("annotated_lambda"); lambda.Exists() {
			c.args = append(c.args, argument{kind: Function})
			k.passedTo, k.passed = c.name, ""
			if passesReceiver[c.name] && !c.receiver.static {
				k.passed = c.receiver.typ
			}
			k.children(lambda)
		}
	}
	k.passedTo = ""
	k.addSite(c)
	if sectionCalls[c.name] {
		for _, s := range suffixes {
			k.addSection(c, sectionText(s.Child("value_arguments").Child("value_argument").Last()))
		}
	}
	for _, name := range runs[c.name] {
		k.addSite(call{kind: Implied, at: c.at, name: name})
	}
}

// runs has the methods that Kotlin's inline functions call. For example, map calls iterator,
// hasNext, next and add. The compiler copies these calls into the caller.
var runs = func() map[string][]string {
	m := map[string][]string{
		"isNotEmpty": {"isEmpty"}, "getOrPut": {"get", "put"}, "use": {"close"}, "isNullOrEmpty": {"isEmpty", "length"},
	}
	for name := range strings.FieldsSeq(`forEach forEachIndexed any all none count first firstOrNull single singleOrNull find
		indexOfFirst sumOf sumBy maxOf minOf maxBy minBy maxByOrNull minByOrNull reduce fold`) {
		m[name] = []string{"iterator", "hasNext", "next"}
	}
	for name := range strings.FieldsSeq("map mapNotNull mapIndexed mapTo flatMap filter filterNot filterIsInstance filterTo filterNotNull partition") {
		m[name] = []string{"iterator", "hasNext", "next", "add"}
	}
	for name := range strings.FieldsSeq("associate associateBy associateWith groupBy") {
		m[name] = []string{"iterator", "hasNext", "next", "put"}
	}
	return m
}()

// navigation reads a property access on an object, or a reference to its method.
func (k *kotlin) navigation(n syntaxtree.Node, kind SiteKind, args ...argument) {
	var chain []syntaxtree.Node
	for n.Kind() == "navigation_expression" {
		chain = append(chain, n)
		n = n.First()
	}
	if brief(n) == "R" {
		// A resource ID is not a call.
		return
	}
	k.walk(n)
	for i := len(chain) - 1; i >= 0; i-- {
		suffix := chain[i].Last()
		name := suffix.Child("simple_identifier")
		if suffix.Child("::").Exists() {
			k.reference(chain[i], chain[i].First(), name)
			continue
		}
		site := call{kind: Read, at: name, name: unquote(name.Text()), receiver: k.receiver(chain[i].First())}
		if i == 0 {
			site.kind, site.args = kind, args
		}
		if name.Exists() && !isTypeName(site.name) {
			k.addSite(site)
		}
	}
}

func (k *kotlin) reference(whole, object, name syntaxtree.Node) {
	if name.Kind() != "simple_identifier" {
		return
	}
	c := call{kind: Ref, at: name, name: k.imported(unquote(name.Text())), receiver: k.receiver(object)}
	if k.member != None {
		index := k.addMember(Member{Kind: Reference, Path: k.path + "$" + k.nextNumber(k.path), PassedTo: k.passedTo}, name, whole)
		k.passedTo = ""
		k.within(index, k.path, func() { k.addSite(c) })
	}
}

// identifier reads an expression that is a single name. If the name is not a variable or a type, it
// is a property of an implicit receiver.
func (k *kotlin) identifier(n syntaxtree.Node, kind SiteKind, args ...argument) {
	name := unquote(n.Text())
	if _, ok := k.lookup(name, false); ok || isTypeName(name) {
		return
	}
	k.addSite(call{kind: kind, at: n, name: name, args: args})
}
