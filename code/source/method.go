package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// method finds a method of the query's type by its name, and what compilers make
// of methods by the names they give.
func (q *query) method(name string, sig signature) []hit {
	if q.made == madeOther {
		return q.whole(Enclosing)
	}
	if q.made == madeHolder && sig.known && len(sig.params) > 0 {
		// The instance is the first parameter, unless the method was static.
		without := sig
		without.params = sig.params[1:]
		if lastName(sig.params[0]) == lastName(q.Types[q.typ].Name) {
			sig = without
		}
	}
	switch name {
	case "":
		return q.whole(Exact)
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
	made, ok := methodMade(name)
	if !ok {
		if q.line > 0 && !q.newer && q.typeHeader().HasLine(q.line) {
			// What a class has by delegation, or inherits and has to repeat, is on
			// the line of the class.
			return q.whole(Caused)
		}
		return nil
	}
	switch made.kind {
	case madeUnknown:
		return q.whole(Enclosing)
	case madeBody:
		return q.lambda(made, sig)
	case madeAccess:
		return q.field(made.base)
	}
	return q.stub(name, made, sig)
}

// field finds a field or property, the companion's included.
func (q *query) field(name string) []hit {
	accept := func(m *outline.Member) bool {
		return m.Name == name && (m.Kind == outline.Property || m.Kind == outline.Initializer)
	}
	if own := q.members(accept); len(own) > 0 {
		return caused(q.choose(own[:1], signature{}, nil))
	}
	for i := range q.Types {
		if t := &q.Types[i]; t.Outer == q.typ && t.Kind == outline.Companion {
			companion := *q
			companion.typ = int32(i)
			if own := companion.members(accept); len(own) > 0 {
				return caused(companion.choose(own[:1], signature{}, nil))
			}
		}
	}
	return nil
}

// caused weakens exact hits: the code is where the method came from.
func caused(hits []hit) []hit {
	for i := range hits {
		if hits[i].reason == Exact || hits[i].reason == Mismatch {
			hits[i].reason = Caused
		}
	}
	return hits
}

// own finds a method that the source declares: by name, by the accessors that a
// property has, or in the companion.
func (q *query) own(name string, sig signature) []hit {
	candidates := q.members(func(m *outline.Member) bool { return q.declares(m, name) })
	// A property's own accessor rather than the property.
	if accessors := slices.DeleteFunc(slices.Clone(candidates), func(c int32) bool {
		return q.Members[c].Kind == outline.Property
	}); len(accessors) > 0 {
		candidates = accessors
	}
	if hits := q.choose(candidates, sig, fitMethod); len(hits) > 0 {
		return hits
	}
	for i := range q.Types {
		if t := &q.Types[i]; t.Outer == q.typ && t.Kind == outline.Companion {
			companion := *q
			companion.typ = int32(i)
			return companion.choose(companion.members(func(m *outline.Member) bool { return q.declares(m, name) }), sig, fitMethod)
		}
	}
	return nil
}

// declares tells whether a member has a compiled method of the name.
func (q *query) declares(m *outline.Member, name string) bool {
	if m.JVM != "" {
		return m.JVM == name
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

// fitMethod counts a method's mismatches with a descriptor; -1 if they cannot be
// the same.
func fitMethod(m *outline.Member, sig signature) int {
	params := m.Params
	switch {
	case m.Suspend:
		params = append(params[:len(params):len(params)], "Continuation")
	case m.Kind == outline.Property && len(sig.params) == len(params)+1 && sig.result == "void":
		params = append(params[:len(params):len(params)], m.Result)
	}
	n := mismatches(params, sig.params)
	if n < 0 && m.Defaults > 0 && len(sig.params) < len(params) && len(sig.params) >= len(params)-m.Defaults {
		// An overload that leaves out what has a default.
		return len(params) - len(sig.params)
	}
	if n >= 0 && !m.Suspend && m.Result != "" && sig.result != "" && !sameType(m.Result, sig.result) {
		// Results tell bridges, and nothing where parameters do.
		return 2*n + 1
	}
	return 2 * n
}

// fitConstructor is fitMethod for constructors, which take more than is written:
// an outer instance, an enum constant's name and number, captured variables.
func (q *query) fitConstructor(m *outline.Member, sig signature) int {
	t := &q.Types[q.typ]
	params := sig.params
	if t.Kind == outline.Enum && len(params) >= 2 && params[0] == "java.lang.String" && params[1] == "int" {
		if n := fitMethod(m, signature{params: params[2:], known: true}); n >= 0 {
			return n
		}
	}
	plain := fitMethod(m, signature{params: params, known: true})
	if t.Inner && len(params) > 0 && t.Outer != outline.None && sameType(q.Types[t.Outer].Name, params[0]) {
		if n := fitMethod(m, signature{params: params[1:], known: true}); n >= 0 && (plain < 0 || n <= plain) {
			return n
		}
		params = params[1:]
	}
	if plain < 0 && (t.Local || len(params) > len(m.Params)) && len(params) >= len(m.Params) {
		// Captured variables, or a mark that tells constructors apart, come last.
		if n := mismatches(m.Params, params[:len(m.Params)]); n >= 0 {
			return 2*n + len(params) - len(m.Params)
		}
	}
	return plain
}

func (q *query) constructor(sig signature) []hit {
	constructors := q.members(func(m *outline.Member) bool { return m.Kind == outline.Constructor })
	if len(constructors) == 0 {
		return q.whole(Caused)
	}
	made := false
	if n := len(sig.params); n >= 2 && strings.HasSuffix(sig.params[n-1], "DefaultConstructorMarker") {
		// Kotlin's: a mask of defaults for each 32 parameters goes before.
		for sig.params = sig.params[:n-1]; len(sig.params) > 0 && sig.params[len(sig.params)-1] == "int"; {
			sig.params = sig.params[:len(sig.params)-1]
			made = true
			if slices.ContainsFunc(constructors, func(c int32) bool { return len(q.Members[c].Params) == len(sig.params) }) {
				break
			}
		}
	}
	hits := q.choose(constructors, sig, q.fitConstructor)
	if made {
		return caused(hits)
	}
	return hits
}

// initializers returns the initialisers and field values of a type.
func (q *query) initializers(static bool) []int32 {
	return q.members(func(m *outline.Member) bool {
		return m.Parent == outline.None && m.Static == static && (m.Kind == outline.Initializer || m.Kind == outline.Property && m.Field)
	})
}

// staticInitializers returns what a type's <clinit> runs.
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

func (q *query) staticInitializer() []hit {
	all := q.staticInitializers()
	if len(all) == 0 {
		return q.whole(Caused)
	}
	if q.line > 0 && !q.newer {
		for _, m := range all {
			if q.Members[m].Extent.HasLine(q.line) {
				h := q.at(m, Exact)
				h.also = all
				return []hit{h}
			}
		}
		if q.Types[q.typ].Extent.HasLine(q.line) {
			// An object's instance is made on its own line, a set of enum
			// constants on the enum's.
			hits := q.whole(Caused)
			hits[0].also = all
			return hits
		}
	}
	h := q.at(all[0], Exact)
	h.also = all
	return []hit{h}
}

// implicit finds what kinds of type have without declaring it.
func (q *query) implicit(name string) []hit {
	t := &q.Types[q.typ]
	switch {
	case t.Kind == outline.Enum && slices.Contains([]string{"values", "valueOf", "$values", "getEntries", "ordinal", "name"}, name),
		t.Kind == outline.Record && slices.Contains([]string{"toString", "hashCode", "equals"}, name),
		t.Data && slices.Contains([]string{"toString", "hashCode", "equals", "copy", "copy$default"}, name):
		return q.whole(Caused)
	case t.Data && strings.HasPrefix(name, "component"):
		n, err := strconv.Atoi(name[len("component"):])
		properties := q.members(func(m *outline.Member) bool { return m.Kind == outline.Property && m.Parent == outline.None })
		if err == nil && n > 0 && n <= len(properties) {
			return caused([]hit{q.at(properties[n-1], Exact)})
		}
	case q.Kotlin && (name == "box-impl" || name == "unbox-impl" || name == "constructor-impl" || strings.HasSuffix(name, "-impl0")):
		return q.whole(Caused)
	}
	return nil
}

// stub finds the method that another stands for: bar$default, bar-hash, access$bar.
func (q *query) stub(name string, made madeName, sig signature) []hit {
	base := q.members(func(m *outline.Member) bool {
		return q.declares(m, made.base) || m.Kind == outline.Initializer && m.Name == made.base
	})
	// A function in a function is called outer$inner.
	if i := strings.LastIndexByte(name, '$'); i > 0 && q.Kotlin {
		if local := q.members(func(m *outline.Member) bool {
			return m.Local && m.Kind == outline.Method && m.Name == name[i+1:] && q.enclosedBy(m, made.base)
		}); len(local) > 0 {
			return q.choose(local, sig, fitAround)
		}
	}
	if len(base) == 0 {
		return caused(q.own(made.base, signature{}))
	}
	hits := q.choose(base, sig, fitAround)
	if name[0] == '-' || strings.HasPrefix(name, "access$") || strings.HasSuffix(name, "$default") {
		return caused(hits)
	}
	// The code itself, under a name that no other module or signature has.
	return hits
}

// fitAround looks for a method's parameters among those of a stub, which may have
// an instance before them and masks behind.
func fitAround(m *outline.Member, sig signature) int {
	params := m.Params
	if m.Suspend {
		params = append(params[:len(params):len(params)], "Continuation")
	}
	best := -1
	for skip := 0; skip+len(params) <= len(sig.params); skip++ {
		extra := len(sig.params) - len(params)
		if n := 4*mismatches(params, sig.params[skip:skip+len(params)]) + min(extra, 3); best < 0 || n < best {
			best = n
		}
	}
	return best
}

// enclosedBy tells whether a member is in another of the given name.
func (q *query) enclosedBy(m *outline.Member, name string) bool {
	for m.Parent != outline.None {
		m = &q.Members[m.Parent]
		if m.Name == name || m.Kind == outline.Lambda && name == "" {
			return true
		}
	}
	return false
}
