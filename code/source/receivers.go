package source

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/source/internal/outline"
)

// typeRank ranks a site by its receiver. The best receivers are instances of the callee's class.
func (c *callee) typeRank(h *match, s *outline.Site, receiver string) int {
	switch {
	case h.Kotlin && c.extends(s):
		// The receiver of an extension is its first parameter.
		return c.extensionRank(h, s, receiver)
	case receiver == "super":
		return c.superRank(h)
	case receiver == "":
		return c.implicitRank(h, s)
	case !strings.Contains(receiver, "#") && (receiver == c.short || receiver == baseClass(c.class)):
		return 0
	case primitives[receiver] != "":
		return c.primitiveRank(h, receiver)
	}
	name := c.resolve(h, receiver)
	switch {
	case s.Static() && name != "" && c.ofCompanion(name):
		return 0
	case primitives[name] != "":
		return c.primitiveRank(h, name)
	case strings.HasSuffix(name, "[]"):
		if c.class == "java.lang.Object" || strings.HasPrefix(c.class, "[") {
			return 0
		}
		return otherType
	case name == "" && s.Static():
		// The receiver is an unknown type of a library. Its static methods belong to that type, so
		// the callee is not one of them.
		return otherType
	case name == "":
		return unknownType
	}
	return c.receiverRank(name)
}

// ofCompanion reports whether the callee belongs to the companion object of a class.
func (c *callee) ofCompanion(name string) bool {
	own, ok := strings.CutPrefix(c.class, name+"$")
	if !ok || c.declared == nil {
		return ok && own == "Companion"
	}
	return c.declaredIn.Types[c.declared.Type].Kind == outline.Companion
}

// receiverRank ranks a class by whether the callee can run on its objects.
func (c *callee) receiverRank(name string) int {
	if rank, ok := c.receivers[name]; ok {
		return rank
	}
	resolver := c.index.resolver(c.table)
	rank := otherType
	switch {
	case name == c.class:
		rank = 0
	case resolver.subtype(name, c.class):
		if !c.overridden(name) {
			rank = 0
		}
	case resolver.subtype(c.class, name):
		// The object may be an instance of the callee's class.
		rank = 0
	}
	c.receivers[name] = rank
	return rank
}

// extends reports whether the site calls the callee as an extension function.
func (c *callee) extends(s *outline.Site) bool {
	if c.declared != nil {
		return c.declared.Extension
	}
	return c.ofFile() && !s.Static() && c.extended != ""
}

// baseClass returns a class's name without its package.
func baseClass(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// extensionRank does the same as typeRank, for an extension function.
func (c *callee) extensionRank(h *match, s *outline.Site, receiver string) int {
	if receiver == "" || receiver == "super" {
		return 0
	}
	param := c.extended
	if d := c.declared; d != nil && !c.sig.known {
		param = c.resolveIn(c.declaredIn, d.Type, d.Params[0])
	}
	if param == "" {
		return unknownType
	}
	name := receiver
	if primitives[name] == "" {
		name = c.resolve(h, receiver)
	}
	switch {
	case name == "", c.index.isValue(name):
		return unknownType
	case primitives[name] != "":
		if primitiveCost(name, param) < noCost {
			return 0
		}
		return otherType
	case strings.HasSuffix(name, "[]"):
		if arrayCost(name, param) < noCost {
			return 0
		}
		return otherType
	case c.objectCost(name, param) < noCost:
		return 0
	}
	return otherType
}

// primitiveRank ranks a receiver of a primitive type. Kotlin calls static methods of the boxed
// class for such a receiver.
func (c *callee) primitiveRank(h *match, typ string) int {
	if h.Kotlin && c.class == primitives[typ] {
		return 0
	}
	return otherType
}

// superRank ranks a call on super. The callee must belong to a supertype, and no type in between
// may override it.
func (c *callee) superRank(h *match) int {
	t := &h.Types[h.typ]
	resolver := c.index.resolver(c.table)
	rank := otherType
	for _, written := range append([]string{t.Super}, t.Interfaces...) {
		if written == "" {
			continue
		}
		name := c.resolveIn(h.entry, t.Outer, written)
		switch {
		case name == "":
			rank = min(rank, unknownType)
		case name == c.class, resolver.subtype(name, c.class) && !c.overridden(name):
			return 0
		case !resolver.closed(name):
			rank = min(rank, unknownType)
		}
	}
	if t.Super == "" && c.class == "java.lang.Object" {
		return 0
	}
	return rank
}

// implicitRank ranks a site without a receiver.
func (c *callee) implicitRank(h *match, s *outline.Site) int {
	switch {
	case c.ofFile():
		return 0
	case s.Kind != outline.Call:
		return unknownType
	case c.ofThis(h):
		return 0
	case !h.Kotlin && c.declaredAround(h):
		// Java calls the method of the innermost enclosing class that has a method of this name.
		return otherType
	}
	return unknownType
}

// ofFile reports whether the callee is a top-level function of a Kotlin file.
func (c *callee) ofFile() bool { return c.file }

// ofThis reports whether a call without a receiver can be on this, or on the this of an outer
// class.
func (c *callee) ofThis(h *match) bool {
	for t := h.typ; t != outline.None; t = h.Types[t].Outer {
		if c.receiverRank(h.binaryName(t)) < otherType {
			return true
		}
	}
	return false
}

// declaredAround reports whether an enclosing class has a method with the callee's name.
func (c *callee) declaredAround(h *match) bool {
	return slices.ContainsFunc(h.Members, func(m outline.Member) bool {
		return m.Kind == outline.Method && m.Name == c.name && h.within(h.typ, m.Type)
	})
}

// overridden reports whether objects of a class run another method instead of the callee. It
// searches the class, and the classes up to the callee's, for a method with the same name and
// number of parameters.
func (c *callee) overridden(name string) bool {
	if !c.sig.known {
		return false
	}
	if name == "java.lang.String" {
		return c.class == "java.lang.Object"
	}
	resolver := c.index.resolver(c.table)
	for queue := []string{name}; len(queue) > 0 && resolver.step(); queue = queue[1:] {
		for _, r := range c.index.types[queue[0]] {
			t := &r.Types[r.typ]
			if t.Data && c.class == "java.lang.Object" && c.name != "getClass" {
				return true
			}
			for i := range r.Members {
				if m := &r.Members[i]; m.Type == r.typ && m.Kind == outline.Method && m.Name == c.name && len(m.Params) == len(c.sig.params) {
					return true
				}
			}
			for _, written := range append([]string{t.Super}, t.Interfaces...) {
				if super := c.resolveIn(r.entry, r.typ, written); super != "" && super != c.class && resolver.subtype(super, c.class) {
					queue = append(queue, super)
				}
			}
		}
	}
	return false
}
