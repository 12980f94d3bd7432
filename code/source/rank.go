package source

import (
	"strings"

	"github.com/diffprof/diffprof/code/classes"
	"github.com/diffprof/diffprof/code/source/internal/outline"
	"github.com/diffprof/diffprof/name"
)

// A callee is a method whose call sites are searched for. The rank methods say how well a site
// fits.
type callee struct {
	index *Index
	table *classes.Table
	class string
	// short is the last part of the class name.
	short string
	name  string
	// local is the source name of a local function. The compiled name begins with the name of the
	// enclosing function.
	local string
	sig   signature
	// declared is the declaration of the callee, or nil if the sources do not have it.
	declared   *outline.Member
	declaredIn *entry
	// setter is set for the setter of a property. defaults is set for a generated method that
	// inserts default values of parameters.
	setter, defaults bool
	// file is set for a top-level function of a Kotlin file. extended is the type of the first
	// parameter. For an extension function, this parameter is the receiver.
	file     bool
	extended string
	// others are the other overloads of the callee.
	others []overload
	// resolved caches the results of resolveIn. receivers caches the results of receiverRank.
	resolved  map[unresolved]string
	receivers map[string]int
}

// An unresolved is a type name as written in the source.
type unresolved struct {
	*entry
	typ     int32
	written string
}

// resolve returns the binary name of a type name that is written in an answer's code.
func (c *callee) resolve(h *match, written string) string {
	return c.resolveIn(h.entry, h.typ, written)
}

func (c *callee) resolveIn(e *entry, typ int32, written string) string {
	key := unresolved{e, typ, written}
	if name, ok := c.resolved[key]; ok {
		return name
	}
	elem := strings.TrimRight(written, "[]")
	name := elem
	if primitives[elem] == "" {
		name = c.index.resolver(c.table).resolve(e, typ, elem)
	}
	if name != "" {
		name += written[len(elem):]
	}
	c.resolved[key] = name
	return name
}

func (x *Index) callee(m name.Method) *callee {
	c := &callee{
		index: x, table: x.table(), class: m.Class(), name: m.Name, sig: parseDescriptor(m.Signature),
		resolved: map[unresolved]string{}, receivers: map[string]int{},
	}
	if owner, ok := strings.CutSuffix(c.class, "$DefaultImpls"); ok && len(c.sig.params) > 0 {
		// The method is the body of an interface's method. Its first parameter is the instance.
		c.class, c.sig.params = owner, c.sig.params[1:]
	}
	c.short = lastName(c.class)
	c.file = strings.HasSuffix(c.short, "Kt")
	if len(c.sig.params) > 0 {
		c.extended = c.sig.params[0]
	}
	c.declare(m)
	if synthetic, ok := parseSynthetic(m.Name); ok && synthetic.kind == stubMethod && synthetic.base != "" {
		c.name, c.sig, c.defaults = synthetic.base, signature{}, strings.HasSuffix(m.Name, "$default")
		if i := strings.LastIndexByte(m.Name, '$'); i > 0 {
			c.local = m.Name[i+1:]
		}
	}
	return c
}

// The rank of a site is a sum of these values. A lower rank is a better fit. All sites with the
// lowest rank are used.
const (
	byName      = 0
	unknownType = 1
	// unknownArgs means that the arguments also fit another overload of the callee.
	unknownArgs = 4
	byProperty  = 8
	implied     = 16
	otherCount  = 32
	otherType   = 64
	otherArgs   = 128
	never       = 1 << 20
)

// best returns the sites with the lowest rank. It considers only sites in the given members.
func (c *callee) best(h *match, owners map[int32]bool) []*outline.Site {
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

func (c *callee) rank(h *match, s *outline.Site) int {
	rank := c.nameRank(h, s)
	if rank == never {
		return never
	}
	receiver := h.Names[s.Receiver]
	switch s.Kind {
	case outline.Read, outline.Ref:
		return rank + c.typeRank(h, s, receiver)
	case outline.Implied:
		if receiver == "StringBuilder" {
			return c.textRank(h, s)
		}
		if rank += c.typeRank(h, s, receiver); rank >= otherType {
			return never
		}
		return rank
	}
	if c.name == "<init>" {
		rank += c.constructedRank(h, s)
		if rank += c.argumentRank(h, s); rank >= otherCount {
			// This site calls another constructor, since constructors are not inherited. Perhaps
			// the sources never call the callee.
			return never
		}
		return rank
	}
	types, args := c.typeRank(h, s, receiver), c.argumentRank(h, s)
	switch {
	case types >= otherType && args >= otherCount:
		return never
	case types == unknownType && c.class == "java.lang.StringBuilder" && c.name == "toString":
		// Every object has toString, so this is no better than the call that compilers generate for
		// a string concatenation.
		return implied
	}
	return rank + types + args
}

// constructedRank ranks a site by the class of the object that it constructs.
func (c *callee) constructedRank(h *match, s *outline.Site) int {
	written := h.Names[s.Receiver]
	switch {
	case s.Kind == outline.Super, s.Kind == outline.New && written == "":
		return 0
	case s.Kind == outline.Call && written == "":
		written = h.Names[s.Name]
	case s.Kind == outline.Call:
		written += "." + h.Names[s.Name]
	}
	if name := c.resolve(h, written); name != "" {
		switch {
		case name == c.class:
			return 0
		case lastName(name) == c.short && len(c.index.aliases[c.short]) > 0:
			// An alias in another file may refer to the callee's class.
			return unknownType
		}
		return otherType
	}
	// The class belongs to a library. The source may qualify it with its outer classes.
	if class := "." + strings.ReplaceAll(c.class, "$", "."); !strings.HasSuffix(class, "."+written) {
		return otherType
	}
	return 0
}

// nameRank ranks a site by the called name. It returns never if the name differs.
func (c *callee) nameRank(h *match, s *outline.Site) int {
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
	if d := c.declared; d != nil && c.declaredIn.Kotlin && h.Kotlin && s.Kind != outline.Implied {
		return c.declaredRank(d, s, name)
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
			// The setter perhaps takes another type than the property, which has the type of its
			// getter.
			return byProperty
		default:
			return byName
		}
	case outline.Implied:
		// The operator == calls the method equals of an object, not a top-level function.
		if name == c.name && (name != "equals" || !c.ofFile()) {
			return implied
		}
	}
	return never
}

// declaredRank does the same as nameRank, for a Kotlin site and a callee that is declared in
// Kotlin.
func (c *callee) declaredRank(d *outline.Member, s *outline.Site, name string) int {
	if name != d.Name && (name != c.local || name == "") {
		return never
	}
	accessor := d.Kind == outline.Property || d.Kind == outline.Getter || d.Kind == outline.Setter
	switch s.Kind {
	case outline.Read:
		if !accessor || c.setter {
			return never
		}
	case outline.Write:
		if !accessor || !c.setter {
			return never
		}
	case outline.Call:
		if accessor {
			return never
		}
	}
	return byName
}
