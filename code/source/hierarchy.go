package source

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// maxSteps bounds the number of types that a query visits to resolve a name or to compare two
// types. Sources may have cycles, and types with thousands of supertypes.
const maxSteps = 2000

// A resolver finds the types to which names in the sources refer.
type resolver struct {
	*Index
	table *classes.Table
	steps int
}

// resolver returns a resolver for a single query. The caller holds mu.
func (x *Index) resolver(table *classes.Table) *resolver {
	return &resolver{Index: x, table: table, steps: maxSteps}
}

// table returns the classes of the platform.
func (x *Index) table() *classes.Table {
	table, err := classes.BuiltIn()
	if err != nil {
		// The table that was built into the program is damaged. Without it, fewer types can be
		// compared.
		return new(classes.Table)
	}
	return table
}

// step counts a visited type. It reports whether the count is still within maxSteps.
func (x *resolver) step() bool {
	x.steps--
	return x.steps >= 0
}

// Classes returns the types that the sources declare, sorted by name, with their supertypes. It
// includes anonymous types. If several files declare a class, its supertypes are the supertypes of
// all these files.
func (x *Index) Classes() []classes.Class {
	x.mu.RLock()
	defer x.mu.RUnlock()
	table := x.table()
	names := make([]string, 0, len(x.types))
	for name, refs := range x.types {
		if !slices.ContainsFunc(refs, func(r typeRef) bool { return !r.isEmptyFacade() }) {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]classes.Class, 0, len(names))
	for _, name := range names {
		refs := sortedByFile(x.types[name], "")
		c := classes.Class{Name: name}
		for _, r := range refs {
			x.resolver(table).supertypes(&c, r)
		}
		if kind := x.kindOf(name); c.Super == "" && kind != outline.Interface && kind != outline.Annotation {
			c.Super = "java.lang.Object"
		}
		out = append(out, c)
	}
	return out
}

// isEmptyFacade reports whether the type represents a Kotlin file without functions. The
// compiler generates no class for it.
func (r typeRef) isEmptyFacade() bool {
	return r.Types[r.typ].Kind == outline.Facade &&
		!slices.ContainsFunc(r.Members, func(m outline.Member) bool { return m.Type == r.typ })
}

// kindOf returns the kind of a type, or Class if it is not in the sources.
func (x *Index) kindOf(name string) outline.TypeKind {
	if refs := x.types[name]; len(refs) > 0 {
		return refs[0].Types[refs[0].typ].Kind
	}
	return outline.Class
}

// supertypes adds a type's supertypes to a class.
func (x *resolver) supertypes(c *classes.Class, r typeRef) {
	t := &r.Types[r.typ]
	super := x.resolve(r.entry, r.typ, t.Super)
	switch t.Kind {
	case outline.Enum:
		super = "java.lang.Enum"
	case outline.Record:
		super = "java.lang.Record"
	case outline.Annotation:
		c.Interfaces = addOnce(c.Interfaces, "java.lang.annotation.Annotation")
	}
	if t.Kind == outline.Anonymous && x.kindOf(super) == outline.Interface {
		c.Interfaces = addOnce(c.Interfaces, super)
		super = ""
	}
	interfaces := t.Interfaces
	for _, written := range interfaces {
		name := x.resolve(r.entry, r.typ, written)
		switch {
		case name == "" || name == c.Name:
		case r.Kotlin && super == "" && len(x.types[name]) > 0 && x.kindOf(name) == outline.Class:
			// This is the superclass of a class whose secondary constructors call super.
			super = name
		default:
			c.Interfaces = addOnce(c.Interfaces, name)
		}
	}
	switch {
	case super == "" || super == c.Name || super == c.Super:
	case c.Super == "":
		c.Super = super
	default:
		c.Interfaces = addOnce(c.Interfaces, super)
	}
}

func addOnce(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// resolve returns the binary name of a type as written in a source, or "" if it finds no type. As
// in Java, it searches in this order:
//
//  1. the nested types of the enclosing types and of their supertypes,
//  2. the types of the file,
//  3. the imports,
//  4. the file's package,
//  5. wildcard imports,
//  6. the libraries that need no import,
//  7. wildcard imports of packages with unknown classes.
func (x *resolver) resolve(e *entry, typ int32, written string) string {
	return x.resolveUp(e, typ, written, 0)
}

func (x *resolver) resolveUp(e *entry, typ int32, written string, depth int) string {
	name := x.named(e, typ, written, depth)
	if outer, last, nested := cutLast(written, '.'); nested && len(x.types[name]) == 0 && !strings.Contains(written, "#") {
		// The last name may be that of a field or property of a class.
		if class := x.named(e, typ, outer, depth); len(x.types[class]) > 0 {
			if found := x.memberOf(e, typ, outer, last, depth+1); found != "" {
				return found
			}
		}
	}
	return name
}

// cutLast splits a text at the last separator.
func cutLast(text string, separator byte) (before, after string, found bool) {
	i := strings.LastIndexByte(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// named resolves a type name. Unlike resolveUp, it does not consider fields of classes.
func (x *resolver) named(e *entry, typ int32, written string, depth int) string {
	if written == "" || !x.step() {
		return ""
	}
	if i := strings.LastIndexByte(written, '#'); i >= 0 {
		return x.memberOf(e, typ, written[:i], written[i+1:], depth)
	}
	if primitives[written] != "" {
		return written
	}
	if elem, array := strings.CutSuffix(written, "[]"); array {
		if elem = x.resolveUp(e, typ, elem, depth); elem == "" {
			return ""
		}
		return elem + "[]"
	}
	first, rest, nested := strings.Cut(written, ".")
	tail := ""
	if nested {
		tail = "$" + strings.ReplaceAll(rest, ".", "$")
	}
	if strings.Contains(written, "$") && x.known(e.withPackage(written)) {
		return e.withPackage(written)
	}
	for t := typ; t != outline.None; t = e.Types[t].Outer {
		if name := x.memberType(e, t, first, depth); name != "" {
			return name + tail
		}
	}
	for i := range e.Types {
		// In the binary name of a local class, a number precedes the simple name.
		if t := &e.Types[i]; lastName(t.Name) == first && (t.Outer == outline.None || e.Types[t.Outer].Kind == outline.Facade) {
			return e.binaryName(int32(i)) + tail
		} else if t.Local && t.Kind != outline.Anonymous && strings.TrimLeft(lastName(t.Name), "0123456789") == first {
			return e.binaryName(int32(i)) + tail
		}
	}
	for _, i := range e.Imports {
		if !i.Wildcard && (i.Alias == first || i.Alias == "" && lastName(i.Name) == first || i.Alias != "" && lastName(i.Name) == first) {
			return x.split(i.Name) + tail
		}
	}
	if name := e.withPackage(first); x.known(name) {
		return name + tail
	}
	for _, i := range e.Imports {
		if i.Wildcard {
			for _, name := range []string{i.Name + "." + first, x.split(i.Name) + "$" + first} {
				if x.known(name) {
					return name + tail
				}
			}
		}
	}
	if e.Kotlin && kotlinDefaults[first] != "" {
		return kotlinDefaults[first] + tail
	}
	if name := "java.lang." + first; x.known(name) {
		return name + tail
	}
	if name := x.opaque(e); name != "" && !nested {
		return name + "." + first
	}
	if nested && first != "" && (first[0] < 'A' || first[0] > 'Z') {
		return x.split(written)
	}
	return ""
}

// kotlinDefaults are classes that Kotlin code uses without an import. Most have the name of a class
// in java.util; Kotlin's List is java.util.List.
var kotlinDefaults = func() map[string]string {
	m := map[string]string{"ArrayDeque": "kotlin.collections.ArrayDeque", "Entry": "java.util.Map$Entry", "Closeable": "java.io.Closeable"}
	for name := range strings.FieldsSeq(`List Map Set Collection Iterator ListIterator ArrayList HashMap LinkedHashMap HashSet LinkedHashSet
		RandomAccess Comparator NoSuchElementException ConcurrentModificationException`) {
		m[name] = "java.util." + name
	}
	for name := range strings.FieldsSeq("Lazy Pair Triple Result") {
		m[name] = "kotlin." + name
	}
	return m
}()

// opaque returns the package of a wildcard import, if its classes are unknown. It returns "" if the
// file has no such import, or several.
func (x *resolver) opaque(e *entry) string {
	found := ""
	for _, i := range e.Imports {
		if !i.Wildcard || i.Static || x.table.Lists(i.Name) || x.packages[i.Name] > 0 {
			continue
		}
		if found != "" {
			return ""
		}
		found = i.Name
	}
	return found
}

// withPackage prepends the file's package to a name.
func (e *entry) withPackage(name string) string {
	if e.Package == "" {
		return name
	}
	return e.Package + "." + name
}

// memberType finds a nested type by its simple name. It searches a type, and its supertypes as far
// as the sources declare them.
func (x *resolver) memberType(e *entry, typ int32, simple string, depth int) string {
	name := e.binaryName(typ) + "$" + simple
	if len(x.types[name]) > 0 {
		return name
	}
	t := &e.Types[typ]
	if lastName(t.Name) == simple && t.Kind != outline.Facade {
		return e.binaryName(typ)
	}
	if t.Outer == typ || depth >= 3 {
		return ""
	}
	for _, written := range append([]string{t.Super}, t.Interfaces...) {
		if !x.step() {
			break
		}
		if first, _, _ := strings.Cut(written, "."); written == "" || first == simple {
			continue
		}
		super := x.resolveUp(e, t.Outer, written, depth+1)
		if super == "" || super == e.binaryName(typ) {
			continue
		}
		if name := super + "$" + simple; x.known(name) {
			return name
		}
		if refs := x.types[super]; len(refs) > 0 && refs[0].entry != e {
			if name := x.memberType(refs[0].entry, refs[0].typ, simple, depth+1); name != "" {
				return name
			}
		}
	}
	return ""
}

// split converts a dotted name to a binary name, such as java.util.Map.Entry to
// java.util.Map$Entry. The package ends before the first known type. If no part is a known type, it
// ends before the first capitalized part.
func (x *resolver) split(name string) string {
	parts := strings.Split(name, ".")
	if len(parts) > 32 {
		return name
	}
	for n := len(parts) - 1; n >= 0; n-- {
		binary := strings.Join(parts[:n], ".")
		if n > 0 {
			binary += "."
		}
		if binary += strings.Join(parts[n:], "$"); x.known(binary) {
			return binary
		}
	}
	for n, part := range parts {
		if part != "" && part[0] >= 'A' && part[0] <= 'Z' {
			prefix := strings.Join(parts[:n], ".")
			if n > 0 {
				prefix += "."
			}
			return prefix + strings.Join(parts[n:], "$")
		}
	}
	return name
}

// known reports whether the sources or the platform have a class. The platform table omits classes
// that extend only java.lang.Object; alwaysKnown lists those of java.lang.
func (x *resolver) known(name string) bool {
	if len(x.types[name]) > 0 {
		return true
	}
	for range x.table.Supertypes(name) {
		return true
	}
	return alwaysKnown[name]
}

// alwaysKnown are classes of java.lang that extend only java.lang.Object.
var alwaysKnown = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`Object Runnable Comparable CharSequence Iterable Cloneable AutoCloseable
		Appendable Readable Math StrictMath System Runtime Process ProcessBuilder ThreadLocal Void Package
		ClassLoader SecurityManager Throwable Override Deprecated FunctionalInterface SuppressWarnings SafeVarargs`) {
		m["java.lang."+name] = true
	}
	return m
}()

// implicitSuper returns the superclass of a type that declares none.
func implicitSuper(t *outline.Type) string {
	switch {
	case t.Kind == outline.Enum:
		return "java.lang.Enum"
	case t.Kind == outline.Record:
		return "java.lang.Record"
	case t.Super == "":
		return "java.lang.Object"
	}
	return ""
}

func (x *resolver) subtype(sub, super string) bool {
	seen := map[string]bool{sub: true}
	for queue := []string{sub}; len(queue) > 0; queue = queue[1:] {
		if x.table.Subtype(queue[0], super) {
			return true
		}
		for _, r := range x.types[queue[0]] {
			t := &r.Types[r.typ]
			if base := implicitSuper(t); base != "" && (base == super || x.table.Subtype(base, super)) {
				return true
			}
			for _, written := range append([]string{t.Super}, t.Interfaces...) {
				name := x.resolve(r.entry, r.typ, written)
				if name == super {
					return true
				}
				if name != "" && !seen[name] {
					seen[name] = true
					queue = append(queue, name)
				}
			}
		}
	}
	return false
}
