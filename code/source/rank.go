package source

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/name"
	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// A callee is the method whose call sites are looked for.
type callee struct {
	index *Index
	table *classes.Table
	class string
	// short is the class's last name.
	short string
	name  string
	// local is the name of a local function, whose compiled name begins with the name
	// of the function around it.
	local string
	sig   signature
}

func (x *Index) callee(m name.Method) *callee {
	c := &callee{index: x, table: x.table(), class: m.Class(), short: lastName(m.Class()), name: m.Name, sig: parseDescriptor(m.Signature)}
	if synthetic, ok := parseSynthetic(m.Name); ok && synthetic.kind == stubMethod && synthetic.base != "" {
		c.name, c.sig = synthetic.base, signature{}
		if i := strings.LastIndexByte(m.Name, '$'); i > 0 {
			c.local = m.Name[i+1:]
		}
	}
	return c
}

// The parts of a site's rank. The worse a site fits, the higher its rank; all sites
// of the lowest rank are taken.
const (
	byName      = 0
	unknownType = 1
	byProperty  = 8
	implied     = 16
	otherCount  = 32
	otherType   = 64
	otherArgs   = 128
	never       = 1 << 20
)

// best returns the sites of the given owners that fit best.
func (c *callee) best(h *answer, owners map[int32]bool) []*outline.Site {
	if len(owners) == 0 {
		return nil
	}
	var out []*outline.Site
	lowest := never
	for i := range h.Sites {
		s := &h.Sites[i]
		if !owners[s.Owner] || s.Default() != (h.code == defaultCode) {
			continue
		}
		rank := c.rank(h, s)
		switch {
		case rank > lowest || rank == never:
		case rank < lowest:
			lowest, out = rank, []*outline.Site{s}
		default:
			out = append(out, s)
		}
	}
	return out
}

func (c *callee) rank(h *answer, s *outline.Site) int {
	rank := c.nameRank(h, s)
	if rank == never {
		return never
	}
	receiver := h.Names[s.Receiver]
	switch s.Kind {
	case outline.Read, outline.Ref:
		return rank + c.typeRank(h, s, receiver)
	case outline.Implied:
		if receiver == "StringBuilder" && (!sameType(receiver, c.class) || !c.appends(s)) {
			return never
		}
		return rank + c.typeRank(h, s, receiver)
	}
	if c.name == "<init>" {
		rank += c.constructedRank(h, s)
	} else {
		rank += c.typeRank(h, s, receiver)
	}
	return rank + c.argumentRank(h, s)
}

// appends reports whether one of the operands of a sum of texts can be the argument of
// the callee.
func (c *callee) appends(s *outline.Site) bool {
	if c.name != "append" || !c.sig.known || len(c.sig.params) != 1 || s.Count > outline.MaxArgs {
		return true
	}
	for i := range int(s.Count) {
		if appendedAs(c.sig.params[0], s.Arg(i)) {
			return true
		}
	}
	return false
}

// appendedAs reports whether a compiler appends an operand to a text by the method that
// takes the parameter.
func appendedAs(param string, operand outline.ArgKind) bool {
	switch operand {
	case outline.Unknown:
		return true
	case outline.String:
		return param == "java.lang.String"
	case outline.Char:
		return param == "char"
	case outline.Int:
		return param == "int"
	case outline.Long:
		return param == "long"
	case outline.Bool:
		return param == "boolean"
	case outline.Float:
		return param == "float" || param == "double"
	}
	return param == "java.lang.Object"
}

// constructedRank ranks a site by whether it constructs an object of the callee's class.
func (c *callee) constructedRank(h *answer, s *outline.Site) int {
	written := h.Names[s.Receiver]
	switch {
	case s.Kind == outline.Super:
		return 0
	case s.Kind == outline.Call && written == "":
		written = h.Names[s.Name]
	case s.Kind == outline.Call:
		written += "." + h.Names[s.Name]
	}
	if name := c.index.resolver(c.table).resolve(h.entry, h.typ, written); name != "" {
		if name != c.class {
			return otherType
		}
		return 0
	}
	// A class of a library, whose name may be qualified by the classes around it.
	if class := "." + strings.ReplaceAll(c.class, "$", "."); !strings.HasSuffix(class, "."+written) {
		return otherType
	}
	return 0
}

// nameRank ranks a site by the name that it calls; never if it is another name.
func (c *callee) nameRank(h *answer, s *outline.Site) int {
	name := h.Names[s.Name]
	if c.name == "<init>" {
		switch {
		case s.Kind == outline.New && name == c.short,
			s.Kind == outline.Ref && name == c.short,
			s.Kind == outline.Call && h.Kotlin && name == c.short,
			s.Kind == outline.Super && sameType(h.Names[s.Receiver], c.class) && h.Names[s.Receiver] != "":
			return byName
		case s.Kind == outline.Implied && name == "<init>" && c.class == "java.lang.StringBuilder":
			return implied
		}
		return never
	}
	switch s.Kind {
	case outline.Call, outline.Ref:
		if name == c.name || name == c.local && name != "" {
			return byName
		}
		if s.Kind == outline.Ref && h.Kotlin && isAccessor(c.name, name, false) {
			return byName
		}
	case outline.Read:
		if isAccessor(c.name, name, false) {
			return byName
		}
	case outline.Write:
		switch {
		case !isAccessor(c.name, name, true):
		case s.Arg(0) == outline.Unknown && len(c.sig.params) == 1 && !strings.Contains(c.sig.params[0], "."):
			// The property has the getter's type, and this overload may take another.
			return byProperty
		default:
			return byName
		}
	case outline.Implied:
		// An operator calls the method equals of an object, and no function of a file.
		if name == c.name && (name != "equals" || !c.ofFile()) {
			return implied
		}
	}
	return never
}

// typeRank ranks a site by whether its receiver can be an instance of the callee's
// class.
func (c *callee) typeRank(h *answer, s *outline.Site, receiver string) int {
	if c.ofFile() && !s.Static() {
		if receiver == "" || len(c.sig.params) == 0 {
			return 0
		}
		// The receiver of an extension is its first parameter.
		class := c.sig.params[0]
		extension := callee{index: c.index, table: c.table, class: class, short: lastName(class), name: c.name}
		return extension.typeRank(h, s, receiver)
	}
	resolver := c.index.resolver(c.table)
	path := strings.Contains(receiver, "#")
	switch {
	case receiver == "super":
		return 0
	case receiver == "":
		switch {
		case s.Kind != outline.Call:
			return unknownType
		case c.ofThis(h, resolver):
			return 0
		case !h.Kotlin && c.declaredAround(h):
			// Java looks no further than the class around that has the method.
			return otherType
		}
		return unknownType
	case !path && sameType(receiver, c.class):
		return 0
	case isPrimitive(receiver):
		return otherType
	}
	name := resolver.resolve(h.entry, h.typ, receiver)
	switch {
	case name == "":
		// An unknown type of a library. An object of it may be of any class, but its
		// static methods are its own.
		if s.Static() {
			return otherType
		}
		return unknownType
	case resolver.related(name, c.class) && !c.overridden(name):
		return 0
	}
	return otherType
}

// ofFile reports whether the callee is a function of a Kotlin file.
func (c *callee) ofFile() bool {
	return strings.HasSuffix(c.short, "Kt")
}

// ofThis reports whether a call without a receiver can be of an object around it.
func (c *callee) ofThis(h *answer, resolver *resolver) bool {
	for t := h.typ; t != outline.None; t = h.Types[t].Outer {
		if resolver.related(h.binaryName(t), c.class) {
			return true
		}
	}
	return false
}

// declaredAround reports whether a class around has a method of the callee's name.
func (c *callee) declaredAround(h *answer) bool {
	return slices.ContainsFunc(h.Members, func(m outline.Member) bool {
		return m.Kind == outline.Method && m.Name == c.name && h.within(h.typ, m.Type)
	})
}

// overridden reports whether a class below the callee's has a method of the same name and
// number of parameters, so that the callee does not run for its objects.
func (c *callee) overridden(name string) bool {
	if name == c.class || !c.sig.known {
		return false
	}
	if name == "java.lang.String" {
		return c.class == "java.lang.Object"
	}
	for _, r := range c.index.types[name] {
		t := &r.Types[r.typ]
		if t.Data && c.class == "java.lang.Object" {
			return true
		}
		for i := range r.Members {
			if m := &r.Members[i]; m.Type == r.typ && m.Kind == outline.Method && m.Name == c.name && len(m.Params) == len(c.sig.params) && c.index.resolver(c.table).subtype(name, c.class) {
				return true
			}
		}
	}
	return false
}

// isPrimitive reports whether a type is one of Java's primitive types.
func isPrimitive(typ string) bool {
	switch typ {
	case "int", "long", "short", "byte", "char", "boolean", "float", "double":
		return true
	}
	return false
}

// argumentRank ranks a site by whether its arguments can be the callee's.
func (c *callee) argumentRank(h *answer, s *outline.Site) int {
	if !c.sig.known {
		return 0
	}
	params, count := c.sig.params, int(s.Count)
	if n := len(params); n > 0 && params[n-1] == "kotlin.coroutines.Continuation" {
		params = params[:n-1]
	}
	if len(params) == count+1 && c.ofFile() && (h.Names[s.Receiver] != "" || s.Kind == outline.Call) {
		params = params[1:]
	}
	if c.name == "<init>" && len(params) == count+1 && s.Kind != outline.Super && strings.HasPrefix(c.class, params[0]+"$") {
		// An inner class's constructor takes the outer instance.
		params = params[1:]
	}
	last := len(params) - 1
	spread := last >= 0 && strings.HasSuffix(params[last], "[]")
	switch {
	case count == len(params):
	case spread && count >= len(params)-1:
		params = params[:len(params)-1]
	case s.Spread():
	default:
		return otherCount
	}
	for i := range min(count, len(params), outline.MaxArgs) {
		if spread && i == last {
			break
		}
		if !accepts(params[i], s.Arg(i), h.Kotlin) {
			return otherArgs
		}
	}
	return 0
}

// accepts reports whether a parameter can take an argument.
func accepts(param string, arg outline.ArgKind, kotlin bool) bool {
	primitive := !strings.Contains(param, ".") && !strings.HasSuffix(param, "[]")
	switch arg {
	case outline.Unknown:
		return true
	case outline.String:
		return param == "java.lang.String" || param == "java.lang.CharSequence" || isBroad(param) && param != "java.lang.Number"
	case outline.Int:
		return primitive && param != "boolean" || isBroad(param) || param == "java.lang.Integer" || kotlin && boxedNumber(param)
	case outline.Long:
		return param == "long" || param == "float" || param == "double" || param == "java.lang.Long" || isBroad(param)
	case outline.Float:
		return param == "float" || param == "double" || param == "java.lang.Float" || param == "java.lang.Double" || isBroad(param)
	case outline.Char:
		return primitive && param != "boolean" && param != "byte" && param != "short" || param == "java.lang.Character" || isBroad(param)
	case outline.Bool:
		return param == "boolean" || param == "java.lang.Boolean" || isBroad(param)
	case outline.Null:
		return !primitive
	case outline.Array:
		return strings.HasSuffix(param, "[]") || isBroad(param)
	case outline.Function:
		return !primitive && param != "java.lang.String" && param != "java.lang.CharSequence" && !strings.HasSuffix(param, "[]")
	}
	// An object of a class that the source names, which is not String.
	return !primitive && param != "java.lang.String" && !strings.HasSuffix(param, "[]")
}

// isBroad reports whether a type is a supertype of boxed values.
func isBroad(param string) bool {
	switch param {
	case "java.lang.Object", "java.lang.Comparable", "java.io.Serializable", "java.lang.Number":
		return true
	}
	return false
}

func boxedNumber(param string) bool {
	switch param {
	case "java.lang.Long", "java.lang.Short", "java.lang.Byte":
		return true
	}
	return false
}
