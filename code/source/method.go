package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// method finds a method of the query's type by its name. For a method that the compiler generated,
// it finds the code from which the method was generated.
func (q *query) method(name string, sig signature) []match {
	if q.synthetic == syntheticOther {
		return q.wholeType(Enclosing)
	}
	if q.synthetic == syntheticHolder && sig.known && len(sig.params) > 0 {
		// For a method that was not static, the first parameter is the instance.
		without := sig
		without.params = sig.params[1:]
		if lastName(sig.params[0]) == lastName(q.Types[q.typ].Name) {
			sig = without
		}
	}
	switch name {
	case "":
		return q.wholeType(Exact)
	case "<init>":
		return q.constructor(sig)
	case "<clinit>":
		return q.staticInitializer()
	}
	if own := q.own(name, sig); len(own) > 0 {
		return own
	}
	if implicit := q.implicit(name); len(implicit) > 0 {
		return implicit
	}
	synthetic, ok := parseSynthetic(name)
	if !ok {
		if q.line > 0 && !q.fileNewer && q.typeHeader().HasLine(q.line) {
			// The compiler gives the line of the class to methods that implement delegation, and to
			// copies of inherited methods.
			return q.wholeType(Generated)
		}
		return nil
	}
	switch synthetic.kind {
	case unknownMethod:
		return q.wholeType(Enclosing)
	case lambdaMethod:
		return q.lambda(synthetic, sig, outline.Home{Type: q.typ, Lambda: outline.None})
	case accessMethod:
		return q.field(synthetic.base)
	}
	return q.stub(name, synthetic, sig)
}

// field finds a field or property of the type or of its companion object.
func (q *query) field(name string) []match {
	accept := func(m *outline.Member) bool {
		return m.Name == name && (m.Kind == outline.Property || m.Kind == outline.Initializer)
	}
	if own := q.members(accept); len(own) > 0 {
		return generated(q.bestFit(own[:1], signature{}, nil))
	}
	for i := range q.Types {
		if t := &q.Types[i]; t.Outer == q.typ && t.Kind == outline.Companion {
			companion := *q
			companion.typ = int32(i)
			if own := companion.members(accept); len(own) > 0 {
				return generated(companion.bestFit(own[:1], signature{}, nil))
			}
		}
	}
	return nil
}

// generated changes exact answers to answers for compiler-generated methods.
func generated(answers []match) []match {
	for i := range answers {
		answers[i].code = noCode
		if answers[i].reason == Exact || answers[i].reason == Mismatch {
			answers[i].reason = Generated
		}
	}
	return answers
}

// withDefaults does the same as generated, for methods that insert default values of parameters.
func withDefaults(answers []match) []match {
	answers = generated(answers)
	for i := range answers {
		answers[i].code = defaultCode
	}
	return answers
}

// own finds a method that the source declares: by its name, as an accessor of a property, or in the
// companion object.
func (q *query) own(name string, sig signature) []match {
	candidates := q.members(func(m *outline.Member) bool { return q.declares(m, name) })
	// Prefer a declared accessor over its property.
	if accessors := slices.DeleteFunc(slices.Clone(candidates), func(c int32) bool {
		return q.Members[c].Kind == outline.Property
	}); len(accessors) > 0 {
		candidates = accessors
	}
	if answers := q.bestFit(candidates, sig, q.fitMethod); len(answers) > 0 {
		return answers
	}
	for i := range q.Types {
		if t := &q.Types[i]; t.Outer == q.typ && t.Kind == outline.Companion {
			companion := *q
			companion.typ = int32(i)
			return companion.bestFit(companion.members(func(m *outline.Member) bool { return q.declares(m, name) }), sig, q.fitMethod)
		}
	}
	return nil
}

// declares reports whether the compiled method of a member has the given name.
func (q *query) declares(m *outline.Member, name string) bool {
	if m.JVM != "" && (m.JVM == name || m.Kind != outline.Property) {
		return m.JVM == name
	}
	if m.JVMSetter != "" && m.JVMSetter == name {
		return true
	}
	switch m.Kind {
	case outline.Method:
		return m.Name == name
	case outline.Getter:
		return isAccessor(name, m.Name, false)
	case outline.Setter:
		return isAccessor(name, m.Name, true)
	case outline.Property:
		if !q.Kotlin {
			return m.Name == name && q.Types[m.Type].Kind == outline.Record
		}
		return isAccessor(name, m.Name, false) || isAccessor(name, m.Name, true)
	}
	return false
}

// fitMethod returns how badly a method fits a descriptor. 0 is an exact match, and -1 means that
// the method cannot have the descriptor.
func (q *query) fitMethod(m *outline.Member, sig signature) int {
	params := m.Params
	switch {
	case m.Suspend:
		params = append(params[:len(params):len(params)], "Continuation")
	case m.Kind == outline.Property && len(sig.params) == len(params)+1 && sig.result == "void":
		params = append(params[:len(params):len(params)], m.Result)
	}
	n := q.index.mismatches(params, sig.params)
	if n < 0 && (m.Overloads || len(sig.params) == 0) && m.Defaults > 0 && len(sig.params) < len(params) && len(sig.params) >= len(params)-m.Defaults {
		// The compiler generates this overload without the last parameters with default values.
		return len(params) - len(sig.params)
	}
	if n >= 0 && !m.Suspend && m.Result != "" && sig.result != "" && !q.index.sameAliasedType(m.Result, sig.result) {
		// A bridge may have the same parameters as its method. Then its result type differs.
		return 2*n + 1
	}
	return 2 * n
}

// fitConstructor does the same as fitMethod, for constructors. They have parameters that are not in
// the source: an outer instance, an enum constant's name and ordinal, and captured variables.
func (q *query) fitConstructor(m *outline.Member, sig signature) int {
	t := &q.Types[q.typ]
	params := sig.params
	if t.Kind == outline.Enum && len(params) >= 2 && params[0] == "java.lang.String" && params[1] == "int" {
		if n := q.fitMethod(m, signature{params: params[2:], known: true}); n >= 0 {
			return n
		}
	}
	plain := q.fitMethod(m, signature{params: params, known: true})
	if t.Inner && len(params) > 0 && t.Outer != outline.None && sameType(q.Types[t.Outer].Name, params[0]) {
		if n := q.fitMethod(m, signature{params: params[1:], known: true}); n >= 0 && (plain < 0 || n <= plain) {
			return n
		}
		params = params[1:]
	}
	if plain < 0 && (t.Local || len(params) > len(m.Params)) && len(params) >= len(m.Params) {
		// The last parameters are captured variables, or a type that only distinguishes
		// constructors.
		if n := q.index.mismatches(m.Params, params[:len(m.Params)]); n >= 0 {
			return 2*n + len(params) - len(m.Params)
		}
	}
	return plain
}

func (q *query) constructor(sig signature) []match {
	constructors := q.members(func(m *outline.Member) bool { return m.Kind == outline.Constructor })
	if len(constructors) == 0 {
		// The implicit constructor runs the initializers.
		answers := q.wholeType(Generated)
		answers[0].code = ownCode
		return answers
	}
	defaults := false
	if n := len(sig.params); n >= 2 && strings.HasSuffix(sig.params[n-1], "DefaultConstructorMarker") {
		// Kotlin adds parameters to a constructor with default values: bit masks, each for 32
		// parameters, and then the marker.
		for sig.params = sig.params[:n-1]; len(sig.params) > 0 && sig.params[len(sig.params)-1] == "int"; {
			sig.params = sig.params[:len(sig.params)-1]
			defaults = true
			if slices.ContainsFunc(constructors, func(c int32) bool { return len(q.Members[c].Params) == len(sig.params) }) {
				break
			}
		}
	}
	answers := q.bestFit(constructors, sig, q.fitConstructor)
	if defaults {
		return withDefaults(answers)
	}
	return answers
}

// initializers returns the initializers of a type, and its fields and properties with values.
func (q *query) initializers(static bool) []int32 {
	return q.members(func(m *outline.Member) bool {
		return m.Parent == outline.None && m.Static == static && (m.Kind == outline.Initializer || m.Kind == outline.Property && m.Field)
	})
}

// staticInitializers returns the members that a type's <clinit> runs.
func (q *query) staticInitializers() []int32 {
	all := q.initializers(true)
	if !q.Kotlin {
		return all
	}
	if q.Types[q.typ].Kind == outline.Object {
		all = append(all, q.initializers(false)...)
	}
	for i := range q.Types {
		if t := &q.Types[i]; t.Outer == q.typ && t.Kind == outline.Companion {
			companion := *q
			companion.typ = int32(i)
			all = append(all, companion.initializers(false)...)
		}
	}
	return all
}

func (q *query) staticInitializer() []match {
	all := q.staticInitializers()
	if len(all) == 0 {
		return q.wholeType(Generated)
	}
	if q.line > 0 && !q.fileNewer {
		for _, m := range all {
			if q.Members[m].Extent.HasLine(q.line) {
				h := q.at(m, Exact)
				h.also = all
				return []match{h}
			}
		}
		if q.Types[q.typ].Extent.HasLine(q.line) {
			// The line of a Kotlin object belongs to the code that creates its instance. The line
			// of an enum belongs to the code that collects its constants.
			answers := q.wholeType(Generated)
			answers[0].also, answers[0].code = all, ownCode
			return answers
		}
	}
	h := q.at(all[0], Exact)
	h.also = all
	return []match{h}
}

// implicit finds methods that an enum, a record or a data class has without declaring them.
func (q *query) implicit(name string) []match {
	t := &q.Types[q.typ]
	switch {
	case t.Kind == outline.Enum && slices.Contains([]string{"values", "valueOf", "$values", "getEntries", "ordinal", "name"}, name),
		t.Kind == outline.Record && slices.Contains([]string{"toString", "hashCode", "equals"}, name),
		t.Data && slices.Contains([]string{"toString", "hashCode", "equals", "copy", "copy$default"}, name):
		return q.wholeType(Generated)
	case t.Data && strings.HasPrefix(name, "component"):
		n, err := strconv.Atoi(name[len("component"):])
		properties := q.members(func(m *outline.Member) bool { return m.Kind == outline.Property && m.Parent == outline.None })
		if err == nil && n > 0 && n <= len(properties) {
			return generated([]match{q.at(properties[n-1], Exact)})
		}
	case q.Kotlin && (name == "box-impl" || name == "unbox-impl" || name == "constructor-impl" || strings.HasSuffix(name, "-impl0")):
		return q.wholeType(Generated)
	}
	return nil
}

// stub finds the method that a stub calls. Stubs of bar are bar$default, bar-hash and access$bar.
func (q *query) stub(name string, synthetic syntheticName, sig signature) []match {
	base := q.members(func(m *outline.Member) bool {
		return q.declares(m, synthetic.base) || m.Kind == outline.Initializer && m.Name == synthetic.base
	})
	// A local function is compiled to outer$inner.
	if i := strings.LastIndexByte(name, '$'); i > 0 && q.Kotlin {
		if local := q.members(func(m *outline.Member) bool {
			return m.Local && m.Kind == outline.Method && m.Name == name[i+1:] && q.enclosedBy(m, synthetic.base)
		}); len(local) > 0 {
			return q.bestFit(local, sig, q.fitAround)
		}
	}
	if len(base) == 0 {
		return generated(q.own(synthetic.base, signature{}))
	}
	answers := q.bestFit(base, sig, q.fitAround)
	if strings.HasSuffix(name, "$default") {
		return withDefaults(answers)
	}
	if name[0] == '-' || strings.HasPrefix(name, "access$") {
		return generated(answers)
	}
	// The method is not a stub. Its name was made unique by its module or its signature.
	return answers
}

// fitAround does the same as fitMethod, for stubs. A stub may have an instance before the method's
// parameters, and bit masks after them.
func (q *query) fitAround(m *outline.Member, sig signature) int {
	params := m.Params
	if m.Suspend {
		params = append(params[:len(params):len(params)], "Continuation")
	}
	best := -1
	for skip := 0; skip+len(params) <= len(sig.params); skip++ {
		extra := len(sig.params) - len(params)
		if n := 4*q.index.mismatches(params, sig.params[skip:skip+len(params)]) + min(extra, 3); best < 0 || n < best {
			best = n
		}
	}
	return best
}

// enclosedBy reports whether a member is inside a member with the given name. If the name is empty,
// being inside a lambda suffices.
func (q *query) enclosedBy(m *outline.Member, name string) bool {
	for m.Parent != outline.None {
		m = &q.Members[m.Parent]
		if m.Name == name || m.Kind == outline.Lambda && name == "" {
			return true
		}
	}
	return false
}
